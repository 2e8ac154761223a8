/** The procedures that are in the maintenance ledger, kept in the book. */
import type { Event } from '../../schema/event.ts';
import type { Rows } from '../../schema/rows.ts';
import { familyOf } from './execution.ts';
import { type KnownProcedure, learn, type Learned, proceduresIn } from './known.ts';

const MOST_DRAFTS = 5;
const MOST_MOVES = 100;

type Kept = { drafts: Learned['drafts'] extends Map<string, infer T> ? T : never; moves: KnownProcedure['moves'] };

const knownKey = (id: string): string => `procedures/known/${id}`;
const changeKey = (seq: number): string => `procedures/change/${seq}`;
const idsKey = (family: string): string => `procedures/ids/${family}`;

export function knownProcedure(book: Rows, id: string): KnownProcedure | undefined {
  const kept = book.get<Kept>(knownKey(id));
  return kept === undefined ? undefined : shown(id, kept);
}

/** All of them, by name. */
export function knownProcedures(book: Rows): KnownProcedure[] {
  return [...book.each<Kept>('procedures/known/')].flatMap(
    ([key, kept]) => shown(key.slice('procedures/known/'.length), kept) ?? [],
  );
}

/** The procedures of a family. */
export const idsOf = (book: Rows, family: string): string[] => book.get<string[]>(idsKey(family)) ?? [];

/** Whether a person took a draft back: it is not made again. */
export const isWithdrawn = (book: Rows, id: string): boolean =>
  book.get<boolean>(`procedures/withdrawn/${id}`) === true;

const learnedOf = (id: string, { drafts, moves }: Kept): Learned => ({
  drafts: new Map([[id, drafts]]),
  moves: new Map([[id, moves]]),
});

const shown = (id: string, kept: Kept): KnownProcedure | undefined => proceduresIn(learnedOf(id, kept))[0];

export function takeKnown(event: Event, book: Rows, touch: (id: string) => void): void {
  const id = subjectOf(event, book);
  if (id === null) return;
  const learned = learnedOf(id, book.get<Kept>(knownKey(id)) ?? { drafts: [], moves: [] });
  learn(learned, event);
  const drafts = (learned.drafts.get(id) ?? []).slice(-MOST_DRAFTS);
  const moves = (learned.moves.get(id) ?? []).slice(-MOST_MOVES);
  book.put(knownKey(id), drafts.length + moves.length === 0 ? null : { drafts, moves });
  const family = familyOf(id);
  const ids = idsOf(book, family).filter((each) => each !== id);
  book.put(idsKey(family), drafts.length === 0 ? ids : [...ids, id]);
  touch(id);
  if (event.type === 'change.undone') {
    if (drafts.length === 0) book.put(`procedures/withdrawn/${id}`, true);
  } else book.put(changeKey(event.seq), id);
  if (event.type === 'procedure.drafted') book.put(`procedures/draft/${id}`, null);
}

function subjectOf(event: Event, book: Rows): string | null {
  if (event.type === 'procedure.drafted') return event.data.procedure.id;
  if (event.type === 'procedure.moved') return event.data.procedure;
  return event.type === 'change.undone' ? (book.get<string>(changeKey(event.data.change)) ?? null) : null;
}
