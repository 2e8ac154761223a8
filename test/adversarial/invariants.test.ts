/**
 * The invariants that hold whatever the graph, the tools, the planner, the people and the moment of a crash.
 * A failure tells fast-check's seed and path: put them into the parameters to live the same story again.
 */
import { hash } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyEvent, runFromStart, foldRun } from '../../src/core/engine/fold-run.ts';
import { startOfNode } from '../../src/core/engine/linked-run.ts';
import { replayDecisions } from '../../src/core/engine/replay-run.ts';
import { nodeNamed, type RunState } from '../../src/core/engine/run-state.ts';
import { STEP_CHECK, type StepCheckInput } from '../../src/core/schema/acceptance.ts';
import { ERROR_DECIDE } from '../../src/core/schema/error-handling.ts';
import type { Event } from '../../src/core/schema/event.ts';
import { jsonField } from '../../src/core/schema/json-field.ts';
import type { Json } from '../../src/core/schema/json.ts';
import { bindingHash } from '../../src/core/chain/middleware/authorize.ts';
import { dataOf } from '../support/engine-fakes.ts';
import { type Invocation, type Life, playScenario, pureOutput, type Story } from '../support/engine-playback.ts';
import { linkedScenarios, type Scenario, scenarios, tightBudgets, toolNames } from '../support/engine-scenario.ts';
import { handledScenarios } from '../support/handled-scenario.ts';
import { leastOf, runsOf, scaled } from '../support/thorough.ts';
import { placesInTurn } from '../support/turn-places.ts';

/** Always the same cases, whatever the date; SEED=… tries others, CASES=… more of them. */
const CASES = Number(process.env['CASES'] ?? 1000);
const parameters = { ...runsOf(CASES), seed: Number(process.env['SEED'] ?? 20_261_115) };
const limits = { timeout: 120 * Math.max(CASES, 1000) };

const anything = scenarios({}, toolNames, 'accepting');
const guarded = scenarios({ judge: 'cautious' }, ['note', 'write', 'post', 'send', 'look']);
const tight = fc
  .tuple(scenarios({ judge: 'open' }, ['model', 'model', 'model', 'peek', 'note', 'write', 'human']), tightBudgets)
  .map(([scenario, budgets]) => ({ ...scenario, budgets }));
const bulky = scenarios({ judge: 'open' }, ['large', 'large', 'peek']);
const repeating = scenarios({ judge: 'open' }, ['look', 'look', 'sum', 'sum', 'note']);
const harmful = scenarios({ judge: 'open' }, ['write', 'send', 'send', 'peek']);
const linked = linkedScenarios();
const handled = handledScenarios();
/** With the number of calls in doubt that there are at the very least. */
const crashing: [string, fc.Arbitrary<Scenario>, number][] = [
  ['with anything', anything, 3],
  ['with much that may not be done twice', harmful, 25],
];

/** The invariants that are held against the same scenarios share the stories. */
const told = new Map<string, Promise<Story>>();

async function holds(arbitrary: fc.Arbitrary<Scenario>, check: (story: Story) => void | Promise<void>): Promise<void> {
  const property = fc.asyncProperty(arbitrary, async (scenario) => {
    const key = JSON.stringify(scenario);
    const story = told.get(key) ?? playScenario(scenario);
    if (arbitrary === anything || arbitrary === harmful || arbitrary === linked || arbitrary === handled)
      told.set(key, story);
    await check(await story);
  });
  await fc.assert(property, parameters);
}

