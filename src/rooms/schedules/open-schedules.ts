/**
 * Owns: the clock of schedules in the process with the pen: it follows the files in workspace/schedules and records each
 * time that has come.
 * Does not own: when a schedule is due (kit/schedule/schedule-times.ts), what happens to a time (kit/schedule/due-slots.ts), starting
 * the runs (start-scheduled.ts).
 *
 * C1 A time is recorded before its run starts, and names the run: a process that dies in between starts it later, once.
 * C2 Checks are made one at a time, and only by a process that was asked to (the worker, and `oka schedule tick`).
 * C3 A home that was copied records no time until a person has said which one is the home (kit/home/home-place.ts).
 * C4 A file that cannot be read, or a check that fails, stops no other schedule and no run.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { dueScheduleSlots, startOf } from '../../kit/schedule/due-slots.ts';
import { ScheduleFolder } from '../../kit/schedule/schedule-folder.ts';
import { listNextTimes, timesOfSpec } from '../../kit/schedule/schedule-spec.ts';
import { type Schedules, schedulesProjection, type ScheduleState } from '../../kit/schedule/schedule-state.ts';
import { nextTimes } from '../../kit/schedule/schedule-times.ts';
import type { SlotCame } from '../../kit/schedule/slots.ts';
import { type ScheduleChange, scheduleChanges } from '../../kit/schedule/sync-schedules.ts';
import { messageOf } from '../../core/schema/errors.ts';
import type { NewEvent } from '../../core/schema/event.ts';
import type { Home } from '../../core/schema/home.ts';
import { openPlace } from '../../kit/home/home-place.ts';
import type { Log } from '../../kit/log-line.ts';
import type { FleetSlots } from '../../kit/ports/fleet-port.ts';
import type { LedgerPort, ProjectionsPort, Runs } from '../../kit/ports/port-types.ts';
import { writeReasons } from './schedule-reasons.ts';
import type { SchedulesPort } from '../../kit/ports/schedules-port.ts';
import { oneAtATime } from '../../kit/pause.ts';

const SHOWN = 5;

const word = (how: SlotCame['how']): string => (how === 'caught_up' ? 'missed, run now' : how);

type SchedulePorts = {
  home: Home;
  ledger: Pick<LedgerPort, 'append'>;
  projections: ProjectionsPort;
  runs: Pick<Runs, 'stateOf'>;
  /** This home as a member of a fleet: each time of a schedule that several homes have runs once. */
  fleet?: { slots: FleetSlots } | null;
  now?: () => number;
};

/** How often files are checked; what is due is compared with the clock at every poll. */
const SCAN_MS = 1000;
/** Scanning may take at most this share of the time. */
const MOST_SHARE = 0.02;
const AT_ONCE = 1000;

export function openSchedules({
  home,
  ledger,
  projections,
  runs,
  fleet = null,
  now = Date.now,
}: SchedulePorts): SchedulesPort {
  const folder = new ScheduleFolder(join(home.workspace, 'schedules'));
  const state = (): Schedules => projections.stateOf(schedulesProjection);
  const append = async (events: readonly NewEvent[]): Promise<void> => {
    for (let from = 0; from < events.length; from += AT_ONCE) await ledger.append(events.slice(from, from + AT_ONCE));
  };
  let active: { log: Log; started: number } | null = null;
  const place = openPlace(home);
  let nextScan = 0;
  let problem = '';
  const inTurn = oneAtATime();
  const log: Log = (line) => active?.log(line);
  const readFiles = async (isAtOnce: boolean): Promise<void> => {
    const begun = performance.now();
    const scanned = folder.scan(isAtOnce);
    if (scanned !== null && (scanned.isFresh || isAtOnce)) {
      const found = scheduleChanges(scanned.entries, state(), now());
      const changes =
        fleet === null ? found : await Promise.all(found.map((each) => fleet.slots.withSharedAnchor(each)));
      await append(changes.map((data) => ({ type: 'schedule.changed', data })));
      writeReasons(folder.path, changes);
      for (const change of changes) log(describeChange(change));
    }
    const took = performance.now() - begun;
    nextScan = performance.now() + Math.max(SCAN_MS, took / MOST_SHARE);
  };
  const recordSlots = async (): Promise<SlotCame[]> => {
    const started = active?.started ?? now();
    await append(failedTooOften(state()).map((data) => ({ type: 'schedule.changed', data })));
    const ripe = dueNow(state(), now(), started);
    await fleet?.slots.noteEnded(state());
    const due = fleet === null ? ripe : await fleet.slots.settle(ripe, state());
    await append(due.map((data) => ({ type: 'slot.came', data })));
    for (const line of describeSlots(due)) log(line);
    return due;
  };
  const check = async (): Promise<void> => {
    try {
      if (performance.now() >= nextScan) await readFiles(false);
      if (state().isClockOn && place.copy() === null) await recordSlots();
      problem = '';
    } catch (error) {
      if (problem !== messageOf(error)) log(`schedules cannot be checked: ${messageOf(error)}`);
      problem = messageOf(error);
    }
  };
  return {
    folder: folder.path,
    state,
    now,
    append,
    hasRun: async (run) => state().runs[run] !== undefined || (await runs.stateOf(run)) !== null,
    activate: (given) => {
      mkdirSync(folder.path, { recursive: true });
      active = { log: given, started: now() };
      const copy = place.copy();
      if (copy !== null) given(copy);
    },
    poll: async () => (active === null ? undefined : inTurn(check)),
    claimPlace: place.claim,
    readFiles: () => inTurn(() => readFiles(true)),
    tick: () =>
      inTurn(async () => {
        place.assertOnly();
        await readFiles(true);
        return recordSlots();
      }),
  };
}

