/**
 * Whatever the ledger contains, every sentence that claims a state says what the ledger says: `status`, `runs`, `show`,
 * `explain`, the pages Now and Figures, and what channels announce. The ledger is read here by a fold of its own.
 */
import { rmSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nowQuery } from '../../src/app/now/now-query.ts';
import { peekProjection } from '../../src/core/ledger/peek-projection.ts';
import { readEvents } from '../../src/core/ledger/read-events.ts';
import type { Home } from '../../src/core/schema/home.ts';
import { reachingProjection } from '../../src/rooms/channels/delivery-state.ts';
import { figuresQuery } from '../../src/rooms/figures/page/figure-queries.ts';
import { chance } from '../support/chance.ts';
import { askQuery } from '../support/ask-query.ts';
import { oka } from '../support/cli.ts';
import { scenarios, toolNames } from '../support/engine-scenario.ts';
import { handledScenarios } from '../support/handled-scenario.ts';
import { makeHome } from '../support/random-home.ts';
import { openStory } from '../support/story.ts';
import { timesOf } from '../support/thorough.ts';

const parameters = {
  numRuns: Number(process.env['RUNS'] ?? timesOf(2000, 12)),
  seed: Number(process.env['SEED'] ?? 20_261_118),
};

const randomRun = fc.record({
  scenario: fc.oneof(scenarios({}, toolNames, 'accepting'), handledScenarios()),
  part: fc.oneof(fc.constant(1), fc.double({ min: 0, max: 1, noNaN: true })),
  isTask: fc.boolean(),
});

describe('every sentence about a run', { timeout: 3_600_000 }, () => {
  it('says what the ledger says, in every home', async () => {
    const property = fc.asyncProperty(fc.array(randomRun, { minLength: 1, maxLength: 5 }), async (runs) => {
      const home = await makeHome(runs);
      try {
        await assertTrue(home);
      } finally {
        rmSync(home.dir, { recursive: true, force: true });
      }
    });
    await fc.assert(property, parameters);
  });
});

const STEPS = [
  'echo a >> out.txt',
  'false',
  'no-such-program | cat',
  './missing.sh',
  'test -e out.txt',
  'sleep 0.1; exit 3',
];
const CHECKS = ['file: out.txt', 'file: nowhere.txt', 'file: out.txt is absent'];

describe('every page of a result', { timeout: 3_600_000 }, () => {
  it('says what the ledger says of the task, and so does everything else about it', async () => {
    const random = chance(parameters.seed);
    const pick = (all: readonly string[]): string => all[Math.floor(random() * all.length)] ?? '';
    for (let left = timesOf(40, 1); left > 0; left -= 1) {
      await using story = await openStory();
      const ids = Array.from({ length: 6 }, (_, index) => `t${index}`);
      for (const id of ids) {
        const steps = Array.from(
          { length: 1 + Math.floor(random() * 3) },
          () => `\`\`\`bash\n${pick(STEPS)}\n\`\`\`\n`,
        );
        const accept = random() < 0.5 ? '' : `accept:\n  - ${JSON.stringify(pick(CHECKS))}\n`;
        story.drop(`${id}.md`, `---\nid: ${id}\n${accept}---\n# Task ${id}\n\n${steps.join('\n')}`);
      }
      story.work();
      for (const id of ids) {
        const { status, page } = await story.ended(id);
        expect(verdictOf(page), `RESULT.md of ${id}`).toBe(status === 'done' ? '✅ Done' : '❌');
      }
      await story.rest();
      await assertTrue(story.home);
    }
  });
});

type Fact = { parent: string | null; isTask: boolean; ended: string | null; waits: string[] };

const FOR_PEOPLE = new Set(['approval', 'question', 'requirement', 'message']);

/** What happened, by run; `waits` are those that a person has to answer. */
async function readFacts(home: Home): Promise<Map<string, Fact>> {
  const facts = new Map<string, Fact>();
  for await (const { type, run, data } of readEvents(home.ledgers.run)) {
    const fact = facts.get(run ?? '');
    if (type === 'run.started')
      facts.set(run ?? '', { parent: data.parent, isTask: data.graph.id === 'oka.task', ended: null, waits: [] });
    if (type === 'wait.opened' && FOR_PEOPLE.has(data.for.kind)) fact?.waits.push(data.wait);
    if (fact !== undefined && type === 'wait.closed') fact.waits = fact.waits.filter((wait) => wait !== data.wait);
    if (fact !== undefined && type === 'run.ended') Object.assign(fact, { ended: data.status, waits: [] });
  }
  return facts;
}

