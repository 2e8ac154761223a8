import { eligible } from '../../../src/core/chain/middleware/eligible.ts';
import { describe, expect, it } from 'vitest';
import { createEngine } from '../../../src/core/engine/engine.ts';
import type { EngineOptions } from '../../../src/core/engine/engine-context.ts';
import { memoryRuns } from '../../../src/core/engine/in-memory-stores.ts';

import type { Decision } from '../../../src/core/schema/decision.ts';
import type { Event } from '../../../src/core/schema/event.ts';
import type { Graph } from '../../../src/core/schema/graph.ts';
import type { Json } from '../../../src/core/schema/json.ts';
import type { PlannerInput, Stores } from '../../../src/core/schema/ports.ts';
import type { Outcome, Tool } from '../../../src/core/schema/tool.ts';
import { runTool } from '../../../src/rooms/desk/tools/run-tool.ts';
import { standardChain } from '../../../src/core/chain/chain.ts';
import {
  dataOf,
  engineWith,
  failed,
  fakeTime,
  graphOf,
  latch,
  memoryArtifacts,
  ok,
  type Seen,
  toolNamed,
} from '../../support/engine-fakes.ts';

/** A tool that notes what it was called with. */
function noting(
  name: string,
  outcome: (input: Json, times: number) => Outcome | Promise<Outcome> = ok,
  kind: Parameters<typeof toolNamed>[2] = {},
) {
  const inputs: Json[] = [];
  const tool = toolNamed(name, (input) => outcome(input, inputs.push(input)), kind);
  return { tool, inputs };
}

const quiet = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));
const tool = (id: string, name: string, rest: object = {}): object => ({ kind: 'tool', id, tool: name, ...rest });

/** An engine whose graphs can start each other. */
function nested(
  graphs: Record<string, Graph>,
  tools: readonly Tool[],
  stores: Stores = {},
  survived: readonly Event[] = [],
): Seen {
  const start = runTool(({ graph, input, call }) => seen.engine.startChild(graph, input, call));
  const seen: Seen = engineWith({ graphs: (id) => graphs[id], tools: [...tools, start], stores }, survived);
  return seen;
}

describe('start', () => {
  it('goes through the nodes in order, each with the output of the one before', async () => {
    const add = noting('add', (input) => ok(Number(input) + 1));
    const { engine } = engineWith({ tools: [add.tool] });
    const graph = graphOf([tool('c', 'add', { needs: ['b'] }), tool('a', 'add'), tool('b', 'add', { needs: ['a'] })]);
    const run = await (await engine.start(graph, { id: 'r', input: 1 })).done;
    expect(run).toMatchObject({ status: 'done', output: 4, spent: { tool_calls: 3 } });
    expect(add.inputs).toEqual([1, 2, 3]);
  });

  it('refuses a graph that cannot run, naming everything that is wrong, and writes nothing', async () => {
    const { engine, events } = engineWith({});
    const start = engine.start(graphOf([tool('a', 'x'), tool('a', 'y')]), { id: 'r' });
    await expect(start).rejects.toMatchObject({
      code: 'invalid-graph',
      message: expect.stringMatching(/two nodes[^]*no tool "x"[^]*no tool "y"/),
    });
    expect(events).toEqual([]);
  });

  it('the same name gives the same run while it is at work', async () => {
    const gate = latch<Outcome>();
    const { engine, events } = engineWith({ tools: [toolNamed('slow', () => gate.promise)] });
    const first = await engine.start(graphOf([tool('a', 'slow')]), { id: 'r' });
    const second = await engine.start(graphOf([tool('a', 'slow')]), { id: 'r' });
    gate.resolve(ok());
    expect(await second.done).toBe(await first.done);
    expect(dataOf(events, 'run.started')).toHaveLength(1);
  });

  it('G1 runs without any store', async () => {
    const time = fakeTime();
    const engine = createEngine({ tools: [toolNamed('look', () => ok('seen'))], clock: time.clock, sleep: time.sleep });
    const run = await (await engine.start(graphOf([tool('a', 'look')]), { id: 'r' })).done;
    expect(run).toMatchObject({ status: 'done', output: 'seen' });
    expect((await engine.eventsOf('r')).map(({ type }) => type)).toEqual([
      'run.started',
      'call.started',
      'call.ended',
      'run.ended',
    ]);
    expect(await engine.stateOf('nobody')).toBeNull();
    await expect(engine.eventsOf('nobody')).rejects.toMatchObject({ code: 'no-such-run' });
  });

  it('a large output is cut without artifacts, and kept whole with them', async () => {
    const text = 'x'.repeat(100_000);
    const big = toolNamed('big', () => ok(text));
    const without = engineWith({ tools: [big] });
    const cut = await (await without.engine.start(graphOf([tool('a', 'big')]), { id: 'r' })).done;
    const head = `"${'x'.repeat(1999)}`;
    expect(cut.output).toEqual({ head, tail: `${'x'.repeat(1999)}"`, left_out: 100_002 - 4000, artifact: null });
    const artifacts = memoryArtifacts();
    const withStore = engineWith({ tools: [big], stores: { artifacts } });
    const kept = await (await withStore.engine.start(graphOf([tool('a', 'big')]), { id: 'r' })).done;
    const { artifact } = kept.output as { artifact: string };
    expect(artifacts.kept.get(artifact)?.toString()).toBe(JSON.stringify(text));
    expect(kept.artifacts).toMatchObject([{ sha256: artifact, bytes: 100_002 }]);
    expect(dataOf(withStore.events, 'run.ended')).toMatchObject([{ artifacts: [{ sha256: artifact }] }]);
  });

  it('a second start under the name of a run that is at work gives the drive that is there', async () => {
    const { engine, events } = engineWith({ tools: [toolNamed('look', () => ok(1))] });
    const graph = graphOf([{ kind: 'tool', id: 'a', tool: 'look' }]);
    const [one, two] = await Promise.all([engine.start(graph, { id: 'r' }), engine.start(graph, { id: 'r' })]);
    expect(await one.done).toBe(await two.done);
    expect(dataOf(events, 'run.started')).toHaveLength(1);
  });
});

