/** What the faults of the other trials are worth: a power cut loses what was not flushed, a server that is cut off stores nothing. */
import { setTimeout as sleep } from 'node:timers/promises';
import { jetstreamManager, jetstream } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { describe, expect, it } from 'vitest';
import { findNatsServer, type NatsCluster, startCluster } from '../support/nats-cluster.ts';
import { powerDiskProblem } from '../support/power-disk.ts';

const hasServer = findNatsServer() !== null;
if (!hasServer) console.warn('SKIPPED: there is no nats-server; set OKA_NATS, or run .ci/install-nats');
const problem = powerDiskProblem();
if (problem !== null) console.warn(`SKIPPED: power cuts of message servers: ${problem}`);

const STREAM = 'kept';
const MESSAGES = 300;

describe.skipIf(!hasServer)('message servers', () => {
  it.skipIf(problem !== null)('lose nothing that they acknowledged in a power cut of all of them', async () => {
    expect(await lostInPowerCut(true)).toBe(0);
  });

  it.skipIf(problem !== null)('lose acknowledged messages in a power cut without sync_interval: always', async () => {
    expect(await lostInPowerCut(false)).toBeGreaterThan(0);
  });

  it('accept nothing at a server that is cut off from the others, and go on when it is back', async () => {
    await using cluster = await startCluster({ hasRelays: true });
    await publish(cluster, 3);
    const leader = (await cluster.leaderOf(STREAM)) ?? 0;
    const cutOff = cluster.isolate(leader, 12_000);
    await sleep(500);
    const servers = cluster.url.split(',');
    await expect(publishAt([servers[leader] ?? ''], 1)).rejects.toThrow();
    await untilPublished(servers.filter((_, index) => index !== leader));
    await cutOff;
    await untilPublished([servers[leader] ?? '']);
  });
});

async function lostInPowerCut(syncAlways: boolean): Promise<number> {
  await using cluster = await startCluster({ hasPowerDisk: true, syncAlways });
  await publish(cluster, MESSAGES);
  await cluster.cutPower();
  await cluster.untilOthersCurrent(-1);
  return MESSAGES - (await countMessages(cluster));
}

async function publish(cluster: NatsCluster, count: number): Promise<void> {
  const connection = await connect({ servers: toHosts(cluster.url.split(',')) });
  try {
    const manager = await jetstreamManager(connection);
    await manager.streams.add({ name: STREAM, subjects: [STREAM], num_replicas: cluster.size });
  } finally {
    await connection.close();
  }
  await publishAt(cluster.url.split(','), count, 20); // a server hears a moment later of a stream that was just made
}

/** Resolves when all are acknowledged, each stored once however often it was tried. */
async function publishAt(servers: readonly string[], count: number, tries = 1): Promise<void> {
  const connection = await connect({ servers: toHosts(servers), ignoreClusterUpdates: true });
  try {
    const js = jetstream(connection, { timeout: 5000 });
    for (let number = 0; number < count; number += 1)
      await js.publish(STREAM, `${number}`, tries === 1 ? {} : { retries: tries, msgID: `${number}` });
  } finally {
    await connection.close();
  }
}

async function untilPublished(servers: readonly string[]): Promise<void> {
  for (let tries = 0; tries < 60; tries += 1) {
    const isStored = await publishAt(servers, 1).then(
      () => true,
      () => false,
    );
    if (isStored) return;
    await sleep(500);
  }
  throw new Error(`nothing is stored at ${servers.join(', ')}`);
}

/** Servers that have just started say for a while that there is no stream, or nobody who leads it. */
async function countMessages(cluster: NatsCluster): Promise<number> {
  const connection = await connect({ servers: toHosts(cluster.url.split(',')) });
  try {
    let messages = 0;
    for (let tries = 0; tries < 60 && messages < MESSAGES; tries += 1) {
      const manager = await jetstreamManager(connection).catch(() => null);
      messages = (await manager?.streams.info(STREAM).catch(() => null))?.state.messages ?? 0;
      if (messages < MESSAGES) await sleep(500);
    }
    return messages;
  } finally {
    await connection.close();
  }
}

const toHosts = (servers: readonly string[]): string[] => servers.map((server) => server.replace('nats://', ''));
