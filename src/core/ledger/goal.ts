/**
 * Owns: what each event means for a run as people see it: its status, the status of its steps, what it waits for.
 * Does not own: what the engine decides by (core/engine/fold-run.ts); a property test compares the two after every event.
 *
 * G1 Everything follows from the events of the run alone; no graph is read. Where an event's effect depends on the
 *    graph, the engine says it in the event (`settles`, `becomes`, `restarts`); in older ledgers it is inferred.
 * G2 The cost of one event does not depend on how long the run has been going.
 */
import type { Event } from '../schema/event.ts';
import type { NodeStatus, PlannedNode, RunLink, RunStatus, RunTurn } from '../schema/run.ts';
import type { WaitFor } from '../schema/wait.ts';

type GoalNode = PlannedNode & { status: NodeStatus };
type OpenWait = { wait: string; node: string | null; for: WaitFor };
/** A call that waits for its turn on the desk: behind which run, if it is one, and since when. */
export type DeskWait = { call: string; behind: string | null; since: string };
export type Goal = {
  run: string;
  title: string;
  status: RunStatus;
  state: string;
  parent: string | null;
  /** The earlier run that it was made from. */
  link?: RunLink;
  /** With which runs it takes turns. */
  turn?: RunTurn;
  first: number;
  last: number;
  nodes: GoalNode[];
  waits: OpenWait[];
  /** Work in progress that is not a listed step: items of maps, and calls without a node. Absent when there is none. */
  inner?: string[];
  /** Calls that wait for their turn on the desk. Absent when there is none. */
  desk?: DeskWait[];
};

type Of<T extends Event['type']> = Extract<Event, { type: T }>;

export function startGoal(run: string, { seq, data }: Of<'run.started'>): Goal {
  const { title, state, parent, link, turn } = data;
  const nodes = data.nodes.map((node): GoalNode => ({ ...node, status: 'pending' }));
  const linked = { ...(link === undefined ? {} : { link }), ...(turn === undefined ? {} : { turn }) };
  return { run, title, status: 'running', state, parent, ...linked, first: seq, last: seq, nodes, waits: [] };
}

/** The events of one run, from its first on; null when it has not started. */
export function foldGoal(events: Iterable<Event>): Goal | null {
  let goal: Goal | null = null;
  for (const event of events) {
    if (event.type === 'run.started' && event.run !== null) goal = startGoal(event.run, event);
    else if (goal !== null && !isOver(goal)) applyToGoal(goal, event);
  }
  return goal;
}

/** Changes the goal that it is given; the event is one of its run. */
export function applyToGoal(goal: Goal, event: Event): void {
  goal.last = event.seq;
  applyChange(goal, event);
  if (goal.status === 'running' || goal.status === 'blocked') goal.status = statusByWaits(goal);
}

function isOver({ status }: Pick<Goal, 'status'>): boolean {
  return status === 'done' || status === 'failed' || status === 'cancelled';
}

function applyChange(goal: Goal, event: Event): void {
  (CHANGES[event.type] as Change<Event['type']> | undefined)?.(goal, event);
}

type Change<T extends Event['type']> = (goal: Goal, event: Of<T>) => void;

/** Events of other types change nothing that is shown of a run. */
const CHANGES: { readonly [T in Event['type']]?: Change<T> } = {
  'run.planned': (goal, { data }) => {
    goal.nodes = replan(goal.nodes, data.nodes);
  },
  'run.moved': (goal, { data }) => {
    goal.state = data.to;
  },
  'run.paused': (goal) => {
    goal.status = 'paused';
  },
  'run.resumed': (goal) => {
    delete goal.desk;
    endInner(goal, isCall); // an interrupted call without a node gets no outcome: it is made again
    goal.status = statusByWaits(goal);
  },
  'run.ended': (goal, { data }) => {
    goal.status = data.status;
    delete goal.inner;
    delete goal.desk;
  },
  'call.started': (goal, { data }) => {
    restart(goal, data.restarts);
    startWork(goal, data.node ?? data.call);
  },
  'desk.awaited': (goal, { at, data: { call, behind } }) => {
    const since = goal.desk?.find((each) => each.call === call)?.since ?? at;
    getTurn(goal, call);
    goal.desk = [...(goal.desk ?? []), { call, behind, since }];
  },
  'desk.kept': (goal, { data }) => getTurn(goal, data.call),
  'call.ended': (goal, { data }) => {
    getTurn(goal, data.call);
    if (data.node === null) endInner(goal, (each) => each === data.call);
    else if (data.settles !== undefined) settle(goal, data.node, data.settles);
  },
  'node.settled': (goal, { data }) => {
    restart(goal, data.restarts);
    settle(goal, data.node, data.status);
  },
  'error.handled': (goal, { data }) => {
    if (data.settles !== undefined) settle(goal, data.node, data.settles);
  },
  'decision.made': (goal, { data }) => {
    restart(goal, data.restarts);
    startWork(goal, data.node);
    if (data.settles !== undefined) settle(goal, data.node, data.settles);
  },
  'decision.rejected': (goal, { data }) => {
    if (data.settles !== undefined) settle(goal, data.node, data.settles);
  },
  'wait.opened': (goal, { data }) => {
    restart(goal, data.restarts);
    openWait(goal, data);
  },
  'wait.closed': (goal, { data }) => closeWait(goal, data),
};

