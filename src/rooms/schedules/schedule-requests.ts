/** Owns: what people ask of schedules: on, off, delete, trigger, tick, start, stop, backfill. */
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runIdOf } from '../../kit/schedule/due-slots.ts';
import { readMoment, ScheduleFieldError, timesOfSpec } from '../../kit/schedule/schedule-spec.ts';
import type { ScheduleState } from '../../kit/schedule/schedule-state.ts';
import type { SlotCame } from '../../kit/schedule/slots.ts';
import { OkaError } from '../../core/schema/errors.ts';
import type { NewEvent } from '../../core/schema/event.ts';
import type { Intake } from '../../core/schema/intake.ts';
import type { Json } from '../../core/schema/json.ts';
import type { SchedulesPort } from '../../kit/ports/schedules-port.ts';

type ScheduleIntake = Extract<Intake, { kind: 'schedule' }>;

/** More runs are not made by one request. */
const MOST_BACKFILLED = 1000;
const BY_PERSON = 'a person asked for it';

export async function handleSchedule(schedules: SchedulesPort, intake: ScheduleIntake): Promise<Json> {
  const { act } = intake;
  if (act === 'tick') return summarize(await schedules.tick());
  if (act === 'start' || act === 'stop') {
    const clock = act === 'start' ? 'on' : 'off';
    const isSo = schedules.state().isClockOn === (act === 'start');
    if (!isSo) await schedules.append([changed(null, clock)]);
    schedules.claimPlace();
    return { clock, ...(isSo ? { unchanged: `The clock of schedules is ${clock} already` } : {}) };
  }
  await schedules.readFiles();
  const state = findSchedule(schedules, intake.schedule ?? '');
  const { id } = state;
  switch (act) {
    case 'on':
    case 'off':
      if (state.isOn === (act === 'on')) return { schedule: id, [act]: true, unchanged: `${id} is ${act} already` };
      await schedules.append([changed(id, act)]);
      return { schedule: id, [act]: true };
    case 'delete':
      setAside(schedules.folder, state.name);
      await schedules.append([changed(id, 'removed')]);
      return { schedule: id, deleted: state.name };
    case 'trigger':
      return makeRuns(schedules, state, 'trigger', [await freeSecond(schedules, id)]);
    case 'backfill':
      return makeRuns(schedules, state, 'backfill', backfillTimes(state, intake, schedules.now()));
  }
}

/** Moves a file out of the way; it stays in the hidden folder until another one of its name comes. */
export function setAside(folder: string, name: string): void {
  const aside = join(folder, '.before');
  if (!existsSync(join(folder, name))) return;
  mkdirSync(aside, { recursive: true });
  rmSync(join(aside, name), { recursive: true, force: true });
  renameSync(join(folder, name), join(aside, name));
}

/** Runs are named by the second they are for: who asks twice within one gets the next. */
async function freeSecond(schedules: SchedulesPort, id: string): Promise<number> {
  let slot = Math.floor(schedules.now() / 1000) * 1000;
  while (await schedules.hasRun(runIdOf(id, slot, 'now-'))) slot += 1000;
  return slot;
}

/** A span of days or moments, as a person writes it, in the time zone of the schedule. */
export function backfillSpan(
  { spec: { timezone } }: Pick<ScheduleState, 'spec'>,
  { from, to }: { from: string; to: string },
): { from: string; to: string } {
  const toInstant = (text: string, isEnd: boolean): string => {
    try {
      return new Date(readMoment('at', text, timezone, isEnd)).toISOString();
    } catch (error) {
      throw error instanceof ScheduleFieldError ? new OkaError('usage', error.message) : error;
    }
  };
  return { from: toInstant(from, false), to: toInstant(to, true) };
}

/** The times of a schedule in a span, as far as they have passed. */
export function backfillTimes(
  { spec }: Pick<ScheduleState, 'spec'>,
  { from, to }: Pick<ScheduleIntake, 'from' | 'to'>,
  now: number,
): number[] {
  const [first, last] = [Date.parse(from ?? ''), Date.parse(to ?? '')];
  if (Number.isNaN(first) || Number.isNaN(last)) throw new OkaError('usage', 'a backfill needs a beginning and an end');
  const times: number[] = [];
  for (const time of timesOfSpec(spec).between(first - 1, Math.min(last, now))) {
    times.push(time);
    if (times.length > MOST_BACKFILLED)
      throw new OkaError('refused', `between ${from} and ${to} it would have run more than ${MOST_BACKFILLED} times`, {
        fix: 'Choose a shorter span.',
      });
  }
  return times;
}

/** The same time is backfilled once. */
async function makeRuns(
  schedules: SchedulesPort,
  { id, problem }: ScheduleState,
  source: 'trigger' | 'backfill',
  slots: readonly number[],
): Promise<Json> {
  if (problem !== null) throw new OkaError('refused', `the file of ${id} cannot be read: ${problem}`);
  const made = slots.map((slot): SlotCame & { run: string } => ({
    job: `${source}/${id}`,
    slot: new Date(slot).toISOString(),
    how: source === 'trigger' ? 'ran' : 'caught_up',
    reason: BY_PERSON,
    run: runIdOf(id, slot, source === 'trigger' ? 'now-' : 'back-'),
  }));
  const fresh: typeof made = [];
  for (const each of made) if (!(await schedules.hasRun(each.run))) fresh.push(each);
  await schedules.append(fresh.map((data) => ({ type: 'slot.came', data })));
  return { schedule: id, runs: fresh.map(({ run }) => run), done_before: made.length - fresh.length };
}

function changed(schedule: string | null, change: 'on' | 'off' | 'removed'): NewEvent {
  return { type: 'schedule.changed', data: { schedule, change, reason: BY_PERSON } };
}

export function findSchedule({ state }: Pick<SchedulesPort, 'state'>, name: string): ScheduleState {
  const { byId } = state();
  const found = byId[name] ?? Object.values(byId).find((each) => each.name === name);
  if (found !== undefined) return found;
  throw new OkaError('usage', `there is no schedule "${name}"`, { fix: 'List them: oka schedule list' });
}

function summarize(slots: readonly SlotCame[]): Json {
  return { due: slots.length, runs: slots.flatMap(({ run }) => run ?? []) };
}
