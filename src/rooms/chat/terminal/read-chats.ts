/** Owns: reading conversations as often as a script likes. */
import { chatView } from '../model/chat-view.ts';
import type { Rows } from '../../../core/schema/rows.ts';
import { type ReadingCall, readOneView } from '../../../kit/cli/read-one-view.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';

export async function readChats<T>(call: ReadingCall, query: (rows: Rows) => T): Promise<T> {
  await requireHome(call.home);
  return readOneView(call, chatView, query);
}
