/**
 * Owns: resuming what was running when a worker ended, or when everything was stopped (W2 in worker.ts).
 *
 * Resumed runs count as work like new tasks, and go before them, oldest first: a worker that is killed again and again
 * finishes what it began instead of beginning more. Runs of a fleet are claimed again first (fleet/fleet-tasks.ts).
 */
import { endsAlone } from '../../core/schema/wait.ts';
import { isInside } from '../../core/engine/child-terms.ts';
import type { Goal } from '../../core/ledger/goal.ts';
import { messageOf } from '../../core/schema/errors.ts';
import type { DiskSpace } from '../../kit/home/disk-space.ts';
import { withoutUnclaimed } from '../../kit/fleet/assert-owned.ts';
import type { Host } from '../../kit/house/host.ts';
import { ports } from '../../kit/ports/room-ports.ts';
import type { Log } from '../../kit/log-line.ts';

const NEEDED = { taskGraph: ports.taskGraph, deps: ports.deps, projections: ports.projections, fleet: ports.fleet };

type ResumeQueue = {
  /** Puts everything into the queue that does not wait for a person. */
  fill: () => void;
  /** Resumes the oldest run in the queue; resolves when its drive has ended. Null when the queue is empty. */
  resumeNext: () => Promise<unknown> | null;
};

export function resumeQueue({ backend, valuesOf }: Host, space: DiskSpace, log: Log): ResumeQueue {
  const { taskGraph, deps, projections, fleet } = valuesOf(NEEDED);
  const queued = new Set<string>();
  const resumable = (): { run: string; title?: string }[] => [
    ...withoutUnclaimed(taskGraph(), projections, fleet)
      .goals.filter(isToGoOn)
      .toSorted((a, b) => a.first - b.first),
    ...deps.runsToResume().map((run) => ({ run })),
  ];
  return {
    fill: () => {
      for (const { run } of resumable()) queued.add(run);
    },
    resumeNext: () => {
      // A run that was paused or cancelled while it was queued is no longer resumable.
      const next = queued.size === 0 ? undefined : resumable().find(({ run }) => queued.has(run));
      if (next === undefined) {
        queued.clear();
        return null;
      }
      const { run, title } = next;
      queued.delete(run);
      if (title !== undefined) log(`goes on: ${title} (${run})`);
      return backend
        .start({ kind: 'resume', run, reason: 'the worker started' })
        .then((id) => backend.wait(id))
        .catch((error: unknown) => space.ranOut(error) || log(`${run}: ${messageOf(error)}`));
    },
  };
}

/** Children go on with their parents. */
function isToGoOn(goal: Goal): boolean {
  if (isInside(goal)) return false;
  const { status, waits } = goal;
  return status === 'running' || (status === 'blocked' && waits.some(({ for: awaited }) => endsAlone(awaited)));
}
