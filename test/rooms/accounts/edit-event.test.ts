/** What is written when an event is made, changed, or left out: series and their exceptions, zones, and words that want to be more. */
import { describe, expect, it } from 'vitest';
import {
  bearsMark,
  editEvent,
  type EventFields,
  type EditTask,
} from '../../../src/rooms/accounts/calendar/edit-event.ts';
import { expandEvents } from '../../../src/rooms/accounts/calendar/expand-events.ts';
import { formatLocal } from '../../../src/kit/schedule/schedule-spec.ts';
import { calendarOf, eventOf } from '../../support/ics.ts';

const ZONE = 'Europe/Berlin';
const task = {
  ics: null,
  occurrence: null,
  mark: 'oka-1',
  now: Date.parse('2026-05-01T10:00Z'),
  zone: ZONE,
  me: 'ann@home.test',
};
const at = (words: string): { moment: number } => ({ moment: Date.parse(words) });
const times = { start: at('2026-06-01T12:00Z'), end: at('2026-06-01T13:00Z') };
const NOTHING: EventFields = { invite: [] };

function done(more: Partial<EditTask> & Pick<EditTask, 'kind'>) {
  const edited = editEvent({ ...task, ...more } as EditTask);
  if (edited.problem !== null) throw new Error(edited.problem);
  return edited;
}
const startsIn = (ics: string | null, from: string, to: string): string[] =>
  expandEvents(ics ?? '', { from: Date.parse(from), to: Date.parse(to), zone: ZONE }, [])
    .occurrences.map(({ start, title }) => `${formatLocal(start, ZONE)} ${title}`)
    .toSorted((a, b) => a.slice(4).localeCompare(b.slice(4)));

const weekly = calendarOf(
  [
    eventOf(
      'UID:weekly',
      'SUMMARY:Standup',
      'DTSTART;TZID=America/New_York:20270301T090000',
      'DTEND;TZID=America/New_York:20270301T100000',
      'RRULE:FREQ=WEEKLY',
      'ATTENDEE:mailto:bob@x.test',
      'ORGANIZER:mailto:ann@home.test',
    ),
  ],
  ['America/New_York'],
);

describe('a new event', () => {
  it('is one event, with what was said and nothing else, whatever its words look like', () => {
    const evil = 'Lunch\r\nATTENDEE:mailto:eve@evil.test\nBEGIN:VALARM\\n;,"';
    const fields = { ...times, title: evil, place: evil, notes: evil, invite: ['bob@x.test'] };
    const { ics, after } = done({ kind: 'add', fields });
    const lines = (ics ?? '').replaceAll('\r\n ', '').split('\r\n');
    expect(lines.filter((line) => /^(ATTENDEE|BEGIN|ORGANIZER)/.test(line))).toEqual([
      'BEGIN:VCALENDAR',
      'BEGIN:VEVENT',
      'ATTENDEE;PARTSTAT=NEEDS-ACTION;RSVP=TRUE:mailto:bob@x.test',
      'ORGANIZER:mailto:ann@home.test',
    ]);
    expect(after).toMatchObject({ addresses: ['bob@x.test'], organizer: 'ann@home.test', part: 'event' });
    expect(bearsMark(ics ?? '', 'oka-1')).toBe(true);
    expect(bearsMark(ics ?? '', 'oka-12')).toBe(false);
  });

  it('of whole days has its last day; one that ends before it begins is not made', () => {
    const days = { start: { day: '2026-06-01' }, end: { day: '2026-06-02' } };
    const { ics, after } = done({ kind: 'add', fields: { title: 'Fair', ...days, invite: [] } });
    expect(ics).toContain('DTEND;VALUE=DATE:20260603');
    expect(after?.days).toEqual({ first: '2026-06-01', last: '2026-06-02' });
    const wrong = { title: 'x', start: times.end, end: times.start, invite: [] };
    expect(() => done({ kind: 'add', fields: wrong })).toThrow('end before it begins');
    expect(() => done({ kind: 'add', fields: { ...wrong, end: { day: '2027-01-01' } } })).toThrow(
      'two days, or two times',
    );
  });
});

