/**
 * Owns: the view of facts: every fact that was ever stored, and its state.
 * Does not own: how one fact changes (fact-state.ts), nor what maintenance decides about facts (distil/).
 *
 * 1. Both ledgers have events about facts. An event that maintenance wrote before it had read a person's statement about
 *    a fact no longer changes that fact, in whatever order the two events are read.
 * 2. Evidence names events of the run ledger.
 */
import type { Event } from '../../core/schema/event.ts';
import type { FactPlace } from '../../core/schema/sharing.ts';
import type { Fact, FactGiven } from '../../core/schema/memory.ts';
import type { Rows } from '../../core/schema/rows.ts';
import type { View } from '../../core/schema/view.ts';
import { endFact, type FactRow, type FactState, applyFact, rewordFact } from './fact-state.ts';

export type StoredFact = FactRow & {
  /** The event of the run ledger after which it has been in its state. */
  changed: number;
  /** The events that stored it, the latest last. */
  places: FactPlace[];
  /** The earlier events that stored it or a fact it superseded. */
  replaces: FactPlace[];
};

const MOST_PLACES = 100;

export const factView: View = {
  name: 'fact',
  version: 4,
  types: ['fact.kept', 'fact.reworded', 'fact.forgotten'],
  take: ({ event }, rows) => {
    if (event.type === 'fact.kept') storeFact(event, rows);
    else if (event.type === 'fact.reworded') rewordStoredFact(event, rows);
    else if (event.type === 'fact.forgotten')
      for (const id of event.data.facts) endStoredFact(event, rows, id, { kind: 'forgotten', why: event.data.why });
  },
  found: (key, rows) => {
    const row = rows.get<StoredFact>(key);
    const shown = row === undefined ? null : shownFact(row);
    if (row === undefined || shown === null) return null;
    return { kind: 'fact', name: shown.id, text: shown.text, at: row.since, run: null, state: row.state.kind };
  },
};

export const storedFact = (rows: Rows, id: string): StoredFact | undefined => rows.get<StoredFact>(factKey(id));

export function* storedFacts(rows: Rows): Iterable<StoredFact> {
  for (const [, row] of rows.each<StoredFact>('fact/')) yield row;
}

/** A fact as people and prompts see it; null when it was forgotten. */
export function shownFact({ fact, reworded, state }: StoredFact): Fact | null {
  if (state.kind === 'forgotten') return null;
  const shown = { ...fact, text: reworded ?? fact.text };
  return state.kind === 'superseded' ? { ...shown, superseded_by: state.by } : shown;
}

export const hasExpired = ({ expires }: Pick<Fact, 'expires'>, now: number): boolean =>
  expires !== undefined && Date.parse(expires) <= now;

/** The facts that an event may change. */
export function factsIn(event: Event): readonly string[] {
  if (event.type === 'fact.kept') return [event.data.id, ...event.data.supersedes];
  if (event.type === 'fact.reworded') return [event.data.fact];
  return event.type === 'fact.forgotten' ? event.data.facts : [];
}

const factKey = (id: string): string => `fact/${id}`;

/** A fact is found by its words until it is forgotten. */
function putFact(rows: Rows, row: StoredFact): void {
  const shown = shownFact(row);
  rows.put(factKey(row.fact.id), row);
  rows.texts?.put(factKey(row.fact.id), shown === null ? null : `${shown.namespace} ${shown.text}`);
}

type Ending = Exclude<FactState, { kind: 'valid' }>;

/** The last events of the run ledger that stored, superseded and forgot a fact. */
type RunEvents = { kept: number; superseded: RunEnding | null; forgotten: RunEnding | null };
type RunEnding = { seq: number; state: Ending };

const runEventsAbout = (rows: Rows, id: string): RunEvents =>
  rows.get<RunEvents>(`fact-word/${id}`) ?? { kept: 0, superseded: null, forgotten: null };

function noteRunEvent({ pen, seq }: Event, rows: Rows, id: string, state: Ending | null): void {
  if (pen !== 'run') return;
  const words = runEventsAbout(rows, id);
  rows.put(`fact-word/${id}`, state === null ? { ...words, kept: seq } : { ...words, [state.kind]: { seq, state } });
}

/** Whether an event of the run ledger comes after what the writer of this event had read (1). */
const isBefore = ({ pen, cause }: Event, seq: number | undefined): boolean =>
  pen === 'maintenance' && (seq ?? 0) > (cause ?? 0);

/** How the run ledger ended a fact after what the writer of this event had read; null if it did not. */
function laterEnding(event: Event, { superseded, forgotten }: RunEvents): Ending | null {
  if (isBefore(event, forgotten?.seq)) return forgotten?.state ?? null;
  return isBefore(event, superseded?.seq) ? (superseded?.state ?? null) : null;
}

function storeFact(event: Extract<Event, { type: 'fact.kept' }>, rows: Rows): void {
  const { id, supersedes } = event.data;
  const others = supersedes.filter((other) => other !== id);
  for (const other of others) endStoredFact(event, rows, other, { kind: 'superseded', by: id });
  const words = runEventsAbout(rows, id);
  if (isBefore(event, words.kept)) return;
  noteRunEvent(event, rows, id, null);
  const kept = newFactRow(event, rows);
  const ending = laterEnding(event, words);
  const changed = Math.max(kept.changed, ending === null ? 0 : (words[ending.kind]?.seq ?? 0));
  putFact(rows, { ...kept, changed, state: ending ?? kept.state });
}

function newFactRow(event: Extract<Event, { type: 'fact.kept' }>, rows: Rows): StoredFact {
  const { id, supersedes } = event.data;
  const before = storedFact(rows, id);
  const earlier = before?.places ?? [];
  const replaced = supersedes.flatMap((other) => (other === id ? [] : (storedFact(rows, other)?.places ?? [])));
  return {
    ...applyFact(before, { ...event.data, evidence: evidenceIn(event) }, event.at),
    changed: runSeq(event),
    places: [...earlier, { pen: event.pen, seq: event.seq }].slice(-MOST_PLACES),
    replaces: [...earlier, ...replaced].slice(-MOST_PLACES),
  };
}

/** A conclusion of maintenance rests on the evidence it names; a person's statement is evidence itself, too (2). */
function evidenceIn({ pen, run, seq, data }: Extract<Event, { type: 'fact.kept' }>): FactGiven['evidence'] {
  if (pen === 'maintenance' && data.evidence.length > 0) return data.evidence;
  return [...data.evidence, { run, seq }].slice(-100);
}

/** The event of the run ledger that the writer of this event had read last, or this event itself. */
const runSeq = ({ pen, seq, cause }: Event): number => (pen === 'run' ? seq : (cause ?? 0));

/** A forgotten fact stays so, whatever supersedes it, until it is stored again. */
function endStoredFact(event: Event, rows: Rows, id: string, state: Ending): void {
  const words = runEventsAbout(rows, id);
  if (isBefore(event, words.kept) || (state.kind === 'superseded' && laterEnding(event, words) !== null)) return;
  noteRunEvent(event, rows, id, state);
  const row = storedFact(rows, id);
  if (row === undefined) return;
  const ended = endFact(row, state, event.at);
  putFact(rows, ended === row ? row : { ...ended, changed: runSeq(event) });
}

function rewordStoredFact(event: Extract<Event, { type: 'fact.reworded' }>, rows: Rows): void {
  const { fact: id, text } = event.data;
  const row = storedFact(rows, id);
  if (row !== undefined && !isBefore(event, runEventsAbout(rows, id).kept)) putFact(rows, rewordFact(row, text));
}