describe('how nodes end', () => {
  it.each<[string, () => Outcome | Promise<Outcome>, string]>([
    ['says that it failed', () => failed('no space'), 'a: no space'],
    ['throws', () => Promise.reject(new Error('broken')), 'a: broken'],
    ['is denied', () => ({ status: 'denied', error: 'not this' }), 'a: not this'],
    ['gives what is no JSON', () => ok(new Date() as unknown as Json), 'a: the outcome could not be written down'],
    ['says by itself that it was cancelled', () => ({ status: 'cancelled', error: 'gave up' }), 'a: gave up'],
    ['fails with very many words', () => failed('w'.repeat(50_000)), 'a: www'],
  ])('a tool that %s fails the run', async (_, act, reason) => {
    const { engine, events } = engineWith({ tools: [toolNamed('bad', act), toolNamed('next', () => ok())] });
    const run = await (
      await engine.start(graphOf([tool('a', 'bad'), tool('b', 'next', { needs: ['a'] })]), { id: 'r' })
    ).done;
    expect(run.status).toBe('failed');
    expect(run.reason.startsWith(reason), run.reason.slice(0, 200)).toBe(true);
    expect(dataOf(events, 'call.started').map(({ node }) => node)).toEqual(['a']);
  });

  it('a fallback lets the run go on', async () => {
    const { engine } = engineWith({
      tools: [toolNamed('bad', () => failed('no')), toolNamed('echo', (input) => ok(input))],
    });
    const nodes = [tool('a', 'bad', { on_error: 'fallback', fallback: [1] }), tool('b', 'echo', { needs: ['a'] })];
    expect(await (await engine.start(graphOf(nodes), { id: 'r' })).done).toMatchObject({ status: 'done', output: [1] });
  });

  it('a failure stops the others, and the run ends when every call has its outcome', async () => {
    const gate = latch<Outcome>();
    const slow = toolNamed('slow', (_, { signal }) => {
      signal.addEventListener('abort', () => gate.resolve(failed('told to stop')));
      return gate.promise;
    });
    const { engine, events } = engineWith({ tools: [slow, toolNamed('bad', () => failed('no'))] });
    const run = await (
      await engine.start(graphOf([tool('a', 'slow'), tool('b', 'bad'), tool('c', 'bad', { needs: ['a'] })]), {
        id: 'r',
      })
    ).done;
    expect(run).toMatchObject({ status: 'failed', reason: 'b: no' });
    expect(dataOf(events, 'call.ended').map(({ node, status }) => [node, status])).toEqual([
      ['b', 'failed'],
      ['a', 'cancelled'],
    ]);
    expect(events.at(-1)?.type).toBe('run.ended');
  });

  it('D5 after a failure nothing new starts, also when both were decided at the same moment', async () => {
    const gate = latch();
    const look = noting('look', async (_, times) => (times > 2 && (await gate.promise), ok('same')));
    const slow = toolNamed('slow', async () => (await gate.promise, ok()));
    const next = noting('next');
    const { engine } = engineWith({
      tools: [look.tool, slow, next.tool],
      planner: {
        decide: ({ state }) =>
          state === 'intake'
            ? { kind: 'Transition', to: 'explore', rationale: '' }
            : { kind: 'CallTool', tool: 'look', input: 1, rationale: '' },
      },
    });
    const nodes = [{ kind: 'agent', id: 'a', goal: 'x' }, tool('b', 'slow'), tool('c', 'next', { needs: ['b'] })];
    const { done } = await engine.start(graphOf(nodes), { id: 'r' });
    await quiet();
    gate.resolve();
    expect(await done).toMatchObject({ status: 'failed', reason: expect.stringContaining('going round in circles') });
    expect(next.inputs).toEqual([]);
  });

  it('a branch that is not taken is skipped, and what needs it as well', async () => {
    const { engine } = engineWith({
      tools: [toolNamed('choose', () => ok({ go: 'left' })), toolNamed('look', () => ok('seen'))],
    });
    const nodes = [
      tool('a', 'choose'),
      tool('left', 'look'),
      tool('right', 'look'),
      tool('far', 'look', { needs: ['right'] }),
    ];
    const edges = ['left', 'right'].map((go) => ({ from: 'a', to: go, when: { field: 'go', equals: go } }));
    const run = await (await engine.start(graphOf(nodes, { edges }), { id: 'r' })).done;
    expect(run.nodes.map(({ status }) => status)).toEqual(['done', 'done', 'skipped', 'skipped']);
    expect(run).toMatchObject({ status: 'done', output: 'seen' });
  });
});

describe('how much at once', () => {
  /** Counts how many calls are under way at the same time. */
  function counting() {
    const seen = { now: 0, most: 0 };
    const act = async (input: Json): Promise<Outcome> => {
      seen.most = Math.max(seen.most, (seen.now += 1));
      await quiet();
      seen.now -= 1;
      return ok(input);
    };
    return { seen, tool: toolNamed('count', act) };
  }

  it('D2 a graph runs as many nodes at once as it says', async () => {
    const { seen, tool: count } = counting();
    const { engine } = engineWith({ tools: [count] });
    const nodes = Array.from({ length: 10 }, (_, at) => tool(`n${at}`, 'count'));
    await (await engine.start(graphOf(nodes, { parallel: 3 }), { id: 'r' })).done;
    expect(seen.most).toBe(3);
  });

  it('D2 a map runs as many items at once as it says, and gives their outputs in order', async () => {
    const { seen, tool: count } = counting();
    const { engine } = engineWith({ tools: [count] });
    const map = {
      kind: 'map',
      id: 'm',
      over: '{{input}}',
      parallel: 2,
      each: tool('x', 'count', { input: ['{{item}}'] }),
    };
    const run = await (await engine.start(graphOf([map]), { id: 'r', input: [5, 6, 7, 8, 9] })).done;
    expect(run).toMatchObject({ status: 'done', output: [[5], [6], [7], [8], [9]] });
    expect(seen.most).toBe(2);
  });

  it('a map over an empty list is done; over what is no list it fails, or takes its fallback', async () => {
    const { engine } = engineWith({ tools: [toolNamed('look', () => ok())] });
    const map = { kind: 'map', id: 'm', over: '{{input}}', each: tool('x', 'look') };
    expect(await (await engine.start(graphOf([map]), { id: 'r1', input: [] })).done).toMatchObject({
      status: 'done',
      output: [],
    });
    expect(await (await engine.start(graphOf([map]), { id: 'r2', input: 'x' })).done).toMatchObject({
      status: 'failed',
      reason: 'm: "over" gave "x", which is not a list',
    });
    const mild = { ...map, on_error: 'fallback', fallback: 'none' };
    expect(await (await engine.start(graphOf([mild]), { id: 'r3', input: 'x' })).done).toMatchObject({
      status: 'done',
      output: 'none',
    });
  });

  it('D2 a new node never keeps one that is at work from going on', async () => {
    const { engine, events } = engineWith({
      tools: [toolNamed('look', () => ok())],
      planner: {
        decide: ({ state, turn }) =>
          state === 'intake'
            ? { kind: 'Transition', to: 'explore', rationale: '' }
            : turn > 3
              ? { kind: 'Finish', output: null, rationale: '' }
              : { kind: 'CallTool', tool: 'look', input: turn, rationale: '' },
      },
    });
    const nodes = [
      { kind: 'agent', id: 'a', goal: 'look' },
      tool('b', 'look'),
      { kind: 'wait', id: 'c', for: { kind: 'question', text: 'x' } },
    ];
    const run = await (await engine.start(graphOf(nodes, { parallel: 1 }), { id: 'r' })).done;
    expect(run.status).toBe('blocked');
    expect(run.nodes.map(({ status }) => status)).toEqual(['done', 'done', 'waiting']);
    expect(dataOf(events, 'call.started')).toHaveLength(4);
  });
});

