/** When there is time: hours of work without what blocks them. */
import { expect, it } from 'vitest';
import { formatLocal } from '../../../src/kit/schedule/schedule-spec.ts';
import type { Occurrence } from '../../../src/rooms/accounts/calendar/expand-events.ts';
import { freeStretches, type Wanted } from '../../../src/rooms/accounts/calendar/free-slots.ts';

const event = (from: string, to: string, more: Partial<Occurrence> = {}): Occurrence => ({
  recurrence: null,
  start: Date.parse(from),
  end: Date.parse(to),
  days: null,
  title: '',
  place: '',
  notes: '',
  isHiding: false,
  organizer: '',
  attendees: [],
  isCancelled: false,
  isTentative: false,
  isTransparent: false,
  answer: null,
  unknownZone: null,
  ...more,
});

const wanted: Wanted = {
  from: '2026-06-01',
  to: '2026-06-01',
  zone: 'Europe/Berlin',
  hours: { from: 9 * 60, to: 17 * 60 },
  weekdays: [1, 2, 3, 4, 5],
  minutes: 60,
  buffer: 0,
  after: 0,
};
const free = (events: readonly Occurrence[], more: Partial<Wanted> = {}): string[] =>
  freeStretches(events, { ...wanted, ...more }).map(({ start, end }) =>
    [formatLocal(start, 'Europe/Berlin').slice(0, 20), formatLocal(end, 'Europe/Berlin').slice(15, 20)].join('-'),
  );
const meeting = event('2026-06-01T10:00+02:00', '2026-06-01T11:30+02:00');

it('is before, between and after events, where it is long enough', () => {
  expect(free([])).toEqual(['Mon 2026-06-01 09:00-17:00']);
  expect(free([meeting, event('2026-06-01T12:00+02:00', '2026-06-01T16:00+02:00')])).toEqual([
    'Mon 2026-06-01 09:00-10:00',
    'Mon 2026-06-01 16:00-17:00',
  ]);
  expect(free([meeting, event('2026-06-01T10:30+02:00', '2026-06-01T10:40+02:00')], { minutes: 90 })).toEqual([
    'Mon 2026-06-01 11:30-17:00',
  ]);
  expect(free([event('2026-05-30T00:00+02:00', '2026-06-02T00:00+02:00')])).toEqual([]);
});

it('keeps a buffer around each event, and begins at no odd minute and not in the past', () => {
  expect(free([meeting], { buffer: 15, minutes: 45 })).toEqual([
    'Mon 2026-06-01 09:00-09:45',
    'Mon 2026-06-01 11:45-17:00',
  ]);
  expect(free([], { after: Date.parse('2026-06-01T13:02:30+02:00') })).toEqual(['Mon 2026-06-01 13:05-17:00']);
});

it('is not blocked by what is cancelled, declined, or counts as free; what is not certain blocks', () => {
  for (const more of [{ isCancelled: true }, { isTransparent: true }, { answer: 'declined' }])
    expect(free([{ ...meeting, ...more }])).toEqual(['Mon 2026-06-01 09:00-17:00']);
  for (const more of [{ isTentative: true }, { answer: 'needs-action' }])
    expect(free([{ ...meeting, ...more }])).toHaveLength(2);
});

it('is on days of work, by the clock of that day', () => {
  const days = free([], { from: '2026-03-27', to: '2026-03-30' });
  expect(days).toEqual(['Fri 2026-03-27 09:00-17:00', 'Mon 2026-03-30 09:00-17:00']);
});