describe('the engine, whatever happens', limits, () => {
  it('every run ends, or rests because it waits for somebody; none goes round in circles', async () => {
    await holds(anything, ({ lives }) => {
      for (const { crashed, hanging, broken, resting } of lives.filter((life) => !life.crashed)) {
        expect({ crashed, hanging, broken }).toEqual({ crashed: false, hanging: 0, broken: [] });
        for (const { id, status, waits, failure, back } of resting) {
          expect(`${id} is ${status} and waits for ${waits.size}`).toMatch(/ is (paused|blocked and waits for [1-9])/);
          expect({ failure, back }).toEqual({ failure: null, back: [] });
        }
      }
    });
  });

  it('1 no tool is ever reached that the node, or the state of its agent, does not allow', async () => {
    await holds(anything, async (story) => {
      await eachMoment(story, {
        invocation: (run, { call }) => {
          const index = nodeNamed(run, call.node) ?? -1;
          const [config, agent] = [run.configs[index], run.nodes[index]?.agent];
          const rule = run.plan.states.states[agent?.state ?? ''];
          expect(call.class).not.toBe('deny');
          if (config?.kind === 'tool') expect(call.tool).toBe(config.tool);
          else {
            expect(config?.kind).toBe('agent');
            expect(rule?.classes).toContain(call.class);
            if (rule?.tools !== undefined) expect(rule.tools).toContain(call.tool);
            if (config?.tools !== undefined) expect(config.tools).toContain(call.tool);
          }
        },
      });
    });
  });

  it('2 an agent moves only along the state graph', async () => {
    await holds(anything, async (story) => {
      await eachMoment(story, {
        event: (run, event) => {
          if (event.type !== 'decision.made' || event.data.decision.kind !== 'Transition') return;
          const { start, states } = run.plan.states;
          const from = run.nodes[nodeNamed(run, event.data.node) ?? -1]?.agent?.state ?? start;
          const { to } = event.data.decision;
          if (to !== from) expect(states[from]?.to).toContain(to); // to stay, as a note does, is no move
        },
      });
    });
  });

  it.each([
    ['3 nothing', guarded],
    ['3 where errors are handled, nothing', handledScenarios({ judge: 'cautious' })],
  ])('%s is changed without an approval of exactly this call, and each is good for one attempt', async (_, world) => {
    await holds(world, ({ lives }) => {
      const used = new Map<string, number>();
      for (const { events, invocations } of lives)
        for (const { call, staged } of invocations.filter((each) => each.call.class !== 'read')) {
          const binding = bindingHash(call);
          const before = used.get(binding) ?? 0;
          used.set(binding, before + 1);
          expect(approvalsOf(events.slice(0, staged), binding), call.call).toBeGreaterThan(before);
        }
    });
  });

  // A read that a crash has made forgotten is not counted: nobody knows of it.
  it('4 no run makes more calls, retries and replans or spends more tokens than its budget, nor lies deeper', async () => {
    await holds(tight, async ({ scenario, lives, planFor }) => {
      let made = new Set<string>();
      for (const life of lives) {
        const remembered = dataOf(life.events.slice(0, life.survived), 'call.started').map(({ call }) => call);
        const now = life.invocations.flatMap(({ call }) => (call.run === 'r' ? [call.call] : []));
        made = new Set([...remembered.filter((call) => made.has(call)), ...now]);
        expect(made.size).toBeLessThanOrEqual(scenario.budgets.tool_calls ?? Number.POSITIVE_INFINITY);
        for (const { data, type } of life.events)
          if (type === 'run.started') expect(data.depth).toBeLessThanOrEqual(scenario.budgets.depth ?? 8);
        await eachRun(life, planFor, (run) => {
          for (const kind of ['retries', 'replans', 'tokens'] as const)
            expect(run.spent[kind], kind).toBeLessThanOrEqual(run.budgets[kind] ?? Number.POSITIVE_INFINITY);
          run.plan.graph.edges.forEach(({ max }, edge) => expect(run.taken[edge]).toBeLessThanOrEqual(max ?? 0));
        });
      }
    });
  });

  it('5 large outputs become artifacts with the right content, and every reference leads somewhere', async () => {
    await holds(bulky, ({ lives, artifacts, large }) => {
      const contentOf = (sha256: string): string => {
        const bytes = artifacts.get(sha256) ?? Buffer.from('nothing');
        expect(hash('sha256', bytes)).toBe(sha256);
        return bytes.toString('utf8');
      };
      for (const { type, data } of lives.flatMap(({ events }) => events)) {
        if (type === 'run.started') contentOf(data.graph.sha256);
        if (type === 'run.ended') data.artifacts.forEach(({ sha256 }) => contentOf(sha256));
        if (type !== 'call.ended') continue;
        expect(JSON.stringify(data.output).length).toBeLessThanOrEqual(64 * 1024);
        for (const { sha256, bytes } of data.artifacts ?? []) {
          const text = contentOf(sha256);
          expect(large.has(text)).toBe(true);
          expect(Buffer.byteLength(text)).toBe(bytes);
          const { head, tail, left_out } = data.output as { head: string; tail: string; left_out: number };
          expect(text.startsWith(head) && text.endsWith(tail)).toBe(true);
          expect(head.length + left_out + tail.length).toBe(text.length);
          expect(data.output).toHaveProperty('artifact', sha256);
        }
      }
    });
  });

  it('6 what comes from the cache is what the tool would have given, and only cacheable tools are cached', async () => {
    let hits = 0;
    await holds(repeating, ({ lives, tools }) => {
      for (const { events, survived, invocations, versions } of lives) {
        const invoked = new Set(invocations.map(({ call }) => `${call.run} ${call.call}`));
        for (const [start, end] of okCalls(events, survived)) {
          const { tool, input, call } = start.data;
          if (tool === STEP_CHECK) continue;
          const isHit = !invoked.has(`${start.run} ${call}`);
          hits += Number(isHit);
          if (tools.get(tool)?.annotations.cacheable !== true) expect(isHit, call).toBe(false);
          else if (tool === 'sum') expect(end.data.output).toEqual(pureOutput(tool, input, 0));
          else {
            const { version } = end.data.output as { version: number };
            expect(end.data.output).toEqual(pureOutput(tool, input, version));
            expect(version).toBeGreaterThanOrEqual(versions[start.seq - 1] ?? 0);
            expect(version).toBeLessThanOrEqual(versions[end.seq - 1] ?? 0);
          }
        }
      }
    });
    expect(hits).toBeGreaterThan(leastOf(scaled(100)));
  });

  it('7 deciding again from any prefix of the events gives the same, and folding them gives the live state', async () => {
    await holds(anything, async ({ lives, planFor, tools }) => {
      for (const life of lives) {
        await eachRun(life, planFor, (run, events) => {
          const { difference } = replayDecisions(run.plan, events, (name) => tools.get(name));
          expect(difference).toBeNull();
          for (const live of life.crashed ? [] : life.driven)
            if (live.id === run.id && live.ledger.last === run.ledger.last)
              expect(comparable(live)).toEqual(comparable(run));
        });
      }
    });
  });

  it('8 every invocation is announced once before, durably if it may change anything, and told once after', async () => {
    await holds(anything, ({ lives }) => {
      for (const { events, invocations, crashed } of lives)
        for (const { call, staged, durable } of invocations) {
          const starts = events.filter((event) => event.type === 'call.started' && isOf(event, call));
          const ends = events.filter((event) => event.type === 'call.ended' && isOf(event, call));
          expect(starts, call.call).toHaveLength(1);
          expect(starts[0]?.seq).toBeLessThanOrEqual(call.class === 'read' ? staged : durable);
          expect(ends.length, call.call).toBe(crashed ? Math.min(ends.length, 1) : 1);
          if (ends[0] !== undefined) expect(ends[0].seq).toBeGreaterThan(staged);
        }
    });
  });

  it('8 a run that has ended has one end, and nothing happens in it afterwards', async () => {
    await holds(anything, ({ lives }) => {
      for (const { events } of lives)
        for (const of of byRun(events).values()) {
          const ends = of.filter((event) => event.type === 'run.ended');
          expect(ends.length).toBeLessThanOrEqual(1);
          if (ends.length === 1) expect(of.at(-1)).toBe(ends[0]);
          expect(of.filter((event) => event.type === 'run.started')).toHaveLength(1);
        }
    });
  });

  it.each(crashing)(
    '%s: an agent makes the calls of a turn in order, reads together, and none again that ended or that a person saw to have happened',
    async (_, world) => {
      let [followed, beside, returned] = [0, 0, 0];
      await holds(world, async ({ lives, planFor }) => {
        for (const life of lives)
          await eachRun(life, planFor, (run, events) => {
            for (const [node, ofNode] of agentEvents(run, events))
              for (const [index, placed] of placesInTurn(ofNode).entries()) {
                expect(placed.places, `${node}: ${placed.call}`).not.toEqual([]);
                followed += Number(!placed.places.includes(0));
                beside += Number(placed.beside > 0);
                returned += Number(!placed.isTogether && placesInTurn(ofNode)[index - 1]?.isTogether === true);
              }
          });
      });
      expect(followed).toBeGreaterThan(leastOf(scaled(100)));
      expect(Math.min(beside, returned)).toBeGreaterThan(leastOf(scaled(50)));
    },
  );

  it.each(crashing)(
    '%s: what may not be done twice is not repeated after a crash unless a person says so',
    async (_, world, fewest) => {
      let doubts = 0;
      await holds(world, ({ lives, tools }) => {
        for (const { events, invocations, survived } of lives)
          for (const { call } of invocations.filter((each) => !isHarmless(each, tools))) {
            const mine = events.filter(
              (event) => event.run === call.run && 'node' in event.data && event.data.node === call.node,
            );
            const at = mine.findIndex((event) => event.type === 'call.started' && isOf(event, call));
            const before = mine.findLastIndex(
              (event, index) => index < at && event.type === 'call.started' && visitOf(event) === visitOf(mine[at]),
            );
            if (before < 0 || (mine[before]?.seq ?? 0) > survived) continue;
            const between = mine.slice(before, at);
            const outcome = between.find((event) => event.type === 'call.ended');
            if (outcome !== undefined && (outcome.data.status !== 'cancelled' || outcome.data.begun === false))
              continue;
            const answer = between.find((event) => event.type === 'wait.closed')?.data.answer.text;
            const isDecidedAnew = between.some((event) => event.type === 'decision.made');
            const isSame = isSameCall(mine[before], mine[at]);
            doubts += 1;
            if (isDecidedAnew || !isSame) expect(answer, call.call).toBe('done');
            else if (answer !== 'repeat') {
              const [last, next] = placesInTurn(mine.slice(0, at + 1)).slice(-2);
              expect([answer, next?.places], call.call).toEqual(['done', last?.places.map((place) => place + 1)]);
            }
          }
      });

      expect(doubts).toBeGreaterThan(leastOf(scaled(fewest)));
    },
  );
});

