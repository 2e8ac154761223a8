/** Many things at once: what work that does not touch the same files costs side by side, and that turns keep their order. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { work } from '../src/app/worker/worker.ts';
import { readEvents } from '../src/core/ledger/read-events.ts';
import type { Home } from '../src/core/schema/home.ts';
import { deskFolder } from '../src/kit/desk-folder.ts';
import { setUp } from '../src/kit/home/set-up.ts';
import { addTask } from '../src/kit/inbox/add-task.ts';
import { judgeOverlapping, overlappingTasks, workKilled } from '../test/support/overlapping-tasks.ts';
import { type Figure, median } from './figure.ts';
import { taskTimes } from './support/task-times.ts';
import { temporaryHome } from './support/home.ts';

const [SLEEPING, SECONDS, PARALLEL] = [20, 3, 2];
/** TOGETHER=50 tries it with fewer tasks and kills; the files of the large desk are then as many times fewer. */
const OVERLAPPING = Number(process.env['TOGETHER'] ?? 500);
const KILLS = OVERLAPPING / 5;
const FILES = 400 * OVERLAPPING;
const [ROUNDS, A_ROUND] = [5, 12];

export async function measure(note: (text: string) => void): Promise<Figure[]> {
  note(`${SLEEPING} tasks that sleep ${SECONDS} s`);
  const sleeping = await timeOf(PARALLEL, async (home) => {
    for (let index = 0; index < SLEEPING; index += 1) addFolder(home, `sleep${index}`, `sleep ${SECONDS}`);
    await ended(home, SLEEPING);
  });
  note('a task of 1 s behind one of 10 minutes');
  const behind = await timeOf(PARALLEL, async (home, restart) => {
    addFolder(home, 'long', 'touch begun; sleep 600');
    await seen(home, 'call.started', 'long');
    restart();
    addFolder(home, 'short', 'sleep 1');
    await seen(home, 'run.ended', 'short');
  });
  note(`${OVERLAPPING} tasks with overlapping places, ${KILLS} kills`);
  const judged = await overlapping();
  note(`a desk with ${FILES} files`);
  const [small, large] = await desks();
  return [
    {
      name: 'together_sleeping',
      value: sleeping / 1000 / ((SLEEPING * SECONDS) / PARALLEL),
      unit: '×',
      bar: { most: 1.5 },
      about: `${SLEEPING} tasks of ${SECONDS} s in folders of their own, ${PARALLEL} at a time, over the least there can be`,
    },
    {
      name: 'together_behind',
      value: behind / 1000,
      unit: 's',
      bar: { most: 3 },
      about: 'a task of 1 s that is added behind one of 10 minutes, to its end',
    },
    {
      name: 'together_wrong',
      value: OVERLAPPING - judged.done + judged.differing.length + judged.lost.length + judged.doubled.length,
      unit: 'tasks',
      bar: { most: 0 },
      about: `of ${OVERLAPPING} with overlapping places and ${KILLS} kills: not done, lost, doubled, or as in no order`,
    },
    {
      name: 'large_desk',
      value: large / small,
      unit: '×',
      bar: { most: 1.5 },
      about: `a task in its own folder on a desk with ${FILES} files, over one on an empty desk (${small.toFixed(0)} ms), without its command`,
    },
  ];
}

/** Milliseconds of what `act` does beside a worker, from its start or where it says. */
async function timeOf(parallel: number, act: (home: Home, restart: () => void) => Promise<void>): Promise<number> {
  using temporary = temporaryHome(process.env['TMPDIR'] ?? '/tmp');
  const { home } = temporary;
  setUp(home);
  writeFileSync(home.config, JSON.stringify({ inbox: { parallel } }));
  return await whileWorking(home, async () => {
    await seen(home, 'worker.started', null);
    let start = performance.now();
    await act(home, () => (start = performance.now()));
    return performance.now() - start;
  });
}

async function whileWorking<T>(home: Home, act: () => Promise<T>): Promise<T> {
  const stop = new AbortController();
  const working = work(home, stop.signal, () => undefined);
  try {
    return await act();
  } finally {
    stop.abort();
    await working;
  }
}

function addFolder(home: Home, id: string, line: string): void {
  const text = `---\nid: ${id}\n---\n# One step\n\n\`\`\`bash\n${line}\n\`\`\`\n`;
  const files = [{ path: 'data.txt', bytes: Buffer.from(id), mode: 0o644 }];
  addTask(join(home.workspace, 'inbox'), { name: id, bytes: Buffer.from(text), files });
}

async function count(home: Home, wanted: string, task: string | null): Promise<number> {
  let found = 0;
  for await (const { type, run } of readEvents(home.ledgers.run))
    if (type === wanted && (task === null || run === task || run?.startsWith(`${task}.`) === true)) found += 1;
  return found;
}

async function seen(home: Home, type: string, task: string | null): Promise<void> {
  while ((await count(home, type, task).catch(() => 0)) === 0) await sleep(25);
}

async function ended(home: Home, tasks: number): Promise<void> {
  while ((await taskTimes(home)).size < tasks) await sleep(100);
}

async function overlapping(): ReturnType<typeof judgeOverlapping> {
  using temporary = temporaryHome(process.env['TMPDIR'] ?? '/tmp');
  const { home } = temporary;
  setUp(home);
  writeFileSync(home.config, JSON.stringify({ inbox: { parallel: 3 } }));
  const tasks = overlappingTasks(OVERLAPPING, Math.random);
  await workKilled(home, tasks, { kills: KILLS, random: Math.random, patienceMs: 1_800_000 });
  return await judgeOverlapping(home, tasks);
}

/** Milliseconds of a task on an empty desk and on one with many files, in turns. */
async function desks(): Promise<[number, number]> {
  using empty = temporaryHome(process.env['TMPDIR'] ?? '/tmp');
  using full = temporaryHome(process.env['TMPDIR'] ?? '/tmp');
  for (const { home } of [empty, full]) {
    setUp(home);
    writeFileSync(home.config, JSON.stringify({ inbox: { parallel: 1 } }));
  }
  fill(deskFolder(full.home));
  const times: [number[], number[]] = [[], []];
  for (let round = 0; round < ROUNDS; round += 1)
    for (const [at, { home }] of [empty, full].entries()) times[at]?.push(...(await roundOf(home, round)));
  return [median(times[0]), median(times[1])];
}

function fill(desk: string): void {
  for (let folder = 0; folder < FILES / 100; folder += 1) {
    const path = join(desk, 'archive', `folder${folder}`);
    mkdirSync(path, { recursive: true });
    for (let file = 0; file < 100; file += 1) writeFileSync(join(path, `file${file}.txt`), `${folder} ${file}\n`);
  }
}

async function roundOf(home: Home, round: number): Promise<number[]> {
  const ids = Array.from({ length: A_ROUND }, (_, index) => `round${round}-${index}`);
  for (const id of ids) addFolder(home, id, 'cp data.txt copy.txt');
  const times = await whileWorking(home, async () => {
    for (;;) {
      const all = await taskTimes(home);
      if (ids.every((id) => all.has(id))) return all;
      await sleep(100);
    }
  });
  return ids.flatMap((id) => times.get(id) ?? []);
}
