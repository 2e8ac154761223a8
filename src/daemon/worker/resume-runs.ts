/** Owns: taking up what was under way when a worker ended, or when everything was stopped (W2 in worker.ts). */
import { isInside } from '../../engine/child.ts';
import type { Goal } from '../../ledger/goal.ts';
import { messageOf } from '../../schema/errors.ts';
import type { DiskSpace } from '../home/disk-space.ts';
import type { Host } from '../host.ts';
import type { Log } from '../log-line.ts';

/** Each goes on as soon as it is read in; nobody waits for the others. */
export function resumeRuns({ engine, stores, deps }: Host, space: DiskSpace, tell: Log): void {
  const failed = (run: string) => (error: unknown) => space.ranOut(error) || tell(`${run}: ${messageOf(error)}`);
  const goOn = (run: string): void => {
    const resumed = engine.resume(run, { reason: 'the worker started' });
    resumed.then(({ done }) => done).catch(failed(run));
  };
  const { goals } = stores.taskGraph();
  for (const { run, title } of goals.filter((goal) => isToGoOn(goal))) {
    tell(`goes on: ${title} (${run})`);
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
