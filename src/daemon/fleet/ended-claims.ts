/**
 * Owns: which workers that took a task, and got nothing done, have ended. One that lives had given the task up, such as
 * while the servers did not answer.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { FleetMembers } from '../../fleet/fleet-members.ts';
import type { FruitlessClaim } from '../../fleet/fruitless-claims.ts';

/** Members report every five seconds. */
const LOOK_MS = 12_000;

/** Whoever reports while we look lives, whatever its clock says; a process that reports no more has ended. */
export async function endedClaims(
  claims: readonly FruitlessClaim[],
  members: Pick<FleetMembers, 'list'>,
  lookMs = LOOK_MS,
): Promise<FruitlessClaim[]> {
  const before = new Map((await members.list()).map(({ name, at }) => [name, at]));
  await sleep(lookMs);
  const reporting = (await members.list()).filter(({ name, at }) => before.get(name) !== at);
  const isLiving = ({ worker, process }: FruitlessClaim): boolean =>
    reporting.some((member) => member.name === worker && member.process === process);
  return claims.filter((claim) => !isLiving(claim));
}
