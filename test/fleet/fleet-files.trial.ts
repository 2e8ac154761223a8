/** Reading what the servers store: no consumer is left behind, and a server that stops answering is an error. */
import { hash, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Objm } from '@nats-io/obj';
import { describe, expect, it, vi } from 'vitest';
import { connectFleet, type FleetConnection } from '../../src/rooms/fleet/servers/connect-fleet.ts';
import { openFiles } from '../../src/rooms/fleet/servers/fleet-files.ts';
import { openMembers } from '../../src/rooms/fleet/servers/fleet-members.ts';
import { openMemberMemory } from '../../src/rooms/fleet/servers/member-memory.ts';
import { MemberMessage } from '../../src/core/schema/fleet.ts';
import { findNatsServer, type NatsCluster, startCluster } from '../support/nats-cluster.ts';

const MB = 1024 * 1024;

const hasServer = findNatsServer() !== null;
if (!hasServer) console.warn('SKIPPED: there is no nats-server; set OKA_NATS, or run .ci/install-nats');

const connect = ({ url }: NatsCluster): Promise<FleetConnection> =>
  connectFleet({ servers: [url], credentials: null, authority: null, name: 'left' });

const aMember = (name: string): MemberMessage =>
  MemberMessage.parse({ name, version: '1', labels: [], slots: 1, runs: [], fenced: 0, at: new Date().toISOString() });

describe.skipIf(!hasServer)('what the fleet stores', () => {
  it('is read without consumers, of which a stream may have a thousand', async () => {
    await using cluster = await startCluster({ size: 1 });
    const connection = await connect(cluster);
    const files = await openFiles(connection, 1);
    const members = await openMembers(connection, 1);
    const memory = await openMemberMemory(connection, 1);
    const content = randomBytes(MB);
    const sha256 = await files.put(content);
    await members.report(aMember('left'));
    await members.report(aMember('right'));
    await memory.put('left', 'a fact');
    for (let times = 0; times < 20; times += 1) {
      expect(hash('sha256', await files.get(sha256))).toBe(sha256);
      expect((await members.list()).map(({ name }) => name)).toEqual(['left', 'right']);
      expect(await memory.list()).toEqual(new Map([['left', 'a fact']]));
    }
    const streams = await Array.fromAsync(connection.manager.streams.list());
    expect(streams.map(({ state }) => state.consumer_count)).toEqual([0, 0, 0]);
    await connection.close();
  });

  it('is there when only the answer of the servers was lost, and is stored again when a part of it is lost', async () => {
    await using cluster = await startCluster({ size: 1 });
    const connection = await connect(cluster);
    const files = await openFiles(connection, 1);
    const content = randomBytes(300_000);
    const sha256 = hash('sha256', content);
    const publish = connection.js.publish.bind(connection.js);
    const publishing = vi.spyOn(connection.js, 'publish').mockImplementation(async (subject, ...rest) => {
      const stored = await publish(subject, ...rest);
      if (subject.includes('.M.')) throw new Error('timeout');
      return stored;
    });
    await expect(files.put(content)).rejects.toThrow('timeout');
    publishing.mockRestore();
    expect(hash('sha256', await files.get(sha256))).toBe(sha256);
    await connection.manager.streams.purge('OBJ_oka_files', { filter: '$O.oka_files.C.>', keep: 1 });
    await expect(files.get(sha256)).rejects.toThrow('a part of the file');
    await files.put(content);
    expect(hash('sha256', await files.get(sha256))).toBe(sha256);
    const store = await new Objm(connection.js).open('oka_files'); // as other programs read it
    expect(hash('sha256', (await store.getBlob(sha256)) ?? '')).toBe(sha256);
    await connection.close();
  });

  it('cannot be read while a server does not answer, and can when it does again', async () => {
    await using cluster = await startCluster({ size: 1 });
    const connection = await connect(cluster);
    const files = await openFiles(connection, 1);
    const members = await openMembers(connection, 1);
    const sha256 = await files.put(randomBytes(48 * MB));
    const requests = vi.spyOn(connection.manager.streams, 'getMessage');
    const outcome = files.get(sha256).then(
      () => 'it arrived',
      ({ name }: Error) => name,
    );
    while (requests.mock.calls.length < 10) await sleep(1);
    cluster.pause(0);
    expect(await outcome).not.toBe('it arrived');
    await expect(members.list()).rejects.toThrow();
    cluster.resume(0);
    await expect.poll(() => files.get(sha256).then((content) => hash('sha256', content), String), SOON).toBe(sha256);
    await connection.close();
  });
});

const SOON = { timeout: 60_000, interval: 500 };
