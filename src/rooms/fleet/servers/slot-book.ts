/**
 * Owns: which member runs which time of a schedule that several homes have. One book per schedule, and pure: it is
 * changed as a shared value (shared-values.ts).
 *
 * K1 A time belongs to the member that claimed it first. A claim can be taken over until its run has started, and
 *    every claim has one epoch more than the one before: the member of before cannot start it any more.
 * K2 A time that has started is never claimed again.
 * K3 Times before those that the book still has are settled: whoever comes late with one of them is refused.
 */
import type { SlotBook, SlotEntry } from '../../../core/schema/fleet-values.ts';
import type { Change } from './shared-values.ts';

type SlotClaim = { slot: string; run: string; home: string };
/** `settled`: by whom is not known any more. */
type Claimed = { kind: 'mine' } | { kind: 'settled' } | { kind: 'theirs'; entry: SlotEntry };

const MOST_LISTED = 100;
const EMPTY: SlotBook = { anchor: null, settled: null, slots: [] };

/** `state` is `over` for a time that this home has decided to skip. */
export function claimSlot(
  book: SlotBook | null,
  { slot, run, home }: SlotClaim,
  state: 'claimed' | 'over' = 'claimed',
): Change<SlotBook, Claimed> {
  const now = book ?? EMPTY;
  const found = entryOf(now, slot);
  if (found?.home === home) return { next: null, result: { kind: 'mine' } };
  if (found !== null) return { next: null, result: { kind: 'theirs', entry: found } };
  if (isSettled(now, slot)) return { next: null, result: { kind: 'settled' } };
  return { next: withEntry(now, { slot, run, home, epoch: 1, state }), result: { kind: 'mine' } };
}

/** Takes over a claim whose member is gone, as it was seen; false when something has happened to it meanwhile. */
export function takeOverSlot(book: SlotBook | null, seen: SlotEntry, home: string): Change<SlotBook, boolean> {
  const now = book ?? EMPTY;
  const found = entryOf(now, seen.slot);
  if (found?.home === home) return { next: null, result: true };
  if (found?.state !== 'claimed' || found.epoch !== seen.epoch) return { next: null, result: false };
  return { next: withEntry(now, { ...found, home, epoch: found.epoch + 1 }), result: true };
}

/** Whether this home may start the run of a time now (K1, K2). What was claimed before there was a fleet is started, too. */
export function startSlot(book: SlotBook | null, { slot, run, home }: SlotClaim): Change<SlotBook, boolean> {
  const now = book ?? EMPTY;
  const found = entryOf(now, slot);
  if (found === null && isSettled(now, slot)) return { next: null, result: false };
  if (found !== null && found.home !== home) return { next: null, result: false };
  if (found !== null && found.state !== 'claimed') return { next: null, result: true };
  const entry = found ?? { slot, run, home, epoch: 1, state: 'claimed' };
  return { next: withEntry(now, { ...entry, state: 'started' }), result: true };
}

/** Notes which runs of this home are still open; the others are over. Returns the book. */
export function endSlots(
  book: SlotBook | null,
  home: string,
  open: readonly string[],
): Change<SlotBook, SlotBook | null> {
  const isEnded = (entry: SlotEntry): boolean =>
    entry.home === home && entry.state === 'started' && !open.includes(entry.run);
  if (book?.slots.some(isEnded) !== true) return { next: null, result: book };
  const slots = book.slots.map((entry) => (isEnded(entry) ? { ...entry, state: 'over' as const } : entry));
  const next = { ...book, slots };
  return { next, result: next };
}

export function settleAnchor(book: SlotBook | null, anchor: string): Change<SlotBook, string> {
  const now = book ?? EMPTY;
  if (now.anchor !== null) return { next: null, result: now.anchor };
  return { next: { ...now, anchor }, result: anchor };
}

/** Times of other homes whose runs have not ended. */
export const openElsewhere = (book: SlotBook | null, home: string): SlotEntry[] =>
  (book?.slots ?? []).filter((entry) => entry.home !== home && entry.state !== 'over');

const entryOf = ({ slots }: SlotBook, slot: string): SlotEntry | null =>
  slots.find((entry) => entry.slot === slot) ?? null;

const isSettled = ({ settled }: SlotBook, slot: string): boolean => settled !== null && slot <= settled;

function withEntry(book: SlotBook, entry: SlotEntry): SlotBook {
  const all = [...book.slots.filter(({ slot }) => slot !== entry.slot), entry].toSorted((a, b) =>
    a.slot < b.slot ? -1 : 1,
  );
  const listed = all.slice(-MOST_LISTED);
  const settled = all.at(-MOST_LISTED - 1)?.slot ?? book.settled;
  return { ...book, settled, slots: listed };
}
