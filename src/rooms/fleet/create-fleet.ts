/** `oka fleet create`: the streams of a new fleet, for servers where members may not create any; or those that are gone. */
import { checkServers } from './servers/check-servers.ts';
import { retryWhileDown } from './servers/connect-fleet.ts';
import { openMemberMemory } from './servers/member-memory.ts';
import { createAgain, findMissing, findStream, openStreams, toStream } from './servers/fleet-streams.ts';
import { RUNS } from './servers/fleet-subjects.ts';
import { awaitedMembers } from './servers/refilled-stream.ts';
import { OkaError } from '../../core/schema/errors.ts';
import type { Home } from '../../core/schema/home.ts';
import { type FleetAccess, requireEnvironment, withFleet } from './fleet-access.ts';

export type CreatedFleet = { stream: string; created: string; replicas: number };

/**
 * What exists stays as it is; a stream that this home knows, and that is gone, is not created again. Servers that have
 * just been started do not answer yet.
 */
export async function createFleet(home: Home): Promise<CreatedFleet> {
  requireEnvironment();
  return retryWhileDown(() => createStreams(home));
}

function createStreams(home: Home): Promise<CreatedFleet> {
  return withFleet(home, async (access) => {
    const { connection, environment, known } = access;
    const { replicas, monitors } = environment;
    await checkServers(monitors, replicas);
    const { name, created } = await openStreams(connection, { replicas, known: known.joined });
    await createRest(access);
    return { stream: name, created, replicas };
  });
}

export type CreatedAgain = {
  /** Streams that are gone. */
  missing: string[];
  /** Members that have to refill the stream of runs; empty when it is there, and stays as it is. */
  members: string[];
  /** Those that were created; null when nobody wanted it. */
  created: string[] | null;
};

type CreateOptions = {
  /** Null: all that have ever reported. */
  members: string[] | null;
  isWanted: (found: CreatedAgain) => Promise<boolean>;
};

/** Creates the streams that are gone. A stream of runs has to be refilled before anything is claimed in it. */
export async function createFleetAgain(home: Home, { members: given, isWanted }: CreateOptions): Promise<CreatedAgain> {
  return withFleet(home, async (access) => {
    const { connection, environment, known } = access;
    const { replicas, monitors } = environment;
    await checkServers(monitors, replicas);
    const missing = await findMissing(connection);
    const runs = await findStream(connection, RUNS);
    const isOther = runs === null || (known.joined !== null && known.joined.created !== toStream(runs).created);
    const isAwaiting = runs !== null && awaitedMembers(runs) !== null;
    const members = given ?? (isOther && !isAwaiting ? await reportedMembers(access) : []);
    const found: CreatedAgain = { missing, members, created: [] };
    if (missing.length === 0 && members.length === 0) return found;
    if (!(await isWanted(found))) return { ...found, created: null };
    await createAgain(connection, { replicas, members });
    await createRest(access);
    return { ...found, created: missing };
  });
}

async function reportedMembers({ openMembers }: FleetAccess): Promise<string[]> {
  const names = (await (await openMembers()).list()).map(({ name }) => name);
  if (names.length > 0) return names;
  throw new OkaError('usage', 'the servers do not know the members of the fleet any more', {
    fix: 'Name all homes that have worked in it: oka fleet create --again --members laptop,desktop',
  });
}

async function createRest({ connection, environment, openMembers, queue }: FleetAccess): Promise<void> {
  const { replicas } = environment;
  await openMembers();
  await openMemberMemory(connection, replicas);
  await queue.depth(); // creates what members take tasks with
}
