/**
 * Owns: times of schedules that several homes of a fleet have: each of them runs once, at one home.
 * Does not own: when a schedule is due and what happens to missed times (kit/schedule/due-slots.ts), the book (rooms/fleet/servers/slot-book.ts).
 *
 * 1. A schedule is the same at two homes if its name and the content of its file are the same.
 * 2. A time is claimed before it is recorded, and its start is in the book before its run starts. A member that ends in
 *    between goes on when it is back; one that is silent for too long is replaced, and then cannot start it any more.
 * 3. While another home runs the schedule, further times are left to that home: only there can the overlap be judged.
 * 4. While the servers do not answer no time is settled.
 */
import { hash } from 'node:crypto';
import { claimSlot, endSlots, openElsewhere, settleAnchor, startSlot, takeOverSlot } from './servers/slot-book.ts';
import { SlotBook } from '../../core/schema/fleet-values.ts';
import { type Change, changeValue, type SharedLog } from './servers/shared-values.ts';
import { MOST_CAUGHT_UP, runIdOf } from '../../kit/schedule/due-slots.ts';
import { jobOf, type ScheduleState } from '../../kit/schedule/schedule-state.ts';
import type { SlotCame } from '../../kit/schedule/slots.ts';
import type { MemberWatch } from './member-watch.ts';
import type { FleetSlots } from '../../kit/ports/fleet-port.ts';

const AGAIN_MS = 1000;

/** A schedule as it is when its times are settled. */
type JobNow = {
  state: ScheduleState;
  /** Its runs at this home. */
  open: readonly string[];
  book: SlotBook | null;
  /** Whether this is one of the last times: older ones are not told to others. */
  isLast: boolean;
};

export function fleetSlots(log: SharedLog, home: string, { isSilent }: MemberWatch): FleetSlots {
  /** What was decided about times that are not recorded yet: being late does not change it. */
  const decided = new Map<string, SlotCame>();
  const held = new Map<string, number>();
  const started = new Map<string, string>();
  const change = <R>(key: string, act: (book: SlotBook | null) => Change<SlotBook, R>): Promise<R> =>
    changeValue(log, key, SlotBook, act);

  /** Null: not yet. */
  const settleOne = async (came: SlotCame, { state, open, book, isLast }: JobNow): Promise<SlotCame | null> => {
    const key = keyOf(state);
    const { slot } = came;
    const run = runIdOf(state.id, Date.parse(slot));
    const entry = book?.slots.find((each) => each.slot === slot);
    if (entry?.home === home && came.run === undefined && entry.state === 'claimed')
      return { ...came, how: 'caught_up', reason: 'this home had claimed it before', run };
    const isOverlap = came.run === undefined && open.length > 0 && isLast;
    if (came.run === undefined && !isOverlap) return came;
    if (entry === undefined && open.length === 0 && state.spec.overlap !== 'allow')
      for (const other of openElsewhere(book, home)) if (!(await isSilent(other.home))) return null;
    const claim = await change(key, (now) => claimSlot(now, { slot, run, home }, isOverlap ? 'over' : 'claimed'));
    if (claim.kind === 'mine') return came;
    if (claim.kind === 'settled') return skipped(came, 'the fleet has settled it before');
    const { entry: theirs } = claim;
    if (theirs.state !== 'claimed') return skipped(came, `${theirs.home} of the fleet runs it`);
    if (!(await isSilent(theirs.home))) return null;
    const isMine = await change(key, (now) => takeOverSlot(now, theirs, home));
    return isMine ? { ...came, reason: `${theirs.home} had claimed it and is silent` } : null;
  };

  return {
    withSharedAnchor: async (given) => {
      const { schedule, sha256, spec } = given;
      if (schedule === null || sha256 === undefined || spec === undefined || spec.from !== null) return given;
      const anchor = await change(keyOf({ id: schedule, sha256 }), (book) => settleAnchor(book, spec.anchor));
      return { ...given, spec: { ...spec, anchor } };
    },
    settle: async (due, { byId, runs }) => {
      const settled: SlotCame[] = [];
      for (const [job, slots] of Map.groupBy(due, (each) => each.job)) {
        const state = Object.values(byId).find(({ id }) => jobOf(id) === job);
        if (state === undefined || performance.now() < (held.get(job) ?? 0)) continue;
        if (state.problem !== null) {
          settled.push(...slots);
          continue;
        }
        const open = Object.entries(runs).flatMap(([run, { schedule }]) => (schedule === state.id ? [run] : []));
        const book = await change(keyOf(state), (now) => endSlots(now, home, open));
        for (const [index, slot] of slots.entries()) {
          const name = `${job} ${slot.slot}`;
          const came = decided.get(name) ?? slot;
          decided.set(name, came);
          const isLast = index >= slots.length - MOST_CAUGHT_UP;
          const outcome = await settleOne(came, { state, open, book, isLast });
          if (outcome === null) {
            held.set(job, performance.now() + AGAIN_MS);
            break; // times are recorded in order
          }
          decided.delete(name);
          settled.push(outcome);
        }
      }
      return settled;
    },
    mayStart: async ({ run, slot }, state) => {
      if (run !== runIdOf(state.id, Date.parse(slot))) return true; // a person asked for it here
      const isMine = await change(keyOf(state), (book) => startSlot(book, { slot, run, home }));
      if (isMine) started.set(run, keyOf(state));
      return isMine;
    },
    noteEnded: async ({ runs }) => {
      for (const [run, key] of started) {
        if (runs[run] !== undefined) continue;
        await change(key, (book) => endSlots(book, home, Object.keys(runs)));
        started.delete(run);
      }
    },
  };
}

/** A key has only characters that a subject may have. */
const keyOf = ({ id, sha256 }: Pick<ScheduleState, 'id' | 'sha256'>): string =>
  `slot.${hash('sha256', `${id}\n${sha256}`).slice(0, 32)}`;

const skipped = ({ job, slot }: SlotCame, reason: string): SlotCame => ({ job, slot, how: 'skipped', reason });
