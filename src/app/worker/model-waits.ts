/**
 * Owns: tasks that wait for a language model: they go on when the worker has one, or when a procedure that fits them does
 * without.
 */
import type { KnownProcedure } from '../../kit/learning/known-procedures.ts';
import type { TaskGraph } from '../../core/ledger/task-graph.ts';
import type { Host } from '../../kit/house/host.ts';
import type { Runs } from '../../kit/ports/port-types.ts';
import { isModelWait } from '../../kit/models/model-requirement.ts';

type Waiting = { run: string; wait: string };

export type ModelWaitPorts = Pick<Host, 'stops'> & {
  engine: Pick<Runs, 'answer'>;
  taskGraph: () => TaskGraph;
  /** Whether somebody can plan what is not a runbook. */
  hasModel: () => boolean;
  /** Whether a procedure could plan a task that has not been planned yet. */
  fitsProcedure: (run: string) => Promise<boolean>;
};

/**
 * Looks again when another task waits, procedures have changed, or work goes on after a stop, which may have taken an
 * answer away; `failed` hears of those that cannot go on.
 */
export function modelWaits(
  { engine, taskGraph, hasModel, fitsProcedure, stops }: ModelWaitPorts,
  known: () => Promise<readonly KnownProcedure[]>,
  failed: (run: string, error: unknown) => void,
): () => Promise<void> {
  let seen: string | null = null;
  let stopsSeen = -1;
  return async () => {
    const waiting = waitingIn(taskGraph());
    const procedures = waiting.length === 0 ? [] : await known();
    const sight = JSON.stringify([procedures.map(standing), waiting.map(({ wait }) => wait)]);
    const isAnew = stopsSeen !== stops.seen;
    if (sight === seen && !isAnew) return;
    const isThere = isAnew && hasModel();
    [seen, stopsSeen] = [sight, stops.seen];
    for (const { run, wait } of isThere || procedures.length > 0 ? waiting : [])
      try {
        if (isThere || (await fitsProcedure(run))) await engine.answer(run, wait, { verdict: 'arrived', by: 'oka' });
      } catch (error) {
        failed(run, error);
      }
  };
}

const standing = ({ procedure: { id, version }, status }: KnownProcedure): string => `${id} ${version} ${status}`;

function waitingIn({ goals }: TaskGraph): Waiting[] {
  return goals.flatMap(({ run, waits }) =>
    waits.flatMap(({ wait, for: awaited }) => (isModelWait(awaited) ? [{ run, wait }] : [])),
  );
}
