/** One or three real nats-server processes on loopback, which a test kills, pauses and starts again by their ids. */
import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { mountPowerDisk } from './power-disk.ts';
import { startRelays } from './route-relay.ts';
import { mountSmall, unmount } from './small-disk.ts';

export type NatsCluster = {
  /** The value of OKA_FLEET. */
  url: string;
  /** The value of OKA_FLEET_MONITOR. */
  monitors: string;
  size: number;
  /** The folder in which a server stores its streams. */
  storeOf(index: number): string;
  kill(index: number): Promise<void>;
  /** Rejects when it ends by itself, such as with files that it cannot read. */
  start(index: number): Promise<void>;
  /** Resolves when every server but this one has everything. */
  untilOthersCurrent(index: number): Promise<void>;
  pause(index: number): void;
  resume(index: number): void;
  /** All servers lose what they have not flushed, and are started again; only with `hasPowerDisk`. */
  cutPower(): Promise<void>;
  /** Nothing passes between this server and the others, for a while; only with `hasRelays`. Clients still reach it. */
  isolate(index: number, ms: number): Promise<void>;
  /** Which server leads a stream; null while there is no leader. */
  leaderOf(stream: string): Promise<number | null>;
  [Symbol.asyncDispose](): Promise<void>;
};

/** `extra`: further lines of the configuration. */
export type ClusterOptions = {
  size?: 1 | 3;
  syncAlways?: boolean;
  extra?: string;
  hasPowerDisk?: boolean;
  hasRelays?: boolean;
  /** Each server has a disk of its own, with these limits (small-disk.ts). */
  disks?: string;
};

type Ports = { client: number; monitor: number; route: number };

/** The program, from OKA_NATS or PATH; null when there is none, and then its trials are skipped. */
export function findNatsServer(): string | null {
  const named = process.env['OKA_NATS'];
  const folders = (process.env['PATH'] ?? '').split(':');
  return (
    [...(named === undefined ? [] : [named]), ...folders.map((at) => join(at, 'nats-server'))].find(isProgram) ?? null
  );
}

