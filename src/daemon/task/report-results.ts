/** Owns: writing the result of a task whenever a run of it settles, and retrying until it could be written. */
import { join } from 'node:path';
import type { HomeVault } from '../guard/home-vault.ts';
import type { Sandbox } from '../guard/sandbox.ts';
import type { Runs } from '../port-types.ts';
import { isOver, type RunState } from '../../engine/run-state.ts';
import { taskGraph } from '../../graphs/task-loop.ts';
import { resultLine } from '../../roles/result-line.ts';
import { messageOf } from '../../schema/errors.ts';
import type { ArtifactStore } from '../../schema/ports.ts';
import type { Snapshots } from '../../tools/desk/snapshots.ts';
import type { Home } from '../../schema/home.ts';
import { retryLater, type PendingResults } from '../worker/pending-results.ts';
import { taskOf, writeResult } from './write-result.ts';

export type ResultReportPorts = {
  home: Home;
  artifacts: ArtifactStore;
  shadow: Snapshots;
  vault: Pick<HomeVault, 'redact'>;
  runs: Pick<Runs, 'stateOf' | 'eventsOf'>;
  sandbox: Pick<Sandbox, 'warning'>;
  pending: PendingResults;
  /** Reports the outcome of a task, and in which file its result is. */
  reportResult: (line: string, file: string) => void;
  /** Reports why there is no result yet. */
  report: (problem: string, run: string) => void;
};

export type ResultReports = {
  /** Neither throws: what cannot be written now is written later. */
  runSettled: (run: RunState) => Promise<void>;
  write: (run: string) => Promise<void>;
  /** Results that are still to be written. */
  pending: PendingResults;
  close: () => void;
};

export function reportResults(ports: ResultReportPorts): ResultReports {
  const { runs, pending, report } = ports;
  const write = async (id: string): Promise<void> => {
    const run = await runs.stateOf(id);
    if (run !== null) await writeResultOf(run, ports);
    else pending.remove(id);
  };
  const late = retryLater(write);
  const postpone = (id: string, error: unknown): void => {
    report(`its result cannot be written yet: ${messageOf(error)}`, id);
    late.add(id);
  };
  return {
    runSettled: (run) => writeResultOf(run, ports).catch((error: unknown) => postpone(run.id, error)),
    write: (id) => write(id).catch((error: unknown) => postpone(id, error)),
    pending,
    close: () => late.end(),
  };
}

async function writeResultOf(run: RunState, ports: ResultReportPorts): Promise<void> {
  const { home, artifacts, shadow, vault, runs, sandbox, pending, reportResult } = ports;
  const isOfInterest = run.plan.graph.id === taskGraph.id || run.status === 'blocked';
  const task = isOfInterest ? await taskOf(run, runs) : null;
  if (task === null) return;
  const outbox = join(home.workspace, 'outbox');
  const { eventsOf, stateOf } = runs;
  const written = await writeResult(task.id, {
    outbox,
    desk: join(home.workspace, 'desk'),
    quarantine: join(home.oka, 'quarantine'),
    artifacts,
    shadow,
    redact: vault.redact,
    eventsOf,
    stateOf,
    sandboxWarning: sandbox.warning,
  });
  if (isOver(task.status)) pending.remove(task.id);
  if (written !== null && task.id === run.id && !isPausing(run))
    reportResult(vault.redact(resultLine(written.facts)), written.file);
}

/** Whether only the clock has to move for it to continue, which is no news for anybody. */
function isPausing({ status, waits }: RunState): boolean {
  return !isOver(status) && waits.size > 0 && [...waits.values()].every(({ for: { kind } }) => kind === 'timer');
}