describe('ways back', () => {
  const edges = [{ from: 'b', to: 'a', when: { field: 'again', equals: true }, max: 2 }];
  const nodes = [tool('a', 'count'), tool('b', 'check', { needs: ['a'] })];

  it('an edge back is taken while it holds; every visit has its own calls', async () => {
    const count = noting('count', (_, times) => ok(times));
    const check = noting('check', (input) => ok({ again: Number(input) < 3, saw: input }));
    const { engine, events } = engineWith({ tools: [count.tool, check.tool] });
    const run = await (await engine.start(graphOf(nodes, { edges }), { id: 'r' })).done;
    expect(run).toMatchObject({ status: 'done', output: { saw: 3 }, spent: { replans: 2 }, taken: [2] });
    expect(dataOf(events, 'call.started').map(({ call }) => call)).toEqual([
      'r.a.0.1',
      'r.b.0.1',
      'r.a.1.1',
      'r.b.1.1',
      'r.a.2.1',
      'r.b.2.1',
    ]);
  });

  it('the run fails when an edge back was taken as often as it may, or as the budget allows', async () => {
    const tools = [toolNamed('count', () => ok()), toolNamed('check', () => ok({ again: true }))];
    const { engine } = engineWith({ tools });
    expect(await (await engine.start(graphOf(nodes, { edges }), { id: 'r1' })).done).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('went back to a 2 times and that is the limit'),
    });
    expect(
      await (await engine.start(graphOf(nodes, { edges }), { id: 'r2', budgets: { replans: 1 } })).done,
    ).toMatchObject({ status: 'failed', spent: { replans: 1 } });
  });

  it('a map is done anew with all its items, also when it was at work beside the way back', async () => {
    const gate = latch();
    const look = noting('look', async (input, times) => {
      if (times <= 2) await gate.promise;
      return ok(input);
    });
    const check = noting('check', (_, times) => ok({ again: times === 1 }));
    const { engine, events } = engineWith({ tools: [toolNamed('count', () => ok([1, 2])), look.tool, check.tool] });
    const map = { kind: 'map', id: 'm', needs: ['a'], over: '{{a}}', each: tool('x', 'look') };
    const { done } = await engine.start(graphOf([...nodes, map], { edges }), { id: 'r' });
    await quiet();
    gate.resolve();
    expect(await done).toMatchObject({ status: 'done', output: { b: { again: false }, m: [1, 2] } });
    expect(look.inputs).toEqual([1, 2, 1, 2]);
    const calls = events.flatMap(({ type, data }) =>
      type.startsWith('call') && 'call' in data ? [`${type} ${data.call}`] : [],
    );
    expect(calls.indexOf('call.started r.a.1.1')).toBeGreaterThan(calls.indexOf('call.ended r.m__1.0.1'));
  });

  it('D4 a call that is tried again while a way back waits for it keeps its visit', async () => {
    const gate = latch();
    const shaky = noting('shaky', async (_, times) => {
      if (times === 1) await gate.promise;
      return times === 1 ? failed('no') : ok();
    });
    const check = noting('check', (_, times) => ok({ again: times === 1 }));
    const tools = [toolNamed('count', () => ok()), check.tool, shaky.tool];
    const middleware = standardChain({ tools, clock: () => 0, sleep: async () => undefined });
    const { engine, events } = engineWith({ tools, middleware });
    const beside = tool('c', 'shaky', { needs: ['a'], max_retries: 1 });
    const { done } = await engine.start(graphOf([...nodes, beside], { edges }), { id: 'r' });
    await quiet();
    gate.resolve();
    expect((await done).status).toBe('done');
    const calls = dataOf(events, 'call.started').map(({ call }) => call);
    expect(calls).toEqual(['r.a.0.1', 'r.b.0.1', 'r.c.0.1', 'r.c.0.2', 'r.a.1.1', 'r.b.1.1', 'r.c.1.1']);
  });

  it('D4 what a step that starts over waits for is withdrawn, and awaited anew', async () => {
    const check = noting('check', (_, times) => ok({ again: times === 1 }));
    const { engine, events } = engineWith({ tools: [toolNamed('count', () => ok()), check.tool] });
    const wait = { kind: 'wait', id: 'w', needs: ['a'], for: { kind: 'question', text: 'Well?' } };
    const run = await (await engine.start(graphOf([...nodes, wait], { edges }), { id: 'r' })).done;
    expect([...run.waits.keys()]).toEqual(['r.w.1.w0']);
    expect(dataOf(events, 'wait.closed')).toMatchObject([
      { wait: 'r.w.0.w0', answer: { verdict: 'cancelled', by: 'oka' } },
    ]);
  });

  it('ways back that are held up at the same time share the budget', async () => {
    const gate = latch();
    const slow = noting('slow', async () => (await gate.promise, ok()));
    const { engine } = engineWith({ tools: [slow.tool, toolNamed('look', () => ok({ again: true }))] });
    const part = (at: number): object[] => [
      tool(`a${at}`, 'look'),
      tool(`b${at}`, 'look', { needs: [`a${at}`] }),
      tool(`c${at}`, 'slow', { needs: [`a${at}`] }),
    ];
    const back = [1, 2].map((at) => ({ from: `b${at}`, to: `a${at}`, when: { field: 'again', equals: true }, max: 1 }));
    const { done } = await engine.start(graphOf([...part(1), ...part(2)], { edges: back }), {
      id: 'r',
      budgets: { replans: 1 },
    });
    await quiet();
    gate.resolve();
    const run = await done;
    expect(run.status).toBe('failed');
    expect(run.spent.replans).toBeLessThanOrEqual(1);
  });

  it('a way back that leads to itself without a single call comes to its limit', async () => {
    const { engine } = engineWith({ tools: [toolNamed('look', () => ok())] });
    const map = { kind: 'map', id: 'm', over: 'no list', each: tool('x', 'look'), on_error: 'fallback', fallback: 0 };
    const self = [{ from: 'm', to: 'm', when: { field: '', equals: 0 }, max: 2 }];
    const run = await (await engine.start(graphOf([map], { edges: self }), { id: 'r' })).done;
    expect(run).toMatchObject({ status: 'failed', reason: expect.stringContaining('went back to m 2 times') });
  });

  it('what a planner thought about a visit that is over is dropped', async () => {
    const gates = [latch(), latch()];
    let asked = 0;
    const { engine, events } = engineWith({
      tools: [toolNamed('count', () => ok()), noting('check', (_, times) => ok({ again: times === 1 })).tool],
      planner: {
        decide: async () => {
          const mine = (asked += 1);
          await gates[mine - 1]?.promise;
          return { kind: 'Finish', output: `thought ${mine}`, rationale: '' };
        },
      },
    });
    const { done } = await engine.start(
      graphOf([...nodes, { kind: 'agent', id: 'c', goal: 'x', needs: ['a'] }], { edges }),
      { id: 'r' },
    );
    await quiet();
    gates.forEach(({ resolve }) => resolve());
    expect(await done).toMatchObject({ status: 'done', output: { c: 'thought 2' } });
    expect(dataOf(events, 'decision.made')).toHaveLength(1);
  });
});

