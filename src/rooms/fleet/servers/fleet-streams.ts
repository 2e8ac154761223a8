/**
 * Owns: the streams of a fleet.
 *
 * S1 A stream that a member has worked with is never created again by itself: its sequences would start over, and an owner
 *    of before could be acknowledged. Name and time of creation are compared at every start, and before and after every
 *    claim. Nor is it created by a new member if other streams of the fleet are there. Nor is anything else that nobody can
 *    fill again by himself, once there are runs: queues, shared values, files, orders.
 * S2 What does not fit is refused, not dropped (`discard: new`): a task stays in the inbox, a run waits.
 */
import {
  DiscardPolicy,
  JetStreamApiError,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
  type StreamInfo,
} from '@nats-io/jetstream';
import { nanos } from '@nats-io/nats-core';
import { OkaError } from '../../../core/schema/errors.ts';
import type { FleetStream } from '../../../core/schema/fleet.ts';
import type { FleetConnection } from './connect-fleet.ts';
import { openFiles } from './fleet-files.ts';
import { openOrders } from './fleet-orders.ts';
import { FILES_STREAM, ORDERS_STREAM, RESULTS, RUNS, SHARED, TASKS } from './fleet-subjects.ts';
import { awaitedIn, awaitedMembers, missingMembers, refilledConfig, refuseUnfilled } from './refilled-stream.ts';

/** Within this time a task that is sent twice is stored once; later ones are recognised by their run. */
const DUPLICATES_MS = 3_600_000;
const NOT_FOUND = 10059;
const STREAMS = [RUNS, TASKS, RESULTS, SHARED];
const BUCKETS = [FILES_STREAM, ORDERS_STREAM];

/** Opens the streams; those of a new fleet are created. `known` is what this home worked with before. */
export async function openStreams(
  connection: FleetConnection,
  { replicas, known }: { replicas: number; known: FleetStream | null },
): Promise<FleetStream> {
  const found = await findStream(connection, RUNS);
  if (known !== null) assertSame(known, found);
  else if (found === null && (await findStream(connection, TASKS)) !== null) refuse(`the stream ${RUNS} is gone`);
  const isOld = known !== null || (found?.state.messages ?? 0) > 0;
  if (isOld) for (const name of await findMissing(connection)) refuse(`the stream ${name} is gone`);
  const runs = toStream(found ?? (await connection.manager.streams.add(configOf(RUNS, replicas))));
  for (const name of [TASKS, RESULTS, SHARED])
    if ((await findStream(connection, name)) === null) await connection.manager.streams.add(configOf(name, replicas));
  await createBuckets(connection, replicas);
  return runs;
}

async function createBuckets(connection: FleetConnection, replicas: number): Promise<void> {
  const missing = await findMissing(connection, BUCKETS);
  if (missing.includes(FILES_STREAM)) await openFiles(connection, replicas);
  if (missing.includes(ORDERS_STREAM)) await openOrders(connection, replicas);
}

/**
 * Creates what is gone, for an administrator. `members` have to refill the stream of runs; if it is
 * there, and was not created by this, they have to from now on.
 */
export async function createAgain(
  connection: FleetConnection,
  { replicas, members }: { replicas: number; members: readonly string[] },
): Promise<void> {
  const { streams } = connection.manager;
  for (const name of STREAMS) {
    const found = await findStream(connection, name);
    if (found === null)
      await streams.add({ ...configOf(name, replicas), ...(name === RUNS ? refilledConfig(members) : {}) });
    else if (name === RUNS && members.length > 0)
      await streams.update(name, { metadata: { ...found.config.metadata, ...awaitedIn(members) } });
  }
  await createBuckets(connection, replicas);
}

export async function findMissing(
  connection: FleetConnection,
  names: readonly string[] = [...STREAMS, ...BUCKETS],
): Promise<string[]> {
  const found = await Promise.all(names.map((name) => findStream(connection, name)));
  return names.filter((_, index) => found[index] === null);
}

/** Rejects when the fleet has lost it, or was never set up. */
export async function requireThere(connection: FleetConnection, name: string): Promise<void> {
  if ((await findStream(connection, name)) === null) refuse(`the servers have no stream ${name}`);
}

/**
 * Asks whether the stream of runs is still the one that this member works with, and has all runs; rejects when it is not
 * so.
 */
export function streamCheck(connection: FleetConnection, known: FleetStream): () => Promise<void> {
  let isFilled = false;
  return async () => {
    const found = await findStream(connection, known.name);
    assertSame(known, found);
    const missing = isFilled || found === null ? [] : await missingMembers(connection, found);
    if (missing.length > 0) refuseUnfilled(missing);
    isFilled = true;
  };
}

export function assertSame(known: FleetStream, found: StreamInfo | null): void {
  const now = found === null ? null : toStream(found);
  if (now?.created === known.created) return;
  const what = now === null ? 'is gone' : `was created again at ${now.created}`;
  const isMeant = found !== null && awaitedMembers(found) !== null;
  refuse(`the stream ${known.name} of ${known.created} ${what}; its runs are not fenced any more`, isMeant);
}

function refuse(problem: string, isMeant = false): never {
  const fix = isMeant
    ? 'Refill it from the ledger of this home: oka fleet backfill'
    : 'Restore it from a backup of the servers, or create it again: oka fleet create --again';
  throw new OkaError('fleet-refused', problem, {
    fix: `${fix}. Nothing of this home is lost: its ledger has its runs.`,
  });
}

export const toStream = ({ config: { name }, created }: StreamInfo): FleetStream => ({
  name,
  created: new Date(created).toISOString(),
});

export async function findStream({ manager }: FleetConnection, name: string): Promise<StreamInfo | null> {
  try {
    return await manager.streams.info(name);
  } catch (error) {
    if (error instanceof JetStreamApiError && error.code === NOT_FOUND) return null;
    throw error;
  }
}

type NewStream = Partial<StreamConfig> & { name: string };

function configOf(name: string, replicas: number): NewStream {
  const common = { name, storage: StorageType.File, num_replicas: replicas, discard: DiscardPolicy.New };
  switch (name) {
    case RUNS:
      return {
        ...common,
        subjects: ['oka.run.*.*'],
        retention: RetentionPolicy.Limits,
        deny_delete: true,
        deny_purge: true,
      };
    case TASKS:
      return {
        ...common,
        subjects: ['oka.task.*.*'],
        retention: RetentionPolicy.Workqueue,
        duplicate_window: nanos(DUPLICATES_MS),
      };
    case SHARED:
      return {
        ...common,
        subjects: ['oka.shared.>'],
        retention: RetentionPolicy.Limits,
        max_msgs_per_subject: 1,
        discard: DiscardPolicy.Old,
        deny_purge: true,
      };
    default:
      return {
        ...common,
        subjects: ['oka.result.*.*'],
        retention: RetentionPolicy.Workqueue,
        duplicate_window: nanos(DUPLICATES_MS),
      };
  }
}