export async function startCluster({
  size = 3,
  syncAlways = true,
  extra = '',
  hasPowerDisk = false,
  hasRelays = false,
  disks,
}: ClusterOptions = {}): Promise<NatsCluster> {
  const program = findNatsServer() ?? missing();
  const folder = mkdtempSync(join(tmpdir(), 'oka-nats-'));
  const disk = hasPowerDisk ? mountPowerDisk(join(folder, 'disk.image'), storesFolder(folder), DISK_MB) : null;
  const ports = await Promise.all(Array.from({ length: size }, () => freePorts()));
  const relays = hasRelays ? await startRelays(ports.map(({ route }) => route)) : null;
  const routesOf = (index: number): number[] =>
    ports.flatMap(({ route }, to) => (to === index ? [] : [relays?.portOf(index, to) ?? route]));
  const files = ports.map((own, index) =>
    writeConfig(folder, { own, index, routes: routesOf(index), hasRelays, syncAlways, extra }),
  );
  if (disks !== undefined) for (const index of ports.keys()) mountSmall(storeFolder(folder, index), disks);
  const running: (ChildProcess | null)[] = ports.map(() => null);
  const monitor = (index: number): string => `http://127.0.0.1:${ports[index]?.monitor}`;

  const start = async (index: number): Promise<void> => {
    const log = openSync(join(folder, `server-${index}.log`), 'a');
    const child = spawn(program, ['-c', files[index] ?? ''], { stdio: ['ignore', log, log] });
    running[index] = child;
    await untilTrue(() => {
      if (hasEnded(child)) throw new Error(`server ${index} ended by itself`);
      return isHealthy(monitor(index), size === 1);
    });
  };
  const kill = async (index: number): Promise<void> => {
    const child = running[index] ?? null;
    running[index] = null;
    if (child === null || hasEnded(child)) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await gone;
  };
  await Promise.all(ports.map((_, index) => start(index)));
  await untilTrue(() => isHealthy(monitor(0), true));
  return {
    url: ports.map(({ client }) => `nats://127.0.0.1:${client}`).join(','),
    monitors: ports.map((_, index) => monitor(index)).join(','),
    size,
    storeOf: (index) => storeFolder(folder, index),
    kill,
    start,
    untilOthersCurrent: async (index) => {
      for (const other of ports.keys()) if (other !== index) await untilTrue(() => isHealthy(monitor(other), true));
    },
    pause: (index) => void running[index]?.kill('SIGSTOP'),
    resume: (index) => void running[index]?.kill('SIGCONT'),
    cutPower: async () => {
      disk?.cut();
      await Promise.all(ports.map((_, index) => kill(index)));
      disk?.restore();
      await Promise.all(ports.map((_, index) => start(index)));
    },
    isolate: async (index, ms) => {
      relays?.cut(index);
      await sleep(ms);
      relays?.mend(index);
    },
    leaderOf: async (stream) => {
      for (const index of ports.keys()) {
        const leader = await leaderAt(monitor(index), stream);
        if (leader !== null) return Number(leader.slice(1));
      }
      return null;
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(ports.map((_, index) => kill(index)));
      relays?.close();
      disk?.[Symbol.dispose]();
      if (disks !== undefined) for (const index of ports.keys()) unmount(storeFolder(folder, index));
      if (process.env['OKA_FLEET_KEEP'] === undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null;

const DISK_MB = 4096;

const storesFolder = (folder: string): string => join(folder, 'stores');

const storeFolder = (folder: string, index: number): string => join(storesFolder(folder), `store-${index}`);

function missing(): never {
  throw new Error('there is no nats-server: set OKA_NATS, or run .ci/install-nats');
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

type ServerConfig = {
  own: Ports;
  index: number;
  /** Where it reaches the others. */
  routes: readonly number[];
  hasRelays: boolean;
  syncAlways: boolean;
  extra: string;
};

function writeConfig(folder: string, { own, index, routes, hasRelays, syncAlways, extra }: ServerConfig): string {
  const store = storeFolder(folder, index);
  mkdirSync(store, { recursive: true });
  const urls = routes.map((port) => `"nats://127.0.0.1:${port}"`).join(', ');
  const advertised = hasRelays ? ', advertise: "127.0.0.1:1"' : ''; // nobody listens there: they use their routes only
  const lines = [
    `server_name: n${index}`,
    `listen: "127.0.0.1:${own.client}"`,
    `http: "127.0.0.1:${own.monitor}"`,
    `jetstream { store_dir: "${store}", max_mem: 64MB, max_file: 2GB${syncAlways ? ', sync_interval: always' : ''} }`,
    ...(routes.length === 0
      ? []
      : [`cluster { name: oka, listen: "127.0.0.1:${own.route}", routes: [${urls}]${advertised} }`]),
    extra,
  ];
  const file = join(folder, `server-${index}.conf`);
  writeFileSync(file, `${lines.join('\n')}\n`);
  return file;
}

async function freePorts(): Promise<Ports> {
  const [client, monitor, route] = await Promise.all([freePort(), freePort(), freePort()]);
  return { client, monitor, route };
}

/** Found by listening on any port and closing it again. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(address !== null && typeof address === 'object' ? address.port : 0));
    });
  });
}

/** Whether it answers; `isComplete`: and its JetStream has a leader. /varz is not asked: once asked, it remembers. */
async function isHealthy(monitor: string, isComplete: boolean): Promise<boolean> {
  const path = isComplete ? 'healthz' : '';
  return fetch(`${monitor}/${path}`, { signal: AbortSignal.timeout(1000) }).then(
    ({ ok }) => ok,
    () => false,
  );
}

type StreamDetail = { name: string; cluster?: { leader?: string } };

async function leaderAt(monitor: string, stream: string): Promise<string | null> {
  const answer = await fetch(`${monitor}/jsz?streams=true`, { signal: AbortSignal.timeout(1000) }).catch(() => null);
  if (answer === null || !answer.ok) return null;
  const { account_details: accounts = [] } = (await answer.json()) as {
    account_details?: { stream_detail?: StreamDetail[] }[];
  };
  const found = accounts.flatMap(({ stream_detail: streams = [] }) => streams).find(({ name }) => name === stream);
  return found?.cluster?.leader ?? null;
}

async function untilTrue(check: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 600; tries += 1) {
    if (await check()) return;
    await sleep(100);
  }
  throw new Error('a nats-server was not ready within 60 seconds');
}

/** Kills the server that leads a stream, and starts it again when another one leads. */
export async function restartLeader(cluster: NatsCluster, stream: string): Promise<void> {
  const leader = await cluster.leaderOf(stream);
  if (leader === null) return;
  await cluster.kill(leader);
  await sleep(1500);
  await cluster.start(leader);
}
