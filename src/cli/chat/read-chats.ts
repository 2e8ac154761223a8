/**
 * Owns: reading conversations as often as a script likes: it loads the one view of conversations, and nothing that checks
 * or writes.
 */
import { chatView } from '../../chat/chat-view.ts';
import { isSetUp } from '../../daemon/home/is-set-up.ts';
import { withRowsOf } from '../../daemon/views/read-rows.ts';
import type { Rows } from '../../schema/rows.ts';
import type { Call } from '../command-module.ts';
import { withReadingProgress } from '../reading-progress.ts';

export async function readChats<T>(
  call: Pick<Call, 'home' | 'progress' | 'signal'>,
  query: (rows: Rows) => T,
): Promise<T> {
  if (!isSetUp(call.home)) (await import('../require-home.ts')).requireHome(call.home);
  return withReadingProgress(call, (reading) => withRowsOf(call.home, chatView, query, reading));
}
