import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createEngine } from '../../../src/core/engine/engine.ts';
import { memoryState } from '../../../src/core/engine/graph-state.ts';
import { memoryEvents } from '../../../src/core/engine/in-memory-stores.ts';
import { readGraph } from '../../../src/core/engine/lower.ts';
import { type PathWorld, simulate, type Simulation } from '../../../src/core/engine/simulate-graph.ts';
import { standardChain } from '../../../src/core/chain/chain.ts';
import type { Judge } from '../../../src/core/chain/middleware/authorize.ts';
import type { Graph } from '../../../src/core/schema/graph.ts';
import type { Json } from '../../../src/core/schema/json.ts';
import type { Tool } from '../../../src/core/schema/tool.ts';
import { runTool } from '../../../src/rooms/desk/tools/run-tool.ts';
import { fakeTime, failed, graphOf, ok, toolNamed } from '../../support/engine-fakes.ts';
import { timesOf } from '../../support/thorough.ts';

const tool = (id: string, name: string, rest: object = {}): object => ({ kind: 'tool', id, tool: name, ...rest });
const pathsOf = ({ paths }: Simulation): unknown[] =>
  paths.map(({ conditions, nodes }) => [conditions, nodes.map(({ node }) => node)]);

describe('simulate', () => {
  it('says what the policy would say to each call, and does nothing', async () => {
    const done: string[] = [];
    const act = (name: string) => () => (done.push(name), ok());
    const tools = [
      toolNamed('look', act('look'), { input: z.strictObject({ path: z.string() }) }),
      toolNamed('write', act('write'), { class: 'write_local' }),
      toolNamed('never', act('never'), { class: 'deny' }),
    ];
    const nodes = [
      tool('a', 'look', { input: { path: 'x' } }),
      tool('b', 'look', { input: { path: '{{a.path}}' }, needs: ['a'] }),
      tool('c', 'write', { input: 1 }),
      tool('d', 'never', { input: 1, needs: ['c'] }),
      tool('f', 'look', { input: { path: 'y' }, needs: ['d'] }),
    ];
    const { clock, sleep } = fakeTime();
    const middleware = standardChain({ tools, clock, sleep });
    const seen = await simulate({ tools, clock, sleep, middleware }, graphOf(nodes), null);
    expect(seen.calls.map(({ node, verdict }) => `${node} ${verdict}`).toSorted()).toEqual([
      'a allow',
      'b unclear',
      'c ask',
      'd deny',
    ]);
    expect(seen.isRefused).toBe(true);
    expect(seen.status).toBe('failed');
    expect(seen.calls.find(({ node }) => node === 'b')).toMatchObject({
      input: { path: '‹a.path›' },
      why: 'its input depends on a.path',
    });
    expect(done).toEqual([]);
  });

  it('follows each branch behind an unknown value on a path of its own, with what it assumes', async () => {
    const nodes = [
      tool('fetch', 'look'),
      { kind: 'typed_condition', id: 'cheap', needs: ['fetch'], left: '{{fetch.price}}', operator: 'lt', right: 10 },
      tool('buy', 'look'),
      tool('wait', 'look'),
    ];
    const edges = [
      { from: 'cheap', to: 'buy', when: { field: 'branch', equals: 'true' } },
      { from: 'cheap', to: 'wait', when: { field: 'branch', equals: 'false' } },
    ];
    const { clock, sleep } = fakeTime();
    const seen = await simulate(
      { tools: [toolNamed('look', () => ok())], clock, sleep },
      graphOf(nodes, { edges }),
      {},
    );
    expect(pathsOf(seen)).toEqual([
      [['"‹fetch.price›" lt 10'], ['fetch', 'cheap', 'buy']],
      [['not: "‹fetch.price›" lt 10'], ['fetch', 'cheap', 'wait']],
    ]);
    expect(seen.paths[0]?.unknown[0]).toEqual({ name: 'fetch', why: 'look is not called in a simulation' });
  });

  it('assumes one value of a field at a time, and goes back at most once for an unknown reason', async () => {
    const edges = [
      { from: 'a', to: 'b', when: { field: 'x', equals: 1 } },
      { from: 'a', to: 'c', when: { field: 'x', equals: 2 } },
      { from: 'b', to: 'a', when: { field: 'again', equals: true }, max: 5 },
    ];
    const nodes = ['a', 'b', 'c'].map((id) => tool(id, 'look'));
    const { clock, sleep } = fakeTime();
    const seen = await simulate(
      { tools: [toolNamed('look', () => ok())], clock, sleep },
      graphOf(nodes, { edges }),
      {},
    );
    expect(seen.hasMore).toBe(false);
    expect(pathsOf(seen)).toEqual([
      [
        ['‹a.x› is 1', 'not: ‹b.again› is true'],
        ['a', 'b'],
      ],
      [
        ['‹a.x› is 1', '‹b.again› is true', '‹a (2).x› is 1'],
        ['a', 'b'],
      ],
      [
        ['‹a.x› is 1', '‹b.again› is true', 'not: ‹a (2).x› is 1', '‹a (2).x› is 2'],
        ['a', 'c'],
      ],
      [['‹a.x› is 1', '‹b.again› is true', 'not: ‹a (2).x› is 1', 'not: ‹a (2).x› is 2'], ['a']],
      [
        ['not: ‹a.x› is 1', '‹a.x› is 2'],
        ['a', 'c'],
      ],
      [['not: ‹a.x› is 1', 'not: ‹a.x› is 2'], ['a']],
    ]);
  });

  it('answers questions with each option, lets time pass, and shows one item of a list that is not known', async () => {
    const nodes = [
      {
        kind: 'wait',
        id: 'q',
        for: { kind: 'question', text: 'Now?', options: ['yes', 'no'], branch: true, timeout_seconds: 9 },
      },
      { kind: 'wait', id: 't', for: { kind: 'timer', until: '2031-01-01T00:00:00Z' }, needs: ['q'] },
      { kind: 'agent', id: 'list', goal: 'a list', needs: ['t'] },
      {
        kind: 'map',
        id: 'm',
        over: '{{list}}',
        needs: ['list'],
        each: { kind: 'tool', id: 'i', tool: 'look', input: '{{item.name}}' },
      },
      tool('go', 'look', { input: 2 }),
    ];
    const edges = [{ from: 'q', to: 'go', when: { field: 'branch', equals: 'no' } }];
    const { clock, sleep } = fakeTime();
    const seen = await simulate(
      { tools: [toolNamed('look', () => ok())], clock, sleep },
      graphOf(nodes, { edges }),
      {},
    );
    expect(
      seen.paths.map(({ conditions, status, calls }) => [conditions, status, calls.map(({ input }) => input)]),
    ).toEqual([
      [['the answer to "Now?" is yes'], 'done', ['‹list.item.name›']],
      [['the answer to "Now?" is no'], 'done', [2, '‹list.item.name›']],
    ]);
    expect(seen.asks).toEqual([{ node: 'q', text: 'Now?' }]);
  });
});

