/**
 * Owns: what happens to each time of a schedule that has come. Pure.
 *
 * U1 Times are settled in order, each once, up to now; nothing is left out without a record that gives the reason.
 * U2 What is met within a minute runs. Anything later was missed: `catch_up` decides, within its window and its cap.
 * U3 Runs that are decided on together are done one after the other, unless overlap is allowed.
 */
import { hash } from 'node:crypto';
import type { ScheduleSpec } from '../../core/schema/schedule.ts';
import { timesOfSpec } from './schedule-spec.ts';
import { jobOf, type ScheduleState } from './schedule-state.ts';
import { LATE_MS, MOST_RECORDED, type SlotCame } from './slots.ts';

/** More missed times are not made up for, and more runs do not queue. */
export const MOST_CAUGHT_UP = 10;

export type ScheduleClock = {
  now: number;
  /** When this process started to check. */
  started: number;
  /** Runs of this schedule that have not ended, and how many of them have not started. */
  open: readonly string[];
  pending: number;
};

type Outcome = Pick<SlotCame, 'how' | 'reason'>;

export function dueScheduleSlots(state: ScheduleState, clock: ScheduleClock): SlotCame[] {
  if (!state.isOn) return [];
  const { slots, left } = slotsDue(state, clock.now);
  const outcomes = decideSlots(slots, state, clock);
  return slots.map((slot, index): SlotCame => {
    const { how, reason } = outcomes[index] ?? { how: 'dropped', reason: '' };
    const more = index === 0 && left > 0 ? `; so were ${left} before it, which are not recorded one by one` : '';
    const run = how === 'ran' || how === 'caught_up' ? { run: runIdOf(state.id, slot) } : {};
    return { job: jobOf(state.id), slot: new Date(slot).toISOString(), how, reason: `${reason}${more}`, ...run };
  });
}

/** The run that a time of a schedule makes. */
export function runIdOf(id: string, slot: number, mark = ''): string {
  const digits = slot % 60_000 === 0 ? 13 : 15;
  const stamp = new Date(slot).toISOString().replaceAll(/[-:]/g, '').slice(0, digits);
  return `${id.slice(0, 90)}-${mark}${stamp}`;
}

/** When the run of a time starts: later by a part of `jitter` that is the same whenever it is asked for. */
export function startOf({ id, spec }: Pick<ScheduleState, 'id' | 'spec'>, slot: number): number {
  if (spec.jitter === 0) return slot;
  const part = Number.parseInt(hash('sha256', `${id} ${slot}`).slice(0, 8), 16) / 2 ** 32;
  return slot + Math.floor(part * spec.jitter) * 1000;
}

function slotsDue(state: ScheduleState, now: number): { slots: number[]; left: number } {
  const slots: number[] = [];
  let left = 0;
  for (const slot of timesOfSpec(state.spec).between(state.since, now)) {
    if (startOf(state, slot) > now) break;
    slots.push(slot);
    if (slots.length >= 2 * MOST_RECORDED) left += slots.splice(0, MOST_RECORDED).length;
  }
  left += slots.splice(0, Math.max(0, slots.length - MOST_RECORDED)).length;
  return { slots, left };
}

function decideSlots(slots: readonly number[], state: ScheduleState, clock: ScheduleClock): Outcome[] {
  const { problem, spec } = state;
  if (problem !== null) return slots.map(() => ({ how: 'skipped', reason: `its file cannot be read: ${problem}` }));
  const late = slots.filter((slot) => clock.now - startOf(state, slot) > LATE_MS);
  const isMet = late.length < slots.length;
  let pending = clock.pending;
  return slots.map((_slot, index) => {
    const outcome: Outcome =
      index < late.length ? decideMissed(index, late, spec, clock, isMet) : { how: 'ran', reason: 'it was due' };
    if (outcome.how !== 'ran' && outcome.how !== 'caught_up') return outcome;
    const refusal = overlapProblem(spec, clock, pending);
    if (refusal === null) pending += 1;
    return refusal ?? outcome;
  });
}

function decideMissed(
  index: number,
  late: readonly number[],
  { catch_up, within }: ScheduleSpec,
  { now, started }: ScheduleClock,
  isMet: boolean,
): Outcome {
  const slot = late[index] ?? 0;
  const why =
    slot <= started
      ? 'no process was there'
      : 'the process could not check: the machine slept, or its clock was set forward';
  if (catch_up === 'none') return { how: 'missed', reason: `${why}; catch_up is none` };
  if (now - slot > within * 1000) return { how: 'dropped', reason: `${why}; it is older than what is made up for` };
  const after = late.length - index - 1;
  if (catch_up === 'all')
    return after < MOST_CAUGHT_UP
      ? { how: 'caught_up', reason: why }
      : { how: 'dropped', reason: `${why}; only the last ${MOST_CAUGHT_UP} are made up for` };
  return after === 0 && !isMet
    ? { how: 'caught_up', reason: why }
    : { how: 'missed', reason: `${why}; one later run makes up for it` };
}

/** Null when a run may be made. Runs that were open before this check count; those of this check are done in turn. */
function overlapProblem({ overlap }: ScheduleSpec, { open }: ScheduleClock, pending: number): Outcome | null {
  if (overlap === 'allow' || overlap === 'cancel' || open.length === 0) return null;
  if (overlap === 'skip') return { how: 'skipped', reason: `the run before it has not ended: ${open.at(-1) ?? ''}` };
  if (pending < MOST_CAUGHT_UP) return null;
  return { how: 'dropped', reason: `${pending} runs of it are waiting to start already` };
}
