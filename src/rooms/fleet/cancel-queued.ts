/**
 * Owns: cancelling a task of this home that nobody has claimed yet.
 *
 * C1 This home claims the run, as every member would, and says at once that nothing is left to do for it. Of a
 *    cancellation and a claim at the same moment the fence refuses one; whoever gets the task later sees that it is over,
 *    and takes it out of the queue.
 * C2 The result is sent after that, and again if this home ended in between: it counts once.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { claimRun } from './servers/run-fence.ts';
import { foldHistory, type RunHistory } from './servers/run-owner.ts';
import { replaceShownFile } from '../../core/ledger/disk.ts';
import type { Home } from '../../core/schema/home.ts';
import type { FleetMember } from './fleet-member.ts';

export type Cancelling = Pick<FleetMember, 'name' | 'fence' | 'log' | 'checkStream'> & {
  queue: Pick<FleetMember['queue'], 'remove'>;
  results: Pick<FleetMember['results'], 'send'>;
};

/** Whether it was cancelled here; if not, somebody else has claimed it. */
export async function cancelQueued(home: Home, member: Cancelling, task: string): Promise<boolean> {
  const { name, log, queue, results } = member;
  const history = foldHistory(await log.read(task));
  if (!wasCancelledHere(history, name) && !(await claimAndEnd(member, task, history))) return false;
  const outbox = join(home.workspace, 'outbox', task);
  mkdirSync(outbox, { recursive: true });
  replaceShownFile(
    join(outbox, 'RESULT.md'),
    `# Cancelled: ${task}\n\nNobody had taken the task yet, and nothing was done.\n`,
  );
  await results.send(name, { id: task, worker: name, status: 'cancelled', outbox: [], desk: [] }, 1);
  await queue.remove(task).catch(() => undefined); // else the next member that gets it does
  return true;
}

const wasCancelledHere = ({ claims, events, isReturned }: RunHistory, name: string): boolean =>
  isReturned && events.length === 0 && claims.length === 1 && claims[0]?.worker === name;

async function claimAndEnd(member: Cancelling, task: string, history: RunHistory): Promise<boolean> {
  if (history.owner !== null) return false;
  await member.checkStream();
  const claim = await claimRun(member.log, task, member.fence, history);
  return (
    (await claim?.fence.finish().then(
      () => true,
      () => false,
    )) === true
  );
}
