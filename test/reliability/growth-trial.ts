/**
 * What a long history costs: homes of few and of many tasks, made of what real tasks have left, asked the same things in
 * turns. Then all but the last tenth of the long one is archived, as maintenance asks for it.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fillHome } from '../../bench/views.ts';
import { nowQuery } from '../../src/app/now/now-query.ts';
import type { Event, NewEvent } from '../../src/core/schema/event.ts';
import { SHARED_FILE } from '../../src/core/ledger/projection-files.ts';
import { archiveFolder } from '../../src/core/ledger/history.ts';
import { readEvents } from '../../src/core/ledger/read-events.ts';
import { taskGraph } from '../../src/core/ledger/task-graph.ts';
import { submit } from '../../src/kit/requests/submit-request.ts';
import { askQuery } from '../support/ask-query.ts';
import { launcher } from '../support/cli.ts';
import { LiveHome } from './live-home.ts';
import type { Trial, TrialReport } from './trial.ts';

const FEW = 1000;
const MANY = 100_000;
/** A minute of this trial is enough for so many, on a machine with other work. */
const PER_MINUTE = 15_000;
const APART_MS = 5 * 60_000;
const TIMES = 7;
/** Tasks for a worker that has begun, each time. */
const TASKS = 5;
const PATIENCE_MS = 300_000;
const MOST_RATIO = 1.5;

const STEPS = ['echo a >> out.txt', 'mkdir -p made && date > made/now.txt', 'echo b | tee second.txt', 'exit 3'];

export const growthTrial: Trial = {
  name: 'Growth',
  about: `Eight real tasks, some of which fail, are copied, with their events and their pages in the outbox, into a home of ${FEW.toLocaleString('en')} and one of up to ${MANY.toLocaleString('en')} tasks, one every five minutes. Nothing is archived. In turns, ${TIMES} times, both are started until a waiting task is done, do ${TASKS} more, and are asked for \`oka status\`, \`oka runs\` and the page Now; of all figures the least counts. None may be more than ${MOST_RATIO} times as large in the long history. Then everything but the last tenth is archived by the worker, beside its work, and the same is asked of both again.`,
  share: 24,
  run: async ({ until, log }) => {
    const report: TrialReport = { counts: {}, failures: [] };
    const minutes = (until - Date.now()) / 60_000;
    const tasks = Math.max(2 * FEW, Math.min(MANY, Math.round(minutes * PER_MINUTE)));
    const pattern = await livePattern();
    await using short = new LiveHome();
    await using long = new LiveHome();
    log(`${tasks} tasks`);
    for (const [live, count] of [
      [short, FEW],
      [long, tasks],
    ] as const)
      await fill(live, pattern, count);
    const before = await compare(short, long);
    const megabytes = Math.round(statSync(long.home.ledgers.run).size / 1e6);
    const seconds = await archive(long, tasks, report);
    const after = await compare(short, long);
    report.counts = {
      tasks,
      'MB of ledger': megabytes,
      'seconds until the oldest nine tenths were archived': seconds,
      'MB of archive': Math.round(folderSize(archiveFolder(long.home.ledgers.run)) / 1e6),
    };
    report.table = [
      [
        '',
        `${FEW.toLocaleString('en')} tasks`,
        `${tasks.toLocaleString('en')} tasks`,
        'ratio',
        'then 1,000',
        'archived',
      ],
      ...before.map(({ what, few, many }, index) => {
        const then = after[index] ?? { few: 0, many: 0 };
        return [what, shown(few), shown(many), (many / few).toFixed(2), shown(then.few), shown(then.many)];
      }),
    ];
    for (const [state, answers] of [
      ['', before],
      [' after archiving', after],
    ] as const)
      for (const { what, few, many } of answers)
        if (many > MOST_RATIO * few) report.failures.push(`${what}${state}: ${shown(many)} instead of ${shown(few)}`);
    return report;
  },
};

const shown = (figure: number): string => (figure < 100 ? figure.toFixed(1) : Math.round(figure).toLocaleString('en'));

type Pattern = { id: string; events: Event[]; page: string }[];

