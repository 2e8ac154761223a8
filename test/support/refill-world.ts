/** A fleet whose servers lose things: homes that work on tasks with two counted calls, and what tests do to the streams. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { expect } from 'vitest';
import type { RunComparison } from '../../src/rooms/fleet/compare-stream.ts';
import { connectFleet, type FleetConnection } from '../../src/rooms/fleet/servers/connect-fleet.ts';
import { openStreams, toStream } from '../../src/rooms/fleet/servers/fleet-streams.ts';
import { RUNS } from '../../src/rooms/fleet/servers/fleet-subjects.ts';
import { runLog } from '../../src/rooms/fleet/servers/run-log.ts';
import type { StoredMessage } from '../../src/rooms/fleet/servers/run-owner.ts';
import { verifyLedger } from '../../src/core/ledger/verify-ledger.ts';
import { type Counter, startCounter } from './call-counter.ts';
import { type FleetHome, fleetHomes, type FleetHomes, until } from './fleet-commands-homes.ts';
import { setPolicy } from './fleet-homes.ts';
import { type NatsCluster, startCluster } from './nats-cluster.ts';

/** Approves and answers what it asks until its result is there. */
export async function finishTask(home: FleetHome, task: string, desks: readonly FleetHome[] = []): Promise<void> {
  const step = async (): Promise<boolean> => {
    if (home.result(task) !== null) return true;
    for (const {
      home: { workspace },
    } of desks)
      if (existsSync(join(workspace, 'desk', task))) writeFileSync(join(workspace, 'desk', task, 'go'), '');
    await approve(home, task);
    const question = new RegExp(`oka answer (${task}\\.\\S+)`).exec(await home.oka('status'))?.[1];
    if (question !== undefined) await home.oka('answer', question, 'repeat').catch(() => '');
    return home.result(task) !== null;
  };
  await until(`${task} has a result`, step, 300);
}

async function approve(home: FleetHome, task: string): Promise<void> {
  if ((await home.oka('status')).includes(`oka approve ${task}.`)) await home.oka('approve', task).catch(() => '');
}

/** Approves a counted call, such as t-1, as soon as its task asks about it, and no later one; returns when it was made. */
export async function approveCall(home: FleetHome, call: string, { counts }: Counter): Promise<void> {
  await untilAsked(home, call);
  await until(`${call} is made`, async () => {
    const wait = await waitFor(home, call);
    if (wait !== undefined) await home.oka('approve', wait).catch(() => '');
    return counts.has(call);
  });
}

/** Until the task of a counted call asks about it, as its home knows. */
export const untilAsked = (home: FleetHome, call: string): Promise<void> =>
  until(`${call} is asked about`, async () => (await waitFor(home, call)) !== undefined, 300);

async function waitFor(home: FleetHome, call: string): Promise<string | undefined> {
  const task = call.slice(0, call.lastIndexOf('-'));
  const asked = (await home.events('task.asked')).findLast(({ run }) => run === task);
  return asked?.data.waits.find((wait) => JSON.stringify(wait).includes(`/${call}`))?.wait;
}

export async function checkHomes(homes: readonly FleetHome[]): Promise<void> {
  for (const each of homes) {
    expect(await verifyLedger(each.home.ledgers.run)).toMatchObject({ state: 'intact' });
    for (const run of await each.oka<RunComparison[]>('fleet', 'verify', '--json'))
      expect(run).toMatchObject({ verdict: 'same' });
  }
}

export type Three = [FleetHome, FleetHome, FleetHome];
export type World = {
  cluster: NatsCluster;
  counter: Counter;
  homes: FleetHomes;
  connection: FleetConnection;
  listener: NatsConnection;
} & AsyncDisposable;

export async function startWorld(): Promise<World> {
  const stack = new AsyncDisposableStack();
  const cluster = stack.use(await startCluster({ size: 1 }));
  const counter = stack.use(await startCounter());
  const homes = stack.use(fleetHomes(cluster));
  const connection = await connectFleet({ servers: [cluster.url], credentials: null, authority: null, name: 't' });
  stack.defer(() => connection.close());
  const listener = await connect({ servers: cluster.url.replace('nats://', '') });
  stack.defer(() => listener.close());
  return { cluster, counter, homes, connection, listener, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

/** Workers are asked before every call; the home has no label, and gives its tasks to them. */
export function openHome(homes: FleetHomes, name: string, { url }: Counter, label = 'w'): FleetHome {
  const opened = homes.open(name, name === 'home' ? {} : { OKA_FLEET_LABELS: label });
  setPolicy(opened.home, `rules:\n  - { effect: ask, host: '${url.slice('http://'.length)}' }`);
  return opened;
}

/** Two calls that are counted, with many events between them. */
export function taskOf(key: string, { url }: Counter, steps: number): string {
  const call = (number: number): string =>
    `\`\`\`bash net:${url.slice('http://'.length)}\ncurl -fsS -X POST ${url}/${key}-${number}\n\`\`\`\n`;
  return `# Count it\n\n${call(1)}\n${'```bash\ntrue\n```\n\n'.repeat(steps)}${call(2)}`;
}

/** The stream of a fleet refuses to delete messages, as damaged servers do not. */
export async function allowDeleting(connection: FleetConnection): Promise<void> {
  await openStreams(connection, { replicas: 1, known: null });
  const { config } = await connection.manager.streams.info(RUNS);
  await connection.manager.streams.delete(RUNS);
  await connection.manager.streams.add({ ...config, deny_delete: false });
}

export async function deleteMessage(connection: FleetConnection, run: string, index: number): Promise<void> {
  const messages = await readRun(connection, run);
  expect(messages.length).toBeGreaterThan(index + 1);
  await connection.manager.streams.deleteMessage(RUNS, messages.at(index)?.sequence ?? 0);
}

export async function readRun(connection: FleetConnection, run: string): Promise<StoredMessage[]> {
  return runLog(connection, toStream(await connection.manager.streams.info(RUNS))).read(run);
}