describe('waiting', () => {
  it('a run rests while it waits for a person and goes on with the answer', async () => {
    const { engine, events } = engineWith({ tools: [toolNamed('echo', (input) => ok(input))] });
    const nodes = [
      { kind: 'wait', id: 'w', for: { kind: 'question', text: 'Which?' } },
      tool('a', 'echo', { needs: ['w'] }),
    ];
    const resting = await (await engine.start(graphOf(nodes), { id: 'r' })).done;
    expect(resting).toMatchObject({ status: 'blocked' });
    const run = await (await engine.answer('r', 'r.w.0.w0', { verdict: 'answered', text: 'this' })).done;
    expect(run).toMatchObject({ status: 'done', output: 'this' });
    expect(dataOf(events, 'wait.closed')).toHaveLength(1);
  });

  it('an answer that refuses fails the node', async () => {
    const { engine } = engineWith({});
    await (
      await engine.start(graphOf([{ kind: 'wait', id: 'w', for: { kind: 'question', text: 'Which?' } }]), { id: 'r' })
    ).done;
    expect(await (await engine.answer('r', 'r.w.0.w0', { verdict: 'denied', text: 'none' })).done).toMatchObject({
      status: 'failed',
      reason: 'w: question denied: none',
    });
  });

  it('a timer ends by itself', async () => {
    const { engine, time } = engineWith({});
    const until = new Date(time.now + 60_000).toISOString();
    const run = await (
      await engine.start(graphOf([{ kind: 'wait', id: 'w', for: { kind: 'timer', until } }]), { id: 'r' })
    ).done;
    expect(run.status).toBe('done');
    expect(time.now).toBe(Date.parse(until));
  });

  it('an answer to what is not awaited, or to a run that is over, is refused and leaves no trace', async () => {
    const { engine, events } = engineWith({ tools: [toolNamed('bad', () => failed('no'))] });
    const nodes = [
      { kind: 'wait', id: 'w', for: { kind: 'question', text: 'x' } },
      { kind: 'wait', id: 'v', for: { kind: 'question', text: 'x' } },
    ];
    await (await engine.start(graphOf(nodes), { id: 'r' })).done;
    await expect(engine.answer('r', 'r.x.0.w0', { verdict: 'answered' })).rejects.toMatchObject({
      code: 'no-such-wait',
    });
    await expect(engine.answer('r', 'r.w.0.w0', { verdict: 'maybe' as 'denied' })).rejects.toMatchObject({
      code: 'invalid-event',
    });
    await (await engine.answer('r', 'r.w.0.w0', { verdict: 'denied' })).done;
    const before = events.length;
    await expect(engine.answer('r', 'r.v.0.w0', { verdict: 'answered' })).rejects.toMatchObject({
      code: 'run-is-over',
    });
    expect(events).toHaveLength(before);
  });

  it('an answer of the wrong shape does not hurt a run that is at work', async () => {
    const gate = latch<Outcome>();
    const { engine } = engineWith({ tools: [toolNamed('slow', () => gate.promise)] });
    const nodes = [{ kind: 'wait', id: 'w', for: { kind: 'question', text: 'x' } }, tool('a', 'slow')];
    const { done } = await engine.start(graphOf(nodes), { id: 'r' });
    await quiet();
    const wrong = engine.answer('r', 'r.w.0.w0', { verdict: 'maybe' as 'denied' });
    await expect(wrong).rejects.toMatchObject({ code: 'invalid-event' });
    gate.resolve(ok());
    expect(await done).toMatchObject({ status: 'blocked' });
  });

  it('two answers at once make one run go on once', async () => {
    const write = noting('write', () => ok(), { class: 'write_local' });
    const { engine, events } = engineWith({ tools: [write.tool] });
    const waits = ['v', 'w'].map((id) => ({ kind: 'wait', id, for: { kind: 'question', text: 'x' } }));
    await (await engine.start(graphOf([...waits, tool('a', 'write', { needs: ['v', 'w'] })]), { id: 'r' })).done;
    const drives = await Promise.all(
      ['v', 'w'].map((id) => engine.answer('r', `r.${id}.0.w0`, { verdict: 'answered' })),
    );
    expect(await drives[1]?.done).toMatchObject({ status: 'done' });
    expect(write.inputs).toHaveLength(1);
    expect(dataOf(events, 'wait.closed')).toHaveLength(2);
  });

  it('of two answers to one wait the second is refused', async () => {
    const { engine, events } = engineWith({});
    const nodes = ['v', 'w'].map((id) => ({ kind: 'wait', id, for: { kind: 'question', text: 'x' } }));
    await (await engine.start(graphOf(nodes), { id: 'r' })).done;
    const answers = await Promise.allSettled(
      [1, 2].map((text) => engine.answer('r', 'r.w.0.w0', { verdict: 'answered', text: `${text}` })),
    );
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect(dataOf(events, 'wait.closed')).toHaveLength(1);
  });

  it('R4 an answer that comes while the run lies down to rest is not lost', async () => {
    const { engine } = engineWith({});
    const { done } = await engine.start(graphOf([{ kind: 'wait', id: 'w', for: { kind: 'question', text: 'x' } }]), {
      id: 'r',
    });
    let answered: Awaited<typeof done> | null = null;
    for (let turn = 0; answered === null && turn < 100; turn += 1) {
      await Promise.resolve();
      answered = await engine.answer('r', 'r.w.0.w0', { verdict: 'answered', text: 'yes' }).then(
        (drive) => drive.done,
        () => null,
      );
    }
    expect(answered).toMatchObject({ status: 'done', output: 'yes' });
  });
});

describe('stop', () => {
  it('a call that ends when it is told to is cancelled, and a pause is written down', async () => {
    const slow = toolNamed(
      'slow',
      (_, { signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve(failed('killed')))),
    );
    const { engine, events } = engineWith({ tools: [slow], sleep: () => new Promise(() => undefined) });
    await engine.start(graphOf([tool('a', 'slow')]), { id: 'r' });
    await quiet();
    expect(await engine.stop('r', { kind: 'pause', reason: 'lunch' })).toMatchObject({ status: 'paused' });
    expect(dataOf(events, 'call.ended')).toMatchObject([{ status: 'cancelled', error: 'killed' }]);
    expect(dataOf(events, 'run.paused')).toEqual([{ reason: 'lunch' }]);
  });

  it('a call that ignores the signal is given up when the grace is over', async () => {
    const { promise: patience, resolve: loseIt } = latch();
    const waited: number[] = [];
    const { engine, events } = engineWith({
      tools: [toolNamed('deaf', () => new Promise(() => undefined))],
      sleep: (ms) => {
        waited.push(ms);
        return patience;
      },
    });
    await engine.start(graphOf([tool('a', 'deaf')]), { id: 'r' });
    await quiet();
    const stopped = engine.stop('r', { kind: 'stop', reason: 'the process ends' });
    await quiet();
    expect(dataOf(events, 'call.ended')).toEqual([]);
    loseIt();
    expect(await stopped).toMatchObject({ status: 'running' });
    expect(waited).toEqual([1500]);
    expect(dataOf(events, 'call.ended')).toMatchObject([{ status: 'cancelled', error: 'stopped before it ended' }]);
  });

  it('a run that is cancelled is over', async () => {
    const { engine, events } = engineWith({});
    await (await engine.start(graphOf([{ kind: 'wait', id: 'w', for: { kind: 'question', text: 'x' } }]), { id: 'r' }))
      .done;
    expect(await engine.stop('r', { kind: 'cancel', reason: 'not needed' })).toMatchObject({ status: 'cancelled' });
    await expect(engine.resume('r')).rejects.toMatchObject({ code: 'run-is-over' });
    await expect(engine.stop('r', { kind: 'pause', reason: 'x' })).rejects.toMatchObject({ code: 'run-is-over' });
    await expect(engine.stop('nobody', { kind: 'pause', reason: 'x' })).rejects.toMatchObject({ code: 'no-such-run' });
    expect(events.at(-1)).toMatchObject({ type: 'run.ended', data: { status: 'cancelled', reason: 'not needed' } });
  });

  it('a cancellation is not lost behind a stop', async () => {
    const { engine } = engineWith({ tools: [toolNamed('deaf', () => new Promise(() => undefined))] });
    await engine.start(graphOf([tool('a', 'deaf')]), { id: 'r' });
    await quiet();
    const [, cancelled] = await Promise.all([
      engine.stopAll('the process ends'),
      engine.stop('r', { kind: 'cancel', reason: 'x' }),
    ]);
    expect(cancelled.status).toBe('cancelled');
  });
});

