/** Owns: lists of facts, from the rows of the view of facts. Reads no ledger. */
import type { Fact } from '../../core/schema/memory.ts';
import type { Rows } from '../../core/schema/rows.ts';
import type { FactsQuery } from '../../core/schema/view-answers.ts';
import { hasExpired, shownFact, storedFact, storedFacts } from './fact-view.ts';

/** By topic, the most important first; forgotten facts are never among them. */
export function listFacts(rows: Rows, { namespace, all = false }: FactsQuery, now: number): Fact[] {
  const facts = [...storedFacts(rows)].flatMap((row) => shownFact(row) ?? []);
  return facts
    .filter((fact) => (all || isCurrent(fact, now)) && (namespace === undefined || fact.namespace === namespace))
    .toSorted((a, b) =>
      a.namespace === b.namespace ? b.importance - a.importance : a.namespace < b.namespace ? -1 : 1,
    );
}

/** Undefined when there is no such fact, or it was forgotten. */
export function findFact(rows: Rows, id: string): Fact | undefined {
  const row = storedFact(rows, id);
  return row === undefined ? undefined : (shownFact(row) ?? undefined);
}

const isCurrent = ({ superseded_by: by, expires }: Fact, now: number): boolean =>
  by === undefined && !hasExpired({ expires }, now);
