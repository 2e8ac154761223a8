/** Goes through a graph without doing anything: which calls would be made, of which class, and what the policy says. */
import { STEP_CHECK, StepCheckInput, StepCheckOutput } from '../schema/acceptance.ts';
import type { Graph, Node } from '../schema/graph.ts';
import type { Json } from '../schema/json.ts';
import type { Middleware, Planner, ToolRegistry } from '../schema/ports.ts';
import type { SideEffectClass } from '../schema/effect.ts';
import type { Tool } from '../schema/tool.ts';
import { createEngine } from './engine.ts';
import type { EngineOptions } from './engine-context.ts';
import { leadsBack } from './graph-plan.ts';
import { asRegistry } from './tool-registry.ts';

type SimulatedCall = {
  node: string | null;
  tool: string;
  class: SideEffectClass;
  input: Json;
  verdict: 'allow' | 'ask' | 'deny' | 'unclear';
  why: string;
};
export type Simulation = { status: string; calls: SimulatedCall[]; asks: { node: string | null; text: string }[] };

/** Middlewares that only judge; the others act or wait and are left out. */
const JUDGES = new Set(['eligible', 'authorize', 'budget']);

export async function simulate(options: EngineOptions, graph: Graph, input: Json): Promise<Simulation> {
  const calls: SimulatedCall[] = [];
  const tools = asRegistry(options.tools);
  const judges = (options.middleware ?? []).filter((layer) => JUDGES.has(layer.name));
  const engine = createEngine({
    ...options,
    stores: {},
    planner: silentPlanner,
    tools: [
      ...tools
        .list()
        .filter(({ name }) => name !== STEP_CHECK)
        .map(withoutEffect),
      simulatedCheck,
    ],
    middleware: [recordVerdicts(calls, tools), ...judges],
  });
  const { done } = await engine.start(withEveryBranch(graph), { id: 'simulation', input });
  const run = await done;
  return {
    status: run.status,
    calls,
    asks: [...run.waits.values()].map((wait) => ({
      node: wait.node,
      text: 'text' in wait.for ? wait.for.text : wait.for.kind,
    })),
  };
}

/** Sees the verdict on every call and lets the run go on whatever it is. */
function recordVerdicts(calls: SimulatedCall[], tools: ToolRegistry): Middleware {
  return {
    name: 'observer',
    call: async (call, next) => {
      const outcome = await next(call);
      const { node, tool, input } = call;
      if (tool === STEP_CHECK) return { status: 'ok', output: passedCheck };
      const seen = { node, tool, class: call.class, input };
      if (outcome.status === 'waiting')
        calls.push({ ...seen, verdict: 'ask', why: 'text' in outcome.for ? outcome.for.text : outcome.for.kind });
      else if (outcome.status === 'denied') calls.push({ ...seen, verdict: 'deny', why: outcome.error });
      else if (tools.get(tool)?.input.safeParse(input).success === true)
        calls.push({ ...seen, verdict: 'allow', why: '' });
      else calls.push({ ...seen, verdict: 'unclear', why: 'its input depends on what comes before' });
      return { status: 'ok', output: null };
    },
  };
}

/** Judged like the tool, but nothing happens. */
function withoutEffect(tool: Tool): Tool {
  return {
    ...tool,
    classOf: (given, author, folders) => tool.classOf(given, author, folders),
    invoke: async () => ({ status: 'ok', output: null }),
  };
}

const passedCheck: StepCheckOutput = { holds: true, reason: '', found: [] };

/** The acceptance of a step cannot be known before: it is assumed to pass, so that everything behind it is shown. */
const simulatedCheck: Tool = {
  name: STEP_CHECK,
  about: 'Takes every check to hold.',
  input: StepCheckInput,
  output: StepCheckOutput,
  annotations: { read_only: true, destructive: false, idempotent: true, cacheable: false, risk: 'low' },
  targets: [],
  classOf: () => 'read',
  invoke: async () => ({ status: 'ok', output: passedCheck }),
};

/** Agents are not asked: what they would do is not known. */
const silentPlanner: Planner = { decide: () => ({ kind: 'Finish', output: null, rationale: 'simulated' }) };

/** What is not known cannot decide a branch: every edge forward is taken once, no edge back, and no condition compares. */
function withEveryBranch(graph: Graph): Graph {
  return {
    ...graph,
    nodes: graph.nodes.map((node) =>
      node.kind === 'map' ? { ...node, each: withoutComparison(node.each) } : withoutComparison(node),
    ),
    edges: graph.edges.filter((edge) => !leadsBack(edge)).map(({ from, to }) => ({ from, to })),
  };
}

function withoutComparison<Kind extends Node>(node: Kind): Kind {
  if (node.kind !== 'typed_condition') return node;
  const { field: _, left: __, right: ___, all: ____, any: _____, not: ______, ...rest } = node;
  return { ...rest, left: true, operator: 'exists' } as Kind;
}