describe('a run that is made from another, whatever happens', limits, () => {
  it('L0 every run ends or rests, has one end, and replays the same, in every mode and with pinned nodes', async () => {
    await holds(linked, async ({ lives, planFor, tools }) => {
      for (const life of lives) {
        const { crashed, hanging, broken, events } = life;
        if (!crashed) expect({ hanging, broken }).toEqual({ hanging: 0, broken: [] });
        for (const of of byRun(events).values()) {
          const [first] = of;
          if (first?.type !== 'run.started') throw new Error('a run begins with run.started');
          const plan = await planFor(first.data.graph.sha256);
          expect(replayDecisions(plan, of, (name) => tools.get(name)).difference).toBeNull();
          expect(of.filter(({ type }) => type === 'run.ended').length).toBeLessThanOrEqual(1);
        }
      }
    });
  });

  it('L1 what was done in the earlier run is not called again, and L3 has the recorded output, also after a crash', async () => {
    let [reused, resumed, modes] = [0, 0, new Set<string>()];
    await holds(linked, async ({ lives, planFor }) => {
      for (const life of lives.filter(({ crashed }) => !crashed)) {
        const { r, s } = await linkedPair(life, planFor);
        if (s === null || r === null) continue;
        modes.add(s.run.mode);
        resumed += Number(s.run.link?.kind === 'resume');
        for (const [index, { status, output }] of r.nodes.entries()) {
          const config = r.configs[index];
          if (config === undefined || r.nodes[index]?.map !== null || status !== 'done') continue;
          if (config.kind === 'graph' && (output as { status?: Json } | null)?.status === 'failed') continue;
          const calls = s.events.filter(
            (event) => event.type === 'call.started' && isFirstVisit(event, s.run, config.id),
          );
          const carried = s.events.filter(
            (event) =>
              event.type === 'node.settled' &&
              event.data.node === config.id &&
              event.data.reason === 'reused from run r',
          );
          expect([config.id, calls.length, carried.length]).toEqual([config.id, 0, 1]);
          expect(carried[0]?.data).toMatchObject({ output });
          reused += 1;
        }
      }
    });
    expect(Math.min(reused, resumed)).toBeGreaterThan(leastOf(scaled(100)));
    expect([...modes].toSorted()).toEqual(['bounded', 'flex', 'strict']);
  });
});

