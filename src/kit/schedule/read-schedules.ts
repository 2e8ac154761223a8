/** Owns: schedules as people see them, without the pen: what the ledger says, and files that no worker has read yet. */
import { join } from 'node:path';
import { ScheduleFolder } from './schedule-folder.ts';
import { formatLocal, timesOfSpec } from './schedule-spec.ts';
import { type Schedules, schedulesProjection, type ScheduleState } from './schedule-state.ts';
import { nextTimes } from './schedule-times.ts';
import { scheduleChanges } from './sync-schedules.ts';
import { peekProjection } from '../../core/ledger/peek-projection.ts';
import type { Home } from '../../core/schema/home.ts';

export type ScheduleRow = {
  schedule: string;
  kind: 'task' | 'graph';
  title: string;
  /** Its file or folder in workspace/schedules. */
  file: string;
  every: string | null;
  timezone: string;
  on: boolean;
  /** The next five times, as moments and as local times; none when it is off or over. */
  next: string[];
  next_local: string[];
  last: ScheduleState['last'];
  last_run: ScheduleState['lastRun'];
  /** Failed runs in a row. */
  failures: number;
  problem: string | null;
};

export async function readSchedules(home: Home, now: number): Promise<Schedules> {
  const { state } = await peekProjection(home.ledgers.run, home.oka, schedulesProjection);
  const scanned = new ScheduleFolder(join(home.workspace, 'schedules')).scan(true);
  const changes = scanned === null ? [] : scheduleChanges(scanned.entries, state, now);
  const about = { run: null, cause: null, pen: 'run', v: 1, seq: 0, at: new Date(now).toISOString() } as const;
  return changes.reduce(
    (known, data) => schedulesProjection.apply(known, { ...about, type: 'schedule.changed', data }),
    state,
  );
}

const SHOWN = 5;

export function toScheduleRow(state: ScheduleState, now: number): ScheduleRow {
  const { id, kind, title, name, spec, isOn, last, lastRun, failures, problem } = state;
  const next = isOn ? nextTimes(timesOfSpec(spec), Math.max(state.since, now), SHOWN) : [];
  return {
    schedule: id,
    kind,
    title,
    file: name,
    every: spec.every,
    timezone: spec.timezone,
    on: isOn,
    next: next.map((moment) => new Date(moment).toISOString()),
    next_local: next.map((moment) => formatLocal(moment, spec.timezone)),
    last,
    last_run: lastRun,
    failures,
    problem,
  };
}
