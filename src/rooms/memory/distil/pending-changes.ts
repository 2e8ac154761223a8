/**
 * Owns: changes to facts that follow from the events and are not written to the ledger yet.
 *
 * 1. A pending change is applied to the rows as if it were written, so that later decisions take it into account.
 * 2. It is no longer pending when its event is read back from the ledger. It is recognised by its basis and not by its
 *    text, because redaction may have changed the text.
 * 3. For each written change the previous state is stored, so that it can be undone.
 */
import type { Event, NewEvent } from '../../../core/schema/event.ts';
import type { FactGiven } from '../../../core/schema/memory.ts';
import type { Rows } from '../../../core/schema/rows.ts';
import { sumOf } from '../../../kit/learning/index-item.ts';
import { type StoredFact, findFact, isValid, storeFact, endFactState, rewordStored, type Why } from './fact-rows.ts';
import type { Subject } from './fact-subject.ts';

type Types = 'fact.kept' | 'fact.forgotten' | 'fact.reworded' | 'change.undone';
type FactChange = Extract<NewEvent, { type: Types }>;
type WrittenChange = Extract<Event, { type: Types }>;

type PendingChange = { event: FactChange; before: StoredFact[]; subject: Subject | null };

/** What an event of the maintenance ledger did to facts. */
export type Change = { event: WrittenChange; before: StoredFact[]; isUndone: boolean };

/** Applies a change and leaves it pending until it is written (1). */
export function proposeChange(rows: Rows, event: FactChange, at: string, subject: Subject | null = null): void {
  const basis = `facts/basis/${basisKey(event)}`;
  if (rows.get(basis) !== undefined) return;
  const n = (rows.get<number>('facts/proposed') ?? 0) + 1;
  const key = `facts/due/${String(n).padStart(12, '0')}`;
  rows.put('facts/proposed', n);
  rows.put(key, { event, before: affectedFacts(rows, event), subject } satisfies PendingChange);
  rows.put(basis, key);
  applyChange(rows, event, at, subject);
}

export function* pendingChanges(rows: Rows): Iterable<FactChange> {
  for (const [, { event }] of rows.each<PendingChange>('facts/due/')) yield event;
}

/** Whether a pending change concerns the fact. */
export function isPending(rows: Rows, id: string): boolean {
  for (const event of pendingChanges(rows)) if (factIdsIn(event).includes(id)) return true;
  return false;
}

/** Settles the pending change and stores the previous state (2, 3). */
export function recordWritten(rows: Rows, event: WrittenChange): void {
  const basis = `facts/basis/${basisKey(event)}`;
  const key = rows.get<string>(basis);
  const due = key === undefined ? undefined : rows.get<PendingChange>(key);
  if (key !== undefined) rows.put(key, null);
  rows.put(basis, null);
  const before = due?.before ?? affectedFacts(rows, event);
  const isErasing = event.type === 'fact.forgotten' && event.data.why === 'deleted';
  if (event.type !== 'change.undone' && !isErasing)
    rows.put(`facts/change/${event.seq}`, { event, before, isUndone: false } satisfies Change);
  applyChange(rows, event, event.at, due?.subject ?? null);
}

export const findChange = (rows: Rows, seq: number): Change | undefined => rows.get<Change>(`facts/change/${seq}`);

function markUndone(rows: Rows, seq: number): void {
  const change = findChange(rows, seq);
  if (change !== undefined) rows.put(`facts/change/${seq}`, { ...change, isUndone: true });
}

function applyChange(rows: Rows, event: FactChange | WrittenChange, at: string, subject: Subject | null): void {
  switch (event.type) {
    case 'fact.kept':
      return storeFact(rows, event.data as FactGiven, at, subject);
    case 'fact.forgotten':
      return forget(rows, event.data.facts, event.data.why, at);
    case 'fact.reworded':
      return rewordStored(rows, event.data.fact, event.data.text);
    case 'change.undone':
      return markUndone(rows, event.data.change);
  }
}

/** When a person removes a fact, the counter of its rule starts again. */
export function forget(rows: Rows, ids: readonly string[], why: Why, at: string): void {
  for (const id of ids) {
    endFactState(rows, id, { kind: 'forgotten', why }, at);
    if (why === 'deleted') eraseChanges(rows, id);
    const counted = rows.get<string>(`facts/counted/${id}`);
    if (counted === undefined || why === 'expired' || why === 'unused') continue;
    rows.put(counted, null);
    rows.put(`facts/counted/${id}`, null);
  }
}

/** What a person removed cannot be restored: the changes that have its words go, too. */
function eraseChanges(rows: Rows, id: string): void {
  for (const [key, { event, before }] of Array.from(rows.each<Change>('facts/change/')))
    if (factIdsIn(event).includes(id) || before.some(({ fact }) => fact.id === id)) rows.put(key, null);
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
const affectedFacts = (rows: Rows, event: FactChange | WrittenChange): StoredFact[] =>
  factIdsIn(event).flatMap((id) => {
    const held = findFact(rows, id);
    return isValid(held) ? [held] : [];
  });

function basisKey(event: FactChange | WrittenChange): string {
  switch (event.type) {
    case 'fact.kept': {
      const { id, evidence = [], supersedes = [] } = event.data;
      return sumOf(
        `${event.type.slice('fact.'.length)} ${id} ${evidence.map(({ seq }) => seq).join()} ${supersedes.join()}`,
      );
    }
    case 'fact.forgotten':
      return sumOf(`forgotten ${event.data.why} ${event.data.facts.join()}`);
    case 'fact.reworded':
      return sumOf(`reworded ${event.data.fact}`);
    case 'change.undone':
      return sumOf(`undone ${event.data.change}`);
  }
}