describe('nodes that ask models and people, and errors that are handled, whatever happens', limits, () => {
  it('E0 every run ends or rests, has one end, and replays the same, and folding its events gives the live state', async () => {
    await holds(handled, async ({ lives, planFor, tools }) => {
      for (const life of lives) {
        const { crashed, hanging, broken, events, resting } = life;
        if (!crashed) expect({ hanging, broken }).toEqual({ hanging: 0, broken: [] });
        for (const { id, status, waits } of crashed ? [] : resting)
          expect(`${id} is ${status} and waits for ${waits.size}`).toMatch(/ is (paused|blocked and waits for [1-9])/);
        await eachRun(life, planFor, (run, of) => {
          const ends = of.filter(({ type }) => type === 'run.ended');
          expect(ends.length).toBeLessThanOrEqual(1);
          if (ends.length === 1) expect(of.at(-1)).toBe(ends[0]);
          expect(replayDecisions(run.plan, of, (name) => tools.get(name)).difference).toBeNull();
          for (const live of crashed ? [] : life.driven)
            if (live.id === run.id && live.ledger.last === run.ledger.last)
              expect(comparable(live)).toEqual(comparable(run));
        });
        expect(events.length).toBeGreaterThan(0);
      }
    });
  });

  it('E1 a handled node calls its own tool only, and every invocation is announced once before and told once after', async () => {
    await holds(handled, async (story) => {
      await eachMoment(story, {
        invocation: (run, { call }) => {
          const config = run.configs[nodeNamed(run, call.node) ?? -1];
          expect(call.class).not.toBe('deny');
          if (config?.kind === 'tool' && call.tool !== ERROR_DECIDE)
            expect([config.tool, config.tool.startsWith('model.') ? 'model.complete' : config.tool]).toContain(
              call.tool,
            );
        },
      });
      for (const { events, invocations, crashed } of story.lives)
        for (const { call, staged, durable } of invocations) {
          const starts = events.filter((event) => event.type === 'call.started' && isOf(event, call));
          const ends = events.filter((event) => event.type === 'call.ended' && isOf(event, call));
          expect(starts, call.call).toHaveLength(1);
          expect(starts[0]?.seq).toBeLessThanOrEqual(call.class === 'read' ? staged : durable);
          expect(ends.length, call.call).toBe(crashed ? Math.min(ends.length, 1) : 1);
        }
    });
  });

  it('E2 no handler exceeds its limits: three rate limits, one time limit and one missing tool of a node, two decisions of a model for a node and five for a run', async () => {
    const most = { rate: 3, timeout: 1, tool: 1 } as const;
    const seen = new Map<string, number>();
    const add = (what: string): void => void seen.set(what, (seen.get(what) ?? 0) + 1);
    const modes = new Set<string>();
    await holds(handled, async ({ lives, planFor }) => {
      for (const life of lives)
        await eachRun(life, planFor, (run, events) => {
          modes.add(run.plan.graph.mode);
          const done = dataOf(events, 'error.handled');
          for (const { by, action, rule } of done) add(`${by} ${rule ?? action}`);
          for (const rule of ['rate', 'timeout', 'tool'] as const)
            for (const of of Map.groupBy(
              done.filter((each) => each.rule === rule),
              ({ node }) => node,
            ).values())
              expect(of.length, rule).toBeLessThanOrEqual(most[rule]);
          const asked = dataOf(events, 'call.started').filter(
            ({ tool, node }) => tool === ERROR_DECIDE && node === null,
          );
          expect(asked.length).toBeLessThanOrEqual(5);
          for (const of of Map.groupBy(asked, ({ input }) => (input as { node: string }).node).values())
            expect(of.length).toBeLessThanOrEqual(2);
          if (run.plan.graph.handler?.model !== true) expect(asked).toEqual([]);
          for (const kind of ['retries', 'replans', 'tokens'] as const)
            expect(run.spent[kind], kind).toBeLessThanOrEqual(run.budgets[kind] ?? Number.POSITIVE_INFINITY);
          for (const { output } of dataOf(events, 'call.ended'))
            for (const branch of ['yes', 'no']) if (jsonField(output, 'branch') === branch) add(`branch ${branch}`);
          for (const { for: awaited } of dataOf(events, 'wait.opened'))
            if (awaited.kind === 'question' && awaited.branch === true) add('ask');
        });
    });
    expect([...modes].toSorted()).toEqual(['bounded', 'flex', 'strict']);
    expect([...seen.keys()].toSorted()).toEqual([
      'ask',
      'branch no',
      'branch yes',
      'model fail',
      'model fallback',
      'model retry',
      'model skip',
      'rule fail',
      'rule fallback',
      'rule rate',
      'rule timeout',
      'rule tool',
    ]);
    expect(Math.min(...seen.values()), JSON.stringify([...seen])).toBeGreaterThan(leastOf(scaled(10)));
  });

  it('E3 nothing that changes the world outside, or was approved for one attempt, is repeated by a handler', async () => {
    let after = 0;
    await holds(handled, async (story) => {
      await eachMoment(story, {
        event: (run, event) => {
          if (event.type !== 'error.handled' || (event.data.action !== 'retry' && event.data.rule !== 'rate')) return;
          const failed = run.nodes[nodeNamed(run, event.data.node) ?? -1]?.failure?.call;
          expect([failed?.class, failed?.approved ?? false]).toEqual([
            expect.stringMatching(/^(read|write_local)$/),
            false,
          ]);
          after += 1;
        },
      });
    });
    expect(after).toBeGreaterThan(leastOf(scaled(100)));
  });
});

