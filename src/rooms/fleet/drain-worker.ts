/** Owns: `oka up --drain`: a running worker takes nothing new, finishes or hands over what it has, and ends. */
import { rmSync } from 'node:fs';
import { drainFile } from '../../kit/home/stop-files.ts';
import { replaceFile } from '../../core/ledger/disk.ts';
import { type Holder, penHolder } from '../../core/ledger/pen.ts';
import { type Call, exits } from '../../kit/cli/command-module.ts';
import { pause } from '../../kit/pause.ts';

const POLL_MS = 300;

/** Resolves when the worker has ended. When it is interrupted the worker goes on draining. */
export async function drainWorker({ home, signal, notify, emit }: Call<object, string>): Promise<number> {
  const holder = penHolder(home.ledgers.run);
  if (holder === null) {
    emit('No worker is running.');
    return exits.ok;
  }
  replaceFile(drainFile(home), 'The worker takes nothing new, and ends when it has finished. Remove this to go on.\n');
  notify(`Process ${holder.pid} on ${holder.host} takes nothing new. Waiting until it has finished what it has.`);
  while (isSame(penHolder(home.ledgers.run), holder) && !signal.aborted) await pause(POLL_MS, signal);
  if (signal.aborted) {
    notify(`It goes on draining. To let it take tasks again, remove ${drainFile(home)}.`);
    return exits.interrupted;
  }
  emit('The worker has ended; nothing of it is in progress.');
  return exits.ok;
}

/** Called where a worker is started anew: an earlier order to drain is over. */
export const forgetDrain = (home: Call['home']): void => rmSync(drainFile(home), { force: true });

const isSame = (now: Holder | null, before: Holder): boolean => now?.pid === before.pid && now.since === before.since;
