/**
 * Owns: going through a graph without doing anything: the ways it may take, the calls on each, and what the policy says.
 *
 * S1 What can be known is known: conditions, templates, transforms, maps and runs inside are the engine's own, and a call
 *    that whoever simulates can answer without an effect (state, the desk on a copy) has that answer.
 * S2 Everything else has an unknown output (unknown-value.ts). Where one has to decide, every answer is followed, each on
 *    a path of its own that says what it assumes (simulated-choices.ts).
 * S3 Calls without a known outcome are taken to succeed, approvals to be given, checks to hold. What the policy refuses
 *    is refused here, too.
 */
import { STEP_CHECK, StepCheckInput, StepCheckOutput } from '../schema/acceptance.ts';
import type { Event } from '../schema/event.ts';
import type { Graph } from '../schema/graph.ts';
import type { Json } from '../schema/json.ts';
import type { StateStore } from '../schema/ports.ts';
import type { Outcome, Tool, ToolCall } from '../schema/tool.ts';
import type { WaitAnswer, WaitFor } from '../schema/wait.ts';
import { createEngine, type Engine } from './engine.ts';
import type { EngineOptions } from './engine-context.ts';
import { memoryEvents } from './in-memory-stores.ts';
import { isOver, type RunState } from './run-state.ts';
import { judgesIn, recordVerdicts, type SimulatedCall } from './simulated-verdicts.ts';
import { type Assumptions, followChoices, type Choices } from './simulated-choices.ts';
import { openUnknowns, showUnknowns } from './unknown-value.ts';
import { asRegistry } from './tool-registry.ts';

export type SimulatedPath = {
  /** What has to be so for this path to be taken; empty for the only one. */
  conditions: string[];
  status: string;
  reason: string;
  /** The nodes that are reached, in the order in which they end. */
  nodes: { node: string; status: string }[];
  calls: SimulatedCall[];
  asks: { node: string | null; text: string }[];
  /** What is not known on this path, and why. */
  unknown: { name: string; why: string }[];
  output: Json;
};

export type Simulation = {
  paths: SimulatedPath[];
  /** How the run ends, if that is the same on every path. */
  status: string;
  /** The calls and questions of all paths, each once. */
  calls: SimulatedCall[];
  asks: SimulatedPath['asks'];
  /** Whether there are more paths than were followed. */
  hasMore: boolean;
  /** Whether the policy refuses a call on any path. */
  isRefused: boolean;
};

/** What one path knows of the world, so that nothing on it is seen by another. */
export type PathWorld = {
  state?: StateStore;
  /** The outcome of a call, if it can be had without an effect; else why it is not known. */
  answer: (call: ToolCall) => Promise<Outcome | { unknown: string }>;
  close?: () => void;
};

/** The branches that a call chooses from, by its input; null for any other call. */
export type OptionsOf = (call: Pick<ToolCall, 'tool' | 'input'>) => readonly string[] | null;

export type SimulationPorts = { open: () => Promise<PathWorld>; optionsOf?: OptionsOf };

const MOST_PATHS = 32;
const RUN = 'simulation';

const nothingKnown: SimulationPorts = {
  open: async () => ({ answer: async ({ tool }) => ({ unknown: `${tool} is not called in a simulation` }) }),
};

/** Without an input that is given, it is one of the things that are not known. */
export async function simulate(
  options: EngineOptions,
  graph: Graph,
  input: Json | undefined,
  ports: SimulationPorts = nothingKnown,
): Promise<Simulation> {
  const { results, hasMore } = await followChoices(MOST_PATHS, (assumed) =>
    simulatePath(options, graph, input, ports, assumed),
  );
  return {
    paths: results,
    status: new Set(results.map(({ status }) => status)).size === 1 ? (results[0]?.status ?? '') : 'depends',
    calls: eachOnce(results.flatMap(({ calls }) => calls)),
    asks: eachOnce(results.flatMap(({ asks }) => asks)),
    hasMore,
    isRefused: results.some(({ calls }) => calls.some(({ verdict }) => verdict === 'deny')),
  };
}

