/** A member that turns bad, at a real server that has the block of `oka fleet permissions` for each member. */
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { describe, expect, it } from 'vitest';
import { type FleetConnection, connectFleet } from '../../src/rooms/fleet/servers/connect-fleet.ts';
import { openFiles } from '../../src/rooms/fleet/servers/fleet-files.ts';
import { openMembers } from '../../src/rooms/fleet/servers/fleet-members.ts';
import { openMemberMemory } from '../../src/rooms/fleet/servers/member-memory.ts';
import { openOrders } from '../../src/rooms/fleet/servers/fleet-orders.ts';
import { openStreams } from '../../src/rooms/fleet/servers/fleet-streams.ts';
import { RUNS, TASKS } from '../../src/rooms/fleet/servers/fleet-subjects.ts';
import { inboxOf, type MemberRole, permissionsBlock } from '../../src/rooms/fleet/servers/member-permissions.ts';
import { resultQueue } from '../../src/rooms/fleet/servers/result-queue.ts';
import { claimRun } from '../../src/rooms/fleet/servers/run-fence.ts';
import { runLog } from '../../src/rooms/fleet/servers/run-log.ts';
import { foldHistory } from '../../src/rooms/fleet/servers/run-owner.ts';
import { taskQueue } from '../../src/rooms/fleet/servers/task-queue.ts';
import type { MemberMessage, RunMessage } from '../../src/core/schema/fleet.ts';
import { findNatsServer, type NatsCluster, startCluster } from '../support/nats-cluster.ts';

const hasServer = findNatsServer() !== null;
if (!hasServer) console.warn('SKIPPED: there is no nats-server; set OKA_NATS, or run .ci/install-nats');

const RUN = 'r.1';
const sha = 'a'.repeat(64);
const task = { id: RUN, home: 'good', by: 'inbox', name: 't.md', needs: [], body: sha, files: null, links: [] };
const result = { id: RUN, worker: 'good', status: 'done', outbox: [], desk: [] };

