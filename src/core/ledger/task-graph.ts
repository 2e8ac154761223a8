/** The projection behind .oka/active_task_graph.json: current goals, their steps, and what they wait for. */
import { OkaError } from '../schema/errors.ts';
import type { Projection } from '../schema/ports.ts';
import { applyToGoal, type Goal, startGoal } from './goal.ts';

export type TaskGraph = { events: number; goals: Goal[]; ended: Goal[] };

/** Ended goals stay visible for a while. */
const MAX_ENDED = 20;

export const taskGraph: Projection<TaskGraph> = {
  name: 'active_task_graph',
  version: 2,
  file: 'active_task_graph.json',
  initial: () => ({ events: 0, goals: [], ended: [] }),
  apply: (graph, event) => {
    graph.events += 1;
    if (event.run === null) return graph;
    if (event.type === 'run.started') addGoal(graph, startGoal(event.run, event));
    const goal = goalsByRun(graph).get(event.run);
    if (goal === undefined) return graph;
    applyToGoal(goal, event);
    if (event.type === 'run.ended') moveToEnded(graph, goal);
    return graph;
  },
};

/** Built once per list, and never part of the state. The later of two goals of one run counts. */
const byRun = new WeakMap<Goal[], Map<string, Goal>>();

function goalsByRun({ goals }: TaskGraph): Map<string, Goal> {
  const known = byRun.get(goals);
  if (known !== undefined) return known;
  const made = new Map(goals.map((goal) => [goal.run, goal]));
  byRun.set(goals, made);
  return made;
}

/** A run that a member of a fleet takes over again starts a second time. */
function addGoal(graph: TaskGraph, goal: Goal): void {
  if (goalsByRun(graph).has(goal.run)) graph.goals = graph.goals.filter(({ run }) => run !== goal.run);
  goalsByRun(graph).set(goal.run, goal);
  graph.goals.push(goal);
}

function moveToEnded(graph: TaskGraph, goal: Goal): void {
  graph.goals = graph.goals.filter((candidate) => candidate !== goal);
  graph.ended = [...graph.ended, { ...goal, waits: [] }].slice(-MAX_ENDED);
}

/** The run that a wait belongs to; waits are named so that only one run can have it. */
export function runOfWait(wait: string, { goals }: TaskGraph): string {
  const goal = goals.find((candidate) => candidate.waits.some((open) => open.wait === wait));
  if (goal === undefined)
    throw new OkaError('no-such-wait', `nothing waits for "${wait}"`, { fix: 'See what waits: oka status' });
  return goal.run;
}
