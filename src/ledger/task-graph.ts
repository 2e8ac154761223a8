/** The projection behind .oka/active_task_graph.json: current goals, their steps, and what they wait for. */
import type { Event } from '../schema/event.ts';
import type { Projection } from '../schema/ports.ts';
import type { NodeStatus, PlannedNode, RunStatus } from '../schema/run.ts';
import type { WaitFor } from '../schema/wait.ts';

export type GoalNode = PlannedNode & { status: NodeStatus };
export type OpenWait = { wait: string; node: string | null; for: WaitFor };
export type Goal = {
  run: string;
  title: string;
  status: RunStatus;
  state: string;
  parent: string | null;
  first: number;
  last: number;
  nodes: GoalNode[];
  waits: OpenWait[];
};
export type TaskGraph = { events: number; goals: Goal[]; ended: Goal[] };

/** Ended goals stay in sight for a while. */
const ENDED_KEPT = 20;

export const taskGraph: Projection<TaskGraph> = {
  name: 'active_task_graph',
  version: 1,
  file: 'active_task_graph.json',
  initial: () => ({ events: 0, goals: [], ended: [] }),
  apply: (graph, event) => {
    graph.events += 1;
    if (event.run === null) return graph;
    if (event.type === 'run.started') addGoal(graph, goalOf(event.run, event));
    const goal = goalsByRun(graph).get(event.run);
    if (goal === undefined) return graph;
    goal.last = event.seq;
    change(goal, event);
    if (goal.status === 'running' || goal.status === 'blocked') goal.status = statusByWaits(goal);
    if (event.type === 'run.ended') retire(graph, goal);
    return graph;
  },
};

function goalOf(run: string, { seq, data }: Extract<Event, { type: 'run.started' }>): Goal {
  const { title, state, parent } = data;
  return { run, title, status: 'running', state, parent, first: seq, last: seq, nodes: pending(data.nodes), waits: [] };
}

/** Made once a list, and never part of the state. The latest of two goals of one run counts. */
const byRun = new WeakMap<Goal[], Map<string, Goal>>();

function goalsByRun({ goals }: TaskGraph): Map<string, Goal> {
  const known = byRun.get(goals) ?? new Map(goals.map((goal) => [goal.run, goal]));
  byRun.set(goals, known);
  return known;
}

function addGoal(graph: TaskGraph, goal: Goal): void {
  goalsByRun(graph).set(goal.run, goal);
  graph.goals.push(goal);
}

function change(goal: Goal, event: Event): void {
  if (event.type === 'run.planned') goal.nodes = replanned(goal.nodes, event.data.nodes);
  else if (event.type === 'run.moved') goal.state = event.data.to;
  else if (event.type === 'run.paused') goal.status = 'paused';
  else if (event.type === 'run.resumed') goal.status = statusByWaits(goal);
  else if (event.type === 'run.ended') goal.status = event.data.status;
  else if (event.type === 'call.started') mark(goal, event.data.node, 'running');
  else if (event.type === 'call.ended' && event.data.settles !== undefined)
    mark(goal, event.data.node, event.data.settles);
  else if (event.type === 'node.settled') mark(goal, event.data.node, event.data.status);
  else if (event.type === 'wait.opened') openWait(goal, event.data);
  else if (event.type === 'wait.closed') closeWait(goal, event.data.wait);
}

/** Where each node stands in its list; made once a list, and never part of the state. */
const places = new WeakMap<GoalNode[], Map<string | null, GoalNode>>();

function mark(goal: Goal, node: string | null, status: NodeStatus): void {
  let place = places.get(goal.nodes);
  if (place === undefined) {
    place = new Map(goal.nodes.map((each) => [each.id, each]));
    places.set(goal.nodes, place);
  }
  const found = place.get(node);
  if (found !== undefined) found.status = status;
}

function openWait(goal: Goal, wait: OpenWait): void {
  goal.waits.push({ wait: wait.wait, node: wait.node, for: wait.for });
  mark(goal, wait.node, 'waiting');
}

function closeWait(goal: Goal, id: string): void {
  const wait = goal.waits.find((candidate) => candidate.wait === id);
  goal.waits = goal.waits.filter((candidate) => candidate !== wait);
  if (wait !== undefined) mark(goal, wait.node, 'pending');
}

/** A run is blocked when it waits and nothing else is under way. */
function statusByWaits(goal: Goal): RunStatus {
  return goal.waits.length > 0 && !goal.nodes.some((node) => node.status === 'running') ? 'blocked' : 'running';
}

function pending(nodes: readonly PlannedNode[]): GoalNode[] {
  return nodes.map((node) => ({ ...node, status: 'pending' }));
}

/** A new plan keeps what is already done. */
function replanned(before: readonly GoalNode[], nodes: readonly PlannedNode[]): GoalNode[] {
  const done = new Set(before.filter((node) => node.status === 'done').map((node) => node.id));
  return nodes.map((node) => ({ ...node, status: done.has(node.id) ? 'done' : 'pending' }));
}

function retire(graph: TaskGraph, goal: Goal): void {
  graph.goals = graph.goals.filter((candidate) => candidate !== goal);
  graph.ended = [...graph.ended, { ...goal, waits: [] }].slice(-ENDED_KEPT);
}
