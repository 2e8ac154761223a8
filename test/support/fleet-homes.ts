/** Homes of a fleet, each with a real worker, for trials that kill and pause them by their ids. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { errnoOf } from '../../src/core/schema/errors.ts';
import { setUp } from '../../src/kit/home/set-up.ts';
import { homeAt } from '../../src/kit/settings.ts';
import { readEvents } from '../../src/core/ledger/read-events.ts';
import type { Event } from '../../src/core/schema/event.ts';
import type { Home } from '../../src/core/schema/home.ts';
import type { NatsCluster } from './nats-cluster.ts';

export type FleetHome = {
  home: Home;
  name: string;
  /** Everything that its workers have logged. */
  log: () => string;
  start: (variables?: Record<string, string>) => void;
  kill: () => Promise<void>;
  pause: () => void;
  resume: () => void;
  /** Its worker and everything that it has started, as where a machine sleeps. Returns what lets them go on. */
  freeze: () => Frozen;
};

/** Commands may go on before the worker does. */
export type Frozen = { thawCommands: () => void; thawWorker: () => void };

export type FleetHomes = { list: FleetHome[]; [Symbol.asyncDispose]: () => Promise<void> };

export type FleetHomeOptions = {
  /** Lines of the front matter of POLICY.md in place of `rules: []`. */
  policy?: string;
  /** Of all workers. */
  variables?: Record<string, string>;
  /** Of the workers of one home. */
  variablesOf?: (name: string) => Record<string, string>;
  /** What a home has before its worker starts. */
  prepare?: (home: Home, name: string) => void | Promise<void>;
};

/** After how many seconds of silence another member takes over. */
export const ACK_SECONDS = 3;

export async function startFleetHomes(
  cluster: NatsCluster,
  names: readonly string[],
  { policy, variables = {}, variablesOf: ownVariables = () => ({}), prepare }: FleetHomeOptions = {},
): Promise<FleetHomes> {
  const root = mkdtempSync(join(tmpdir(), 'oka-fleet-'));
  const list: FleetHome[] = [];
  for (const name of names) {
    const home = homeAt(join(root, name));
    setUp(home);
    if (policy !== undefined) setPolicy(home, policy);
    await prepare?.(home, name);
    list.push(fleetHome(home, name, { ...variablesOf(name, cluster), ...variables, ...ownVariables(name) }));
  }
  for (const each of list) each.start();
  return {
    list,
    [Symbol.asyncDispose]: async () => {
      await Promise.all(list.map((each) => each.kill()));
      rmSync(root, { recursive: true, force: true });
    },
  };
}

export function setPolicy(home: Home, policy: string): void {
  writeFileSync(home.policy, readFileSync(home.policy, 'utf8').replace('rules: []', policy));
}

const variablesOf = (name: string, { url, monitors }: NatsCluster): Record<string, string> => ({
  OKA_FLEET: url,
  OKA_FLEET_MONITOR: monitors,
  OKA_FLEET_NAME: name,
  OKA_FLEET_ACK_SECONDS: `${ACK_SECONDS}`,
});

function fleetHome(home: Home, name: string, variables: Record<string, string>): FleetHome {
  const program = join(import.meta.dirname, 'fleet-home-child.ts');
  let child: ChildProcess | null = null;
  let logged = '';
  return {
    home,
    name,
    log: () => logged,
    start: (more = {}) => {
      child = spawn(process.execPath, [program, home.dir], {
        env: { ...process.env, ...variables, ...more },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      for (const stream of [child.stdout, child.stderr]) stream?.on('data', (text) => (logged += String(text)));
    },
    kill: async () => {
      const ending = child;
      child = null;
      if (ending === null || ending.exitCode !== null || ending.signalCode !== null) return;
      const gone = new Promise((resolve) => ending.once('exit', resolve));
      ending.kill('SIGKILL');
      await gone;
    },
    pause: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
    freeze: () => {
      const worker = child?.pid ?? 0;
      const commands = new Set<number>();
      signal([worker], 'SIGSTOP'); // so that it starts nothing more
      for (let found = startedBy(worker); found.some((pid) => !commands.has(pid)); found = startedBy(worker)) {
        signal(found, 'SIGSTOP');
        for (const pid of found) commands.add(pid);
      }
      return {
        thawCommands: () => signal([...commands], 'SIGCONT'),
        thawWorker: () => signal([worker], 'SIGCONT'),
      };
    },
  };
}

function signal(pids: readonly number[], name: 'SIGSTOP' | 'SIGCONT'): void {
  for (const pid of pids)
    try {
      process.kill(pid, name);
    } catch (error) {
      if (errnoOf(error) !== 'ESRCH') throw error; // it has ended meanwhile
    }
}

/** Processes whose parent, or the parent of whose parent and so on, is this one. */
function startedBy(worker: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc').filter((each) => /^\d+$/.test(each)))
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]));
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT' && errnoOf(error) !== 'ESRCH') throw error; // it has ended meanwhile
    }
  const isBelow = (pid: number): boolean => {
    const parent = parents.get(pid);
    return parent !== undefined && (parent === worker || isBelow(parent));
  };
  return [...parents.keys()].filter(isBelow);
}

export async function eventsAt({ home }: FleetHome): Promise<Event[]> {
  return Array.fromAsync(readEvents(home.ledgers.run)).catch(() => []);
}

/** Fails with what the workers logged last. */
export async function until(
  homes: readonly FleetHome[],
  what: string,
  check: () => boolean | Promise<boolean>,
  seconds = 300,
): Promise<void> {
  for (let tries = 0; tries < seconds * 4; tries += 1) {
    if (await check()) return;
    await sleep(250);
  }
  const logs = homes.map(({ name, log }) => `${name}:\n${log().slice(-2000)}`).join('\n');
  throw new Error(`${what}: not within ${seconds} seconds\n${logs}`);
}