type Linked = { r: RunState | null; s: { run: RunState; events: Event[] } | null };

/** The state that the run `s` was made from, and `s` itself; null where there is none. */
async function linkedPair({ events }: Life, planFor: Story['planFor']): Promise<Linked> {
  const runs = byRun(events);
  const fold = async (of: readonly Event[]): Promise<RunState | null> => {
    const [first] = of;
    return first?.type === 'run.started' ? foldRun(await planFor(first.data.graph.sha256), of) : null;
  };
  const [ofR, ofS] = [runs.get('r') ?? [], runs.get('s') ?? []];
  const s = await fold(ofS);
  const r = await fold(ofR);
  if (r === null || s === null || s.link === null) return { r: null, s: null };
  if (s.link.kind === 'resume') return { r, s: { run: s, events: ofS } };
  const start = s.link.node === undefined ? 1 : startOfNode(r.plan, ofR, s.link.node);
  return { r: await fold(ofR.slice(0, start ?? 1)), s: { run: s, events: ofS } };
}

const isFirstVisit = (event: Extract<Event, { type: 'call.started' }>, { id }: RunState, node: string): boolean =>
  event.data.node === node && event.data.call.startsWith(`${id}.${node}.0.`);

describe('the acceptance of steps, whatever happens', limits, () => {
  const accepting = scenarios({ judge: 'open' }, ['write', 'write', 'write', 'send'], 'accepting');

  it('A1 a step that accepts something is done only behind a check that held, by its fallback, or reused from an earlier run', async () => {
    let accepted = 0;
    await holds(accepting, async ({ lives, planFor }) => {
      for (const life of lives)
        await eachRun(life, planFor, (run, events) => {
          for (const { node, at } of settledDone(events)) {
            const config = run.configs[nodeNamed(run, node) ?? -1];
            if (config === undefined || config.acceptance.length === 0) continue;
            const event = events[at];
            const isSettle = event?.type === 'node.settled';
            if (isSettle && /^((fallback|continued) after|reused from run)/.test(event.data.reason)) continue;
            if (event?.type === 'call.ended' && event.data.status !== 'ok') continue;
            if (event?.type === 'decision.made' && event.data.decision.kind !== 'Finish') continue;
            if (event?.type === 'wait.closed' && event.data.answer.verdict !== 'approved') continue;
            const last = checksOf(events.slice(0, at), node).at(-1);
            expect({ seq: event?.seq, isSettle, when: last?.when, holds: last?.holds }).toEqual({
              seq: event?.seq,
              isSettle: true,
              when: expect.stringMatching(/after|doubt/),
              holds: true,
            });
            accepted += 1;
          }
        });
    });
    expect(accepted).toBeGreaterThan(leastOf(scaled(100)));
  });

  it('A2 a call in doubt counts as done only if the check right before it failed and the one behind it holds', async () => {
    let settled = 0;
    await holds(accepting, async ({ lives, planFor }) => {
      for (const life of lives)
        await eachRun(life, planFor, (_, events) => {
          for (const [at, event] of events.entries()) {
            if (event.type !== 'node.settled' || !event.data.reason.startsWith('its acceptance is met, which'))
              continue;
            const { node } = event.data;
            const started = events.findLastIndex(
              (each, index) => index < at && each.type === 'call.started' && each.data.node === node,
            );
            const [before, after] = [
              checksOf(events.slice(0, started), node),
              checksOf(events.slice(started, at), node),
            ];
            const between = events
              .slice(before.at(-1)?.at ?? 0, started)
              .filter((each) => each.type === 'call.started' && each.data.node === node);
            expect([before.at(-1)?.when, before.at(-1)?.holds, between.length]).toEqual(['before', false, 0]);
            expect([after.at(-1)?.when, after.at(-1)?.holds]).toEqual(['doubt', true]);
            settled += 1;
          }
        });
    });
    expect(settled).toBeGreaterThan(leastOf(scaled(10)));
  });
});

