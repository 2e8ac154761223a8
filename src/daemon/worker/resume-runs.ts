/** Owns: resuming what was running when a worker ended, or when everything was stopped (W2 in worker.ts). */
import { isInside } from '../../engine/child-terms.ts';
import type { Goal } from '../../ledger/goal.ts';
import { messageOf } from '../../schema/errors.ts';
import type { DiskSpace } from '../home/disk-space.ts';
import type { Host } from '../host.ts';
import { ports } from '../ports.ts';
import type { Log } from '../log-line.ts';

/** Each run resumes as soon as it is loaded; none waits for the others. */
export function resumeRuns({ engine, valuesOf }: Host, space: DiskSpace, log: Log): void {
  const { taskGraph, deps } = valuesOf({ taskGraph: ports.taskGraph, deps: ports.deps });
  const failed = (run: string) => (error: unknown) => space.ranOut(error) || log(`${run}: ${messageOf(error)}`);
  const goOn = (run: string): void => {
    const resumed = engine.resume(run, { reason: 'the worker started' });
    resumed.then(({ done }) => done).catch(failed(run));
  };
  const { goals } = taskGraph();
  for (const { run, title } of goals.filter((goal) => isToGoOn(goal))) {
    log(`goes on: ${title} (${run})`);
    goOn(run);
  }
  for (const run of deps.runsToResume()) goOn(run);
}

/** Children go on with their parents. */
function isToGoOn(goal: Goal): boolean {
  if (isInside(goal)) return false;
  const { status, waits } = goal;
  return (
    status === 'running' ||
    (status === 'blocked' && waits.some(({ for: { kind } }) => kind === 'child' || kind === 'timer'))
  );
}
