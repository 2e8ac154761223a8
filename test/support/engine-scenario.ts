/** Random worlds for the engine: a graph, its children, budgets, a judge, and when the world stops. */
import * as fc from 'fast-check';
import { checkGraph } from '../../src/core/engine/check-graph.ts';
import { defaultStates, type StateGraph } from '../../src/core/engine/agent-states.ts';
import { Graph } from '../../src/core/schema/graph.ts';
import type { Budgets } from '../../src/core/schema/run.ts';

export type Scenario = {
  graph: Graph;
  child: Graph;
  judge: 'cautious' | 'open';
  states: StateGraph;
  budgets: Budgets;
  /** For each life, after how many steps of the event store it ends. */
  crashes: number[];
  /** A request to stop in the first life, after a number of microtasks. */
  stop: { kind: 'stop' | 'pause' | 'cancel'; after: number } | null;
  /** What is made from the run once it is over: it is resumed if it has failed, else replayed from this node on. */
  link?: { from: number };
  /** Whether there is a model that nodes ask, and that decides about errors (handled-scenario.ts). */
  handles?: boolean;
  /** Decides what tools give, what planners say and what people answer. */
  seed: number;
};

export const toolNames = [
  'look',
  'sum',
  'peek',
  'large',
  'model',
  'note',
  'write',
  'post',
  'send',
  'never',
  'human',
] as const;
/** `limited` fails mostly, in the words that the error handler has rules for. */
export type ToolName = (typeof toolNames)[number] | 'limited';

/** Reads are left to some tools only, and everything in `decide` is asked about. */
const narrowStates: StateGraph = {
  start: 'intake',
  states: {
    ...defaultStates.states,
    explore: { to: ['decide', 'failed'], classes: ['read'], tools: ['look', 'peek', 'human'] },
    act: { to: ['decide', 'validate', 'failed'], classes: ['read', 'write_local'], tools: ['note', 'write', 'look'] },
    validate: { to: ['decide', 'act', 'done', 'failed'], classes: ['read'], ask: true },
  },
};

/** `tools` are those that the nodes call; the more often a name is listed, the more often it is called. Some nodes may have acceptance. */
export function scenarios(
  fixed: Partial<Scenario> = {},
  tools: readonly ToolName[] = toolNames,
  acceptance: 'accepting' | 'plain' = 'plain',
): fc.Arbitrary<Scenario> {
  const record = fc.record({
    graph: graphs('g', tools, 6, acceptance),
    child: graphs('child', tools, 2, acceptance),
    judge: fc.constantFrom('cautious' as const, 'open' as const),
    states: fc.constantFrom(defaultStates, narrowStates),
    budgets: seldom({}, tightBudgets),
    crashes: fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 4 }),
    stop: seldom(null, fc.record({ kind: fc.constantFrom('stop', 'pause', 'cancel'), after: fc.nat(100) })),
    seed: fc.nat(),
  });
  return record.map((scenario) => ({ ...scenario, ...fixed }));
}

/** Runs of which another is made, in all modes, some with pinned nodes. */
export function linkedScenarios(
  fixed: Partial<Scenario> = {},
  tools: readonly ToolName[] = toolNames,
): fc.Arbitrary<Scenario> {
  const more = fc.record({
    mode: fc.constantFrom('flex' as const, 'bounded' as const, 'strict' as const),
    pinned: seldom(null, fc.nat(5)),
    from: fc.nat(5),
  });
  return fc.tuple(scenarios(fixed, tools), more).map(([scenario, { mode, pinned, from }]) => ({
    ...scenario,
    graph: withPin(withMode(scenario.graph, mode), pinned),
    link: { from },
  }));
}

/** A strict graph has no agents and no pins. */
function withMode(graph: Graph, wanted: Graph['mode']): Graph {
  const bounded = (node: object): object => ({ timeout_seconds: 600, max_retries: 1, idempotency_key: 'k', ...node });
  const isFree = (node: Graph['nodes'][number]): boolean =>
    node.kind === 'agent' || (node.kind === 'map' && node.each.kind === 'agent');
  const mode = wanted === 'strict' && graph.nodes.some(isFree) ? 'bounded' : wanted;
  const nodes = graph.nodes.map((node) => bounded(node.kind === 'map' ? { ...node, each: bounded(node.each) } : node));
  return Graph.parse({ ...graph, mode, nodes });
}

function withPin(graph: Graph, at: number | null): Graph {
  const node = at === null || graph.mode === 'strict' ? undefined : graph.nodes[at];
  return node === undefined ? graph : { ...graph, pins: { [node.id]: { flag: true, list: [7, 8] } } };
}

export const tightBudgets: fc.Arbitrary<Budgets> = fc.record(
  {
    tool_calls: fc.nat(12),
    retries: fc.nat(3),
    replans: fc.nat(2),
    tokens: fc.nat(60),
    depth: fc.nat(2),
  },
  { requiredKeys: [] },
);

function seldom<T, U>(mostly: T, otherwise: fc.Arbitrary<U>): fc.Arbitrary<T | U> {
  return fc.oneof({ weight: 3, arbitrary: fc.constant(mostly) }, { weight: 1, arbitrary: otherwise });
}

type Spec = {
  kind: 'tool' | 'agent' | 'graph' | 'map' | 'wait' | 'typed_condition' | 'transform';
  tool: ToolName;
  /** Which of the nodes before it are needed, as bits. */
  needs: number;
  input: number;
  retries: number;
  fallback: boolean;
  few: boolean;
  /** How many nodes behind it the one is that follows its failure; 0 = its failure is that of the run. */
  branch: number;
  accepts?: boolean;
};