describe.skipIf(!hasServer)('the permissions of members', () => {
  it('let a member do its work, and keep a bad one out of the subjects of others', async () => {
    await using cluster = await startCluster({ size: 1, extra: authorization(['good', 'bad'], true) });
    await setUpAs(cluster);
    const good = await as(cluster, 'good');
    const stream = await openStreams(good, { replicas: 1, known: null });
    const log = runLog(good, stream);
    const queue = taskQueue(good, { ackWaitMs: 2000 });
    const members = await openMembers(good, 1);
    await queue.send(task);
    const taken = await queue.take([]);
    expect(taken?.task).toMatchObject({ id: RUN, home: 'good' });
    const claim = await claimRun(log, RUN, { worker: 'good', process: 'p', version: '1' });
    claim?.fence.publish([{ seq: 1, type: 'run.started', run: RUN }]);
    await claim?.fence.acknowledged();
    const files = await openFiles(good, 1);
    expect((await files.get(await files.put(Buffer.from('kept')))).toString()).toBe('kept');
    await members.report({ ...silentMember, name: 'good' });
    expect((await members.list()).map(({ name }) => name)).toEqual(['good']);
    await resultQueue(good).send('good', result, 1);
    expect(await resultQueue(good).take('good')).toMatchObject({ from: 'good', result: { worker: 'good' } });
    expect(await (await openOrders(good, 1)).read(null)).toBeNull();
    const memory = await openMemberMemory(good, 1);
    await memory.put('good', '{"facts":[]}');
    expect(await memory.revision()).toBe(1);
    expect([...(await memory.list())]).toEqual([['good', '{"facts":[]}']]);

    const bad = await rawAs(cluster, 'bad');
    const forged: RunMessage = {
      kind: 'events',
      worker: 'good',
      process: 'p',
      epoch: 1,
      number: 2,
      events: [{ seq: 2, type: 'run.ended', run: RUN }],
      desk: null,
    };
    for (const [subject, body] of [
      ['oka.run.r=1.good', forged],
      ['oka.task.any.good', task],
      ['oka.result.good.good', result],
      ['$KV.oka_members.good', silentMember],
      ['$KV.oka_memory.good', { facts: [] }],
      ['$KV.oka_orders.all', { isHalted: true, by: 'good', at: silentMember.at }],
      ['$KV.oka_orders.member.good', { isHalted: true, by: 'good', at: silentMember.at }],
    ] as const)
      await expect(jetstream(bad).publish(subject, JSON.stringify(body), { timeout: 1500 }), subject).rejects.toThrow();
    const manager = await jetstreamManager(bad, { checkAPI: false, timeout: 1500 });
    await expect(manager.streams.delete(RUNS)).rejects.toThrow();
    await expect(manager.streams.purge(TASKS)).rejects.toThrow();
    await expect(manager.streams.deleteMessage(RUNS, 1)).rejects.toThrow();
    await expect(manager.streams.update(RUNS, { subjects: ['oka.run.>'] })).rejects.toThrow();
    await expect(heardBy(bad, `${inboxOf('good')}.>`)).rejects.toThrow();
    expect((await log.read(RUN)).map(({ message: { kind, worker } }) => `${kind} ${worker}`)).toEqual([
      'claim good',
      'events good',
    ]);

    const own = { ...forged, worker: 'bad' };
    await jetstream(bad).publish('oka.run.r=1.bad', JSON.stringify(forged), { timeout: 60_000 });
    await jetstream(bad).publish('oka.run.r=1.bad', JSON.stringify(own), { timeout: 60_000 });
    await jetstream(bad).publish('oka.run.r=1.bad', 'no message', { timeout: 60_000 });
    const history = foldHistory(await log.read(RUN));
    expect(history.owner).toMatchObject({ worker: 'good', epoch: 1 });
    expect(history.events.map(({ type }) => type)).toEqual(['run.started']);
    await Promise.all([good.close(), bad.close()]);
  });

  it('are what keeps it out: without them the same message counts as one of the other member', async () => {
    await using cluster = await startCluster({ size: 1, extra: authorization(['good', 'bad'], false) });
    const good = await as(cluster, 'good');
    const log = runLog(good, await openStreams(good, { replicas: 1, known: null }));
    await claimRun(log, RUN, { worker: 'good', process: 'p', version: '1' });
    const bad = await rawAs(cluster, 'bad');
    const forged: RunMessage = { kind: 'returned', worker: 'good', process: 'p', epoch: 1 };
    await jetstream(bad).publish('oka.run.r=1.good', JSON.stringify(forged));
    expect(foldHistory(await log.read(RUN)).isReturned).toBe(true);
    await Promise.all([good.close(), bad.close()]);
  });
});

const silentMember: MemberMessage = {
  name: 'other',
  version: '1',
  labels: [],
  slots: 1,
  runs: [],
  fenced: 0,
  state: 'working',
  doing: [],
  at: '2026-01-01T00:00:00.000Z',
};

/** Passwords are for this test only; a fleet has them in the vault. */
function authorization(members: readonly string[], isRestricted: boolean): string {
  const userOf = (name: string, role: MemberRole): string =>
    isRestricted
      ? permissionsBlock(name, role).replace('$OKA_FLEET_PASSWORD', `of-${name}`)
      : `{ user: "${name}", password: "of-${name}" }`;
  return `authorization { users: [\n${members.map((name) => userOf(name, 'member')).join('\n')}\n${userOf('root', 'administrator')}\n] }`;
}

async function setUpAs(cluster: NatsCluster): Promise<void> {
  const root = await as(cluster, 'root');
  await openStreams(root, { replicas: 1, known: null });
  await openFiles(root, 1);
  await openMembers(root, 1);
  await openOrders(root, 1);
  await openMemberMemory(root, 1);
  await root.close();
}

const as = ({ url }: NatsCluster, name: string): Promise<FleetConnection> =>
  connectFleet({ servers: url.split(','), credentials: `${name}:of-${name}`, authority: null, name });

/** A connection that follows no rule of oka. */
const rawAs = ({ url }: NatsCluster, user: string): Promise<NatsConnection> =>
  connect({ servers: url.replace('nats://', ''), user, pass: `of-${user}`, inboxPrefix: inboxOf(user) });

async function heardBy(connection: NatsConnection, subject: string): Promise<void> {
  const { promise, reject } = Promise.withResolvers<void>();
  connection.subscribe(subject, { callback: (error) => (error === null ? undefined : reject(error)) });
  await connection.flush();
  await Promise.race([promise, connection.flush()]);
}