/** Where events make a node done. */
function settledDone(events: readonly Event[]): { node: string; at: number }[] {
  return events.flatMap(({ type, data }, at) => {
    const isDone =
      (type === 'node.settled' && data.status === 'done') ||
      ((type === 'call.ended' || type === 'decision.made') && data.settles === 'done') ||
      (type === 'wait.closed' && data.becomes === 'done');
    const node = isDone ? data.node : null;
    return node === null ? [] : [{ node, at }];
  });
}

/** The checks of a node that have ended, in order. */
function checksOf(events: readonly Event[], node: string): { at: number; when: string; holds: unknown }[] {
  const moments = new Map<string, string>();
  return events.flatMap(({ type, data }, at) => {
    if (type === 'call.started' && data.tool === STEP_CHECK) {
      const input = data.input as StepCheckInput;
      if (input.node === node) moments.set(data.call, input.when);
    }
    const when = type === 'call.ended' ? moments.get(data.call) : undefined;
    if (when === undefined || type !== 'call.ended' || data.status === 'waiting' || data.status === 'cancelled')
      return [];
    return [{ at, when, holds: data.status === 'ok' ? (data.output as { holds: unknown }).holds : null }];
  });
}

type Visitor = {
  invocation?: (run: RunState, invocation: Invocation) => void;
  event?: (run: RunState, event: Event) => void;
};

