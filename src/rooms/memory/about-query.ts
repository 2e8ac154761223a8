/**
 * Owns: what is known and what changed since a moment, from the rows of facts and procedures. Reads no ledger.
 * Does not own: where it is known from, in words (rooms/memory/fact-origin.ts).
 *
 * 1. The words of a fact that a person removed are never repeated.
 * 2. A fact that only rewords an older one is no change.
 */
import { STANDING } from '../../core/schema/memory.ts';
import type { KnowledgeKind } from '../../core/schema/knowledge.ts';
import type { Rows } from '../../core/schema/rows.ts';
import { kindOfFact } from './distil/fact-finding.ts';
import type { WhyForgotten } from './fact-state.ts';
import { hasExpired, storedFact, type StoredFact, storedFacts } from './fact-view.ts';
import type { KnownProcedure, RecordedMove } from '../../kit/learning/known-procedures.ts';
import { knownProcedures } from '../../kit/learning/procedure-rows.ts';

/** A fact that is no longer valid. */
export type FactEnding =
  | { change: 'superseded'; at: string; row: StoredFact; by: StoredFact }
  | { change: 'forgotten'; at: string; row: StoredFact; text: string | null; reason: string };

export type HabitMove = { known: KnownProcedure; move: RecordedMove };

/** Everything that is valid now, by kind and topic, the most important first. */
export function currentKnowledge(rows: Rows, now: number): StoredFact[] {
  return [...storedFacts(rows)]
    .filter((row) => row.state.kind === 'valid' && !hasExpired(row.fact, now))
    .toSorted(
      (a, b) =>
        KINDS.indexOf(knowledgeKind(a)) - KINDS.indexOf(knowledgeKind(b)) ||
        compareNames(a.fact.namespace, b.fact.namespace) ||
        b.fact.importance - a.fact.importance ||
        compareNames(a.fact.id, b.fact.id),
    );
}

/** What ceased to be valid since a moment, in the order in which it did. */
export function endedKnowledge(rows: Rows, since: string, now: number): FactEnding[] {
  return [...storedFacts(rows)]
    .flatMap((row) => endingOf(rows, row, now))
    .filter(({ at }) => at >= since)
    .toSorted((a, b) => compareNames(a.at, b.at));
}

/** Procedures that plan tasks without a model. */
export const habits = (rows: Rows): KnownProcedure[] =>
  knownProcedures(rows).filter(({ status }) => status === 'promoted');

/** Procedures that were promoted, or ceased to be, since a moment. */
export function habitMoves(rows: Rows, since: string): HabitMove[] {
  return knownProcedures(rows)
    .flatMap((known) => known.moves.map((move) => ({ known, move })))
    .filter(({ move }) => move.at >= since && (move.to === 'promoted' || move.from === 'promoted'))
    .toSorted((a, b) => compareNames(a.move.at, b.move.at));
}

export const factText = ({ fact, reworded }: StoredFact): string => reworded ?? fact.text;

export const knowledgeKind = ({ fact }: StoredFact): KnowledgeKind =>
  fact.namespace === STANDING ? 'standing' : kindOfFact(fact.id);

const KINDS: readonly KnowledgeKind[] = ['standing', 'preference', 'fact', 'lesson', 'environment', 'note'];

function endingOf(rows: Rows, row: StoredFact, now: number): FactEnding[] {
  const { fact, state, since: at } = row;
  switch (state.kind) {
    case 'valid':
      return hasExpired(fact, now) && fact.expires !== undefined
        ? [{ change: 'forgotten', at: fact.expires, row, text: factText(row), reason: REASONS.expired }]
        : [];
    case 'superseded': {
      const by = storedFact(rows, state.by);
      return by === undefined || isRewordedBy(row, by) ? [] : [{ change: 'superseded', at, row, by }];
    }
    case 'forgotten': {
      const isRemoved = state.why === 'deleted' || state.why === 'undone';
      const text = isRemoved ? null : factText(row);
      return [{ change: 'forgotten', at, row, text, reason: REASONS[state.why] }];
    }
  }
}

const REASONS: Readonly<Record<WhyForgotten, string>> = {
  deleted: 'you removed it',
  undone: 'you undid it',
  expired: 'it was said to end',
  unused: 'no task has needed it for a long time',
  withdrawn: 'the member of the fleet that shared it does so no longer',
};

/** Whether the newer fact rests on the same evidence and only rewords the older one (2). */
const isRewordedBy = ({ fact }: StoredFact, by: StoredFact): boolean =>
  fact.evidence.every(({ seq }) => by.fact.evidence.some((each) => each.seq === seq));

const compareNames = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);