function startWork(goal: Goal, name: string): void {
  const node = nodeOf(goal, name);
  if (node !== undefined) {
    node.status = 'running';
    return;
  }
  markMapOf(goal, name);
  if (goal.inner?.includes(name) !== true) goal.inner = [...(goal.inner ?? []), name];
}

function settle(goal: Goal, name: string, status: NodeStatus): void {
  const node = nodeOf(goal, name);
  if (node !== undefined) node.status = status;
  else endInner(goal, (each) => each === name);
}

function getTurn(goal: Goal, call: string): void {
  if (goal.desk === undefined) return;
  const left = goal.desk.filter((each) => each.call !== call);
  if (left.length > 0) goal.desk = left;
  else delete goal.desk;
}

/** What a run waits for on the desk when it does nothing else; null when it is at work. */
export function awaitedDesk({ status, desk, nodes, inner = [] }: Goal): DeskWait | null {
  const [first] = desk ?? [];
  if (first === undefined || status !== 'running') return null;
  const working = nodes.filter((node) => node.status === 'running').length + inner.length;
  return working > (desk?.length ?? 0) ? null : first;
}

function endInner(goal: Goal, isEnded: (name: string) => boolean): void {
  if (goal.inner === undefined) return;
  const left = goal.inner.filter((each) => !isEnded(each));
  if (left.length > 0) goal.inner = left;
  else delete goal.inner;
}

/** Names of calls begin with their run and a dot; names of nodes have none. */
const isCall = (name: string): boolean => name.includes('.');

/** Steps that an edge back starts over. */
function restart(goal: Goal, nodes: readonly string[] = []): void {
  for (const node of nodes) settle(goal, node, 'pending');
}

function openWait(goal: Goal, { wait, node, for: awaited }: OpenWait): void {
  goal.waits.push({ wait, node, for: awaited });
  if (node === null) return;
  settle(goal, node, 'waiting');
  markMapOf(goal, node);
}

function closeWait(goal: Goal, data: Of<'wait.closed'>['data']): void {
  const wait = goal.waits.find((candidate) => candidate.wait === data.wait);
  if (wait === undefined) return;
  goal.waits = goal.waits.filter((candidate) => candidate !== wait);
  if (wait.node === null) return;
  const status = data.becomes ?? inferredStatus(wait.for, data.answer.verdict);
  if (status === 'running') startWork(goal, wait.node);
  else settle(goal, wait.node, status);
}

/** For older ledgers: an approved call is made next; any other answer is what the step waited for. */
function inferredStatus(awaited: WaitFor, verdict: Of<'wait.closed'>['data']['answer']['verdict']): NodeStatus {
  if (awaited.kind === 'approval') return verdict === 'approved' ? 'running' : 'failed';
  if (verdict === 'denied' || verdict === 'expired' || verdict === 'cancelled') return 'failed';
  return awaited.kind === 'requirement' ? 'running' : 'done';
}

/** Items of a map are not listed as steps; the map is running as soon as its first item is. */
function markMapOf(goal: Goal, name: string): void {
  const map = mapOf(name);
  const node = map === null ? undefined : nodeOf(goal, map);
  if (node?.status === 'pending') node.status = 'running';
}

/** Lists up to this length are searched; an index of each would cost more. */
const SHORT = 16;

function nodeOf({ nodes }: Goal, name: string): GoalNode | undefined {
  return nodes.length <= SHORT ? nodes.find(({ id }) => id === name) : nodesById(nodes).get(name);
}

/** The nodes of a long list by id; built once per list, and never part of the state. */
const indexes = new WeakMap<GoalNode[], Map<string, GoalNode>>();

function nodesById(nodes: GoalNode[]): Map<string, GoalNode> {
  const known = indexes.get(nodes);
  if (known !== undefined) return known;
  const made = new Map(nodes.map((each) => [each.id, each]));
  indexes.set(nodes, made);
  return made;
}

function mapOf(item: string): string | null {
  return /^(.+)__\d+$/.exec(item)?.[1] ?? null;
}

/** A run is blocked when it waits and nothing else is in progress. A map whose items wait does not itself count as running. */
function statusByWaits({ waits, nodes, inner }: Goal): RunStatus {
  if (waits.length === 0 || inner !== undefined) return 'running';
  const maps = new Set(waits.map(({ node }) => (node === null ? null : mapOf(node))));
  return nodes.some(({ id, status }) => status === 'running' && !maps.has(id)) ? 'running' : 'blocked';
}

/**
 * How a run stands for a person: one that waits only for runs inside it stands as those do. It is at work, paused, or
 * waits for somebody.
 */
export function standingOf({ status, waits }: Standing, find: (run: string) => Standing | undefined): RunStatus {
  const awaited = waits.map(({ for: each }) => (each.kind === 'child' ? each.run : null));
  if (status !== 'blocked' || awaited.includes(null)) return status;
  const inside = awaited.flatMap((run) => (run === null ? [] : (find(run) ?? [])));
  const statuses = inside.map((each) => standingOf(each, find));
  return statuses.find((each) => each === 'blocked' || each === 'paused') ?? 'running';
}

type Standing = Pick<Goal, 'status' | 'waits'>;

/** A new plan preserves what is already done. */
function replan(before: readonly GoalNode[], nodes: readonly PlannedNode[]): GoalNode[] {
  const done = new Set(before.filter((node) => node.status === 'done').map((node) => node.id));
  return nodes.map((node) => ({ ...node, status: done.has(node.id) ? 'done' : 'pending' }));
}