const names = ['n0', 'n1', 'n2', 'n3', 'n4', 'n5'] as const;
const value = fc.constantFrom<Json>(
  0,
  1,
  2,
  'a',
  [1, 2],
  { x: 1 },
  null,
  '{{input.x}}',
  '{{last}}',
  '{{n0}}',
  '{{n1.x}}',
);

/** Any node that needs no model, behind any of those before it. */
const nodeAt = (index: number): fc.Arbitrary<object> => {
  const id = names[index] ?? 'n';
  const needs = fc.subarray(names.slice(0, index), { maxLength: Math.min(index, 2) });
  const onError = fc.constantFrom({}, { on_error: 'continue' }, { on_error: 'fallback', fallback: 1 });
  const kinds = fc.oneof(
    fc.record({ kind: fc.constant('tool'), tool: fc.constantFrom('pure', 'weak', 'write', 'forbidden'), input: value }),
    fc.record({ kind: fc.constant('transform'), value }),
    fc.record({
      kind: fc.constant('typed_condition'),
      left: value,
      operator: fc.constantFrom('eq', 'ne', 'gt', 'exists', 'is_empty', 'contains'),
      right: value,
    }),
    fc.record({
      kind: fc.constant('map'),
      over: fc.constantFrom('{{last}}', '{{input.list}}'),
      each: fc.constant({ kind: 'tool', id: 'each', tool: 'pure', input: '{{item}}' }),
    }),
    fc.record({ kind: fc.constant('graph'), graph: fc.constant('inner'), input: value }),
  );
  return fc.tuple(kinds, needs, onError).map(([kind, need, error]) => ({ id, needs: need, ...kind, ...error }));
};

