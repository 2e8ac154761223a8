/**
 * Owns: what the run ledger says about schedules: how each stands, up to which moment its times are settled, and which of
 * its runs have not ended. A projection; the files in workspace/schedules say what is to be run.
 *
 * S1 Times up to `since` are settled: none of them is recorded again, after a restart or with a clock that was set back.
 * S2 A run that a recorded time makes is pending until it has started; a process that dies in between starts it later.
 */
import type { Event } from '../../core/schema/event.ts';
import type { Projection } from '../../core/schema/ports.ts';
import type { ScheduleSpec } from '../../core/schema/schedule.ts';

export type ScheduleState = {
  id: string;
  name: string;
  kind: 'task' | 'graph';
  title: string;
  sha256: string;
  spec: ScheduleSpec;
  isOn: boolean;
  /** Why its file cannot be read; null when it can. */
  problem: string | null;
  since: number;
  last: { slot: string; how: string; reason: string } | null;
  /** Failed runs in a row. */
  failures: number;
  lastRun: { run: string; status: string; at: string } | null;
};

type ScheduledRun = { schedule: string; slot: string; isStarted: boolean };

export type Schedules = {
  /** Whether times are checked by themselves, and not by `oka schedule tick` alone. */
  isClockOn: boolean;
  byId: Record<string, ScheduleState>;
  /** Files that cannot be read, by name. */
  refused: Record<string, { sha256: string; reason: string }>;
  /** Runs that have not ended, oldest first. */
  runs: Record<string, ScheduledRun>;
};

/** A schedule that failed so often in a row is shown to people. */
const FAILURES_SHOWN = 3;

export const jobOf = (id: string): string => `schedule/${id}`;
/** Which schedule a job of a slot is about; undefined for the jobs of maintenance. */
const JOB = /^(schedule|backfill|trigger)\/(.+)$/;

export const schedulesProjection: Projection<Schedules> = {
  name: 'schedules',
  version: 1,
  types: ['schedule.changed', 'slot.came', 'run.started', 'run.ended', 'task.rejected'],
  initial: () => ({ isClockOn: true, byId: {}, refused: {}, runs: {} }),
  apply: (state, event) => {
    applyToSchedules(state, event);
    return state;
  },
};

function applyToSchedules(state: Schedules, event: Event): void {
  if (event.type === 'schedule.changed') applyChange(state, event);
  if (event.type === 'slot.came') applySlot(state, event.data);
  const scheduled = event.run === null ? undefined : state.runs[event.run];
  if (event.run === null || scheduled === undefined) return;
  if (event.type === 'run.started') state.runs[event.run] = { ...scheduled, isStarted: true };
  if (event.type === 'run.ended') applyEnd(state, event.run, event.data.status, event.at);
  if (event.type === 'task.rejected') applyEnd(state, event.run, 'failed', event.at);
}

type Changed = Extract<Event, { type: 'schedule.changed' }>;

function applyChange(state: Schedules, { data, at }: Changed): void {
  const { schedule: id, change } = data;
  if (id === null) {
    if (change === 'on' || change === 'off') state.isClockOn = change === 'on';
    return;
  }
  const before = state.byId[id];
  const now = Date.parse(at);
  if (change === 'refused') state.refused[data.name ?? id] = { sha256: data.sha256 ?? '', reason: data.reason };
  else delete state.refused[data.name ?? before?.name ?? id];
  if (change === 'removed') {
    if (data.name === undefined || before?.name === data.name) delete state.byId[id];
  } else if (change === 'added' || change === 'changed') {
    const { name = id, kind = 'task', title = id, sha256 = '', spec } = data;
    if (spec === undefined) return;
    const since = Math.max(before?.since ?? 0, firstSince(spec, now));
    const fresh = { isOn: true, last: null, failures: 0, lastRun: null };
    state.byId[id] = { ...fresh, ...before, id, name, kind, title, sha256, spec, problem: null, since };
  } else if (before !== undefined) {
    if (change === 'refused') state.byId[id] = before.name === data.name ? { ...before, problem: data.reason } : before;
    else state.byId[id] = { ...before, isOn: change === 'on', ...(change === 'on' ? { since: now, failures: 0 } : {}) };
  }
}

/** Times of a new schedule begin now; one that is due once may have been missed before its file was read. */
const firstSince = ({ every, anchor }: ScheduleSpec, now: number): number =>
  every === null ? Math.min(now, Date.parse(anchor) - 1) : now;

type Slot = Extract<Event, { type: 'slot.came' }>['data'];

function applySlot(state: Schedules, { job, slot, how, reason, run }: Slot): void {
  const [, source, id = ''] = JOB.exec(job) ?? [];
  const known = state.byId[id];
  if (run !== undefined && source !== undefined) state.runs[run] = { schedule: id, slot, isStarted: false };
  if (run === undefined && source === 'schedule') dropPending(state, id, slot);
  if (known === undefined || source !== 'schedule') return;
  state.byId[id] = { ...known, since: Math.max(known.since, Date.parse(slot)), last: { slot, how, reason } };
}

/** A time that was recorded before, and that another member of the fleet runs after all. */
function dropPending({ runs }: Schedules, id: string, slot: string): void {
  for (const [run, pending] of Object.entries(runs))
    if (pending.schedule === id && pending.slot === slot && !pending.isStarted) delete runs[run];
}

function applyEnd(state: Schedules, run: string, status: string, at: string): void {
  const known = state.byId[state.runs[run]?.schedule ?? ''];
  delete state.runs[run];
  if (known === undefined) return;
  const failures = status === 'failed' ? known.failures + 1 : status === 'done' ? 0 : known.failures;
  state.byId[known.id] = { ...known, failures, lastRun: { run, status, at } };
}

/** Schedules that a person should know about: their runs keep failing, or their files cannot be read. */
export function failingSchedules({ byId, refused }: Schedules): { schedule: string; reason: string }[] {
  const failing = Object.values(byId).filter(({ failures, isOn, spec: { pause_after_failures: most } }) =>
    isOn ? failures >= FAILURES_SHOWN : most !== null && failures >= most,
  );
  return [
    ...failing.map(({ id, failures, isOn }) => ({
      schedule: id,
      reason: `its last ${failures} runs failed${isOn ? '' : ', so it was switched off'}`,
    })),
    ...Object.entries(refused).map(([name, { reason }]) => ({
      schedule: name,
      reason: reason.split('\n', 1)[0] ?? '',
    })),
  ];
}
