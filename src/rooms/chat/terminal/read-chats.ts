/** Owns: reading conversations as often as a script likes, with what was submitted and no worker has received yet. */
import { join } from 'node:path';
import { chatView } from '../model/chat-view.ts';
import { listFolder } from '../../../core/ledger/disk.ts';
import type { Rows } from '../../../core/schema/rows.ts';
import { type ReadingCall, readOneView } from '../../../kit/cli/read-one-view.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';

export async function readChats<T>(call: ReadingCall, query: (rows: Rows) => T): Promise<T> {
  await requireHome(call.home);
  const folder = join(call.home.oka, 'intake');
  // Before the rows are read: a request leaves the folder when it is in the ledger.
  const add = listFolder(folder).length === 0 ? null : (await import('./submitted-chats.ts')).submittedChats(folder);
  return readOneView(call, chatView, (rows) => {
    add?.(rows);
    return query(rows);
  });
}
