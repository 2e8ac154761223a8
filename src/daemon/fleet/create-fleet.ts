/** `oka fleet create`: the streams of a new fleet, for servers where members may not create any. */
import { checkServers } from '../../fleet/check-servers.ts';
import { retryWhileDown } from '../../fleet/connect-fleet.ts';
import { openFiles } from '../../fleet/fleet-files.ts';
import { openMemberMemory } from '../../fleet/member-memory.ts';
import { openStreams } from '../../fleet/fleet-streams.ts';
import type { Home } from '../../schema/home.ts';
import { requireEnvironment, withFleet } from './fleet-access.ts';

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
  return withFleet(home, async ({ connection, environment, known, openMembers, openOrders, queue }) => {
    const { replicas, monitors } = environment;
    await checkServers(monitors, replicas);
    const { name, created } = await openStreams(connection, { replicas, known: known.joined });
    await openFiles(connection, replicas);
    await openMembers();
    await openOrders();
    await openMemberMemory(connection, replicas);
    await queue.depth(); // creates what members take tasks with
    return { stream: name, created, replicas };
  });
}