async function assertTrue(home: Home): Promise<void> {
  const facts = await readFacts(home);
  const command = async (...words: string[]): Promise<string> => (await oka(...words, '--dir', home.dir)).out;
  const lines = async (...words: string[]): Promise<Record<string, never>[]> =>
    (await command(...words, '--json'))
      .trim()
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Record<string, never>);
  const listed = (await lines('runs', '--all', '--limit', '0')) as unknown as { run: string; status: string }[];
  const saidOf = Object.fromEntries(listed.map(({ run, status }) => [run, status]));
  expect(Object.keys(saidOf).toSorted(), 'runs').toEqual([...facts.keys()].toSorted());
  for (const [run, { ended }] of facts) {
    const said = saidOf[run] ?? '';
    if (ended === null) expect(['running', 'waiting', 'blocked', 'paused'], `runs: ${run}`).toContain(said);
    else expect(said, `runs: ${run}`).toBe(ended);
    assertShown(await command('show', run), run, said);
    expect((await command('explain', run)).split('\n')[0], `explain ${run}`).toMatch(new RegExp(`  ${said}$`));
  }
  assertStatus(await command('status'), facts);
  await assertPages(home, facts, saidOf);
  await assertMessages(home, facts);
}

/** A run that has a page of its result shows that, another one its steps. */
function assertShown(text: string, run: string, said: string): void {
  if (text.startsWith('#'))
    expect(verdictOf(text), `show ${run}`).toBe(said === 'done' ? '✅ Done' : said === 'failed' ? '❌' : '⏸️');
  else expect(text.split('\n')[0], `show ${run}`).toMatch(new RegExp(`  ${said}(,|$)`));
}

const verdictOf = (page: string): string | undefined => /\*\*(✅ Done|❌|⏸️|⏳)/u.exec(page)?.[1];

const activeIn = (facts: ReadonlyMap<string, Fact>): [string, Fact][] =>
  [...facts].filter(([, { ended }]) => ended === null);
const isTop = (facts: ReadonlyMap<string, Fact>, { parent }: Fact): boolean =>
  parent === null || facts.get(parent)?.ended !== null;

function assertStatus(text: string, facts: ReadonlyMap<string, Fact>): void {
  const active = activeIn(facts);
  const waits = active.flatMap(([, fact]) => fact.waits).length;
  const waiting = waits === 0 ? 'nothing waits for you' : waits === 1 ? '1 waits for you' : `${waits} wait for you`;
  const tops = active.filter(([, fact]) => isTop(facts, fact)).length;
  expect(/^ {2}goals +(.+)$/m.exec(text)?.[1]).toBe(active.length === 0 ? 'none active' : `${tops} active, ${waiting}`);
}

async function assertPages(
  home: Home,
  facts: ReadonlyMap<string, Fact>,
  saidOf: Record<string, string>,
): Promise<void> {
  const tasks = [...facts.values()].filter(({ isTask, parent }) => isTask && parent === null);
  const ended = tasks.filter((task) => task.ended !== null);
  const done = ended.filter((task) => task.ended === 'done').length;
  const now = await askQuery<{
    running: { run: string; status: string }[];
    waiting: { wait: string }[];
    recent: { run: string; status: string }[];
    today: { done: number; not_done: number };
  }>(nowQuery, home);
  const shown = now.running.map(({ run }) => run);
  expect(shown.toSorted(), 'Now: running').toEqual(
    activeIn(facts)
      .filter(([, fact]) => isTop(facts, fact))
      .map(([run]) => run)
      .toSorted(),
  );
  for (const { run, status } of [...now.running, ...now.recent]) expect(status, `Now: ${run}`).toBe(saidOf[run]);
  const open = activeIn(facts).flatMap(([, { waits }]) => waits);
  expect(now.waiting.map(({ wait }) => wait).toSorted(), 'Now: waiting').toEqual(open.toSorted());
  expect(now.today, 'Now: today').toMatchObject({ done, not_done: ended.length - done });
  const figures = await askQuery<{ tasks: number; open: number; figures: { name: string; of: string }[] }>(
    figuresQuery,
    home,
  );
  expect({ tasks: figures.tasks, open: figures.open }, 'Figures').toEqual({
    tasks: tasks.length,
    open: tasks.length - ended.length,
  });
  expect(figures.figures.find(({ name }) => name === 'completion')?.of, 'Figures').toBe(
    `${done} done of ${ended.length} ended`,
  );
}

async function assertMessages(home: Home, facts: ReadonlyMap<string, Fact>): Promise<void> {
  const { state } = await peekProjection(home.ledgers.run, home.oka, reachingProjection);
  const things = Object.values(state.things);
  for (const { kind, run, wait } of things) {
    if (kind === 'done' || kind === 'failed') expect(facts.get(run ?? '')?.ended, `message about ${run}`).toBe(kind);
    if (wait !== null)
      expect(
        [...facts.values()].flatMap(({ waits }) => waits),
        'message',
      ).toContain(wait.id);
  }
  const asked = things.flatMap(({ wait }) => (wait === null ? [] : [wait.id]));
  const open = activeIn(facts).flatMap(([, { waits }]) => waits);
  expect(asked.toSorted(), 'messages: what waits').toEqual(open.toSorted());
}
