/**
 * Owns: a stream of runs that was created again on purpose, until every member has refilled it.
 *
 * U1 It names the members that have worked with the one before. Nobody claims a run in it until each of them has refilled
 *    its own: before, nobody can know who has done what.
 * U2 Its sequences begin far above those of every stream before, so that no worker that wakes up is accepted by chance.
 */
import type { StreamConfig, StreamInfo } from '@nats-io/jetstream';
import { OkaError } from '../../../core/schema/errors.ts';
import type { FleetStream } from '../../../core/schema/fleet.ts';
import { ANSWER_MS, type FleetConnection } from './connect-fleet.ts';
import { RUNS, runSubject } from './fleet-subjects.ts';

const AWAITED = 'oka_awaits';
/** No run has this name. */
const MARKS = '_refilled';

export const awaitedIn = (members: readonly string[]): Record<string, string> => ({
  [AWAITED]: JSON.stringify(members),
});

export const refilledConfig = (members: readonly string[]): Pick<StreamConfig, 'metadata' | 'first_seq'> => ({
  metadata: awaitedIn(members),
  first_seq: Date.now(),
});

/** Null for a stream that was not created again. */
export function awaitedMembers({ config: { metadata } }: StreamInfo): string[] | null {
  const awaited = metadata?.[AWAITED];
  return awaited === undefined ? null : (JSON.parse(awaited) as string[]);
}

/** Those that have yet to refill it. */
export async function missingMembers({ manager }: FleetConnection, info: StreamInfo): Promise<string[]> {
  const missing: string[] = [];
  for (const member of awaitedMembers(info) ?? []) {
    const mark = await manager.streams.getMessage(RUNS, { last_by_subj: runSubject(MARKS, member) });
    if (mark?.string() !== markOf(info)) missing.push(member);
  }
  return missing;
}

/** Says that a member has refilled its runs; only in the stream that it has refilled. */
export async function markRefilled({ js }: FleetConnection, member: string, stream: FleetStream): Promise<void> {
  const expect = { streamName: RUNS };
  await js.publish(runSubject(MARKS, member), markOf(stream), { expect, timeout: ANSWER_MS });
}

const markOf = ({ created }: { created: string }): string => new Date(created).toISOString();

export function describeMissing(members: readonly string[]): { message: string; fix: string } {
  return {
    message: `the stream of runs was created again, and has yet to be refilled by ${members.join(', ')}`,
    fix: 'At each of them: oka fleet backfill. If one is gone for good, name the others: oka fleet create --again --members …',
  };
}

export function refuseUnfilled(members: readonly string[]): never {
  const { message, fix } = describeMissing(members);
  throw new OkaError('fleet-refused', message, { fix });
}