/** Goes through every life again, with the state that a run had before an event and at an invocation. */
async function eachMoment({ lives, planFor }: Story, visitor: Visitor): Promise<void> {
  for (const { events, invocations } of lives) {
    const runs = new Map<string | null, RunState | null>();
    const pending = [...invocations];
    for (const event of [...events, null]) {
      while (pending[0] !== undefined && pending[0].staged < (event?.seq ?? Number.POSITIVE_INFINITY)) {
        const invocation = pending.shift();
        const run = runs.get(invocation?.call.run ?? '');
        if (invocation !== undefined && run != null) visitor.invocation?.(run, invocation);
      }
      if (event === null) break;
      const run = runs.get(event.run);
      if (event.type === 'run.started')
        runs.set(event.run, runFromStart(await planFor(event.data.graph.sha256), event));
      else if (run != null) {
        visitor.event?.(run, event);
        applyEvent(run, event);
      }
    }
  }
}

async function eachRun(
  { events }: Life,
  planFor: Story['planFor'],
  check: (run: RunState, events: Event[]) => void,
): Promise<void> {
  for (const of of byRun(events).values()) {
    const [first] = of;
    const run = first?.type === 'run.started' ? foldRun(await planFor(first.data.graph.sha256), of) : null;
    if (run === null) throw new Error('a run begins with run.started');
    check(run, of);
  }
}

