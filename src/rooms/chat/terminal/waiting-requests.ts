/** Owns: mentioning messages and requests about conversations that no worker has received yet. */
import { join } from 'node:path';
import { listFolder } from '../../../core/ledger/disk.ts';
import { penHolder } from '../../../core/ledger/pen.ts';
import type { Call } from '../../../kit/cli/command-module.ts';
import { count } from '../../../kit/cli/plain-text.ts';

/** Prints a line on stderr when something waits and no worker is running. */
export async function notifyWaiting({ home, notify }: Pick<Call, 'home' | 'notify'>): Promise<void> {
  const folder = join(home.oka, 'intake');
  if (listFolder(folder).length === 0 || penHolder(home.ledgers.run) !== null) return;
  const { readRequests } = await import('../../../kit/requests/read-requests.ts');
  const kinds = readRequests(folder).flatMap((each) => ('intake' in each ? each.intake.kind : []));
  const messages = kinds.filter((kind) => kind === 'chat_post').length;
  const others = kinds.filter((kind) => kind.startsWith('chat_')).length - messages;
  const [waiting, what] = messages > 0 ? [messages, 'message'] : [others, 'request'];
  if (waiting > 0) notify(`${count(waiting, what)} ${waiting === 1 ? 'waits' : 'wait'} for a worker: oka up`);
}