describe('resume', () => {
  it('G3 a run that was stopped or paused goes on, and what only reads is repeated', async () => {
    const look = noting('look', (_, times) => (times === 1 ? new Promise<Outcome>(() => undefined) : ok('seen')));
    const { engine, events } = engineWith({ tools: [look.tool] });
    await engine.start(graphOf([tool('a', 'look')]), { id: 'r' });
    await quiet();
    await engine.stop('r', { kind: 'pause', reason: 'x' });
    const run = await (await engine.resume('r', { reason: 'go' })).done;
    expect(run).toMatchObject({ status: 'done', output: 'seen' });
    expect(dataOf(events, 'run.resumed')).toMatchObject([{ reason: 'go' }]);
    expect(dataOf(events, 'call.started').map(({ call }) => call)).toEqual(['r.a.0.1', 'r.a.0.2']);
  });

  it('an answer does not wake a run that a person has paused', async () => {
    const look = noting('look');
    const { engine } = engineWith({ tools: [look.tool] });
    const nodes = [
      { kind: 'wait', id: 'w', for: { kind: 'question', text: 'x' } },
      tool('a', 'look', { needs: ['w'] }),
    ];
    await (await engine.start(graphOf(nodes), { id: 'r' })).done;
    await engine.stop('r', { kind: 'pause', reason: 'x' });
    expect(await (await engine.answer('r', 'r.w.0.w0', { verdict: 'answered' })).done).toMatchObject({
      status: 'paused',
    });
    expect(look.inputs).toEqual([]);
    expect(await (await engine.resume('r')).done).toMatchObject({ status: 'done' });
  });

  it('a run that is at work is not started twice', async () => {
    const gate = latch<Outcome>();
    const { engine, events } = engineWith({ tools: [toolNamed('slow', () => gate.promise)] });
    const { done } = await engine.start(graphOf([tool('a', 'slow')]), { id: 'r' });
    const again = await engine.resume('r');
    gate.resolve(ok());
    expect(await again.done).toBe(await done);
    expect(dataOf(events, 'run.resumed')).toEqual([]);
    await expect(engine.resume('r')).rejects.toMatchObject({ code: 'run-is-over' });
    await expect(engine.resume('nobody')).rejects.toMatchObject({ code: 'no-such-run' });
  });

  it('a run that rests is read from its snapshot and the events since, by another engine, too', async () => {
    const artifacts = memoryArtifacts();
    const runs = memoryRuns();
    const { engine, events } = engineWith({ stores: { artifacts, runs } });
    await (await engine.start(graphOf([{ kind: 'wait', id: 'w', for: { kind: 'question', text: 'x' } }]), { id: 'r' }))
      .done;
    const read: number[] = [];
    const other = engineWith({
      stores: {
        artifacts,
        runs,
        events: {
          stage: () => {
            throw new Error('not needed');
          },
          flush: async () => undefined,
          read: ({ from = 1 }) => (read.push(from), events.filter(({ seq }) => seq >= from)),
        },
      },
    });
    expect(await other.engine.stateOf('r')).toEqual(await engine.stateOf('r'));
    expect(read).toEqual([3]);
  });
});

describe('a call in doubt', () => {
  /** A run that was stopped in the middle of one call. */
  async function stoppedIn(kind: Parameters<typeof toolNamed>[2], options: Partial<EngineOptions> = {}) {
    const act = noting(
      'act',
      (_, times) => (times === 1 ? new Promise<Outcome>(() => undefined) : ok('done again')),
      kind,
    );
    const seen = engineWith({ tools: [act.tool], ...options });
    await seen.engine.start(graphOf([tool('a', 'act', { title: 'The act' })]), { id: 'r' });
    await quiet();
    await seen.engine.stop('r', { kind: 'stop', reason: 'x' });
    return { ...seen, inputs: act.inputs };
  }

  it.each([
    ['only reads', { class: 'read' }],
    ['writes locally and is idempotent', { class: 'write_local', annotations: { idempotent: true } }],
  ] as const)('D3 is repeated when it %s', async (_, kind) => {
    const { engine, inputs } = await stoppedIn(kind);
    expect(await (await engine.resume('r')).done).toMatchObject({ status: 'done', output: 'done again' });
    expect(inputs).toHaveLength(2);
  });

  it.each([
    ['writes locally', { class: 'write_local' }],
    [
      'changes the world outside, even if it is idempotent',
      { class: 'external_mutation', annotations: { idempotent: true } },
    ],
  ] as const)('D3 is asked about when it %s', async (_, kind) => {
    const { engine, inputs } = await stoppedIn(kind);
    const run = await (await engine.resume('r')).done;
    expect([...run.waits.values()]).toMatchObject([
      {
        for: {
          kind: 'question',
          text: expect.stringContaining('The act: act was in progress when work stopped'),
          options: ['done', 'repeat', 'fail'],
        },
      },
    ]);
    expect(inputs).toHaveLength(1);
  });

  it('D3 is asked about at once when its tool could not see how it ended, although nobody stopped it', async () => {
    const unseen: Outcome = { status: 'cancelled', error: 'the worker stood still', unseen: true };
    const act = noting('act', () => unseen, { class: 'write_local' });
    const { engine } = engineWith({ tools: [act.tool] });
    const run = await (await engine.start(graphOf([tool('a', 'act')]), { id: 'r' })).done;
    expect([...run.waits.values()]).toMatchObject([{ for: { kind: 'question', options: ['done', 'repeat', 'fail'] } }]);
    expect(act.inputs).toHaveLength(1);
  });

  it('D3 is asked about when it broke off, unless it only reads: that has failed', async () => {
    const broken: Outcome = { status: 'failed', error: 'the connection was cut', unseen: true };
    const runOf = async (effect: 'read' | 'external_mutation') => {
      const act = noting('act', () => broken, { class: effect });
      const { engine } = engineWith({ tools: [act.tool] });
      return await (await engine.start(graphOf([tool('a', 'act')]), { id: 'r' })).done;
    };
    const { status, waits } = await runOf('external_mutation');
    expect(status).not.toBe('failed');
    expect([...waits.values()]).toMatchObject([
      { for: { text: expect.stringContaining('the connection was cut'), options: ['done', 'repeat', 'fail'] } },
    ]);
    expect(await runOf('read')).toMatchObject({ status: 'failed' });
  });

  describe('of another machine, where the files stayed that it wrote', () => {
    /** Its witness knows only that. */
    async function takenOver() {
      const witness = async (): Promise<Outcome> => ({
        status: 'cancelled',
        error: 'the former worker may have done it',
        unseen: true,
        elsewhere: true,
      });
      const hung = toolNamed('shell', () => new Promise<Outcome>(() => undefined), { class: 'external_mutation' });
      const stores = { artifacts: memoryArtifacts() };
      const before = engineWith({ tools: [hung], stores });
      await before.engine.start(graphOf([tool('a', 'shell', { input: { line: 'x', net: true } })]), { id: 'r' });
      await quiet();
      const act = noting('shell', () => ok('done again'), { class: 'external_mutation' });
      const seen = engineWith({ tools: [act.tool], witness, stores }, [...before.events]);
      const run = await (await seen.engine.resume('r')).done;
      return { ...seen, inputs: act.inputs, asked: [...run.waits.values()].map((wait) => wait.for) };
    }

    it('a person is asked about the files, too', async () => {
      const { asked } = await takenOver();
      expect(asked).toMatchObject([{ kind: 'question', options: ['done', 'files', 'wait', 'repeat', 'fail'] }]);
      expect(JSON.stringify(asked)).toContain('What it wrote there is not here.');
    });

    it('files: it is repeated without the network', async () => {
      const { engine, inputs } = await takenOver();
      const answered = await engine.answer('r', 'r.a.0.w0', { verdict: 'answered', text: 'files' });
      expect(await answered.done).toMatchObject({ status: 'done', output: 'done again' });
      expect(inputs).toEqual([{ line: 'x', net: false, offline: true }]);
    });

    it('wait: it asks for the files, and goes on when somebody has brought them', async () => {
      const { engine, inputs } = await takenOver();
      const waiting = await (await engine.answer('r', 'r.a.0.w0', { verdict: 'answered', text: 'wait' })).done;
      const [wait] = waiting.waits.entries();
      expect(wait?.[1]).toMatchObject({
        for: { options: ['done', 'fail'], text: expect.stringContaining('Put the files') },
      });
      const answered = await engine.answer('r', wait?.[0] ?? '', { verdict: 'answered', text: 'done' });
      expect(await answered.done).toMatchObject({ status: 'done' });
      expect(inputs).toEqual([]);
    });
  });

  it.each([
    ['done', 1, { status: 'done', output: null }],
    ['repeat', 2, { status: 'done', output: 'done again' }],
    ['fail', 1, { status: 'failed', reason: 'a: a person ended a call in doubt' }],
    ['whatever', 1, { status: 'failed' }],
  ])('%s: the person decides', async (text, times, outcome) => {
    const { engine, inputs } = await stoppedIn({ class: 'external_mutation' });
    await (await engine.resume('r')).done;
    expect(await (await engine.answer('r', 'r.a.0.w0', { verdict: 'answered', text })).done).toMatchObject(outcome);
    expect(inputs).toHaveLength(times);
  });

  it.each([
    ['done', ['first', 'second']],
    ['repeat', ['first', 'first', 'second']],
    ['fail', ['first']],
  ])('%s: in a turn with several calls the person decides about this one, and the next follows', async (text, made) => {
    const inputs: Json[] = [];
    const send = toolNamed(
      'send',
      (input) => (inputs.push(input), inputs.length === 1 ? new Promise<Outcome>(() => undefined) : ok()),
      { class: 'external_mutation' },
    );
    const also = [{ tool: 'send', input: 'second' }];
    const decide = ({ turn }: PlannerInput): Decision =>
      turn === 0
        ? { kind: 'CallTool', tool: 'send', input: 'first', also, rationale: '' }
        : { kind: 'Finish', output: null, rationale: '' };
    const { engine } = engineWith({ tools: [send], planner: { decide } });
    await engine.start(graphOf([{ kind: 'agent', id: 'a', goal: 'Send both.' }]), { id: 'r' });
    await quiet();
    await engine.stop('r', { kind: 'stop', reason: 'x' });
    await (await engine.resume('r')).done;
    expect(inputs).toEqual(['first']);
    await (await engine.answer('r', 'r.a.0.w0', { verdict: 'answered', text })).done;
    expect(inputs).toEqual(made);
  });

  it('a witness settles it without a question', async () => {
    const artifacts = memoryArtifacts();
    const hung = noting('act', () => new Promise<Outcome>(() => undefined), { class: 'external_mutation' });
    const before = engineWith({ tools: [hung.tool], stores: { artifacts } });
    await before.engine.start(graphOf([tool('a', 'act')]), { id: 'r' });
    await quiet();
    const asked: string[] = [];
    const witness = async (run: string, { call }: { call: string }): Promise<Outcome> => (
      asked.push(`${run} ${call}`), ok('seen')
    );
    const after = engineWith({ tools: [hung.tool], stores: { artifacts }, witness }, [...before.events]);
    expect(await (await after.engine.resume('r')).done).toMatchObject({ status: 'done', output: 'seen' });
    expect(asked).toEqual(['r r.a.0.1']);
    expect(hung.inputs).toHaveLength(1);
  });
});