/** What the real worker makes of eight tasks. */
async function livePattern(): Promise<Pattern> {
  await using live = new LiveHome();
  const ids = Array.from({ length: 8 }, (_, index) => `pattern${index}`);
  for (const [index, id] of ids.entries()) {
    const steps = STEPS.slice(index % STEPS.length, (index % STEPS.length) + 1 + (index % 3));
    live.drop(
      `${id}.md`,
      `---\nid: ${id}\n---\n# Task ${id}\n\n${steps.map((line) => `\`\`\`bash\n${line}\n\`\`\``).join('\n\n')}\n`,
    );
  }
  live.start();
  await waitFor('the pattern', () => ids.every((id) => live.page(id) !== null));
  await live.stop();
  const all: Event[] = [];
  for await (const event of readEvents(live.home.ledgers.run)) if (event.run !== null) all.push(event);
  return ids.map((id) => ({
    id,
    events: all.filter(({ run }) => run === id || run?.startsWith(`${id}.`) === true),
    page: live.page(id) ?? '',
  }));
}

/** A home with so many tasks, the last of which has just ended, and what a worker and its readers derive from them. */
async function fill({ home }: LiveHome, pattern: Pattern, tasks: number): Promise<void> {
  const begun = Date.now() - tasks * APART_MS;
  async function* moments(): AsyncGenerator<{ at: number; events: NewEvent[] }> {
    for (let index = 0; index < tasks; index += 1) {
      const { id, events, page } = pattern[index % pattern.length] ?? { id: '', events: [], page: '' };
      const name = `task-${index}`;
      const folder = join(home.workspace, 'outbox', name);
      mkdirSync(folder);
      writeFileSync(join(folder, 'RESULT.md'), page.replaceAll(id, name));
      yield {
        at: begun + index * APART_MS,
        events: JSON.parse(JSON.stringify(events).replaceAll(id, name)) as NewEvent[],
      };
    }
  }
  await fillHome(home, Number.POSITIVE_INFINITY, moments());
}

type Answer = { what: string; few: number; many: number };

/** What is asked of a home; all of it is better when it is less. */
type Asked = Record<string, number>;

async function compare(short: LiveHome, long: LiveHome): Promise<Answer[]> {
  const [few, many]: Asked[][] = [[], []];
  for (let times = 0; times < TIMES; times += 1) {
    few?.push(await ask(short));
    many?.push(await ask(long));
  }
  const least = (all: readonly Asked[] = [], what = ''): number =>
    Math.min(...all.map((each) => each[what] ?? Number.POSITIVE_INFINITY));
  return Object.keys(few?.[0] ?? {}).map((what) => ({ what, few: least(few, what), many: least(many, what) }));
}

async function ask(live: LiveHome): Promise<Asked> {
  const begin = await timed(async () => {
    live.start();
    await doTask(live);
  });
  const tasks: number[] = [];
  for (let count = 0; count < TASKS; count += 1) tasks.push(await timed(() => doTask(live)));
  const [worker] = live.processes().workers;
  const memory = residentMb(worker?.pid ?? 0);
  await live.stop();
  return {
    'ms of a start, until a waiting task is done': begin,
    'ms of a task': Math.min(...tasks),
    'MB of memory of the worker': memory,
    'KB of snapshots': snapshotsKb(live),
    'ms of `oka status`': command(live, 'status'),
    'ms of `oka runs`': command(live, 'runs'),
    'ms of the page Now': await leastOf(20, () => timed(async () => void (await askQuery(nowQuery, live.home)))),
  };
}

async function timed(work: () => Promise<void>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

/** What takes milliseconds is asked more often, so that something else on the machine does not decide. */
async function leastOf(times: number, measure: () => Promise<number>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let count = 0; count < times; count += 1) least = Math.min(least, await measure());
  return least;
}

const folderSize = (folder: string): number =>
  readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);

const residentMb = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

const snapshotsKb = ({ home }: LiveHome): number =>
  [SHARED_FILE, taskGraph.file ?? ''].reduce((sum, file) => sum + statSync(join(home.oka, file)).size / 1024, 0);

let dropped = 0;

async function doTask(live: LiveHome): Promise<void> {
  const id = `begin${(dropped += 1)}`;
  live.drop(`${id}.md`, `---\nid: ${id}\n---\n\`\`\`bash\necho ${id} > begun.txt\n\`\`\`\n`);
  await waitFor(id, () => live.page(id)?.includes('✅ Done') === true);
}

function command({ home }: LiveHome, word: string): number {
  const begun = performance.now();
  const { status, stderr } = spawnSync(process.execPath, [launcher, word, '--dir', home.dir]);
  if (status !== 0) throw new Error(`oka ${word} ended with ${status}: ${String(stderr)}`);
  return performance.now() - begun;
}

/** As maintenance asks for it; returns the seconds it took. A task that comes meanwhile is done. */
async function archive(live: LiveHome, tasks: number, { failures }: TrialReport): Promise<number> {
  const { size } = statSync(live.home.ledgers.run);
  const before = new Date(Date.now() - (tasks * APART_MS) / 10).toISOString();
  submit(join(live.home.oka, 'intake'), { kind: 'archive', before });
  live.drop('beside.md', '---\nid: beside\n---\n```bash\necho beside > beside.txt\n```\n');
  const ms = await timed(async () => {
    live.start();
    await waitFor('the archive', () => statSync(live.home.ledgers.run).size < size / 2);
  });
  await waitFor('a task beside it', () => live.page('beside') !== null);
  await live.stop();
  if (live.page('beside')?.includes('✅ Done') !== true) failures.push('a task beside the archiving was not done');
  const verify = spawnSync(process.execPath, [launcher, 'verify', '--dir', live.home.dir]);
  if (verify.status !== 0)
    failures.push(`after archiving, oka verify ended with ${verify.status}: ${String(verify.stdout)}`);
  return Math.round(ms / 1000);
}

async function waitFor(what: string, isThere: () => boolean): Promise<void> {
  for (const end = Date.now() + PATIENCE_MS; !isThere(); await sleep(10))
    if (Date.now() > end) throw new Error(`${what} did not come`);
}
