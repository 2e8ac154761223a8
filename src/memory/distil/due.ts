/**
 * Owns: what follows from the events and is not written down yet.
 *
 * 1. What is due is in the book as if it were written: what comes next is decided in its light.
 * 2. An entry goes when its event comes back from the ledger. It is known by what it rests on, not by its words: the
 *    ledger may have masked some.
 * 3. For each event that was written the book keeps what was before, for whoever takes it back.
 */
import type { Event, NewEvent } from '../../schema/event.ts';
import type { FactGiven } from '../../schema/memory.ts';
import type { Rows } from '../../schema/rows.ts';
import { sumOf } from '../index/item.ts';
import { type Held, heldOf, isHeld, keep, leave, reword, type Why } from './held.ts';
import type { Subject } from './subject.ts';

type Types = 'fact.kept' | 'fact.forgotten' | 'fact.reworded' | 'change.undone';
export type Concluded = Extract<NewEvent, { type: Types }>;
type Written = Extract<Event, { type: Types }>;

type Due = { event: Concluded; before: Held[]; subject: Subject | null };

/** What an event of the maintenance ledger did to facts. */
export type Change = { event: Written; before: Held[]; isUndone: boolean };

/** 1. */
export function propose(book: Rows, event: Concluded, at: string, subject: Subject | null = null): void {
  const basis = `facts/basis/${basisOf(event)}`;
  if (book.get(basis) !== undefined) return;
  const n = (book.get<number>('facts/proposed') ?? 0) + 1;
  const key = `facts/due/${String(n).padStart(12, '0')}`;
  book.put('facts/proposed', n);
  book.put(key, { event, before: affected(book, event), subject } satisfies Due);
  book.put(basis, key);
  carryOut(book, event, at, subject);
}

export function* dueIn(book: Rows): Iterable<Concluded> {
  for (const [, { event }] of book.each<Due>('facts/due/')) yield event;
}

/** Whether something is due that concerns a fact. */
export function isDue(book: Rows, id: string): boolean {
  for (const event of dueIn(book)) if (idsIn(event).includes(id)) return true;
  return false;
}

/** 2, 3. */
export function written(book: Rows, event: Written): void {
  const basis = `facts/basis/${basisOf(event)}`;
  const key = book.get<string>(basis);
  const due = key === undefined ? undefined : book.get<Due>(key);
  if (key !== undefined) book.put(key, null);
  book.put(basis, null);
  const before = due?.before ?? affected(book, event);
  if (event.type !== 'change.undone')
    book.put(`facts/change/${event.seq}`, { event, before, isUndone: false } satisfies Change);
  carryOut(book, event, event.at, due?.subject ?? null);
}

export const changeOf = (book: Rows, seq: number): Change | undefined => book.get<Change>(`facts/change/${seq}`);

export function markUndone(book: Rows, seq: number): void {
  const change = changeOf(book, seq);
  if (change !== undefined) book.put(`facts/change/${seq}`, { ...change, isUndone: true });
}

function carryOut(book: Rows, event: Concluded | Written, at: string, subject: Subject | null): void {
  switch (event.type) {
    case 'fact.kept':
      return keep(book, event.data as FactGiven, at, subject);
    case 'fact.forgotten':
      return forget(book, event.data.facts, event.data.why, at);
    case 'fact.reworded':
      return reword(book, event.data.fact, event.data.text);
    case 'change.undone':
      return markUndone(book, event.data.change);
  }
}

/** What a rule counted for a fact that a person gives up does not count again. */
export function forget(book: Rows, ids: readonly string[], why: Why, at: string): void {
  for (const id of ids) {
    leave(book, id, { kind: 'forgotten', why }, at);
    const counted = book.get<string>(`facts/counted/${id}`);
    if (counted === undefined || why === 'expired' || why === 'unused') continue;
    book.put(counted, null);
    book.put(`facts/counted/${id}`, null);
  }
}

function idsIn(event: Concluded | Written): string[] {
  switch (event.type) {
    case 'fact.kept':
      return [event.data.id, ...(event.data.supersedes ?? [])];
    case 'fact.forgotten':
      return event.data.facts;
    case 'fact.reworded':
      return [event.data.fact];
    case 'change.undone':
      return [];
  }
}

/** As they were while they held. */
const affected = (book: Rows, event: Concluded | Written): Held[] =>
  idsIn(event).flatMap((id) => {
    const held = heldOf(book, id);
    return isHeld(held) ? [held] : [];
  });

function basisOf(event: Concluded | Written): string {
  switch (event.type) {
    case 'fact.kept': {
      const { id, evidence = [], supersedes = [] } = event.data;
      return sumOf(`kept ${id} ${evidence.map(({ seq }) => seq).join()} ${supersedes.join()}`);
    }
    case 'fact.forgotten':
      return sumOf(`forgotten ${event.data.why} ${event.data.facts.join()}`);
    case 'fact.reworded':
      return sumOf(`reworded ${event.data.fact}`);
    case 'change.undone':
      return sumOf(`undone ${event.data.change}`);
  }
}