/** Runs inside runs are for the graph of the root; agents may start further ones. */
function graphs(
  id: 'g' | 'child',
  tools: readonly ToolName[],
  most: number,
  acceptance: 'accepting' | 'plain',
): fc.Arbitrary<Graph> {
  const kinds: Spec['kind'][] = ['tool', 'tool', 'tool', 'agent', 'wait', 'typed_condition', 'transform'];
  const plain: fc.Arbitrary<Spec> = fc.record({
    kind: fc.constantFrom(...kinds, ...(id === 'g' ? (['tool', 'map', 'graph'] as const) : [])),
    tool: fc.constantFrom(...tools),
    needs: fc.nat(63),
    input: fc.nat(2),
    retries: fc.nat(2),
    fallback: fc.boolean(),
    few: fc.boolean(),
    branch: seldom(0, fc.nat(3)),
  });
  const accepting = fc.tuple(plain, seldom(false, fc.constant(true))).map(([node, accepts]) => ({ ...node, accepts }));
  const spec = acceptance === 'accepting' ? accepting : plain;
  const edge = fc.record({
    from: fc.nat(most),
    to: fc.nat(most),
    flag: fc.boolean(),
    max: fc.integer({ min: 1, max: 2 }),
  });
  return fc
    .record({
      specs: fc.array(spec, { minLength: 1, maxLength: most, size: 'max' }),
      edges: fc.array(edge, { maxLength: 3 }),
      parallel: fc.integer({ min: 1, max: 4 }),
    })
    .map(({ specs, edges, parallel }) => {
      const nodes = specs.map(nodeOf);
      const ways = edges
        .filter(({ from, to }) => from < specs.length && to < specs.length)
        .map(({ from, to, flag, max }) => ({
          from: `n${from}`,
          to: to > from ? `n${to}` : (nodes[from]?.needs[to] ?? `n${from}`),
          when: { field: 'flag', equals: flag },
          ...(to > from ? {} : { max }),
        }));
      return withErrorBranches(withSoundEdges(Graph.parse({ id, mode: 'flex', nodes, edges: ways, parallel })), specs);
    });
}

function nodeOf(
  { kind, tool, needs, input, retries, fallback, few, accepts }: Spec,
  index: number,
): { needs: string[] } & Record<string, unknown> {
  const before = Array.from({ length: index }, (_, at) => `n${at}`).filter((_, at) => (needs >> at) % 2 === 1);
  const each = {
    id: `n${index}`,
    max_retries: retries,
    ...(fallback ? { on_error: few ? 'continue' : 'fallback', fallback: { flag: false, list: [4] } } : {}),
    ...(accepts === true ? { acceptance: [`what n${index} leaves`] } : {}),
  };
  const common = { ...each, needs: before, ...(input === 2 ? {} : { input: { x: input } }) };
  const agent = { kind: 'agent', goal: 'whatever', ...(few ? { tools: ['look', 'write', 'send'] } : {}) };
  switch (kind) {
    case 'tool':
      return { ...common, kind, tool };
    case 'agent':
      return { ...common, ...agent };
    case 'graph':
      return { ...common, kind, graph: 'child' };
    case 'map':
      return {
        ...common,
        kind,
        over: before[0] === undefined ? '{{input.list}}' : `{{${before[0]}.list}}`,
        parallel: 1 + input,
        each: [
          { ...each, kind: 'tool', tool, input: { x: '{{item}}' } },
          { ...each, ...agent },
          few
            ? { ...each, acceptance: [], kind: 'typed_condition', left: '{{item}}', operator: 'gt', right: 1 }
            : { ...each, kind: 'graph', graph: 'child' },
        ][input],
      };
    case 'typed_condition':
      return { ...common, acceptance: [], kind, ...conditionOn(before[0], few) };
    case 'transform':
      return { ...common, acceptance: [], kind, ...(few ? {} : { value: { flag: true, list: [before[0] ?? null] } }) };
    case 'wait':
      return {
        ...common,
        kind,
        for: few ? { kind: 'question', text: 'Well?' } : { kind: 'timer', until: '2030-01-01T00:01:00Z' },
      };
  }
}

/** Lets the failure of some nodes lead to a node behind them. */
function withErrorBranches(graph: Graph, specs: readonly Spec[]): Graph {
  const targets = specs.map(({ branch }, index) => (branch === 0 ? undefined : graph.nodes[index + branch]?.id));
  const nodes = graph.nodes.map((node, index) =>
    targets[index] === undefined ? node : { ...node, on_error: `branch:${targets[index]}` as const },
  );
  const edges = graph.nodes.flatMap(({ id: from }, index) => {
    const to = targets[index];
    return to === undefined ? [] : [{ from, to, failed: true as const }];
  });
  return { ...graph, nodes, edges: [...graph.edges, ...edges] };
}

/** A comparison of a flag of the node before, which is an error where that node has none. */
function conditionOn(before: string | undefined, isStrict: boolean): object {
  const left = before === undefined ? '{{input.list.0}}' : `{{${before}.flag}}`;
  const right = before === undefined ? 1 : true;
  return isStrict
    ? { left, operator: 'eq', right }
    : { any: [{ left, operator: 'exists' }, { not: { left, operator: 'ne', right } }] };
}

/** Leaves out the edges that make no sense. */
export function withSoundEdges(graph: Graph): Graph {
  const problems = checkGraph(graph);
  if (problems.length === 0) return graph;
  const kept = graph.edges.filter((_, index) => !problems.some(({ path }) => path.startsWith(`edges.${index}`)));
  return withSoundEdges({ ...graph, edges: kept.length < graph.edges.length ? kept : graph.edges.slice(1) });
}