const edge = fc.tuple(fc.nat(5), fc.nat(5), fc.constantFrom<Json>('true', 'false', 1, null)).map(([a, b, equals]) => ({
  from: names[a] ?? 'n0',
  to: names[b] ?? 'n0',
  when: { field: typeof equals === 'string' ? 'branch' : '', equals },
  ...(a >= b ? { max: 2 } : {}),
}));

/** One step at a time, so that no call is in progress when another fails. */
const graphs = fc.record({
  parallel: fc.constant(1),
  nodes: fc.tuple(...names.map((_, index) => nodeAt(index))),
  edges: fc.uniqueArray(edge, { maxLength: 5, selector: ({ from, to }) => `${from} ${to}` }),
});

const inner = graphOf([tool('i', 'pure', { input: '{{input}}' })], { id: 'inner' });

/** What each tool gives, in a run and in a simulation. */
const outcomes: Record<string, Tool['invoke']> = {
  pure: async (input) => ok(input),
  weak: async (input) => (input === 1 ? failed('it does not like 1') : ok({ x: input })),
  write: async () => ok({ branch: 'true' }),
  forbidden: async () => ok(null),
};
const classes = { pure: 'read', weak: 'read', write: 'write_local', forbidden: 'deny' } as const;

function toolsFor(start: Parameters<typeof runTool>[0]): Tool[] {
  const own = Object.entries(classes).map(([name, effect]) => ({
    ...toolNamed(name, () => ok(), { class: effect }),
    invoke: outcomes[name] as Tool['invoke'],
  }));
  return [...own, runTool(start)];
}

type Way = { status: string; nodes: [string, string][]; calls: string[] };

/** The way that a run really takes, with everything allowed that a person may allow. */
async function runOf(graph: Graph, input: Json): Promise<Way> {
  const { clock, sleep } = fakeTime();
  const events = memoryEvents(clock);
  const tools = toolsFor(({ graph: id, input: given, call }) => engine.startChild(id, given, call));
  const judge: Judge = ({ class: effect }) =>
    effect === 'deny' ? { effect, why: 'it is never allowed' } : { effect: 'allow', why: '' };
  const middleware = standardChain({ tools, clock, sleep, judge });
  const engine = createEngine({ tools, clock, sleep, middleware, graphs: () => inner, stores: { events } });
  const run = await (await engine.start(graph, { id: 'real', input })).done;
  return {
    status: run.status,
    nodes: run.plan.graph.nodes
      .map(({ id }, index): [string, string] => [id, run.nodes[index]?.status ?? ''])
      .filter(([, status]) => status !== 'skipped' && status !== 'pending'),
    calls: events.all
      .flatMap((event) =>
        event.type === 'call.started'
          ? [`${event.data.node} ${event.data.tool} ${JSON.stringify(event.data.input)}`]
          : [],
      )
      .toSorted(),
  };
}

async function simulationOf(graph: Graph, input: Json): Promise<Way> {
  const { clock, sleep } = fakeTime();
  const tools = toolsFor(() => Promise.reject(new Error('a simulation starts no run this way')));
  const middleware = standardChain({ tools, clock, sleep });
  const open = async (): Promise<PathWorld> => ({
    state: memoryState(),
    answer: async (call) => outcomes[call.tool]?.(call.input, call) ?? { unknown: 'not there' },
  });
  const seen = await simulate({ tools, clock, sleep, middleware, graphs: () => inner }, graph, input, { open });
  expect(seen.paths).toHaveLength(1);
  const [path] = seen.paths;
  return {
    status: path?.status ?? '',
    nodes: graph.nodes.flatMap(({ id }): [string, string][] =>
      (path?.nodes ?? []).filter(({ node }) => node === id).map(({ node, status }) => [node, status]),
    ),
    calls: (path?.calls ?? []).map((call) => `${call.node} ${call.tool} ${JSON.stringify(call.input)}`).toSorted(),
  };
}

describe('a graph without models', () => {
  it('takes the same path with the same calls in a simulation and in a run', async () => {
    const inputs = fc.record({
      x: fc.constantFrom<Json>(0, 1, 'a', null),
      list: fc.constantFrom<Json>([], [1, 2], 'no'),
    });
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(graphs, inputs, async (parts, input) => {
        const { graph, problems } = readGraph({ id: 'g', mode: 'flex', ...parts });
        fc.pre(problems().length === 0);
        compared += 1;
        expect(await simulationOf(graph, input)).toEqual(await runOf(graph, input));
      }),
      { numRuns: timesOf(300, 30) },
    );
    expect(compared).toBeGreaterThanOrEqual(30);
  });
});
