/**
 * Owns: changes to facts that follow from the events and are not written to the ledger yet.
 *
 * 1. A pending change is applied to the rows as if it were written, so that later decisions take it into account.
 * 2. It is no longer pending when its event is read back from the ledger. It is recognised by its basis and not by its
 *    text, because redaction may have changed the text.
 * 3. For each written change the previous state is stored, so that it can be undone.
 */
import type { Event, NewEvent } from '../../schema/event.ts';
import type { FactGiven } from '../../schema/memory.ts';
import type { Rows } from '../../schema/rows.ts';
import { sumOf } from '../index/item.ts';
import { type StoredFact, findFact, isValid, storeFact, endFactState, rewordStored, type Why } from './fact-rows.ts';
import type { Subject } from './fact-subject.ts';

type Types = 'fact.kept' | 'fact.forgotten' | 'fact.reworded' | 'change.undone';
export type FactChange = Extract<NewEvent, { type: Types }>;
type WrittenChange = Extract<Event, { type: Types }>;

type PendingChange = { event: FactChange; before: StoredFact[]; subject: Subject | null };

/** What an event of the maintenance ledger did to facts. */
export type Change = { event: WrittenChange; before: StoredFact[]; isUndone: boolean };

/** Applies a change and leaves it pending until it is written (1). */
export function proposeChange(book: Rows, event: FactChange, at: string, subject: Subject | null = null): void {
  const basis = `facts/basis/${basisKey(event)}`;
  if (book.get(basis) !== undefined) return;
  const n = (book.get<number>('facts/proposed') ?? 0) + 1;
  const key = `facts/due/${String(n).padStart(12, '0')}`;
  book.put('facts/proposed', n);
  book.put(key, { event, before: affectedFacts(book, event), subject } satisfies PendingChange);
  book.put(basis, key);
  applyChange(book, event, at, subject);
}

export function* pendingChanges(book: Rows): Iterable<FactChange> {
  for (const [, { event }] of book.each<PendingChange>('facts/due/')) yield event;
}

/** Whether a pending change concerns the fact. */
export function isPending(book: Rows, id: string): boolean {
  for (const event of pendingChanges(book)) if (factIdsIn(event).includes(id)) return true;
  return false;
}

/** Settles the pending change and stores the previous state (2, 3). */
export function recordWritten(book: Rows, event: WrittenChange): void {
  const basis = `facts/basis/${basisKey(event)}`;
  const key = book.get<string>(basis);
  const due = key === undefined ? undefined : book.get<PendingChange>(key);
  if (key !== undefined) book.put(key, null);
  book.put(basis, null);
  const before = due?.before ?? affectedFacts(book, event);
  if (event.type !== 'change.undone')
    book.put(`facts/change/${event.seq}`, { event, before, isUndone: false } satisfies Change);
  applyChange(book, event, event.at, due?.subject ?? null);
}

export const findChange = (book: Rows, seq: number): Change | undefined => book.get<Change>(`facts/change/${seq}`);

export function markUndone(book: Rows, seq: number): void {
  const change = findChange(book, seq);
  if (change !== undefined) book.put(`facts/change/${seq}`, { ...change, isUndone: true });
}

function applyChange(book: Rows, event: FactChange | WrittenChange, at: string, subject: Subject | null): void {
  switch (event.type) {
    case 'fact.kept':
      return storeFact(book, event.data as FactGiven, at, subject);
    case 'fact.forgotten':
      return forget(book, event.data.facts, event.data.why, at);
    case 'fact.reworded':
      return rewordStored(book, event.data.fact, event.data.text);
    case 'change.undone':
      return markUndone(book, event.data.change);
  }
}

/** When a person removes a fact, the counter of its rule starts again. */
export function forget(book: Rows, ids: readonly string[], why: Why, at: string): void {
  for (const id of ids) {
    endFactState(book, id, { kind: 'forgotten', why }, at);
    const counted = book.get<string>(`facts/counted/${id}`);
    if (counted === undefined || why === 'expired' || why === 'unused') continue;
    book.put(counted, null);
    book.put(`facts/counted/${id}`, null);
  }
}

function factIdsIn(event: FactChange | WrittenChange): string[] {
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

/** The valid facts that a change affects. */
const affectedFacts = (book: Rows, event: FactChange | WrittenChange): StoredFact[] =>
  factIdsIn(event).flatMap((id) => {
    const held = findFact(book, id);
    return isValid(held) ? [held] : [];
  });

function basisKey(event: FactChange | WrittenChange): string {
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