const eachOnce = <T>(values: readonly T[]): T[] => [
  ...new Map(values.map((value) => [JSON.stringify(value), value])).values(),
];

type Path = { choices: Choices; unknown: (name: string, why: string) => string; world: PathWorld; seen: SimulatedPath };

async function simulatePath(
  options: EngineOptions,
  graph: Graph,
  input: Json | undefined,
  ports: SimulationPorts,
  assumed: Assumptions,
): Promise<SimulatedPath> {
  const { choices } = assumed;
  const unknowns = openUnknowns(choices.guess);
  const world = await ports.open();
  const seen: SimulatedPath = {
    conditions: [],
    status: 'done',
    reason: '',
    nodes: [],
    calls: [],
    asks: [],
    unknown: [],
    output: null,
  };
  const counts = new Map<string, number>();
  const unknown: Path['unknown'] = (of, why) => {
    const count = (counts.get(of) ?? 0) + 1;
    counts.set(of, count);
    const name = count === 1 ? of : `${of} (${count})`;
    seen.unknown.push({ name, why: showUnknowns(why) });
    return unknowns.unknown(name);
  };
  const given = input === undefined ? unknown('input', 'none was given') : input;
  try {
    const { run, events } = await driveAll(options, graph, given, { choices, unknown, world, seen }, ports.optionsOf);
    return shown({ ...seen, conditions: choices.texts(), ...endOf(run, events), nodes: nodesOf(run, events) });
  } finally {
    unknowns.close();
    world.close?.();
  }
}

/** Drives the run and those inside it to their end; whatever a person would be asked is answered. */
async function driveAll(
  options: EngineOptions,
  graph: Graph,
  input: Json,
  path: Path,
  optionsOf: OptionsOf = () => null,
): Promise<{ run: RunState; events: readonly Event[] }> {
  const time = passingTime(options.clock);
  const tools = asRegistry(options.tools);
  const events = memoryEvents(time.clock);
  const invoke = (call: ToolCall): Promise<Outcome> => answerCall(path, engine, optionsOf, call);
  const { hooks: _, witness: __, provide: ___, hold: ____, ...rest } = options;
  const settled = Promise.withResolvers<RunState>();
  const engine: Engine = createEngine({
    ...rest,
    ...time,
    graphs: async (id) => withoutTimeLimits(await options.graphs?.(id)),
    stores: { events, ...(path.world.state && { state: path.world.state }) },
    planner: {
      decide: ({ node }) => ({ kind: 'Finish', output: path.unknown(node, 'a model would work on it'), rationale: '' }),
    },
    tools: [...tools.list().filter(({ name }) => name !== STEP_CHECK), heldCheck].map((tool) =>
      withInvoke(tool, invoke),
    ),
    middleware: [recordVerdicts(path.seen.calls, tools, invoke), ...judgesIn(options.middleware ?? [])],
    runSettled: async (run) => {
      if (isOver(run.status) || run.waits.size === 0) {
        if (run.id === RUN) settled.resolve(run);
        return;
      }
      for (const { wait, node, for: awaited } of run.waits.values())
        if (awaited.kind !== 'child' && awaited.kind !== 'turn')
          void engine.answer(run.id, wait, answerFor(path, node, awaited)).catch(settled.reject);
    },
  });
  const { done } = await engine.start(withoutTimeLimits(graph) as Graph, { id: RUN, input });
  done.catch(settled.reject);
  return { run: await settled.promise, events: events.all };
}

/** What a call gives: a known outcome, a branch that is assumed, or something unknown. */
async function answerCall(path: Path, engine: Engine, optionsOf: OptionsOf, call: ToolCall): Promise<Outcome> {
  const { tool, input } = call;
  const name = call.node ?? tool;
  if (tool === STEP_CHECK) return { status: 'ok', output: passedCheck };
  if (tool === 'run.start') {
    const { graph, input: given = {}, any_end } = input as { graph: string; input?: Json; any_end?: boolean };
    const run = await engine.startChild(graph, given, call);
    return { status: 'waiting', for: { kind: 'child', run, ...(any_end === true && { any_end }) } };
  }
  const found = await path.world.answer(call);
  if (!('unknown' in found)) return found;
  const value = path.unknown(name, found.unknown);
  const options = optionsOf(call);
  if (options === null) return { status: 'ok', output: value };
  const branch = path.choices.choose(
    value,
    options.map((option) => ({ value: option, text: `${name} chooses ${option}` })),
  );
  return { status: 'ok', output: { branch, reason: value } };
}

