/** Owns: the task that a run belongs to, and the runs inside it. */
import type { RunState } from '../../core/engine/run-state.ts';
import { taskGraph } from '../task/task-loop.ts';
import type { Event } from '../../core/schema/event.ts';

/** Runs inside runs, as deep as budgets allow. */
const DEEPEST = 8;

/** The task that a run belongs to, if it belongs to one. */
export async function taskOf(
  run: RunState,
  { stateOf }: { stateOf: (run: string) => Promise<RunState | null> },
): Promise<RunState | null> {
  let found: RunState | null = run;
  while (found !== null && found.plan.graph.id !== taskGraph.id)
    found = found.parent === null ? null : await stateOf(found.parent);
  return found;
}

/** The events of a run and of all runs inside it, in the order in which they were written. */
export async function eventsWithChildren(
  eventsOf: (run: string) => Promise<Event[]>,
  run: string,
  depth = DEEPEST,
): Promise<Event[]> {
  const own = await eventsOf(run);
  if (depth === 0) return own;
  const inside = await Promise.all(childrenIn(own).map((child) => eventsWithChildren(eventsOf, child, depth - 1)));
  return [...own, ...inside.flat()].toSorted((a, b) => a.seq - b.seq);
}

/** Runs that a run has waited for, in order. */
export function childrenIn(events: readonly Event[]): string[] {
  return [
    ...new Set(
      events.flatMap((event) =>
        event.type === 'wait.opened' && event.data.for.kind === 'child' ? [event.data.for.run] : [],
      ),
    ),
  ];
}
