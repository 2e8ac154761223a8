import { expect, it } from 'vitest';
import { memoryRows } from '../../../src/core/ledger/memory-rows.ts';
import { matchedRuns } from '../../../src/kit/learning/matched-runs.ts';
import { procedureView } from '../../../src/kit/learning/procedure-rows.ts';
import type { Event } from '../../../src/core/schema/event.ts';

const rowsAfter = (events: readonly Pick<Event, 'type' | 'run' | 'data'>[]) => {
  const rows = memoryRows();
  events.forEach((given, index) => {
    const event = {
      ...given,
      seq: index + 1,
      at: `2026-01-${String(index + 1).padStart(2, '0')}T00:00:00.000Z`,
      pen: 'run',
      cause: null,
      v: 1,
    };
    procedureView.take({ event: event as Event, text: () => null }, rows);
  });
  return rows;
};

const chosen = (run: string, procedure: string, arm = 'used') => ({
  type: 'procedure.chosen' as const,
  run,
  data: { procedure, version: 1, arm, parameters: {}, saves: null, reason: 'it fits' } as never,
});
const moved = (run: string, to: string) => ({
  type: 'run.moved' as const,
  run,
  data: { from: 'CRITIQUE', to, reason: '' },
});
const ended = (run: string, status: 'done' | 'failed') => ({
  type: 'run.ended' as const,
  run,
  data: { status, reason: '' },
});

it('lists the tasks that matched a procedure in order, with how each ended', () => {
  const rows = rowsAfter([
    chosen('a', 'sort'),
    chosen('b', 'sort', 'held_back'),
    chosen('c', 'copy'),
    ended('b', 'failed'),
    ended('a', 'done'),
    ended('stranger', 'done'),
  ]);
  expect(matchedRuns(rows, 'sort')).toEqual([
    { run: 'a', seq: 1, at: '2026-01-01T00:00:00.000Z', arm: 'used', reason: 'it fits', ended: 'done' },
    { run: 'b', seq: 2, at: '2026-01-02T00:00:00.000Z', arm: 'held_back', reason: 'it fits', ended: 'failed' },
  ]);
  expect(matchedRuns(rows, 'copy')).toMatchObject([{ run: 'c', ended: null }]);
  expect(matchedRuns(rows, 'sor')).toEqual([]);
});

it('says of one that was sent back and planned again that it was, unless it did not get done', () => {
  const rows = rowsAfter([
    chosen('a', 'sort'),
    chosen('b', 'sort'),
    chosen('c', 'sort'),
    moved('a', 'REPLAN'),
    moved('b', 'REPLAN'),
    moved('c', 'EXECUTE'),
    moved('stranger', 'REPLAN'),
    ended('a', 'done'),
    ended('b', 'failed'),
    ended('c', 'done'),
  ]);
  expect(matchedRuns(rows, 'sort').map((each) => [each.run, each.ended])).toEqual([
    ['a', 'sent back'],
    ['b', 'failed'],
    ['c', 'done'],
  ]);
});

it('a run that matched two procedures ends for both, and a correction counts more than how it ended', () => {
  const rows = rowsAfter([
    chosen('a', 'sort', 'offered'),
    chosen('a', 'copy'),
    chosen('a', 'sort', 'trial'),
    ended('a', 'done'),
    { type: 'run.corrected', run: 'a', data: { by: 'b', text: 'not like this' } },
  ]);
  expect(matchedRuns(rows, 'sort')).toMatchObject([{ run: 'a', seq: 3, arm: 'trial', ended: 'corrected' }]);
  expect(matchedRuns(rows, 'copy')).toMatchObject([{ run: 'a', seq: 2, ended: 'corrected' }]);
});