describe('a failed run', () => {
  it('G2 stays failed: a linked run keeps what was done, in whatever order the graph names it', async () => {
    const good = noting('good', (input, times) => ok([input, times]));
    const shaky = noting('shaky', (input, times) => (times === 1 ? failed('no') : ok(input)));
    const { engine, events } = engineWith({ tools: [good.tool, shaky.tool] });
    const nodes = [tool('c', 'shaky', { needs: ['b'] }), tool('b', 'good', { needs: ['a'] }), tool('a', 'good')];
    expect(await (await engine.start(graphOf(nodes), { id: 'r', input: 'x', title: 'Work' })).done).toMatchObject({
      status: 'failed',
    });
    const again = await (await engine.resume('r')).done;
    expect(again).toMatchObject({ id: 'r-again', parent: 'r', title: 'Work', status: 'done', output: [['x', 1], 2] });
    expect(good.inputs).toHaveLength(2);
    expect(await engine.stateOf('r')).toMatchObject({ status: 'failed' });
    expect(dataOf(events, 'node.settled').map(({ node, reason }) => [node, reason])).toEqual([
      ['a', 'reused from run r'],
      ['b', 'reused from run r'],
    ]);
  });

  it('resumed twice it leads to the same linked run', async () => {
    const shaky = noting('shaky', (_, times) => (times < 3 ? failed('no') : ok(times)));
    const { engine } = engineWith({ tools: [shaky.tool] });
    await (await engine.start(graphOf([tool('a', 'shaky')]), { id: 'r' })).done;
    const both = await Promise.all([engine.resume('r'), engine.resume('r')]);
    expect(both.map(({ run }) => run.id)).toEqual(['r-again', 'r-again']);
    expect(await both[0]?.done).toMatchObject({ status: 'failed' });
    expect((await (await engine.resume('r')).done).id).toBe('r-again-again');
    expect(shaky.inputs).toHaveLength(3);
  });

  it('items of a map that are done are kept, too', async () => {
    const each = noting('each', (input, times) => (times === 2 ? failed('no') : ok(input)));
    const { engine } = engineWith({ tools: [each.tool, toolNamed('list', () => ok([1, 2, 3]))] });
    const nodes = [
      { kind: 'map', id: 'm', needs: ['a'], over: '{{a}}', parallel: 1, each: tool('x', 'each') },
      tool('a', 'list'),
      { kind: 'map', id: 'n', needs: ['m'], over: '{{m}}', each: tool('x', 'each') },
    ];
    await (await engine.start(graphOf(nodes), { id: 'r' })).done;
    expect(each.inputs).toEqual([1, 2]);
    expect(await (await engine.resume('r')).done).toMatchObject({ status: 'done', output: [1, 2, 3] });
    expect(each.inputs).toEqual([1, 2, 2, 3, 1, 2, 3]);
  });

  it('D3 what is known of a call in doubt is known in the linked run', async () => {
    const lost: Outcome = { status: 'cancelled', error: 'frozen', unseen: true, elsewhere: true };
    const shell = noting('shell', () => lost, { class: 'external_mutation' });
    const gate = latch<Outcome>();
    const shaky = noting('shaky', (_, times) => (times === 1 ? gate.promise : ok()));
    const { engine } = engineWith({ tools: [shell.tool, shaky.tool] });
    const nodes = [tool('a', 'shell', { input: { line: 'x' } }), tool('b', 'shaky')];
    const { done } = await engine.start(graphOf(nodes), { id: 'r' });
    await quiet();
    gate.resolve(failed('no'));
    expect(await done).toMatchObject({ status: 'failed', reason: 'b: no' });
    const next = await (await engine.resume('r')).done;
    const asked = { options: ['done', 'files', 'wait', 'repeat', 'fail'], text: expect.stringContaining('(frozen)') };
    expect([...next.waits.values()]).toMatchObject([{ node: 'a', for: asked }]);
    expect(shell.inputs).toHaveLength(1);
  });

  it('D3 a call that was under way when the run failed is still in doubt in the linked run', async () => {
    const send = noting(
      'send',
      (_, times) => (times === 1 ? new Promise<Outcome>(() => undefined) : ok('sent twice')),
      { class: 'external_mutation' },
    );
    const gate = latch<Outcome>();
    const { engine } = engineWith({
      tools: [send.tool, noting('shaky', (_, times) => (times === 1 ? gate.promise : ok())).tool],
    });
    await engine.start(graphOf([tool('a', 'send'), tool('b', 'shaky')]), { id: 'r' });
    await quiet();
    gate.resolve(failed('no'));
    await quiet();
    await engine.stop('r', { kind: 'stop', reason: 'x' });
    expect(await (await engine.resume('r')).done).toMatchObject({ status: 'failed', reason: 'b: no' });
    const next = await (await engine.resume('r')).done;
    expect([...next.waits.values()]).toMatchObject([{ node: 'a', for: { options: ['done', 'repeat', 'fail'] } }]);
    expect(send.inputs).toHaveLength(1);
    expect(
      await (await engine.answer(next.id, 'r-again.a.0.w0', { verdict: 'answered', text: 'done' })).done,
    ).toMatchObject({ status: 'done' });
  });
});

