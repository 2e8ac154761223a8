/** Servers with damaged files have lost consumers: a member that runs makes them again, and nothing is left behind. */
import { describe, expect, it } from 'vitest';
import { connectFleet, type FleetConnection } from '../../src/rooms/fleet/servers/connect-fleet.ts';
import { openStreams } from '../../src/rooms/fleet/servers/fleet-streams.ts';
import { RESULTS, TASKS } from '../../src/rooms/fleet/servers/fleet-subjects.ts';
import { resultQueue } from '../../src/rooms/fleet/servers/result-queue.ts';
import { taskQueue } from '../../src/rooms/fleet/servers/task-queue.ts';
import type { TaskMessage } from '../../src/core/schema/fleet.ts';
import { until } from '../support/fleet-commands-homes.ts';
import { findNatsServer, startCluster } from '../support/nats-cluster.ts';

const hasServer = findNatsServer() !== null;
if (!hasServer) console.warn('SKIPPED: there is no nats-server; set OKA_NATS, or run .ci/install-nats');

describe.skipIf(!hasServer)('consumers that the servers have lost', () => {
  it('are made again while a member runs, also those of tasks with needs that another one has sent', async () => {
    await using cluster = await startCluster({ size: 1 });
    const servers = cluster.url.split(',');
    const connection = await connectFleet({ servers, credentials: null, authority: null, name: 't' });
    await openStreams(connection, { replicas: 1, known: null });
    const sender = taskQueue(connection, { ackWaitMs: 30_000 });
    const worker = taskQueue(connection, { ackWaitMs: 30_000 });
    const results = resultQueue(connection);
    const taken: string[] = [];
    const takeNext = async (): Promise<void> => {
      const task = await worker.take(['gpu']).catch(() => null);
      if (task === null) return;
      await task.finish();
      taken.push(task.task.id);
    };
    await sender.send(taskOf('first', ['gpu']));
    await until('the first is taken', async () => takeNext().then(() => taken.includes('first')));
    await results.take('h');

    await loseConsumers(connection);
    await sender.send(taskOf('second', ['gpu']));
    await sender.send(taskOf('third', []));
    await results.reply('h', 't', { kind: 'reply', id: 'r', reply: { done: null } });
    await until('both are taken', async () => takeNext().then(() => taken.length === 3));
    expect(taken.toSorted()).toEqual(['first', 'second', 'third']);
    await until('its message arrives', async () => (await results.take('h').catch(() => null))?.kind === 'reply');
    await connection.close();
  });
});

async function loseConsumers({ manager }: FleetConnection): Promise<void> {
  for (const stream of [TASKS, RESULTS])
    for await (const { name } of manager.consumers.list(stream)) await manager.consumers.delete(stream, name);
}

const taskOf = (id: string, needs: string[]): TaskMessage => ({
  id,
  home: 'h',
  by: 'a person',
  name: id,
  needs,
  body: '0'.repeat(64),
  files: null,
  links: [],
});
