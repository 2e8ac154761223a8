/**
 * Maintenance with everything it learns about, over the history of a worker: its process is killed in the middle of
 * passes, and everything that follows from the ledgers is deleted. OKA_KILLS=100 kills more often.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { live } from '../../bench/month/month.ts';
import { removeDatabase } from '../../src/core/ledger/fold-database.ts';
import { learningFile } from '../../src/kit/home/maintenance-folder.ts';
import { setUp } from '../../src/kit/home/set-up.ts';
import { homeAt } from '../../src/kit/settings.ts';
import type { Home } from '../../src/core/schema/home.ts';
import { verifyLedger } from '../../src/core/ledger/verify-ledger.ts';
import { launcher, okaWith } from '../support/cli.ts';
import { randomFrom } from '../support/ledger-samples.ts';
import { dumpOf, writtenPages } from '../support/maintain.ts';
import { scaled } from '../support/thorough.ts';

const KILLS = Number(process.env['OKA_KILLS'] ?? scaled(12));
const isWhole = KILLS >= 100;
const DAYS = isWhole ? 3 : 2;
const CONCLUDED = ['fact.kept', 'procedure.drafted', 'page.edited', ...(isWhole ? ['procedure.moved'] : [])];
const NIGHT_MS = 12 * 60 * 60 * 1000;
const dying = pathToFileURL(fileURLToPath(new URL('../support/kill-at-write.ts', import.meta.url))).href;

const place = mkdtempSync(join(tmpdir(), 'oka-parts-'));
afterAll(() => rmSync(place, { recursive: true, force: true, maxRetries: 5 }));

/** A home as it was at the end of each day: so much of its ledger, and a moment right after it. */
type Day = { ledger: string; moment: string };
let history: { dir: string; days: Day[] };

beforeAll(async () => {
  const month = await live({
    seed: 4,
    days: DAYS,
    tasksADay: isWhole ? 24 : 7,
    kinds: ['welcome', 'digest'],
    config: { maintenance: { procedures: { trial_share: 0.5, e_value: 1 } } },
  });
  await using story = month.story;
  const dir = join(place, 'history');
  cpSync(story.home.dir, dir, { recursive: true, filter: (path) => !isLeftOut(relative(story.home.dir, path)) });
  setUp(homeAt(dir), { restore: true }); // without its workspace it is a home that has lost something
  history = { dir, days: daysOf(story.home) };
});

/** What maintenance has made, and what it does not look at. */
const isLeftOut = (path: string): boolean =>
  /^(?:workspace|\.oka\/(?:maintenance|maintenance_ledger\.jsonl|brain|memory|locks|index|undo|intake|tmp))(?:\/|$)/.test(
    path,
  );

/** Nobody works at night. */
function daysOf(home: Home): Day[] {
  const lines = readFileSync(home.ledgers.run, 'utf8').split('\n').filter(Boolean);
  const moments = lines.map((line) => Date.parse((JSON.parse(line) as { at: string }).at));
  const ends = moments.flatMap((at, index) => ((moments[index + 1] ?? Infinity) - at > NIGHT_MS ? [index] : []));
  return ends.slice(0, DAYS).map((last) => ({
    ledger: `${lines.slice(0, last + 1).join('\n')}\n`,
    moment: new Date((moments[last] ?? 0) + 60_000).toISOString(),
  }));
}

/** As it is after the last day. */
let learned: Home;

let copies = 0;
function copyOf(dir: string): Home {
  const copy = join(place, `home-${(copies += 1)}`);
  cpSync(dir, copy, { recursive: true, verbatimSymlinks: true });
  return homeAt(copy);
}

/** A user who knows nothing of the home: what this user has noted about its original does not fit a history cut to days. */
const anotherUser = ({ dir }: Home): NodeJS.ProcessEnv => ({
  XDG_STATE_HOME: `${dir}-state`,
  XDG_CONFIG_HOME: `${dir}-config`,
});

type Life = { isKilled: boolean; changes: number };

/** The real command; `dies` says at which change, if at all. */
function maintained(home: Home, { moment }: Day, dies = ''): Life {
  const counted = join(home.dir, 'counted');
  const { status, signal, stderr } = spawnSync(
    process.execPath,
    ['--import', dying, launcher, 'maintain', '--once', '--dir', home.dir],
    {
      encoding: 'utf8',
      env: { ...process.env, ...anotherUser(home), OKA_TEST_NOW: moment, OKA_TEST_DIES: dies, OKA_TEST_COUNT: counted },
    },
  );
  if (signal === 'SIGKILL') return { isKilled: true, changes: 0 };
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  const changes = Number(readFileSync(counted, 'utf8'));
  rmSync(counted);
  return { isKilled: false, changes };
}