describe('runs inside runs', () => {
  const outer = graphOf([{ kind: 'graph', id: 'a', graph: 'inner', input: { x: '{{input}}' } }], { id: 'outer' });
  const echo = toolNamed('echo', (input) => ok(input));

  it('a graph node gives what its child gave', async () => {
    const { engine, events } = nested({ inner: graphOf([tool('b', 'echo')], { id: 'inner' }) }, [echo]);
    const run = await (await engine.start(outer, { id: 'r', input: 5 })).done;
    expect(run).toMatchObject({ status: 'done', output: { x: 5 } });
    expect(dataOf(events, 'run.started')).toMatchObject([{ depth: 0 }, { depth: 1, parent: 'r', input: { x: 5 } }]);
  });

  it('a child that fails fails its node, and an unknown graph does', async () => {
    const { engine } = nested({ inner: graphOf([tool('b', 'bad')], { id: 'inner' }) }, [
      toolNamed('bad', () => failed('no')),
    ]);
    expect(await (await engine.start(outer, { id: 'r' })).done).toMatchObject({
      status: 'failed',
      reason: expect.stringMatching(/^a: child cancelled: run r\.a\.0\.0-\w{8} failed: b: no$/),
    });
    const unknown = nested({}, []);
    expect(await (await unknown.engine.start(outer, { id: 'r' })).done).toMatchObject({
      status: 'failed',
      reason: 'a: there is no graph "inner"',
    });
  });

  it('R4 a parent rests while its child waits for a person, and goes on when the child is over', async () => {
    const { engine } = nested(
      { inner: graphOf([{ kind: 'wait', id: 'w', for: { kind: 'question', text: 'x' } }], { id: 'inner' }) },
      [],
    );
    const parent = await (await engine.start(outer, { id: 'r' })).done;
    expect(parent).toMatchObject({ status: 'blocked' });
    const [wait] = parent.waits.values();
    const child = wait?.for.kind === 'child' ? wait.for.run : '';
    await (await engine.answer(child, `${child}.w.0.w0`, { verdict: 'answered', text: 'yes' })).done;
    await quiet();
    expect(await engine.stateOf('r')).toMatchObject({ status: 'done', output: 'yes' });
  });

  it.each([
    [undefined, 8],
    [3, 3],
    [0, 0],
  ])(
    'with a depth of %s at most %i runs lie inside each other, whatever the graphs inside say',
    async (depth, most) => {
      const graph = graphOf([{ kind: 'graph', id: 'a', graph: 'self' }], { id: 'self', budgets: { depth: 100 } });
      const { engine, events } = nested({ self: graph }, []);
      const root = depth === undefined ? {} : { budgets: { depth } };
      expect(await (await engine.start(graph, { id: 'r', ...root })).done).toMatchObject({
        status: 'failed',
        reason: expect.stringContaining(`runs may be nested at most ${most} deep`),
      });
      expect(Math.max(...dataOf(events, 'run.started').map(({ depth }) => depth))).toBe(most);
    },
  );

  it('repeating a call that starts a run finds the run it had started', async () => {
    const graphs = { inner: graphOf([tool('b', 'echo')], { id: 'inner' }) };
    const artifacts = memoryArtifacts();
    const before = nested(graphs, [echo], { artifacts });
    await (await before.engine.start(outer, { id: 'r', input: 1 })).done;
    const upTo = before.events.findIndex(({ type, run }) => type === 'run.ended' && run !== 'r');
    const crashed = before.events
      .slice(0, upTo + 1)
      .filter(({ type, run }) => run !== 'r' || type === 'run.started' || type === 'call.started');
    const after = nested(
      graphs,
      [echo],
      { artifacts },
      crashed.map((event, at) => ({ ...event, seq: at + 1 })),
    );
    expect(await (await after.engine.resume('r')).done).toMatchObject({ status: 'done', output: { x: 1 } });
    expect(dataOf(after.events, 'run.started')).toHaveLength(2);
  });
});

