/**
 * Owns: writing the result of a task whenever a run of it settles, or a person does something about it, and retrying until
 * it could be written.
 *
 * R1 The page of a task is written by one at a time, each from the ledger as it is then: the last one is the newest.
 * R2 A page that is there is never wrong for long: it is written again when its task is answered, paused, resumed,
 *    cancelled or undone.
 */
import { join } from 'node:path';
import type { Deps } from '../../kit/ports/dependencies-port.ts';
import type { HomeVault } from '../../kit/vault/home-vault.ts';
import type { Sandbox } from '../../kit/sandbox/sandbox.ts';
import type { Runs } from '../../kit/ports/port-types.ts';
import { isOver, type RunState } from '../../core/engine/run-state.ts';
import { taskGraph } from '../../kit/task/task-loop.ts';
import { resultLine } from './roles/result-line.ts';
import { lstatIfPresent } from '../../core/ledger/disk.ts';
import { messageOf } from '../../core/schema/errors.ts';
import type { Event } from '../../core/schema/event.ts';
import type { ArtifactStore } from '../../core/schema/ports.ts';
import type { Snapshots } from '../../kit/desk/snapshots.ts';
import type { Config } from '../../core/schema/config.ts';
import type { Home } from '../../core/schema/home.ts';
import { retryLater } from '../../kit/runs/pending-results.ts';
import type { PendingResults } from '../../kit/ports/results-port.ts';
import { type ResultPorts, writeResult } from './write-result.ts';
import { taskOf } from '../../kit/runs/run-family.ts';
import type { ResultReports } from '../../kit/ports/results-port.ts';

export type ResultReportPorts = {
  home: Home;
  config: Pick<Config, 'language'>;
  artifacts: ArtifactStore;
  shadow: Snapshots;
  vault: Pick<HomeVault, 'redact'>;
  runs: Pick<Runs, 'stateOf' | 'eventsOf'>;
  sandbox: Pick<Sandbox, 'warning'>;
  deps: Pick<Deps, 'installedFor'>;
  pending: PendingResults;
  /** Reports the outcome of a task, and in which file its result is. */
  reportResult: (line: string, file: string) => void;
  /** Whether another member of the fleet has taken over a task, and so writes its result. */
  isElsewhere?: (task: string) => boolean;
  /** Reports why there is no result yet. */
  report: (problem: string, run: string) => void;
};

export function reportResults(ports: ResultReportPorts): ResultReports {
  const { runs, pending, report } = ports;
  const inTurn = turnsByTask();
  const settle = (run: RunState): Promise<void> => reportSettled(run, ports, inTurn);
  const write = async (id: string): Promise<void> => {
    const run = await runs.stateOf(id);
    if (run !== null) await settle(run);
    else pending.remove(id);
  };
  const late = retryLater(write);
  const postpone = (id: string, error: unknown): void => {
    report(`its result cannot be written yet: ${messageOf(error)}`, id);
    late.add(id);
  };
  const refreshing = new Set<Promise<void>>();
  const refresh = (id: string): void => {
    const done = refreshPage(id, ports, inTurn)
      .catch((error: unknown) => postpone(id, error))
      .finally(() => refreshing.delete(done));
    refreshing.add(done);
  };
  return {
    runSettled: (run) => settle(run).catch((error: unknown) => postpone(run.id, error)),
    write: (id) => write(id).catch((error: unknown) => postpone(id, error)),
    watch: (durable) => {
      for (const run of new Set(durable.flatMap((event) => (isNews(event) ? (event.run ?? []) : [])))) refresh(run);
    },
    pending,
    close: async () => {
      late.end();
      await Promise.all(refreshing);
    },
  };
}

/** R2. The end of a run that is driven is reported when it settles. */
const isNews = ({ type, data }: Event): boolean =>
  type === 'wait.closed' ||
  type === 'run.paused' ||
  type === 'run.resumed' ||
  type === 'run.undone' ||
  (type === 'run.ended' && data.status === 'cancelled');

type InTurn = <T>(task: string, write: () => Promise<T>) => Promise<T>;

/** Writes the page of a task one after another (R1). */
function turnsByTask(): InTurn {
  const last = new Map<string, Promise<unknown>>();
  return async (task, write) => {
    const turn = (last.get(task) ?? Promise.resolve()).then(write, write);
    last.set(task, turn);
    try {
      return await turn;
    } finally {
      if (last.get(task) === turn) last.delete(task);
    }
  };
}

async function reportSettled(run: RunState, ports: ResultReportPorts, inTurn: InTurn): Promise<void> {
  const isOfInterest = run.plan.graph.id === taskGraph.id || run.status === 'blocked';
  const isPause = isPausing(run); // asked now: the state goes on changing while the page is written
  const task = isOfInterest ? await taskOf(run, ports.runs) : null;
  if (task === null) return;
  if (ports.isElsewhere?.(task.id) === true) return ports.pending.remove(task.id);
  const written = await inTurn(task.id, () => writeResult(task.id, portsFor(ports)));
  if (isOver(task.status)) ports.pending.remove(task.id);
  if (written !== null && task.id === run.id && !isPause)
    ports.reportResult(ports.vault.redact(resultLine(written.facts)), written.file);
}

/** Writes a page again, if there is one. Most tasks run to their end without one, and their runs are not loaded. */
async function refreshPage(id: string, ports: ResultReportPorts, inTurn: InTurn): Promise<void> {
  const hasPage = (task: string): boolean =>
    lstatIfPresent(join(ports.home.workspace, 'outbox', task, 'RESULT.md')) !== undefined;
  if (id.length < LONGEST_SHORT_NAME && !namesAround(id).some(hasPage)) return;
  const run = await ports.runs.stateOf(id);
  const task = run === null ? null : await taskOf(run, ports.runs);
  if (task !== null && hasPage(task.id) && ports.isElsewhere?.(task.id) !== true)
    await inTurn(task.id, () => writeResult(task.id, portsFor(ports)));
}

/** The name of a run inside another begins with the name of that one and a dot, unless it is too long for that. */
const LONGEST_SHORT_NAME = 80;
const namesAround = (run: string): string[] => {
  const parts = run.split('.');
  return parts.map((_, index) => parts.slice(0, index + 1).join('.'));
};

function portsFor({ home, config, artifacts, shadow, vault, runs, sandbox, deps }: ResultReportPorts): ResultPorts {
  const { eventsOf, stateOf } = runs;
  return {
    outbox: join(home.workspace, 'outbox'),
    desk: join(home.workspace, 'desk'),
    quarantine: join(home.oka, 'quarantine'),
    artifacts,
    shadow,
    redact: vault.redact,
    eventsOf,
    stateOf,
    sandboxWarning: sandbox.warning,
    language: config.language,
    installedFor: deps.installedFor,
  };
}

/** Whether only the clock has to move for it to continue, which is no news for anybody. */
function isPausing({ status, waits }: RunState): boolean {
  return !isOver(status) && waits.size > 0 && [...waits.values()].every(({ for: { kind } }) => kind === 'timer');
}
