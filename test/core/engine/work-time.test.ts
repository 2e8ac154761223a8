import { describe, expect, it } from 'vitest';
import { foldRun } from '../../../src/core/engine/fold-run.ts';
import type { EngineOptions } from '../../../src/core/engine/engine-context.ts';
import type { Outcome } from '../../../src/core/schema/tool.ts';
import { standardChain } from '../../../src/core/chain/chain.ts';
import { dataOf, engineWith, graphOf, memoryArtifacts, ok, toolNamed } from '../../support/engine-fakes.ts';
import { endedEvent, eventsOf, openedEvent, planFor, startedEvent } from '../../support/engine-state.ts';

const SECOND = 1000;
const DAY = 86_400 * SECOND;
const JUMPS = [-DAY, -3600 * SECOND, -45 * SECOND, -SECOND, SECOND, 45 * SECOND, 3600 * SECOND, DAY];

const one = graphOf([{ kind: 'tool', id: 'a', tool: 'work' }]);
const twice = graphOf([
  { kind: 'tool', id: 'a', tool: 'work' },
  { kind: 'tool', id: 'b', tool: 'work', needs: ['a'] },
]);
const inside = graphOf([{ kind: 'graph', id: 'a', graph: 'twice' }]);

/** An engine whose steps take 2 s each, while the clock jumps by `jump` in the first of them. */
function jumping(jump: number, options: Partial<EngineOptions> = {}) {
  const clock = { steady: 5000, jumped: false };
  const work = toolNamed('work', () => {
    clock.steady += 2 * SECOND;
    seen.time.now += 2 * SECOND + (clock.jumped ? 0 : jump);
    clock.jumped = true;
    return ok();
  });
  const start = toolNamed('run.start', async (input, call): Promise<Outcome> => {
    const run = await seen.engine.startChild('twice', input, call);
    return { status: 'waiting', for: { kind: 'child', run } };
  });
  const tools = [work, start];
  const seen = engineWith({
    tools,
    monotonic: () => clock.steady,
    graphs: () => twice,
    middleware: standardChain({
      tools,
      clock: () => seen.time.now,
      sleep: async () => undefined,
      judge: () => ({ effect: 'allow', why: '' }),
    }),
    ...options,
  });
  return seen;
}

describe.each(JUMPS)('a clock that is set by %i ms during a step', (jump) => {
  it('changes neither how long the run was at work nor what is left of its seconds', async () => {
    const { engine, events } = jumping(jump);
    const run = await (await engine.start(twice, { id: 'r', budgets: { seconds: 5 } })).done;
    expect(run).toMatchObject({ status: 'done', activeMs: 4 * SECOND });
    expect(dataOf(events, 'run.time_skipped')).toEqual([{ ms: jump, why: 'clock' }]);
    expect(foldRun(run.plan, events)?.activeMs).toBe(run.activeMs);
  });

  it('keeps no run inside another from telling how long it took', async () => {
    const { engine, events } = jumping(jump);
    const run = await (await engine.start(inside, { id: 'r', budgets: { seconds: 5 } })).done;
    expect(run.status).toBe('done');
    const answers = dataOf(events, 'wait.closed').map(({ answer }) => answer.usage?.ms);
    expect(answers).toEqual([4 * SECOND]);
  });

  it('changes nothing of what a run inside may spend that starts right then', async () => {
    const seen = jumping(0, {
      graphs: () => {
        seen.time.now += jump;
        return twice;
      },
    });
    const run = await (await seen.engine.start(inside, { id: 'r', budgets: { seconds: 5 } })).done;
    expect(run.status).toBe('done');
    expect(dataOf(seen.events, 'run.started').map(({ budgets }) => budgets.seconds)).toEqual([5, 5]);
  });
});

it('seconds at work are counted whatever the clock is set to', async () => {
  const { engine } = jumping(-DAY);
  const run = await (await engine.start(twice, { id: 'r', budgets: { seconds: 1.5 } })).done;
  expect(run).toMatchObject({ status: 'failed', reason: 'b: the budget of this run is spent: seconds' });
});

describe('a run that nobody drove for a night', () => {
  const night = 8 * 3600 * SECOND;

  it.each([
    ['the clock went on', night],
    ['the clock was set back meanwhile', -night],
  ])('goes on with the seconds it had, and a witness may tell how its call ended: %s', async (_, passed) => {
    const artifacts = memoryArtifacts();
    const hung = toolNamed('work', () => new Promise<Outcome>(() => undefined), { class: 'write_local' });
    const before = engineWith({ tools: [hung], stores: { artifacts } });
    await before.engine.start(one, { id: 'r', budgets: { seconds: 60 } });
    await new Promise(setImmediate);
    const witness = async (): Promise<Outcome> => ok();
    const after = engineWith({ tools: [hung], stores: { artifacts }, witness }, [...before.events]);
    after.time.now += passed;
    expect(await (await after.engine.resume('r')).done).toMatchObject({ status: 'done', activeMs: 0 });
    expect(dataOf(after.events, 'run.time_skipped')).toEqual([{ ms: passed, why: 'down' }]);
  });
});

it('a ledger of an earlier version in which the clock was set back gives no negative time', () => {
  const back = eventsOf(one, [
    startedEvent('a'),
    endedEvent('a', 'waiting', { for: question }),
    openedEvent('a', question),
  ]).map((event, n) => (n === 0 ? { ...event, at: new Date(45 * SECOND).toISOString() } : event));
  expect(foldRun(planFor(one), back)).toMatchObject({ status: 'blocked', activeMs: 0, activeSince: null });
});

const question = { kind: 'question', text: 'Which?' };
