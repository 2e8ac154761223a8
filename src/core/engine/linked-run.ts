/**
 * Owns: runs that are made from an earlier one: from which state of it, and whether that fits the graph that is to run.
 * Does not own: the events by which a run starts with what was done (carry-over.ts).
 *
 * L1 What was done stays done: its output is reused as it was recorded, and no call of it is made again.
 * L2 A graph in which a node that counts as done is another one is refused.
 * L3 A crash among the first events of such a run loses nothing: the rest of them is added before it goes on.
 */
import { OkaError } from '../schema/errors.ts';
import type { Event, NewEvent } from '../schema/event.ts';
import type { Graph, Node } from '../schema/graph.ts';
import type { RunLink } from '../schema/run.ts';
import { carriedOverEvents } from './carry-over.ts';
import type { EngineContext } from './engine-context.ts';
import { applyEvent, foldRun } from './fold-run.ts';
import { type Plan, topologicalOrder } from './graph-plan.ts';
import { loadEvents, loadRun } from './load-run.ts';
import { errorBranch } from './node-failure.ts';
import { nodeStateOf, type NodeState, type RunState } from './run-state.ts';

export type LinkedStart = {
  /** A name that no run has had. */
  id: string;
  link: RunLink;
  /** The graph that is to run; that of the earlier run when left out. */
  graph?: Graph;
};

/** The state of the earlier run that a run starts from; null when it starts with nothing but the input. */
export async function linkedState(context: EngineContext, { kind, run, node }: RunLink): Promise<RunState | null> {
  if (kind === 'resume') return loadRun(context, run);
  return node === undefined ? null : stateBeforeNode(context, run, node);
}

/** The state of a run right before a node started; the last time, if it was started over. */
async function stateBeforeNode(context: EngineContext, id: string, node: string): Promise<RunState> {
  const { plan, events, start } = await findNodeStart(context, id, node);
  const state = foldRun(plan, events.slice(0, start));
  if (state === null) throw new Error('a run begins with run.started');
  return state;
}

/** The event with which a node of a run started, the last time, if it was started over. */
export async function nodeStart(context: EngineContext, id: string, node: string): Promise<number> {
  const { events, start } = await findNodeStart(context, id, node);
  return events[start]?.seq ?? 0;
}

type NodeStart = { plan: Plan; events: readonly Event[]; start: number };

async function findNodeStart(context: EngineContext, id: string, node: string): Promise<NodeStart> {
  const { plan } = await loadRun(context, id);
  if (!plan.index.has(node))
    throw new OkaError('usage', `run ${id} has no node "${node}"`, {
      fix: `Its nodes: ${plan.graph.nodes
        .slice(0, 20)
        .map((each) => each.id)
        .join(', ')}`,
    });
  const all = await loadEvents(context, id);
  const events = all.slice(all.findIndex(({ type }) => type === 'run.started'));
  const start = startOfNode(plan, events, node);
  if (start === null)
    throw new OkaError('usage', `"${node}" did not run in ${id}, so nothing can start there`, {
      fix: 'See which nodes ran: oka explain <run>',
    });
  return { plan, events, start };
}

/** The position of the event with which a node started for the last time; null when it never did. */
export function startOfNode(plan: Plan, events: readonly Event[], node: string): number | null {
  let [found, visit]: [number | null, number] = [null, -1];
  let run: RunState | null = null;
  for (const [position, event] of events.entries()) {
    const before = run === null ? undefined : nodeStateOf(run, node);
    if (before?.status === 'pending' && before.visit !== visit && isAbout(event, node))
      [found, visit] = [position, before.visit];
    run = run === null ? foldRun(plan, [event]) : applyEvent(run, event);
  }
  return found;
}

/** Whether an event is an act of a node, of an item of it (`node__0`), or of a part that it was lowered to (`node__ask`). */
function isAbout({ type, data }: Event, node: string): boolean {
  if (type !== 'call.started' && type !== 'decision.made' && type !== 'wait.opened' && type !== 'node.settled')
    return false;
  if (type === 'node.settled' && data.status === 'skipped') return false;
  return data.node === node || data.node?.startsWith(`${node}__`) === true;
}

