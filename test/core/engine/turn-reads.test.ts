import { describe, expect, it } from 'vitest';
import { replayDecisions, replayFully } from '../../../src/core/engine/replay-run.ts';
import type { Decision } from '../../../src/core/schema/decision.ts';
import type { Event } from '../../../src/core/schema/event.ts';
import type { Json } from '../../../src/core/schema/json.ts';
import type { PlannerInput } from '../../../src/core/schema/ports.ts';
import type { Outcome, Tool } from '../../../src/core/schema/tool.ts';
import { standardChain } from '../../../src/core/chain/chain.ts';
import { asRegistry } from '../../../src/core/engine/tool-registry.ts';
import {
  dataOf,
  engineWith,
  failed,
  graphOf,
  latch,
  memoryArtifacts,
  ok,
  toolNamed,
} from '../../support/engine-fakes.ts';
import { planFor } from '../../support/engine-state.ts';

const quiet = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
const node = { kind: 'agent', id: 'a', goal: 'Read.' };
const graph = graphOf([node]);

type Asked = { tool: string; input: Json };

/** One turn with these calls, then the end; `seen` is what the planner is shown after the turn. */
function oneTurn(calls: readonly Asked[], seen: PlannerInput['evidence'][] = []) {
  const [first, ...also] = calls;
  const decide = ({ turn, evidence }: PlannerInput): Decision => {
    seen.push(structuredClone(evidence));
    if (turn > 0 || first === undefined) return { kind: 'Finish', output: 'read', rationale: '' };
    return { kind: 'CallTool', ...first, ...(also.length === 0 ? {} : { also }), rationale: '' };
  };
  return { decide };
}

const look = (path: string): Asked => ({ tool: 'look', input: path });
const write = (path: string): Asked => ({ tool: 'write', input: path });
const reading = { parallel: true } as const;

/** What happened, in order: > a tool is reached, < it returns. Each call ends when its latch is opened. */
function gated(
  names: readonly string[],
  kinds: Record<string, Partial<Tool> & { class?: 'read' | 'write_local' }> = {},
) {
  const log: string[] = [];
  const gates = new Map<Json, PromiseWithResolvers<Outcome>>();
  const gateOf = (input: Json): PromiseWithResolvers<Outcome> => {
    const gate = gates.get(input) ?? latch<Outcome>();
    gates.set(input, gate);
    return gate;
  };
  const tools = names.map((name) =>
    toolNamed(
      name,
      async (input: Json) => {
        log.push(`>${input as string}`);
        const outcome = await gateOf(input).promise;
        log.push(`<${input as string}`);
        return outcome;
      },
      { ...(name === 'look' ? reading : { class: 'write_local' }), ...kinds[name] },
    ),
  );
  const end = async (input: string, outcome: Outcome = ok(`of ${input}`)): Promise<void> => {
    gateOf(input).resolve(outcome);
    await quiet();
  };
  return { tools, log, end };
}

const shown = (seen: PlannerInput['evidence'][]): unknown[] =>
  (seen.at(-1) ?? []).map(({ decision, outcome, output, error }) => [
    decision.kind === 'CallTool' ? decision.input : decision.kind,
    outcome,
    output ?? error,
  ]);

const together = (events: readonly Event[]): unknown[] =>
  dataOf(events, 'call.started').map((data) => [data.call, data.input, data.together ?? false]);

function differences(events: readonly Event[], tools: readonly Tool[]): unknown {
  const named = new Map(tools.map((tool) => [tool.name, tool]));
  return replayDecisions(planFor(graph), events, (name) => named.get(name)).difference;
}