describe('agents', () => {
  const agent = (rest: object = {}): Graph => graphOf([{ kind: 'agent', id: 'a', goal: 'Find {{input}}.', ...rest }]);

  it('goes through the states, calls tools, asks and finishes', async () => {
    const look = noting('look', () => ok('the key'));
    const write = noting('write', () => ok(), { class: 'write_local' });
    const script = [
      { kind: 'Transition', to: 'explore', rationale: 'look first' },
      { kind: 'CallTool', tool: 'look', input: { at: 'desk' }, rationale: '' },
      { kind: 'Transition', to: 'decide', rationale: '' },
      { kind: 'AskHuman', question: 'Take it?', options: ['yes', 'no'], rationale: '' },
      { kind: 'Transition', to: 'act', rationale: '' },
      { kind: 'CallTool', tool: 'write', input: 1, rationale: '' },
      { kind: 'Finish', output: 'taken', rationale: 'it is there' },
    ] satisfies Decision[];
    const goals: string[] = [];
    const { engine } = engineWith({
      tools: [look.tool, write.tool],
      planner: {
        decide: ({ turn, goal }) => (goals.push(goal), script[turn] ?? { kind: 'Fail', reason: 'over', rationale: '' }),
      },
    });
    const resting = await (await engine.start(agent(), { id: 'r', input: 'the key' })).done;
    expect([...resting.waits.values()]).toMatchObject([
      { for: { kind: 'question', text: 'Take it?', options: ['yes', 'no'] } },
    ]);
    const run = await (await engine.answer('r', 'r.a.0.w0', { verdict: 'answered', text: 'yes' })).done;
    expect(run).toMatchObject({ status: 'done', output: 'taken' });
    expect(run.nodes[0]?.agent?.evidence.map(({ outcome, output }) => [outcome, output])).toEqual([
      [null, null],
      ['ok', 'the key'],
      [null, null],
      ['ok', 'yes'],
      [null, null],
      ['ok', null],
      [null, null],
    ]);
    expect(new Set(goals)).toEqual(new Set(['Find the key.']));
    expect(write.inputs).toEqual([1]);
  });

  it('a call that is not allowed, beside calls that are, is denied and does not end the step', async () => {
    const made: string[] = [];
    const look = toolNamed('look', () => (made.push('look'), ok('seen')));
    const fly = toolNamed('fly', () => (made.push('fly'), ok('flown')));
    const both = { kind: 'CallTool', tool: 'look', input: null, rationale: '', also: [{ tool: 'fly', input: null }] };
    const { engine, events } = engineWith({
      tools: [look, fly],
      middleware: [eligible()],
      planner: {
        decide: ({ turn }) =>
          (turn < 5 ? { ...both, input: turn } : { kind: 'Finish', output: 1, rationale: '' }) as never,
      },
    });
    expect(await (await engine.start(agent({ tools: ['look'] }), { id: 'r' })).done).toMatchObject({ status: 'done' });
    expect(made).toEqual(['look', 'look', 'look', 'look', 'look']);
    expect(dataOf(events, 'decision.rejected')).toEqual([]);
  });

  it.each([
    ['is no decision', { kind: 'Guess' }, 'not a decision'],
    [
      'names a tool that is not eligible',
      { kind: 'CallTool', tool: 'fly', input: null, rationale: '' },
      '"fly" may not be called here',
    ],
    [
      'goes where no way leads',
      { kind: 'Transition', to: 'act', rationale: '' },
      'there is no transition from intake to act',
    ],
  ])('an answer that %s is told back twice, then the node fails', async (_, answer, problem) => {
    const problems: (string | null)[] = [];
    const { engine, events } = engineWith({
      tools: [toolNamed('look', () => ok())],
      planner: { decide: (input) => (problems.push(input.problem), answer as never) },
    });
    const run = await (await engine.start(agent(), { id: 'r' })).done;
    const mild = await (await engine.start(agent({ on_error: 'fallback', fallback: 0 }), { id: 'mild' })).done;
    expect(run).toMatchObject({ status: 'failed', reason: expect.stringContaining(problem) });
    expect(mild).toMatchObject({ status: 'done', output: 0 });
    expect(problems.slice(0, 2)).toEqual([null, expect.stringContaining(problem)]);
    expect(dataOf(events, 'decision.rejected')).toHaveLength(6);
  });

  it.each([
    ['throws', () => Promise.reject(new Error('no tokens')), 'a: the planner failed: no tokens'],
    ['cannot be asked', () => ({ failed: 'answered 401' }), 'a: the model could not be asked: answered 401'],
    ['is not there', undefined, 'a: there is no planner'],
  ])('a planner that %s fails the node, or leads to its fallback', async (_, decide, reason) => {
    const options = decide === undefined ? {} : { planner: { decide } };
    const { engine } = engineWith(options);
    const mild = await (await engine.start(agent({ on_error: 'fallback', fallback: 'instead' }), { id: 'mild' })).done;
    const hard = await (await engine.start(agent(), { id: 'hard' })).done;
    expect(mild).toMatchObject({ status: 'done', output: 'instead' });
    expect(hard).toMatchObject({ status: 'failed', reason });
  });

  it('an agent that is stuck fails, or takes its fallback', async () => {
    const planner = {
      decide: ({ state }: { state: string }) =>
        state === 'intake'
          ? ({ kind: 'Transition', to: 'explore', rationale: '' } as const)
          : ({ kind: 'CallTool', tool: 'look', input: 1, rationale: '' } as const),
    };
    const { engine } = engineWith({ tools: [toolNamed('look', () => ok('same'))], planner });
    expect(await (await engine.start(agent(), { id: 'r1' })).done).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('going round in circles'),
    });
    expect(await (await engine.start(agent({ on_error: 'fallback', fallback: 0 }), { id: 'r2' })).done).toMatchObject({
      status: 'done',
      output: 0,
    });
  });

  it('a call that is denied or fails is something to learn from, not the end', async () => {
    const script = [
      { kind: 'Transition', to: 'explore', rationale: '' },
      { kind: 'CallTool', tool: 'bad', input: null, rationale: '' },
      { kind: 'Finish', output: null, rationale: '' },
    ] as const;
    const { engine } = engineWith({
      tools: [toolNamed('bad', () => failed('not there'))],
      planner: { decide: ({ turn }) => script[turn] ?? script[2] },
    });
    const run = await (await engine.start(agent(), { id: 'r' })).done;
    expect(run.status).toBe('done');
    expect(run.nodes[0]?.agent?.evidence[1]).toMatchObject({ outcome: 'failed', error: 'not there' });
  });
});

describe('budgets', () => {
  const chainOf = (tools: readonly Tool[]) =>
    standardChain({ tools, clock: () => 0, sleep: async () => undefined, judge: () => ({ effect: 'allow', why: '' }) });

  it('of calls that start together, as many are made as the budget allows', async () => {
    const look = noting('look');
    const { engine } = engineWith({ tools: [look.tool], middleware: chainOf([look.tool]) });
    const nodes = ['a', 'b', 'c'].map((id) => tool(id, 'look', { on_error: 'fallback', fallback: 'denied' }));
    expect(await (await engine.start(graphOf(nodes), { id: 'r', budgets: { tool_calls: 2 } })).done).toMatchObject({
      output: { a: null, b: null, c: 'denied' },
    });
    expect(look.inputs).toHaveLength(2);
  });

  it('calls that are tried again at the same time share the budget for retries', async () => {
    const bad = noting('bad', () => failed('no'));
    const { engine } = engineWith({ tools: [bad.tool], middleware: chainOf([bad.tool]) });
    const nodes = ['a', 'b', 'c'].map((id) => tool(id, 'bad', { max_retries: 5, on_error: 'fallback', fallback: 0 }));
    const run = await (await engine.start(graphOf(nodes), { id: 'r', budgets: { retries: 2 } })).done;
    expect(run.spent).toMatchObject({ retries: 2, tool_calls: 5 });
  });

  it('an attempt that failed has cost what it has cost: another is made only if it can be paid for', async () => {
    const usage = { tokens_in: 30, tokens_out: 10 };
    const costly = noting('costly', () => ({ status: 'failed', error: 'no', usage }), { estimate: () => usage });
    const { engine } = engineWith({ tools: [costly.tool], middleware: chainOf([costly.tool]) });
    const run = await (
      await engine.start(graphOf([tool('a', 'costly', { max_retries: 5 })]), { id: 'r', budgets: { tokens: 100 } })
    ).done;
    expect(run.spent.tokens).toBe(80);
  });

  it('a call that is asked about counts when it is made', async () => {
    const write = noting('write', () => ok(), { class: 'write_local' });
    const middleware = standardChain({ tools: [write.tool], clock: () => 0, sleep: async () => undefined });
    const { engine } = engineWith({ tools: [write.tool], middleware });
    await (await engine.start(graphOf([tool('a', 'write')]), { id: 'r', budgets: { tool_calls: 1 } })).done;
    expect(await (await engine.answer('r', 'r.a.0.w0', { verdict: 'approved' })).done).toMatchObject({
      status: 'done',
      spent: { tool_calls: 1 },
    });
  });

  it('only the time that a run is at work counts, whether it rests, is stopped or goes on', async () => {
    const slow = noting('slow', (_, times) => {
      seen.time.now += 4000;
      return times === 2 ? new Promise<Outcome>(() => undefined) : ok();
    });
    const seen = engineWith({ tools: [slow.tool], sleep: async () => undefined });
    const wait = { kind: 'wait', id: 'w', needs: ['a'], for: { kind: 'question', text: 'x' } };
    await (
      await seen.engine.start(graphOf([tool('a', 'slow'), wait, tool('b', 'slow', { needs: ['w'] })]), { id: 'r' })
    ).done;
    seen.time.now += 1_000_000;
    await seen.engine.answer('r', 'r.w.0.w0', { verdict: 'answered' });
    await quiet();
    await seen.engine.stop('r', { kind: 'stop', reason: 'x' });
    seen.time.now += 1_000_000;
    expect(await (await seen.engine.resume('r')).done).toMatchObject({ status: 'done', activeMs: 12_000 });
  });
});
