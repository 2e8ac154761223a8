/** Every command that writes: alone, beside a worker, four at once, and with the worker killed in between; counted from outside. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text as allOf } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { penHolder } from '../../src/core/ledger/pen.ts';
import { launcher, type Ran } from '../support/cli.ts';
import { openStory, type Story } from '../support/story.ts';
import { someOf } from '../support/thorough.ts';
import { ROWS } from '../support/writing-commands.ts';
import { prepare, wordsOf } from '../support/writing-homes.ts';

const NAMES = someOf(Object.keys(ROWS));
/** Hundreds of processes, one after the other. */
const PATIENCE_MS = 1_800_000;

const timesOf = async (story: Story, name: string, n: number): Promise<number> => {
  const text = (path: string): string | null => {
    const file = join(story.home.workspace, path);
    return existsSync(file) ? readFileSync(file, 'utf8') : null;
  };
  return ROWS[name]?.times({ events: await story.events(), text }, n) ?? Number.NaN;
};

/** In a process of its own. */
async function ran(story: Story, name: string, n: number): Promise<Ran> {
  const row = ROWS[name];
  if (row === undefined) throw new Error(`there is no row ${name}`);
  const child = spawn(process.execPath, [launcher, ...wordsOf(name, row, n, story), '--dir', story.home.dir]);
  child.stdin.end(row.input ?? '');
  const [out, err, [code]] = await Promise.all([allOf(child.stdout), allOf(child.stderr), once(child, 'close')]);
  return { code: code as number | null, out, err };
}

async function startWorker(story: Story): Promise<ReturnType<Story['start']>> {
  const worker = story.start(['worker']);
  await story.until('the worker', async () =>
    penHolder(story.home.ledgers.run)?.pid === worker.pid ? true : undefined,
  );
  return worker;
}

// What a command has written to the vault, a worker notes when it looks at it next.
async function whenDone(story: Story, name: string): Promise<void> {
  for (let looks = 0; looks < 200; looks += 1) {
    if ((await timesOf(story, name, 0)) > 0) return;
    await sleep(100);
  }
}

const isRight = (name: string, code: number | null): boolean => code === (ROWS[name]?.exit ?? 0);

const done = (rows: readonly string[]): string[] => rows.map((name) => `${name}: 0, done 1 times`);

it('alone, and beside a worker, each is done once', { timeout: PATIENCE_MS }, async () => {
  for (const isBeside of [false, true]) {
    await using story = await openStory({});
    await prepare(story, 1, NAMES);
    if (isBeside) await startWorker(story);
    const seen: string[] = [];
    for (const name of NAMES) {
      const { code, err } = await ran(story, name, 0);
      if (isBeside) await whenDone(story, name);
      seen.push(`${name}: ${isRight(name, code) ? 0 : `${code} ${err}`}, done ${await timesOf(story, name, 0)} times`);
    }
    expect(seen).toEqual(done(NAMES));
  }
});

it('four at once are all done, each once', { timeout: PATIENCE_MS }, async () => {
  await using story = await openStory({});
  await prepare(story, 4, NAMES);
  const seen: string[] = [];
  for (const name of NAMES) {
    const all = await Promise.all([0, 1, 2, 3].map((n) => ran(story, name, n)));
    for (const [n, { code, err }] of all.entries())
      seen.push(`${name}: ${isRight(name, code) ? 0 : `${code} ${err}`}, done ${await timesOf(story, name, n)} times`);
  }
  expect(seen).toEqual(done(NAMES.flatMap((name) => [name, name, name, name])));
});

it('when the worker is killed in between, it is done once, or the command says what it knows', {
  timeout: PATIENCE_MS,
}, async () => {
  await using story = await openStory({});
  await prepare(story, 1, NAMES);
  const wrong: string[] = [];
  for (const name of NAMES) {
    const worker = await startWorker(story);
    const running = ran(story, name, 0);
    await sleep(300 + Math.random() * 700);
    worker.kill('SIGKILL');
    await once(worker, 'exit');
    const { code, err } = await running;
    const times = await timesOf(story, name, 0);
    const isTrue = isRight(name, code)
      ? times === 1
      : code === 3
        ? times === 0
        : /may have been done|has not begun/.test(err) && times <= 1;
    if (!isTrue) wrong.push(`${name}: ${code}, done ${times} times: ${err}`);
  }
  expect(wrong).toEqual([]);
});
