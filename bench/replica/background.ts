/**
 * What a worker loses by a replica that is configured and dead: homes with and without one take turns, a few tasks each,
 * and the other one is suspended: whatever else the machine does, both have the same of it.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { replicaFolder } from '../../src/rooms/replica/replica-connection.ts';
import { setUp } from '../../src/kit/home/set-up.ts';
import type { Home } from '../../src/core/schema/home.ts';
import { addTask } from '../../src/kit/inbox/add-task.ts';
import { penHolder } from '../../src/core/ledger/pen.ts';
import { readEvents } from '../../src/core/ledger/read-events.ts';
import { readState } from '../../src/rooms/replica/copy/state.ts';
import type { Figure } from '../figure.ts';
import { temporaryHome } from '../support/home.ts';

const TURNS = Number(process.env['OKA_BENCH_TURNS'] ?? 40);
const TASKS = 5;
const WARMING = 15;
/** Background work of a start is over then. */
const SETTLES_MS = 8000;
const BODY = '# One step\n\n```bash\ntrue\n```\n';
const DEAD = 'http://127.0.0.1:9';
const launcher = fileURLToPath(new URL('../../bin/oka', import.meta.url));
const TICKS_A_SECOND = 100;

export async function besideFigures(note: (text: string) => void): Promise<Figure[]> {
  note(`${TURNS} times ${TASKS} tasks in each of two homes without a replica and two with a dead one, in turns`);
  await using first = await upWith(null);
  await using second = await upWith(DEAD);
  await using third = await upWith(DEAD);
  await using fourth = await upWith(null);
  const all = [first, second, third, fourth]; // neither kind is older than the other
  const before = all.map(({ worker }) => cpuOf(worker));
  for (let turn = 0; turn < TURNS; turn += 1)
    for (const each of turn % 2 === 0 ? all : all.toReversed()) await takeTurn(each);
  const cpus = all.map(({ worker }, index) => cpuOf(worker) - (before[index] ?? 0));
  const [cpu, usualCpu] = [(cpus[1] ?? 0) + (cpus[2] ?? 0), (cpus[0] ?? 0) + (cpus[3] ?? 0)];
  const [ms, usualMs] = [await middle(second, third), await middle(first, fourth)];
  return [
    {
      name: 'replica_dead_throughput',
      value: usualMs / ms,
      unit: '',
      bar: { least: 0.97 },
      about: `of the worker, of what it is without a replica: ${ms.toFixed(1)} against ${usualMs.toFixed(1)} ms for a task`,
    },
    {
      name: 'replica_dead_worker_cpu',
      value: usualCpu / cpu,
      unit: '',
      bar: { least: 0.97 },
      about: `the same by its processor time: ${cpu} against ${usualCpu} ms for ${2 * TURNS * TASKS} tasks`,
    },
  ];
}

type Up = { home: Home; worker: number; pids: readonly number[]; [Symbol.asyncDispose](): Promise<void> };

/** Both processes are there and at their best, the replica was tried, and everything is idle. */
async function upWith(url: string | null): Promise<Up> {
  const temporary = temporaryHome(tmpdir());
  const { home } = temporary;
  setUp(home);
  writeFileSync(home.config, JSON.stringify({ inbox: { parallel: 1 } }));
  writeFileSync(home.ledgers.run, ''); // nobody is welcomed
  const env = { ...process.env, CONVEX_URL: url ?? '' };
  const up = spawn(process.execPath, [launcher, 'up', '--dir', home.dir], { stdio: 'ignore', env });
  const pidOf = (pen: 'run' | 'maintenance'): number => penHolder(home.ledgers[pen])?.pid ?? 0;
  const isTried = (): boolean => url === null || readState(replicaFolder(home))?.doing.kind === 'waiting';
  await until(() => pidOf('run') > 0 && pidOf('maintenance') > 0 && isTried());
  await done(home, WARMING);
  await sleep(SETTLES_MS);
  const pids = [up.pid ?? 0, pidOf('run'), pidOf('maintenance')];
  for (const pid of pids) process.kill(pid, 'SIGSTOP');
  return {
    home,
    worker: pidOf('run'),
    pids,
    [Symbol.asyncDispose]: async () => {
      for (const pid of pids) process.kill(pid, 'SIGCONT');
      up.kill('SIGINT');
      await once(up, 'exit');
      temporary[Symbol.dispose]();
    },
  };
}

async function takeTurn({ home, pids }: Up): Promise<void> {
  for (const pid of pids) process.kill(pid, 'SIGCONT');
  await done(home, TASKS);
  for (const pid of pids) process.kill(pid, 'SIGSTOP');
}

async function done(home: Home, tasks: number): Promise<void> {
  const outbox = join(home.workspace, 'outbox');
  const results = (): number => readdirSync(outbox).filter((run) => existsSync(join(outbox, run, 'RESULT.md'))).length;
  const wanted = results() + tasks;
  for (let index = 0; index < tasks; index += 1) addTask(join(home.workspace, 'inbox'), { text: BODY });
  await until(() => results() === wanted);
}

/** Milliseconds from accepted to ended: the mean of the middle half, since the clock shows no parts of one. */
async function middle(...ups: readonly Up[]): Promise<number> {
  const took = (await Promise.all(ups.map(({ home }) => times(home)))).flat().toSorted((a, b) => a - b);
  const half = took.slice(Math.floor(took.length / 4), Math.ceil((took.length * 3) / 4));
  return half.reduce((sum, ms) => sum + ms, 0) / half.length;
}

async function times(home: Home): Promise<number[]> {
  const received = new Map<string, number>();
  const took: number[] = [];
  for await (const { type, run, at } of readEvents(home.ledgers.run)) {
    if (type === 'task.received' && run !== null) received.set(run, Date.parse(at));
    const from = type === 'run.ended' && run !== null ? received.get(run) : undefined;
    if (from !== undefined) took.push(Date.parse(at) - from);
  }
  return took.slice(WARMING);
}

/** Milliseconds of the processor, with those of its commands that have ended. */
function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return (ticks * 1000) / TICKS_A_SECOND;
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await sleep(20);
}
