/**
 * Tasks whose places overlap, and whose outcome tells in which order they were done: each reads the files of its place, and
 * of what it names in `reads:`, and writes a digest of them into its place, so that what two of them leave that worked at the same time is what no order leaves.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Home } from '../../src/core/schema/home.ts';
import { readEvents } from '../../src/core/ledger/read-events.ts';
import { addTask } from '../../src/kit/inbox/add-task.ts';
import { launcher } from './cli.ts';
import { deskFolder } from '../../src/kit/desk-folder.ts';

const PLACES = ['a', 'a/x', 'a/y', 'b', 'b/x', 'c', 'd', 'e', 'f'] as const;

type Overlapping = { id: string; dir: string; writes: string[]; reads: string[]; files: string[]; seen: string[] };

/** `random` gives numbers from 0 to 1. */
export function overlappingTasks(count: number, random: () => number): Overlapping[] {
  const choose = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  return Array.from({ length: count }, (_, index) => {
    const dir = choose(PLACES);
    const writes = random() < 0.4 ? [choose(PLACES)] : [];
    const reads = random() < 0.4 ? [choose(PLACES)] : [];
    const statesIn = (folders: string[]): string[] =>
      PLACES.filter((place) => folders.some((each) => `${place}/`.startsWith(`${each}/`))).map(
        (place) => `${place}/state`,
      );
    const files = statesIn([dir, ...writes]);
    return { id: `t${index}`, dir, writes, reads, files, seen: statesIn([dir, ...writes, ...reads]) };
  });
}

function addAll(home: Home, tasks: readonly Overlapping[]): void {
  for (const place of PLACES) mkdirSync(join(deskFolder(home), place), { recursive: true });
  for (const { id, dir, writes, reads, files, seen } of tasks) {
    const up = '../'.repeat(dir.split('/').length);
    const [paths, read] = [files, seen].map((all) => all.map((file) => `${up}${file}`).join(' '));
    const line = `h=$(cat ${read} 2>/dev/null | sha256sum | cut -c1-64)\nsleep 0.1\nfor f in ${paths}; do echo "$h ${id}" > $f; done\necho ${id} >> ${up}${dir}/log`;
    const text = `---\nid: ${id}\ndir: ${dir}\nwrites: ${JSON.stringify(writes)}\nreads: ${JSON.stringify(reads)}\n---\n\`\`\`bash\n${line}\n\`\`\`\n`;
    addTask(join(home.workspace, 'inbox'), { name: `${id}.md`, bytes: Buffer.from(text), files: null });
  }
}

type Killing = { kills: number; random: () => number; patienceMs: number };

/** Until all have a result, of a worker that was killed so many times before. */
export async function workKilled(
  home: Home,
  tasks: readonly Overlapping[],
  { kills, random, patienceMs }: Killing,
): Promise<void> {
  const end = performance.now() + patienceMs;
  addAll(home, tasks);
  for (let kill = 0; kill < kills; kill += 1) {
    const worker = startWorker(home);
    await sleep(500 + random() * 1500);
    worker.kill('SIGKILL');
    await once(worker, 'exit');
  }
  const last = startWorker(home);
  try {
    await whenAllDone(home, tasks, end);
  } finally {
    last.kill('SIGTERM');
    await once(last, 'exit');
  }
}

const startWorker = (home: Home): ChildProcess =>
  spawn(process.execPath, [launcher, 'worker', '--dir', home.dir], { stdio: 'ignore' });

async function whenAllDone(home: Home, tasks: readonly Overlapping[], end: number): Promise<void> {
  const left = new Set(tasks.map(({ id }) => id));
  while (left.size > 0) {
    for (const id of left) if (existsSync(join(home.workspace, 'outbox', id, 'RESULT.md'))) left.delete(id);
    if (performance.now() > end)
      throw new Error(`${left.size} tasks have no result: ${[...left].slice(0, 10).join(', ')}`);
    await sleep(50);
  }
}

type Judged = { done: number; differing: string[]; lost: string[]; doubled: string[] };

/** Compares the desk with what the tasks leave one at a time, in the order in which they got their turns. */
export async function judgeOverlapping(home: Home, tasks: readonly Overlapping[]): Promise<Judged> {
  const order = new Map<string, number>();
  let done = 0;
  for await (const { type, run, seq, data } of readEvents(home.ledgers.run)) {
    if (type === 'desk.kept' && data.when === 'before' && run !== null) order.set(run.split('.', 1)[0] ?? run, seq);
    if (type === 'run.ended' && data.status === 'done' && tasks.some(({ id }) => id === run)) done += 1;
  }
  const byTurn = tasks.toSorted((one, other) => (order.get(one.id) ?? 0) - (order.get(other.id) ?? 0));
  const expected = replay(byTurn);
  const textOf = (file: string): string => {
    const path = join(deskFolder(home), file);
    return existsSync(path) ? readFileSync(path, 'utf8') : '';
  };
  const logged = PLACES.flatMap((place) => textOf(`${place}/log`).split('\n').filter(Boolean));
  const times = Map.groupBy(logged, (id) => id);
  return {
    done,
    differing: [...expected].flatMap(([file, text]) => (textOf(file) === text ? [] : [file])),
    lost: tasks.flatMap(({ id }) => (times.has(id) ? [] : [id])),
    doubled: [...times].flatMap(([id, all]) => (all.length > 1 ? [id] : [])),
  };
}

function replay(tasks: readonly Overlapping[]): Map<string, string> {
  const states = new Map<string, string>();
  for (const { id, files, seen } of tasks) {
    const digest = hash('sha256', seen.map((file) => states.get(file) ?? '').join(''));
    for (const file of files) states.set(file, `${digest} ${id}\n`);
  }
  return states;
}