function byRun(events: readonly Event[]): Map<string | null, Event[]> {
  return Map.groupBy(events, ({ run }) => run);
}

function isOf({ run, data }: Event, call: Invocation['call']): boolean {
  return run === call.run && 'call' in data && data.call === call.call;
}

function approvalsOf(events: readonly Event[], binding: string): number {
  const asked = events.flatMap(({ type, data }) =>
    type === 'wait.opened' && data.for.kind === 'approval' && data.for.binding === binding ? [data.wait] : [],
  );
  return events.filter(
    ({ type, data }) => type === 'wait.closed' && data.answer.verdict === 'approved' && asked.includes(data.wait),
  ).length;
}

type Of<T extends Event['type']> = Extract<Event, { type: T }>;

/** Calls that were made after a moment and went well. */
function okCalls(events: readonly Event[], after: number): [Of<'call.started'>, Of<'call.ended'>][] {
  return events.flatMap((end) => {
    if (end.type !== 'call.ended' || end.data.status !== 'ok') return [];
    const start = events.find(
      (event) => event.type === 'call.started' && event.run === end.run && event.data.call === end.data.call,
    );
    return start?.type === 'call.started' && start.seq > after
      ? [[start, end] as [Of<'call.started'>, Of<'call.ended'>]]
      : [];
  });
}

function isHarmless({ call }: Invocation, tools: Story['tools']): boolean {
  return (
    call.class === 'read' || (call.class === 'write_local' && tools.get(call.tool)?.annotations.idempotent === true)
  );
}

function isSameCall(one: Event | undefined, other: Event | undefined): boolean {
  return (
    one?.type === 'call.started' &&
    other?.type === 'call.started' &&
    one.data.tool === other.data.tool &&
    JSON.stringify(one.data.input) === JSON.stringify(other.data.input)
  );
}

/** The events of each agent of a run, in order. */
function agentEvents(run: RunState, events: readonly Event[]): [string, Event[]][] {
  const ofNodes = Map.groupBy(events, ({ data }) => ('node' in data ? data.node : null));
  return [...ofNodes].flatMap(([node, ofNode]) => {
    const isAgent = node !== null && run.configs[nodeNamed(run, node) ?? -1]?.kind === 'agent';
    return isAgent ? [[node, ofNode] as [string, Event[]]] : [];
  });
}

/** run.node.visit of a call. */
function visitOf(event: Event | undefined): string {
  return event?.type === 'call.started' ? event.data.call.replace(/\.\d+$/, '') : '';
}

/** The order of what is ready matters; the plan is the same object. */
function comparable({ plan, ready, ...rest }: RunState): object {
  return { ...rest, ready: [...ready], sha256: plan.sha256 };
}
