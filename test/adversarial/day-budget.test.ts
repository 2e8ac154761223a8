import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { dayWaits, firstWait, good, task, withDayBudget, paid } from '../support/day-budget-story.ts';
import { openStory, type Story } from '../support/story.ts';
import { goal, partOf, plan, verdict } from '../support/story-model.ts';
import { call, type WireReply, type WireRequest } from '../support/wire-server-reply.ts';

const DAY = 86_400_000;
const preload = pathToFileURL(join(import.meta.dirname, '../support/set-clock.ts')).href;

describe('the budget of a day', () => {
  it('is exact after a restart, and a call that a kill cut off counts as much as it may have cost', async () => {
    let isSilent = true;
    await using story = await openStory({
      model: (request) => (isSilent ? { do: 'stall', first: '' } : good(request)),
      policy: withDayBudget('{ calls: 2 }'),
    });
    story.drop('one.md', task('one'));
    for (const times of [1, 2]) {
      const worker = story.start(['worker']);
      await story.until('the question', async () => (story.model.requests.length >= times ? true : undefined));
      worker.kill('SIGKILL');
      await once(worker, 'exit');
    }
    isSilent = false;
    story.work();
    await firstWait(story);
    expect(story.model.requests).toHaveLength(2);
    expect(await story.eventsOf('budget.reserved')).toHaveLength(2);
  });

  it('is given once a day, also when the clock is set back, and the next day by itself', async () => {
    await using story = await openStory({ model: good, policy: withDayBudget('{ calls: 1 }') });
    const set = (ms: number): void => story.write('clock', String(ms));
    set(0);
    story.start(['worker'], { OKA_TEST_CLOCK: join(story.home.dir, 'clock'), NODE_OPTIONS: `--import ${preload}` });
    story.drop('one.md', task('one'));
    await firstWait(story);
    set(-DAY);
    story.drop('two.md', task('two'));
    await story.until('two waits', async () => ((await dayWaits(story)).length >= 2 ? true : undefined));
    expect(story.model.requests).toHaveLength(1);
    set(DAY);
    await story.until('a call on the next day', async () => story.model.requests[1]);
    await story.until('another wait', async () => ((await dayWaits(story)).length >= 3 ? true : undefined));
    expect(story.model.requests).toHaveLength(2);
  });
});

/** Asks for the same thing for ever, in words that differ, so that nothing but a budget ends it. */
function loops(): (request: WireRequest) => WireReply {
  let turn = 0;
  return (request) => {
    turn += 1;
    if (partOf(request) === 'planner')
      return paid(plan([goal('look', 'Read everything', ['files.list'])], ['It was read.']));
    if (partOf(request) === 'critic') return paid(verdict('replan', [], 'read it once more'));
    return paid(call('files_list', { path: `folder-${turn}` }));
  };
}

/** Twelve tasks whose model goes round in circles: what they have cost when nothing moves any more. */
async function spendOfLoops(limits: string | null): Promise<{ tokens: number; requests: number; waits: number }> {
  await using story = await openStory({
    model: loops(),
    policy: (text) => (limits === null ? text : withDayBudget(limits)(text)),
    config: { models: { use: 'custom:story', ask_again_seconds: 0.1, settings: {} } },
  });
  const settings = { 'custom:story': { base_url: `${story.model.url}/v1`, max_tokens: 500 } };
  const config = JSON.parse(readFileSync(story.home.config, 'utf8')) as object;
  writeFileSync(
    story.home.config,
    JSON.stringify({ ...config, models: { use: 'custom:story', ask_again_seconds: 0.1, settings } }),
  );
  const names = Array.from({ length: 12 }, (_, index) => `task-${index}`);
  for (const name of names)
    story.drop(`${name}.md`, `---\nid: ${name}\nbudget: { tool_calls: 12, replans: 0 }\n---\nRead everything.\n`);
  story.work();
  await story.until('all are over or wait', async () => {
    const over = (await story.eventsOf('run.ended')).filter(({ run }) => names.includes(run ?? '')).length;
    const open = (await dayWaits(story)).length - (await closedWaits(story));
    return over + open >= names.length ? true : undefined;
  });
  await story.rest();
  const ends = await story.eventsOf('call.ended');
  const tokens = ends.reduce(
    (sum, { data: { usage } }) =>
      usage?.tool_calls === undefined ? sum + (usage?.tokens_in ?? 0) + (usage?.tokens_out ?? 0) : sum,
    0,
  );
  return { tokens, requests: story.model.requests.length, waits: (await dayWaits(story)).length };
}

async function closedWaits(story: Story): Promise<number> {
  const waits = new Set((await dayWaits(story)).map(({ data }) => data.wait));
  return (await story.eventsOf('wait.closed')).filter(({ data }) => waits.has(data.wait)).length;
}

describe('a model that loops over many tasks', () => {
  const LIMIT = 15_000;

  it('spends the budget of the day and no token more', async () => {
    const spent = await spendOfLoops(`{ tokens: ${LIMIT} }`);
    expect(spent.tokens).toBeGreaterThan(0);
    expect(spent.tokens).toBeLessThanOrEqual(LIMIT);
    expect(spent.waits).toBeGreaterThan(0);
  });

  it('spends more without one, although each task keeps to its own budget', async () => {
    const spent = await spendOfLoops(null);
    expect(spent.tokens).toBeGreaterThan(LIMIT);
    expect(spent.waits).toBe(0);
  });
});
