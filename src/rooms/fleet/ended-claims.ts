/**
 * Owns: which workers that took a task, and got nothing done, ended while they had it. Others had let it go, such as while
 * the servers did not answer: those that live, and those that published something after the task was another's.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { FleetMembers } from './servers/fleet-members.ts';
import type { FruitlessClaim } from './servers/fruitless-claims.ts';
import type { RunLog } from './servers/run-fence.ts';

/** Members report every five seconds. */
const LOOK_MS = 12_000;

type Fleet = { members: Pick<FleetMembers, 'list'>; log: Pick<RunLog, 'next'> };

/**
 * `now` is where the claim of whoever asks is. Whoever reports while we look lives, whatever its clock says; a process that
 * reports no more has ended.
 */
export async function endedClaims(
  claims: readonly FruitlessClaim[],
  now: number,
  { members, log }: Fleet,
  lookMs = LOOK_MS,
): Promise<FruitlessClaim[]> {
  const before = new Map((await members.list()).map(({ name, at }) => [name, at]));
  await sleep(lookMs);
  const reporting = (await members.list()).filter(({ name, at }) => before.get(name) !== at);
  const isLiving = ({ worker, process }: FruitlessClaim): boolean =>
    reporting.some((member) => member.name === worker && member.process === process);
  const ended: FruitlessClaim[] = [];
  for (const claim of claims) if (!isLiving(claim) && !(await hasLetGo(claim, now, log))) ended.push(claim);
  return ended;
}

/** A process publishes all the time while it works on anything. */
async function hasLetGo({ worker, process, until }: FruitlessClaim, now: number, log: Fleet['log']): Promise<boolean> {
  return (await log.next(worker, until ?? now))?.message.process === process;
}
