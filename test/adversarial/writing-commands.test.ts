/** Every command that writes: alone, beside a worker, four at once, and with the worker killed in between; counted from outside. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text as allOf } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { penHolder } from '../../src/core/ledger/pen.ts';
import { launcher, type Ran } from '../support/cli.ts';
import { openStory, type Story } from '../support/story.ts';
import { someOf } from '../support/thorough.ts';
import { ROWS } from '../support/writing-commands.ts';
import { prepare, wordsOf } from '../support/writing-homes.ts';

const NAMES = someOf(Object.keys(ROWS));
const FOUR = [0, 1, 2, 3];
/** Each row is a test of its own: one that does not end is named, and `-t` chooses a few. */
const PATIENCE_MS = 600_000;

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

/** Makes what only this row is about. */
async function before(story: Story, name: string, n: number): Promise<void> {
  for (const words of ROWS[name]?.before?.(n) ?? []) await story.oka(...words);
  await sleep(ROWS[name]?.afterMs ?? 0);
}

/** A home with what the rows are about, for all tests of a group; the last worker of it is stopped with it. */
function inOneHome(count: number): () => Story {
  let story: Story | undefined;
  beforeAll(async () => {
    story = await openStory({});
    await prepare(story, count);
  }, PATIENCE_MS);
  afterAll(async () => story?.[Symbol.asyncDispose]());
  return () => {
    if (story === undefined) throw new Error('there is no home yet');
    return story;
  };
}

const told = (name: string, { code, err }: Ran): string =>
  code === (ROWS[name]?.exit ?? 0) ? 'as it should' : `${code} ${err}`;

describe.each([
  ['alone', false],
  ['beside a worker', true],
])('%s', (_, isBeside) => {
  const home = inOneHome(1);
  let hasWorker = false;

  it.each(NAMES)('%s is done once', { timeout: PATIENCE_MS }, async (name) => {
    const story = home();
    if (isBeside && !hasWorker) await startWorker(story);
    hasWorker = isBeside;
    await before(story, name, 0);
    const one = await ran(story, name, 0);
    if (isBeside) await whenDone(story, name);
    expect([told(name, one), await timesOf(story, name, 0)]).toEqual(['as it should', 1]);
  });
});

// After 30 s, on a busy machine, one of them may say that nothing was done: then nothing was.
describe('four at once', () => {
  const home = inOneHome(4);

  it.each(NAMES)('%s: all are done, each once', { timeout: PATIENCE_MS }, async (name) => {
    const story = home();
    for (const n of FOUR) await before(story, name, n);
    const all = await Promise.all(FOUR.map((n) => ran(story, name, n)));
    const seen = await Promise.all(all.map(async (one, n) => [told(name, one), await timesOf(story, name, n)]));
    const isTooLate = (n: number): boolean => all[n]?.code === 3 && all[n].err.includes('; nothing was done');
    expect(seen).toEqual(FOUR.map((n) => (isTooLate(n) ? [expect.any(String), 0] : ['as it should', 1])));
    expect(FOUR.every(isTooLate)).toBe(false);
  });
});

describe('when the worker is killed in between', () => {
  const home = inOneHome(1);

  it.each(NAMES)('%s is done once, or the command says what it knows', { timeout: PATIENCE_MS }, async (name) => {
    const story = home();
    await before(story, name, 0);
    const worker = await startWorker(story);
    const running = ran(story, name, 0);
    await sleep(300 + Math.random() * 700);
    worker.kill('SIGKILL');
    await once(worker, 'exit');
    const { code, err } = await running;
    const times = await timesOf(story, name, 0);
    const says = `${code}, done ${times} times: ${err}`;
    if (code === (ROWS[name]?.exit ?? 0)) expect(times, says).toBe(1);
    else if (code === 3) expect(times, says).toBe(0);
    else {
      expect(says).toMatch(/may have been done|has not begun/);
      expect(times, says).toBeLessThanOrEqual(1);
    }
  });
});