/** Everything that a pass leaves behind, but what a ledger says about itself. */
async function outcomeOf(home: Home): Promise<object> {
  const own = (await writtenPages(home)).filter(({ type }) => !type.startsWith('ledger.'));
  const { entries } = dumpOf(home);
  return {
    ledger: (await verifyLedger(home.ledgers.maintenance)).state,
    concluded: own.map(({ type, data, run, cause }) => JSON.stringify({ type, run, cause, data })).toSorted(),
    entries,
    pages: pagesOf(home),
    asked: Object.entries(textsBelow(join(home.oka, 'intake'))).filter(([name]) => name.endsWith('.json')),
  };
}

/** Without what was replaced, which lies beside them for those who have it open still. */
const pagesOf = (home: Home): Record<string, string> => ({
  ...textsBelow(join(home.oka, 'brain')),
  ...textsBelow(join(home.oka, 'memory')),
});

function textsBelow(folder: string): Record<string, string> {
  if (!existsSync(folder)) return {};
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const named = files
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !file.includes('/.replaced/'));
  return Object.fromEntries(named.toSorted().map((file) => [relative(folder, file), readFileSync(file, 'utf8')]));
}

const OWN_LINES = ['- Ann prefers tea to coffee', 'a line of my own, below everything'];

/** What a person does to pages between two days: two lines more, and a fact struck out. */
function edit(home: Home, day: number): void {
  if (day === 0) return;
  const learned = Object.keys(textsBelow(join(home.oka, 'brain'))).find((page) => page.startsWith('LEARNINGS-')) ?? '';
  const [thought = '', wish = ''] = OWN_LINES;
  change(
    join(home.oka, 'brain', learned),
    (text) => `${text.replace(/^.*<!--oka fact:.*\n/m, '')}${thought} (day ${day})\n`,
  );
  change(join(home.oka, 'brain/TODOS.md'), (text) => `${text}${wish} (day ${day})\n`);
}

function change(file: string, by: (text: string) => string): void {
  writeFileSync(file, by(existsSync(file) ? readFileSync(file, 'utf8') : ''));
}

describe('maintenance with all it learns about', () => {
  it(`killed ${KILLS} times in the middle of passes comes to what it comes to undisturbed`, {
    timeout: 120_000 + KILLS * 10_000,
  }, async () => {
    const random = randomFrom(88);
    let before = history.dir;
    let killed = 0;
    for (const [number, day] of history.days.entries()) {
      const start = copyOf(before);
      writeFileSync(start.ledgers.run, day.ledger);
      edit(start, number);
      const twin = copyOf(start.dir);
      const { changes } = maintained(twin, day);
      const expected = await outcomeOf(twin);
      for (const most = Math.ceil((KILLS * (number + 1)) / DAYS); killed < most; ) {
        const home = copyOf(start.dir);
        const dies: string[] = [];
        for (let life = 0; life < 6 && killed < most; life += 1) {
          const at = `${random.between(1, Math.ceil(changes / 2))} ${['before', 'within', 'after'][random.below(3)]}`;
          dies.push(at);
          if (!maintained(home, day, at).isKilled) break;
          killed += 1;
        }
        maintained(home, day);
        expect(await outcomeOf(home), `day ${number}, killed at ${dies.join(', ')}`).toEqual(expected);
        rmSync(home.dir, { recursive: true });
      }
      before = twin.dir;
    }
    expect(history.days).toHaveLength(DAYS);
    expect(killed).toBe(KILLS);
    learned = homeAt(before);
    const types = new Set((await writtenPages(learned)).map(({ type }) => type));
    expect(types.intersection(new Set(CONCLUDED))).toEqual(new Set(CONCLUDED));
  });

  it.each([
    { what: 'pages, index and state', folders: ['brain', 'memory', 'index', 'state'] },
    {
      what: 'the book and what is known of the pages, too',
      folders: ['brain', 'memory', 'index', 'state', 'maintenance/pages'],
    },
  ])('oka rebuild brings everything back to the byte after these are deleted: $what', async ({ folders }) => {
    const home = copyOf(learned.dir);
    const before = await outcomeOf(home);
    for (const folder of folders) rmSync(join(home.oka, folder), { recursive: true, force: true });
    if (folders.includes('maintenance/pages')) removeDatabase(learningFile(home));
    rmSync(join(home.oka, 'active_task_graph.json'), { force: true });
    expect(await okaWith({ env: anotherUser(home) }, 'rebuild', '--dir', home.dir)).toMatchObject({ code: 0, err: '' });
    expect(await outcomeOf(home)).toEqual(before);
    const pages = Object.values(pagesOf(home)).join('\n');
    for (const line of OWN_LINES)
      for (let day = 1; day < DAYS; day += 1) expect(pages).toContain(`${line} (day ${day})`);
  });
});