describe('a series', () => {
  const change = (fields: Partial<EventFields>, occurrence: string | null, ics = weekly) =>
    done({ kind: 'change', ics, occurrence, fields: { ...NOTHING, ...fields } });

  it('has an exception for the one time that is changed, in its own zone, also where only one of two has changed its clocks', () => {
    const moved = change({ start: at('2027-03-22T15:00Z'), title: 'Later' }, '20270322T130000Z');
    expect(moved.ics).toContain('RECURRENCE-ID;TZID=America/New_York:20270322T090000');
    expect(moved.ics).toContain('DTSTART;TZID=America/New_York:20270322T110000');
    expect(startsIn(moved.ics, '2027-03-15', '2027-03-31')).toEqual([
      'Mon 2027-03-15 14:00 +01:00 Standup',
      'Mon 2027-03-22 16:00 +01:00 Later',
      'Mon 2027-03-29 15:00 +02:00 Standup',
    ]);
    expect(moved.before).toMatchObject({ title: 'Standup', start: Date.parse('2027-03-22T13:00Z') });
    expect(moved.after).toMatchObject({ part: 'one of a series', end: Date.parse('2027-03-22T16:00Z') });
    const again = change({ title: 'Latest' }, '20270322T130000Z', moved.ics ?? '');
    expect(again.ics?.match(/RECURRENCE-ID/g)).toHaveLength(1);
    expect(startsIn(again.ics, '2027-03-20', '2027-03-24')).toEqual(['Mon 2027-03-22 16:00 +01:00 Latest']);
  });

  it('is without the one time that is removed, also one that was moved before', () => {
    const removed = done({ kind: 'remove', ics: weekly, occurrence: '20270322T130000Z' });
    expect(removed.ics).toContain('EXDATE;TZID=America/New_York:20270322T090000');
    expect(startsIn(removed.ics, '2027-03-15', '2027-03-31')).toHaveLength(2);
    expect(removed).toMatchObject({ before: { start: Date.parse('2027-03-22T13:00Z') }, after: null });
    const moved = change({ start: at('2027-03-22T15:00Z') }, '20270322T130000Z').ics;
    const gone = done({ kind: 'remove', ics: moved, occurrence: '20270322T130000Z' });
    expect(gone.ics).not.toContain('RECURRENCE-ID');
    expect(startsIn(gone.ics, '2027-03-15', '2027-03-31')).toHaveLength(2);
    expect(done({ kind: 'remove', ics: weekly, occurrence: null })).toMatchObject({
      ics: null,
      before: { part: 'series' },
    });
  });

  it('of days has exceptions of days', () => {
    const days = calendarOf([
      eventOf(
        'UID:d',
        'SUMMARY:Day',
        'DTSTART;VALUE=DATE:20270301',
        'DTEND;VALUE=DATE:20270302',
        'RRULE:FREQ=DAILY;COUNT=3',
      ),
    ]);
    const moved = change({ start: { day: '2027-03-10' } }, '20270302', days);
    expect(moved.ics).toContain('RECURRENCE-ID;VALUE=DATE:20270302');
    expect(moved.after?.days).toEqual({ first: '2027-03-10', last: '2027-03-10' });
    expect(done({ kind: 'remove', ics: days, occurrence: '20270302' }).ics).toContain('EXDATE;VALUE=DATE:20270302');
  });

  it('can have another title as a whole; its times, times that it has not, and changes of all that follow are refused', () => {
    expect(startsIn(change({ title: 'Sync' }, null).ics, '2027-03-01', '2027-03-10')).toEqual([
      'Mon 2027-03-01 15:00 +01:00 Sync',
      'Mon 2027-03-08 15:00 +01:00 Sync',
    ]);
    expect(() => change({ start: at('2027-03-02T14:00Z') }, null)).toThrow('times of a whole series cannot be changed');
    expect(() => change({ title: 'x' }, '20270323T130000Z')).toThrow('the series has no such time');
    const future = eventOf(
      'UID:weekly',
      'RECURRENCE-ID;RANGE=THISANDFUTURE;TZID=America/New_York:20270308T090000',
      'DTSTART;TZID=America/New_York:20270308T110000',
      'DURATION:PT1H',
    );
    const ranged = weekly.replace('END:VCALENDAR', `${future.replaceAll('\n', '\r\n')}\r\nEND:VCALENDAR`);
    expect(() => change({ title: 'x' }, '20270322T130000Z', ranged)).toThrow('THISANDFUTURE');
    const unknown = weekly.replaceAll('America/New_York', 'Office').replace(/BEGIN:VTIMEZONE[^]*END:VTIMEZONE\r\n/, '');
    expect(() => change({ title: 'x' }, '20270322T080000Z', unknown)).toThrow('does not say what its time zone is');
  });

  it('that never ends to be looked for, and what is no event, are problems and no errors', () => {
    expect(
      editEvent({ ...task, kind: 'remove', ics: 'BEGIN:VCALENDAR\r\nnonsense', occurrence: null }).problem,
    ).toContain('cannot be read');
    const two = calendarOf([
      eventOf('UID:a', 'DTSTART:20270301T090000Z'),
      eventOf('UID:b', 'DTSTART:20270301T090000Z'),
    ]);
    expect(editEvent({ ...task, kind: 'remove', ics: two, occurrence: null }).problem).toContain('several events');
  });
});

it('an event that is moved lasts as long as before, in its zone; somebody who is invited is invited once', () => {
  const single = weekly.replace('RRULE:FREQ=WEEKLY\r\n', '');
  const fields = { invite: ['bob@x.test', 'eve@x.test'], start: at('2027-04-01T08:00Z'), notes: 'New', place: '' };
  const { ics, after } = done({ kind: 'change', ics: single, occurrence: null, fields });
  expect(after).toMatchObject({
    addresses: ['bob@x.test', 'eve@x.test'],
    end: Date.parse('2027-04-01T09:00Z'),
    notes: 'New',
  });
  expect(ics).toContain('DTSTART;TZID=America/New_York:20270401T040000');
  expect(ics).toContain('SEQUENCE:1');
});
