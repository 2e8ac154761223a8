/**
 * What a long history costs: homes of few and of many tasks, made of what real tasks have left, asked the same things in
 * turns. Then all but the last tenth of the long one is archived, as maintenance asks for it.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fillHome } from '../../bench/views.ts';
import { nowQuery } from '../../src/app/now/now-query.ts';
import type { Event, NewEvent } from '../../src/core/schema/event.ts';
import { readEvents } from '../../src/core/ledger/read-events.ts';
import { submit } from '../../src/kit/requests/submit-request.ts';
import { askQuery } from '../support/ask-query.ts';
import { launcher } from '../support/cli.ts';
import { LiveHome } from './live-home.ts';
import type { Trial, TrialReport } from './trial.ts';

const FEW = 1000;
const MANY = 100_000;
/** A minute of this trial is enough for so many. */
const PER_MINUTE = 20_000;
const APART_MS = 5 * 60_000;
const TIMES = 7;
const PATIENCE_MS = 300_000;
const MOST_RATIO = 1.5;

const STEPS = ['echo a >> out.txt', 'mkdir -p made && date > made/now.txt', 'echo b | tee second.txt', 'exit 3'];

export const growthTrial: Trial = {
  name: 'Growth',
  about: `Eight real tasks, some of which fail, are copied, with their events and their pages in the outbox, into a home of ${FEW.toLocaleString('en')} and one of up to ${MANY.toLocaleString('en')} tasks, one every five minutes. Nothing is archived. In turns both are started until a waiting task is done, and asked for \`oka status\`, \`oka runs\` and the page Now; the least of ${TIMES} times counts. No question may take more than ${MOST_RATIO} times as long in the long history. Then everything but the last tenth is archived by the worker, beside its work, and the same is asked again.`,
  share: 14,
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
    report.counts = { tasks, 'MB of ledger': megabytes, 'seconds until the oldest were archived': seconds };
    report.table = [
      ['in ms', `${FEW.toLocaleString('en')} tasks`, `${tasks.toLocaleString('en')} tasks`, 'archived'],
      ...before.map(({ what, few, many }, index) => [what, ...[few, many, after[index]?.many ?? 0].map(shown)]),
    ];
    for (const [state, answers] of [
      ['', before],
      [' after archiving', after],
    ] as const)
      for (const { what, few, many } of answers)
        if (many > MOST_RATIO * few)
          report.failures.push(`${what}${state}: ${shown(many)} ms instead of ${shown(few)}`);
    return report;
  },
};

const shown = (ms: number): string => (ms < 100 ? ms.toFixed(1) : Math.round(ms).toLocaleString('en'));

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

async function compare(short: LiveHome, long: LiveHome): Promise<Answer[]> {
  const questions: Record<string, (live: LiveHome) => Promise<number>> = {
    'a start, until a waiting task is done': start,
    'oka status': async (live) => command(live, 'status'),
    'oka runs': async (live) => command(live, 'runs'),
    'the page Now': async ({ home }) => timed(async () => void (await askQuery(nowQuery, home))),
  };
  const answers: Answer[] = [];
  for (const [what, ask] of Object.entries(questions)) {
    const answer = { what, few: Number.POSITIVE_INFINITY, many: Number.POSITIVE_INFINITY };
    for (let times = 0; times < TIMES; times += 1) {
      answer.few = Math.min(answer.few, await ask(short));
      answer.many = Math.min(answer.many, await ask(long));
    }
    answers.push(answer);
  }
  return answers;
}

async function timed(work: () => Promise<void>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

let started = 0;

async function start(live: LiveHome): Promise<number> {
  const id = `begin${(started += 1)}`;
  live.drop(`${id}.md`, `---\nid: ${id}\n---\n\`\`\`bash\necho ${id} > begun.txt\n\`\`\`\n`);
  const ms = await timed(async () => {
    live.start();
    await waitFor(id, () => live.page(id)?.includes('✅ Done') === true);
  });
  await live.stop();
  return ms;
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
