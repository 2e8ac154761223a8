import { expect, it } from 'vitest';
import { parseTimeRange } from '../../../../src/rooms/memory/recall/time-range.ts';

const now = Date.UTC(2026, 0, 15, 12);
const day = (text: string): number => Date.parse(`${text}T00:00:00Z`) / 1000;

it.each([
  ['What happened on 2026-01-03?', '2026-01-03', '2026-01-04'],
  ['what did I say yesterday', '2026-01-14', '2026-01-15'],
  ['Who called in May 2023?', '2023-05-01', '2023-06-01'],
  ['Who called on 8 May 2023?', '2023-05-08', '2023-05-09'],
  ['Who called on May 8th, 2023?', '2023-05-08', '2023-05-09'],
  ['Who called on Monday?', '2026-01-12', '2026-01-13'],
  ['what failed last week?', '2026-01-01', '2026-01-15'],
])('%s speaks of a stretch of time', (question, from, to) => {
  expect(parseTimeRange(question, now)).toEqual({ from: day(from), to: day(to) });
});

it('a question without time speaks of none', () => {
  expect(parseTimeRange('Which pet may I adopt?', now)).toBeNull();
});