const withInvoke = (tool: Tool, invoke: (call: ToolCall) => Promise<Outcome>): Tool => ({
  ...tool,
  classOf: (given, author, folders) => tool.classOf(given, author, folders),
  invoke: (_, call) => invoke(call),
});

/** What a person, or the world, would answer. */
function answerFor({ choices, unknown, seen }: Path, node: string | null, awaited: WaitFor): WaitAnswer {
  const text = 'text' in awaited ? awaited.text : awaited.kind;
  if (awaited.kind === 'question' || awaited.kind === 'approval') seen.asks.push({ node, text });
  if (awaited.kind === 'approval') return { verdict: 'approved', binding: awaited.binding };
  if (awaited.kind === 'timer') return { verdict: 'elapsed' };
  const value = unknown(node ?? awaited.kind, `somebody has to answer: ${text}`);
  if (awaited.kind !== 'question' || awaited.options === undefined) return { verdict: 'answered', text: value };
  const of = awaited.options.map((option) => ({ value: option, text: `the answer to "${text}" is ${option}` }));
  return { verdict: 'answered', text: choices.choose(value, of) };
}

/** Questions are answered, not left to the clock. */
function withoutTimeLimits(graph: Graph | undefined): Graph | undefined {
  return (
    graph && {
      ...graph,
      nodes: graph.nodes.map((node) => {
        if (node.kind !== 'wait' || node.for.kind !== 'question') return node;
        const { timeout_seconds: _, default: __, ...question } = node.for;
        return { ...node, for: question };
      }),
    }
  );
}

/** Time that passes when somebody sleeps. */
function passingTime(clock: () => number): Pick<EngineOptions, 'clock' | 'monotonic' | 'sleep'> {
  let passed = 0;
  const now = (): number => clock() + passed;
  return { clock: now, monotonic: now, sleep: async (ms) => void (passed += ms) };
}

function endOf(run: RunState, events: readonly Event[]): Pick<SimulatedPath, 'status' | 'reason' | 'output'> {
  const end = events.findLast((event) => event.type === 'run.ended' && event.run === RUN);
  if (end?.type !== 'run.ended') return { status: run.status, reason: '', output: null };
  return { status: run.status, reason: end.data.reason, output: end.data.output };
}

function nodesOf({ plan, nodes }: RunState, events: readonly Event[]): SimulatedPath['nodes'] {
  const last = new Map<string, number>();
  for (const { run, seq, data } of events)
    if (run === RUN && 'node' in data && typeof data.node === 'string') last.set(data.node, seq);
  return plan.graph.nodes
    .map(({ id }, index) => ({ node: id, status: nodes[index]?.status ?? 'pending' }))
    .filter(({ status }) => status !== 'skipped' && status !== 'pending')
    .toSorted((a, b) => (last.get(a.node) ?? 0) - (last.get(b.node) ?? 0));
}

/** With unknown values as people read them. */
const shown = (path: SimulatedPath): SimulatedPath => JSON.parse(showUnknowns(JSON.stringify(path)));

const passedCheck: StepCheckOutput = { holds: true, reason: '', found: [] };

/** The acceptance of a step cannot be known before: it is assumed to pass, so that everything behind it is shown. */
const heldCheck: Tool = {
  name: STEP_CHECK,
  about: 'Takes every check to hold.',
  input: StepCheckInput,
  output: StepCheckOutput,
  annotations: { read_only: true, destructive: false, idempotent: true, cacheable: false, risk: 'low' },
  targets: [],
  classOf: () => 'read',
  invoke: async () => ({ status: 'ok', output: passedCheck }),
};