describe('reads of one turn', () => {
  it('run together; a write starts when all before it have ended, and a read behind it when the write has', async () => {
    const { tools, log, end } = gated(['look', 'write']);
    const seen: PlannerInput['evidence'][] = [];
    const planner = oneTurn([look('a'), look('b'), write('w'), look('c'), look('d')], seen);
    const { engine, events } = engineWith({ tools, planner });
    const { done } = await engine.start(graph, { id: 'r' });
    await quiet();
    expect(log).toEqual(['>a', '>b']);
    await end('b');
    expect(log).toEqual(['>a', '>b', '<b']);
    await end('a');
    expect(log.slice(3)).toEqual(['<a', '>w']);
    await end('w');
    expect(log.slice(5)).toEqual(['<w', '>c', '>d']);
    await end('c');
    await end('d');
    expect(await done).toMatchObject({ status: 'done', spent: { tool_calls: 5 } });
    expect(shown(seen)).toEqual(['a', 'b', 'w', 'c', 'd'].map((each) => [each, 'ok', `of ${each}`]));
    expect(together(events)).toEqual([
      ['r.a.0.1', 'a', true],
      ['r.a.0.2', 'b', true],
      ['r.a.0.3', 'w', false],
      ['r.a.0.4', 'c', true],
      ['r.a.0.5', 'd', true],
    ]);
    expect(differences(events, tools)).toBeNull();
    const again = await replayFully(events, asRegistry(tools), new AbortController().signal);
    expect(again.map(({ state }) => state)).toEqual(['same', 'same', 'recorded', 'same', 'same']);
  });

  it('one that failed does not stop the others, and each is shown in its place', async () => {
    const { tools, log, end } = gated(['look', 'write']);
    const seen: PlannerInput['evidence'][] = [];
    const { engine } = engineWith({ tools, planner: oneTurn([look('a'), look('b'), write('w')], seen) });
    const { done } = await engine.start(graph, { id: 'r' });
    await quiet();
    await end('a', failed('not there'));
    await end('b');
    expect(log.at(-1)).toBe('>w');
    await end('w');
    await done;
    expect(shown(seen)).toEqual([
      ['a', 'failed', 'not there'],
      ['b', 'ok', 'of b'],
      ['w', 'ok', 'of w'],
    ]);
  });

  it('at most eight are in progress; the next one starts when one has ended', async () => {
    const names = Array.from({ length: 11 }, (_, index) => `n${index}`);
    const { tools, log, end } = gated(['look']);
    const { engine } = engineWith({ tools, planner: oneTurn(names.map(look)) });
    const { done } = await engine.start(graph, { id: 'r' });
    await quiet();
    expect(log).toEqual(names.slice(0, 8).map((name) => `>${name}`));
    await end('n3');
    expect(log.slice(8)).toEqual(['<n3', '>n8']);
    for (const name of names) await end(name);
    expect(await done).toMatchObject({ status: 'done', spent: { tool_calls: 11 } });
  });

  it('tools that do not allow it, and a single read, are called alone', async () => {
    const { tools, log, end } = gated(['look', 'page'], { page: { class: 'read' } });
    const { engine, events } = engineWith({
      tools,
      planner: oneTurn([look('a'), { tool: 'page', input: 'p' }, { tool: 'page', input: 'q' }]),
    });
    const { done } = await engine.start(graph, { id: 'r' });
    await quiet();
    expect(log).toEqual(['>a']);
    for (const each of ['a', 'p', 'q']) await end(each);
    await done;
    expect(log).toEqual(['>a', '<a', '>p', '<p', '>q', '<q']);
    expect(together(events).map((each) => (each as unknown[])[2])).toEqual([false, false, false]);
  });

  it('do not spend more calls together than the budget has left', async () => {
    const { tools, log, end } = gated(['look']);
    const { clock, sleep } = { clock: () => 0, sleep: quiet };
    const seen: PlannerInput['evidence'][] = [];
    const { engine } = engineWith({
      tools,
      planner: oneTurn([look('a'), look('b'), look('c')], seen),
      middleware: standardChain({ tools, clock, sleep, judge: () => ({ effect: 'allow', why: '' }) }),
    });
    await engine.start(graph, { id: 'r', budgets: { tool_calls: 2 } });
    await quiet();
    expect(log).toEqual(['>a', '>b']);
    await end('a');
    await end('b');
    expect(log).toEqual(['>a', '>b', '<a', '<b']);
  });

  it('one that has to wait is asked about alone, when the others have ended, and only then comes the write', async () => {
    const { tools, log, end } = gated(['look', 'write']);
    const seen: PlannerInput['evidence'][] = [];
    const { engine, events } = engineWith({
      tools,
      planner: oneTurn([look('a'), look('secret'), look('b'), write('w')], seen),
      middleware: standardChain({
        tools,
        clock: () => 0,
        sleep: quiet,
        judge: ({ input }) => ({ effect: input === 'secret' ? 'ask' : 'allow', why: 'private' }),
      }),
    });
    const { done } = await engine.start(graph, { id: 'r' });
    await quiet();
    expect(log).toEqual(['>a', '>b']);
    await end('a');
    expect(dataOf(events, 'wait.opened')).toEqual([]);
    await end('b');
    expect(await done).toMatchObject({ status: 'blocked' });
    const [wait] = dataOf(events, 'wait.opened');
    expect(wait).toMatchObject({ node: 'a', for: { kind: 'approval' } });
    const answered = await engine.answer('r', wait?.wait ?? '', { verdict: 'approved' });
    await quiet();
    expect(log.at(-1)).toBe('>secret');
    await end('secret');
    expect(log.at(-1)).toBe('>w');
    await end('w');
    expect(await answered.done).toMatchObject({ status: 'done' });
    expect(shown(seen).map((each) => (each as unknown[])[1])).toEqual(['ok', 'ok', 'ok', 'ok']);
    expect(differences(events, tools)).toBeNull();
  });

  it('one that fails for a moment is tried again alone, as often as its node allows and no more', async () => {
    const tried: Json[] = [];
    const later: Outcome = { status: 'failed', error: 'later', temporary: true };
    const flaky = toolNamed('look', (input) => (tried.push(input), input === 'a' ? later : ok()), reading);
    const seen: PlannerInput['evidence'][] = [];
    const { engine, events } = engineWith({
      tools: [flaky],
      planner: oneTurn([look('a'), look('b')], seen),
      middleware: standardChain({
        tools: [flaky],
        clock: () => 0,
        sleep: quiet,
        judge: () => ({ effect: 'allow', why: '' }),
      }),
    });
    const { done } = await engine.start(graphOf([{ ...node, max_retries: 2 }]), { id: 'r' });
    expect(await done).toMatchObject({ status: 'done', spent: { tool_calls: 4, retries: 2 } });
    expect(tried).toEqual(['a', 'b', 'a', 'a']);
    expect(shown(seen)).toEqual([
      ['a', 'failed', 'later'],
      ['b', 'ok', null],
    ]);
    expect(new Set(dataOf(events, 'call.started').map(({ call }) => call)).size).toBe(4);
    expect(differences(events, [flaky])).toBeNull();
  });

  it('one that misses something is not made again before the worker has seen the advice', async () => {
    const lacking = toolNamed('look', (input) => (input === 'a' ? failed('no such program') : ok()), reading);
    const seen: PlannerInput['evidence'][] = [];
    let misses = 0;
    const { engine } = engineWith({
      tools: [lacking],
      planner: oneTurn([look('a'), look('b')], seen),
      middleware: standardChain({
        tools: [lacking],
        clock: () => 0,
        sleep: quiet,
        judge: () => ({ effect: 'allow', why: '' }),
        diagnose: () => ((misses += 1) === 1 ? { advice: 'use another one' } : { kind: 'requirement', name: 'it' }),
      }),
    });
    const { done } = await engine.start(graphOf([{ ...node, max_retries: 1 }]), { id: 'r' });
    expect(await done).toMatchObject({ status: 'done' });
    expect(shown(seen)).toEqual([
      ['a', 'failed', 'no such program\nuse another one'],
      ['b', 'ok', null],
    ]);
  });

  it('one that tried more than it may is asked about alone, as a write', async () => {
    const overstepping = toolNamed(
      'look',
      (input, call) =>
        input === 'b' && call.class === 'read'
          ? { status: 'failed', error: 'denied', overstepped: 'it wrote /x' }
          : ok(call.class),
      reading,
    );
    const { engine, events } = engineWith({
      tools: [overstepping],
      planner: oneTurn([look('a'), look('b')]),
      middleware: standardChain({
        tools: [overstepping],
        clock: () => 0,
        sleep: quiet,
        judge: () => ({ effect: 'allow', why: '' }),
      }),
    });
    expect(await (await engine.start(graph, { id: 'r' })).done).toMatchObject({ status: 'blocked' });
    expect(dataOf(events, 'wait.opened')).toMatchObject([{ for: { kind: 'approval' } }]);
    expect(dataOf(events, 'call.started').at(-1)).toMatchObject({ input: 'b', class: 'write_local' });
    expect(differences(events, [overstepping])).toBeNull();
  });

  it.each(['pause', 'stop'] as const)('%s: those that had not ended are made again alone, no other', async (kind) => {
    const { tools, log, end } = gated(['look', 'write']);
    const seen: PlannerInput['evidence'][] = [];
    const { engine, events } = engineWith({ tools, planner: oneTurn([look('a'), look('b'), write('w')], seen) });
    await engine.start(graph, { id: 'r' });
    await quiet();
    await end('b');
    await engine.stop('r', { kind, reason: 'x' });
    const { done } = await engine.resume('r');
    await quiet();
    expect(log.filter((line) => line.startsWith('>'))).toEqual(['>a', '>b', '>a']);
    await end('a');
    await end('w');
    expect(await done).toMatchObject({ status: 'done' });
    expect(shown(seen)).toEqual(['a', 'b', 'w'].map((each) => [each, 'ok', `of ${each}`]));
    expect(dataOf(events, 'call.ended')).toHaveLength(dataOf(events, 'call.started').length);
    expect(differences(events, tools)).toBeNull();
  });

  it('cancelled: each gets its outcome, and nothing follows', async () => {
    const { tools, log } = gated(['look', 'write']);
    const { engine, events } = engineWith({ tools, planner: oneTurn([look('a'), look('b'), write('w')]) });
    await engine.start(graph, { id: 'r' });
    await quiet();
    expect(await engine.stop('r', { kind: 'cancel', reason: 'x' })).toMatchObject({ status: 'cancelled' });
    expect(dataOf(events, 'call.ended').map(({ status }) => status)).toEqual(['cancelled', 'cancelled']);
    expect(log).toEqual(['>a', '>b']);
  });

  it('after a crash a witness settles what it saw, and the rest is made again alone', async () => {
    const artifacts = memoryArtifacts();
    const before = gated(['look', 'write']);
    const seen: PlannerInput['evidence'][] = [];
    const planner = oneTurn([look('a'), look('b'), look('c'), write('w')], seen);
    const first = engineWith({ tools: before.tools, planner, stores: { artifacts } });
    await first.engine.start(graph, { id: 'r' });
    await quiet();
    await before.end('c');
    const after = gated(['look', 'write']);
    const witness = async (_: string, { input }: { input: Json }): Promise<Outcome | null> =>
      input === 'b' ? ok('seen b') : null;
    const second = engineWith({ tools: after.tools, planner, stores: { artifacts }, witness }, [...first.events]);
    const { done } = await second.engine.resume('r');
    await quiet();
    expect(after.log).toEqual(['>a']);
    await after.end('a');
    await after.end('w');
    expect(await done).toMatchObject({ status: 'done' });
    expect(shown(seen)).toEqual([
      ['a', 'ok', 'of a'],
      ['b', 'ok', 'seen b'],
      ['c', 'ok', 'of c'],
      ['w', 'ok', 'of w'],
    ]);
    expect(differences(second.events, after.tools)).toBeNull();
  });

  it('of an earlier version, which made them one by one, are replayed as they were', async () => {
    const sequential = toolNamed('look', (input) => ok(input));
    const { engine, events } = engineWith({ tools: [sequential], planner: oneTurn([look('a'), look('b'), look('c')]) });
    await (await engine.start(graph, { id: 'r' })).done;
    expect(together(events).some((each) => (each as unknown[])[2])).toBe(false);
    expect(differences(events, [{ ...sequential, ...reading }])).toBeNull();
  });
});
