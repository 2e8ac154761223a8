/** The facts that are valid after some events, for callers that have the events but no store. Pure. */
import type { Event } from '../../core/schema/event.ts';
import type { FoldedFact } from '../../core/schema/sharing.ts';
import { factsIn, factView, storedFact } from './fact-view.ts';
import { memoryRows } from '../../core/ledger/memory-rows.ts';

/** In the order in which they were first stored, with their original text. The events come in the one order of both ledgers. */
export function currentFacts(events: readonly Event[]): FoldedFact[] {
  const rows = memoryRows();
  for (const event of events) factView.take({ event, text: () => null }, rows);
  return [...new Set(events.flatMap(factsIn))].flatMap((id): FoldedFact[] => {
    const row = storedFact(rows, id);
    const place = row?.places.at(-1);
    if (row === undefined || place === undefined || row.state.kind !== 'valid') return [];
    return [{ fact: row.fact, place, replaces: row.replaces }];
  });
}
