/** How many requests a member makes of a real server while it waits for work. */
import { describe, expect, it } from 'vitest';
import { connectFleet } from '../../src/rooms/fleet/servers/connect-fleet.ts';
import { openStreams } from '../../src/rooms/fleet/servers/fleet-streams.ts';
import { resultQueue } from '../../src/rooms/fleet/servers/result-queue.ts';
import { taskQueue } from '../../src/rooms/fleet/servers/task-queue.ts';
import { findNatsServer, type NatsCluster, startCluster } from '../support/nats-cluster.ts';

const hasServer = findNatsServer() !== null;
if (!hasServer) console.warn('SKIPPED: there is no nats-server; set OKA_NATS, or run .ci/install-nats');

describe.skipIf(!hasServer)('a member that waits for work', () => {
  it('asks for the next task and the next result only, and not each time about the queue', async () => {
    await using cluster = await startCluster({ size: 1 });
    const servers = cluster.url.split(',');
    const connection = await connectFleet({ servers, credentials: null, authority: null, name: 't' });
    await openStreams(connection, { replicas: 1, known: null });
    const queue = taskQueue(connection, { ackWaitMs: 30_000 });
    const results = resultQueue(connection);
    await Promise.all([queue.take([]), results.take('h')]);
    const before = await apiRequests(cluster);
    await Promise.all([queue.take([]), results.take('h')]);
    expect((await apiRequests(cluster)) - before).toBeLessThanOrEqual(1); // the list of queues may be due again
    await connection.close();
  });
});

/** Requests about streams and consumers; asking for the next message is none. */
async function apiRequests({ monitors }: NatsCluster): Promise<number> {
  const { api } = (await (await fetch(`${monitors}/jsz`)).json()) as { api: { total: number } };
  return api.total;
}
