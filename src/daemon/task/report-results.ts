/** Owns: telling how a task stands whenever a run of it rests, and trying again until that could be written. */
import { join } from 'node:path';
import type { Engine } from '../../engine/engine.ts';
import { isOver, type RunState } from '../../engine/run-state.ts';
import { taskGraph } from '../../graphs/task.ts';
import { messageOf } from '../../schema/errors.ts';
import type { Event } from '../../schema/event.ts';
import type { ArtifactStore } from '../../schema/ports.ts';
import type { Shadow } from '../../tools/desk/shadow.ts';
import type { Home } from '../../schema/home.ts';
import { retryLater, type PendingResults } from '../worker/pending-results.ts';
import { taskOf, writeResult } from './write-result.ts';

export type ResultReportPorts = {
  home: Home;
  artifacts: ArtifactStore;
  shadow: Shadow;
  engine: () => Engine;
  eventsOf: (run: string) => Promise<Event[]>;
  untold: PendingResults;
  /** Hears where the result is, or why there is none yet. */
  heard: (result: string, run: string) => void;
};

export type ResultReports = {
  /** Neither throws: what cannot be written now is written later. */
  atRest: (run: RunState) => Promise<void>;
  tell: (run: string) => Promise<void>;
  end: () => void;
};

export function reportResults(ports: ResultReportPorts): ResultReports {
  const tell = async (id: string): Promise<void> => {
    const run = await ports.engine().stateOf(id);
    if (run !== null) await writeResultOf(run, ports);
    else ports.untold.told(id);
  };
  const late = retryLater(tell);
  const tellLater = (id: string, error: unknown): void => {
    ports.heard(`its result cannot be written yet: ${messageOf(error)}`, id);
    late.add(id);
  };
  return {
    atRest: (run) => writeResultOf(run, ports).catch((error: unknown) => tellLater(run.id, error)),
    tell: (id) => tell(id).catch((error: unknown) => tellLater(id, error)),
    end: () => late.end(),
  };
}

async function writeResultOf(run: RunState, ports: ResultReportPorts): Promise<void> {
  const { home, artifacts, shadow, engine, eventsOf, untold, heard } = ports;
  const isOfInterest = run.plan.graph.id === taskGraph.id || run.status === 'blocked';
  const task = isOfInterest ? await taskOf(run, engine()) : null;
  if (task === null) return;
  const outbox = join(home.workspace, 'outbox');
  const stateOf = (id: string): Promise<RunState | null> => engine().stateOf(id);
  const file = await writeResult(task.id, { outbox, artifacts, shadow, eventsOf, stateOf });
  if (isOver(task.status)) untold.told(task.id);
  if (file !== null && task.id === run.id) heard(file, run.id);
}
