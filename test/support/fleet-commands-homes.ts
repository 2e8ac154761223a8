/** Homes of a fleet with real workers, and what `oka` says in them. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { setUp } from '../../src/kit/home/set-up.ts';
import { homeAt } from '../../src/kit/settings.ts';
import { addTask } from '../../src/kit/inbox/add-task.ts';
import { penHolder } from '../../src/core/ledger/pen.ts';
import { readEvents } from '../../src/core/ledger/read-events.ts';
import type { Event } from '../../src/core/schema/event.ts';
import type { Home } from '../../src/core/schema/home.ts';
import type { KillStep } from './kill-at-step.ts';
import type { NatsCluster } from './nats-cluster.ts';

export type FleetHome = {
  name: string;
  home: Home;
  /** Starts its worker; `dying`: the step at which it dies. */
  start(dying?: KillStep): void;
  /** Resolves when its worker has ended by itself. */
  ended(): Promise<void>;
  stop(signal?: NodeJS.Signals): Promise<void>;
  /** Commands wait for an approval from the next start on. */
  askBeforeCommands(): void;
  /** What `oka …` prints there, parsed when `--json` is among the words. */
  oka<T = string>(...words: string[]): Promise<T>;
  /** The same as a process of its own, to be killed. */
  spawnOka(...words: string[]): ChildProcess;
  drop(id: string, text: string, fields?: Record<string, unknown>): void;
  events<T extends Event['type']>(type: T): Promise<Extract<Event, { type: T }>[]>;
  result(id: string): string | null;
  /** What its worker has printed. */
  log(): string;
  /** Whether its worker has the pen: a command that is given before does without it, or takes the pen first. */
  hasWorker(): boolean;
};

export type FleetHomes = { open(name: string, variables?: Record<string, string>): FleetHome } & AsyncDisposable;

const PROGRAM = join(import.meta.dirname, '../../bin/oka');
const WORKER = join(import.meta.dirname, 'fleet-home-child.ts');

/** `disk`: a folder on the disk that they are on. */
export function fleetHomes({ url, monitors }: Pick<NatsCluster, 'url' | 'monitors'>, disk = tmpdir()): FleetHomes {
  const root = mkdtempSync(join(disk, 'oka-fleet-homes-'));
  const opened: FleetHome[] = [];
  return {
    open: (name, variables = {}) => {
      const env = {
        ...process.env,
        OKA_FLEET: url,
        OKA_FLEET_MONITOR: monitors,
        OKA_FLEET_NAME: name,
        OKA_FLEET_ACK_SECONDS: '3',
        ...variables,
      };
      opened.push(openHome(homeAt(join(root, name)), name, env));
      return opened.at(-1) as FleetHome;
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(opened.map((each) => each.stop('SIGKILL')));
      rmSync(root, { recursive: true, force: true });
    },
  };
}

function openHome(home: Home, name: string, env: NodeJS.ProcessEnv): FleetHome {
  setUp(home);
  let worker: ChildProcess | null = null;
  let printed = '';
  return {
    name,
    home,
    start: (dying) => {
      const loaded = dying === undefined ? [] : ['--import', join(import.meta.dirname, 'kill-at-step.ts')];
      const child = spawn(process.execPath, [...loaded, WORKER, home.dir], {
        env: { ...env, OKA_TEST_STEP: dying === undefined ? '' : JSON.stringify(dying) },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
      worker = child;
    },
    stop: async (signal = 'SIGTERM') => {
      const child = worker;
      worker = null;
      if (child === null || child.exitCode !== null || child.signalCode !== null) return;
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill(signal);
      await gone;
    },
    ended: async () => {
      const signal = AbortSignal.timeout(300_000);
      if (worker?.exitCode === null && worker.signalCode === null) await once(worker, 'exit', { signal });
    },
    askBeforeCommands: () => {
      const policy = readFileSync(home.policy, 'utf8');
      writeFileSync(home.policy, policy.replace('rules: []', 'rules:\n  - { effect: ask, tool: shell }'));
    },
    oka: async <T>(...words: string[]) => {
      const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, ...words, '--dir', home.dir], { env });
      return (words.includes('--json') ? JSON.parse(stdout) : stdout) as T;
    },
    spawnOka: (...words) =>
      spawn(process.execPath, [PROGRAM, ...words, '--dir', home.dir], { env, stdio: ['ignore', 'ignore', 'inherit'] }),
    log: () => printed,
    hasWorker: () => worker !== null && penHolder(home.ledgers.run)?.pid === worker.pid,
    drop: (id, text, fields = {}) => addTask(join(home.workspace, 'inbox'), { text, fields: { id, ...fields } }),
    events: async <T extends Event['type']>(wanted: T) => {
      const found: Extract<Event, { type: T }>[] = [];
      if (existsSync(home.ledgers.run))
        for await (const event of readEvents(home.ledgers.run))
          if (event.type === wanted) found.push(event as unknown as Extract<Event, { type: T }>);
      return found;
    },
    result: (id) => {
      const file = join(home.workspace, 'outbox', id, 'RESULT.md');
      return existsSync(file) ? readFileSync(file, 'utf8') : null;
    },
  };
}

/** Waits for something that will be true; the message says what never was. */
export async function until(what: string, check: () => unknown, seconds = 300): Promise<void> {
  const end = performance.now() + seconds * 1000;
  while (performance.now() < end) {
    if ((await check()) === true) return;
    await sleep(500);
  }
  throw new Error(`not within ${seconds} seconds: ${what}`);
}
