import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { currentFacts } from '../../../src/rooms/memory/current-facts.ts';
import { factView, shownFact, storedFact } from '../../../src/rooms/memory/fact-view.ts';
import { memoryRows } from '../../../src/core/ledger/memory-rows.ts';
import type { Event, Pen } from '../../../src/core/schema/event.ts';

type Given = { pen: Pen; seq: number; cause?: number };

const eventOf = ({ pen, seq, cause }: Given, type: string, data: object): Event =>
  ({ pen, seq, cause: cause ?? null, type, run: 'r', at: `2026-01-01T00:00:0${seq % 10}.000Z`, v: 1, data }) as Event;

const kept = (given: Given, id: string, text: string, supersedes: string[] = []): Event =>
  eventOf(given, 'fact.kept', {
    id,
    text,
    supersedes,
    namespace: 'general',
    importance: 0.5,
    confidence: 1,
    source: 'person',
    evidence: [],
  });

const forgotten = (given: Given, ...facts: string[]): Event =>
  eventOf(given, 'fact.forgotten', { facts, why: 'deleted' });

const reworded = (given: Given, fact: string, text: string): Event =>
  eventOf(given, 'fact.reworded', { fact, text, model: 'm' });

function shownAfter(events: readonly Event[], ids: readonly string[]): unknown[] {
  const rows = memoryRows();
  for (const event of events) factView.take({ event, text: () => null }, rows);
  return ids.map((id) => {
    const row = storedFact(rows, id);
    const shown = row === undefined ? null : shownFact(row);
    return shown && [shown.text, shown.superseded_by ?? null];
  });
}

const run = (seq: number): Given => ({ pen: 'run', seq });
const own = (seq: number, cause: number): Given => ({ pen: 'maintenance', seq, cause });

describe('the view of facts', () => {
  it('says of each fact its words and what took its place; one that is forgotten is not shown', () => {
    const events = [
      kept(run(1), 'a', 'tea'),
      kept(run(2), 'b', 'coffee', ['a']),
      reworded(own(1, 2), 'b', 'Ann drinks coffee'),
      kept(run(3), 'c', 'milk'),
      forgotten(run(4), 'c'),
      kept(run(5), 'd', 'water', ['c']),
      kept(run(6), 'b', 'coffee'),
    ];
    expect(shownAfter(events, ['a', 'b', 'c', 'd'])).toEqual([
      ['tea', 'b'],
      ['Ann drinks coffee', null],
      null,
      ['water', null],
    ]);
    expect(currentFacts(events).map(({ fact, place, replaces }) => [fact.text, place.seq, replaces.length])).toEqual([
      ['coffee', 6, 1],
      ['water', 5, 1],
    ]);
  });

  it('rests on the saying of a person, and on what maintenance names', () => {
    const named = kept(own(1, 1), 'b', 'seen');
    Object.assign(named.data, { evidence: [{ run: 'r', seq: 1 }] });
    const facts = currentFacts([kept(run(1), 'a', 'tea'), named]);
    expect(facts.map(({ fact }) => fact.evidence)).toEqual([[{ run: 'r', seq: 1 }], [{ run: 'r', seq: 1 }]]);
  });

  it('1 is the same whenever an event of maintenance is read, early or late', () => {
    const id = fc.constantFrom('a', 'b', 'c');
    const change = fc.oneof(
      fc.record({ kind: fc.constant('kept' as const), id, others: fc.subarray(['a', 'b', 'c']) }),
      fc.record({ kind: fc.constant('forgotten' as const), id }),
    );
    type Change = { kind: 'kept'; id: string; others: string[] } | { kind: 'forgotten'; id: string };
    const make = (given: Given, each: Change): Event =>
      each.kind === 'forgotten'
        ? forgotten(given, each.id)
        : kept(given, each.id, `${given.pen} ${given.seq}`, each.others);
    const step = fc.record({ change, isOwn: fc.boolean(), delay: fc.nat(6) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 14 }), (steps) => {
        let [runs, owns] = [0, 0];
        const inOrder = steps.map(({ change: each, isOwn, delay }) => {
          if (!isOwn) runs += 1;
          else owns += 1;
          return { event: make(isOwn ? own(owns, runs) : run(runs), each), delay: isOwn ? delay : 0 };
        });
        expect(shownAfter(delayed(inOrder), ['a', 'b', 'c'])).toEqual(
          shownAfter(
            inOrder.map(({ event }) => event),
            ['a', 'b', 'c'],
          ),
        );
      }),
      { numRuns: 500 },
    );
  });
});

/** Events of maintenance come so many events later, still in their own order. */
function delayed(events: readonly { event: Event; delay: number }[]): Event[] {
  let reached = 0;
  const placed = events.map(({ event, delay }, at) => {
    if (event.pen === 'run') return { event, at: at * 2 };
    reached = Math.max(reached, (at + delay) * 2 + 1);
    return { event, at: reached };
  });
  return placed.toSorted((a, b) => a.at - b.at).map(({ event }) => event);
}