/** Throws with every node that counts as done and is another one in the new graph (L2). */
export function assertFits(source: RunState, plan: Plan): void {
  if (plan.sha256 === source.plan.sha256) return;
  const problems = source.plan.graph.nodes.flatMap((config, index) => {
    const node = source.nodes[index];
    return node === undefined || !countsAsDone(source, config, node) ? [] : differencesOf(source, plan, config, node);
  });
  if (problems.length === 0) return;
  throw new OkaError(
    'invalid-graph',
    [`what run ${source.id} has done does not fit the graph as it is now:`, ...problems.slice(0, 20)].join('\n  '),
    { fix: `Start again at the first of these nodes: oka graph replay ${source.id} --from <node> --at latest` },
  );
}

function countsAsDone(run: RunState, config: Node, node: NodeState): boolean {
  if (node.status === 'failed' && errorBranch(config) !== null) return true;
  return node.status === 'done' || node.doubt || (node.items ?? []).some((item) => run.nodes[item]?.status === 'done');
}

function differencesOf(source: RunState, plan: Plan, was: Node, node: NodeState): string[] {
  const index = plan.index.get(was.id);
  const is = index === undefined ? undefined : plan.graph.nodes[index];
  const what = WORDS[node.status] ?? 'is done in part';
  if (is === undefined || index === undefined) return [`${was.id} ${what}, and is no longer there`];
  const fields = new Set([...Object.keys(was), ...Object.keys(is)].filter((name) => !isSameField(was, is, name)));
  if (node.status === 'failed' && was.on_error !== is.on_error) fields.add('on_error');
  if (!isSame(edgesTo(source.plan, was.id), edgesTo(plan, was.id))) fields.add('edges to it');
  return fields.size === 0 ? [] : [`${was.id} ${what}, and has changed: ${[...fields].join(', ')}`];
}

const WORDS: Readonly<Record<string, string>> = { done: 'is done', failed: 'has failed and led to another node' };

/** Fields that do not change what a node that is done has done. */
const INDIFFERENT = new Set([
  'title',
  'timeout_seconds',
  'max_retries',
  'retry',
  'on_error',
  'fallback',
  'parallel',
  'acceptance',
]);

function isSameField(was: Node, is: Node, name: string): boolean {
  if (INDIFFERENT.has(name)) return true;
  const [before, now] = [was, is].map((node) => (node as Record<string, unknown>)[name]);
  return isSame(name === 'each' ? meaningOf(before) : before, name === 'each' ? meaningOf(now) : now);
}

const meaningOf = (node: unknown): unknown =>
  Object.fromEntries(Object.entries(node ?? {}).filter(([name]) => !INDIFFERENT.has(name)));

const edgesTo = (plan: Plan, node: string): unknown =>
  (plan.forwardTo[plan.index.get(node) ?? -1] ?? []).map((edge) => plan.graph.edges[edge]);

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** Adds what is missing of the events that a run starts with, because a crash has cut them off (L3). */
export async function completeCarryOver(context: EngineContext, run: RunState): Promise<void> {
  if (run.link === null) return;
  const carried = new Set<string>();
  for await (const event of context.events.read({ run: run.id, from: run.ledger.first })) {
    if (isOwnAct(run, event)) return;
    if ('node' in event.data && event.data.node !== null) carried.add(event.data.node);
  }
  const source = await linkedState(context, run.link);
  if (source !== null) carryOver(context, source, run, carried);
}

/** Lets a run start with what the state of another one has done, besides the nodes that are named. */
export function carryOver(
  { registry }: EngineContext,
  source: RunState,
  next: RunState,
  without: ReadonlySet<string> = new Set(),
): void {
  for (const index of topologicalOrder(next.plan))
    for (const event of carriedOverEvents(source, next, index))
      if (!without.has(nodeOf(event) ?? '')) applyEvent(next, registry.stage(event));
}

const nodeOf = ({ data }: NewEvent): string | null =>
  'node' in data && typeof data.node === 'string' ? data.node : null;

/** Whether a run has done something itself; a call that is only carried over has the name of another run. */
function isOwnAct(run: RunState, { type, data }: Event): boolean {
  if (type === 'node.settled') return !data.reason.startsWith('reused from run ');
  if (type === 'call.started') return data.call.startsWith(`${run.id}.`);
  return type === 'decision.made' || type === 'decision.rejected' || type === 'wait.opened';
}