/** When the next time of a schedule starts; cached for as long as its state is the same. */
const nextStarts = new WeakMap<ScheduleState, number>();

function nextStartOf(state: ScheduleState): number {
  const known = nextStarts.get(state);
  if (known !== undefined) return known;
  const [next] = nextTimes(timesOfSpec(state.spec), state.since, 1);
  const start = next === undefined ? Number.POSITIVE_INFINITY : startOf(state, next);
  nextStarts.set(state, start);
  return start;
}

function dueNow({ byId, runs }: Schedules, now: number, started: number): SlotCame[] {
  const due = Object.values(byId).filter((state) => state.isOn && nextStartOf(state) <= now);
  if (due.length === 0) return [];
  const open = new Map<string, { run: string; isStarted: boolean }[]>();
  for (const [run, { schedule, isStarted }] of Object.entries(runs))
    open.set(schedule, [...(open.get(schedule) ?? []), { run, isStarted }]);
  return due.flatMap((state) => {
    const mine = open.get(state.id) ?? [];
    const pending = mine.filter(({ isStarted }) => !isStarted).length;
    return dueScheduleSlots(state, { now, started, open: mine.map(({ run }) => run), pending });
  });
}

/** Schedules that are to be switched off since their runs keep failing. */
function failedTooOften({ byId }: Schedules): ScheduleChange[] {
  return Object.values(byId).flatMap(
    ({ id, isOn, failures, spec: { pause_after_failures: most } }): ScheduleChange[] =>
      isOn && most !== null && failures >= most
        ? [{ schedule: id, change: 'off', reason: `${failures} runs in a row have failed` }]
        : [],
  );
}

/** What the worker logs about schedules. */
function describeChange({ schedule, change, reason, name, spec }: ScheduleChange): string {
  const subject = schedule ?? 'the clock of schedules';
  if (change === 'refused') return `not a schedule: ${name ?? subject}: ${reason.split('\n', 1)[0] ?? ''}`;
  if (spec === undefined) return `schedule ${subject}: ${change}, ${reason}`;
  const next = listNextTimes(spec, Date.now(), 1)[0];
  return `schedule ${subject}: ${change}; ${next === undefined ? 'no further time' : `next: ${next} (${spec.timezone})`}`;
}

/** Times that did not just run are logged, too; of very many the last few and their number. */
function describeSlots(slots: readonly SlotCame[]): string[] {
  const notable = slots.filter(({ how }) => how !== 'ran');
  const more = notable.length - SHOWN;
  const lines = notable.slice(-SHOWN).map(({ job, slot, how, reason }) => `${job}, ${slot}: ${word(how)}; ${reason}`);
  return more > 0
    ? [`${more} more times of schedules were missed or skipped: oka log --type slot.came`, ...lines]
    : lines;
}
