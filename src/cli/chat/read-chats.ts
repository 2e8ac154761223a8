/** Owns: reading conversations as often as a script likes. */
import { chatView } from '../../chat/chat-view.ts';
import type { Rows } from '../../schema/rows.ts';
import { type ReadingCall, readOneView } from '../read-one-view.ts';
import { requireHome } from '../require-home.ts';

export async function readChats<T>(call: ReadingCall, query: (rows: Rows) => T): Promise<T> {
  await requireHome(call.home);
  return readOneView(call, chatView, query);
}
