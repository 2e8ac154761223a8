/**
 * Owns: the occurrences within a span of what a calendar server gives for an event: its series, its exceptions, its time
 * zones. Pure; goes through ical.js, whose rules these are. A stranger may have written the event, so it is read in a
 * thread that can be ended (expand-in-thread.ts).
 */
import ICAL from 'ical.js';
import { hidesText, visibleText } from '../../../kit/mail/visible-text.ts';
import { isTimeZone, timeZone } from '../../../kit/schedule/time-zone.ts';
import { oneLine } from '../mail/mail-lines.ts';

/** From a moment until before another; times without a zone are those of `zone`. */
export type Span = { from: number; to: number; zone: string };

export type Occurrence = {
  /** When it would begin by its series, as RECURRENCE-ID says it; null for an event that happens once. */
  recurrence: string | null;
  start: number;
  end: number;
  /** Of an event of whole days, the first and the last. */
  days: { first: string; last: string } | null;
  title: string;
  place: string;
  notes: string;
  /** There is text in the notes that their reader does not see; it is left out. */
  isHiding: boolean;
  organizer: string;
  attendees: { who: string; answer: string }[];
  isCancelled: boolean;
  isTentative: boolean;
  /** Whoever keeps the calendar counts as free. */
  isTransparent: boolean;
  /** What the person has answered to the invitation, in lower case; null without one. */
  answer: string | null;
  /** A time zone that nobody knows; the event is shown as if it were the person's. */
  unknownZone: string | null;
};

export type Expanded = { occurrences: Occurrence[]; problem: string | null };

/** Times that are looked at in one series, and occurrences of it that are given. */
export const MOST_STEPS = 20_000;
const MOST_OCCURRENCES = 1000;
const MOST_NOTES = 2000;
export const MOST_ATTENDEES = 50;
const DAY_MS = 86_400_000;
/** More than any two time zones differ by. */
const MARGIN_MS = 2 * DAY_MS;
/** A change of all that follows (THISANDFUTURE) may move it by so much. */
const MOVED_MS = 60 * DAY_MS;

/** `me` are addresses of the person. Whatever can be read of the object is. */
export function expandEvents(ics: string, span: Span, me: readonly string[]): Expanded {
  const occurrences: Occurrence[] = [];
  const problems = new Set<string>();
  for (const { event, others } of seriesIn(ics, problems))
    try {
      const found = event === null ? singly(others, span, me) : expandSeries(event, span, me);
      occurrences.push(...found.occurrences);
      if (found.problem !== null) problems.add(found.problem);
    } catch (error) {
      problems.add(unreadable(error));
    }
  return { occurrences, problem: problems.size === 0 ? null : [...problems].join('; ') };
}

type Series = { event: ICAL.Event | null; others: ICAL.Event[] };

/** Events with their exceptions, by UID. There may be exceptions alone: who is invited to one day of a series gets just that. */
function seriesIn(ics: string, problems: Set<string>): Series[] {
  const byUid = new Map<string, ICAL.Component[]>();
  try {
    const parsed = ICAL.parse(ics) as unknown[];
    for (const root of Array.isArray(parsed[0]) ? parsed : [parsed])
      for (const each of new ICAL.Component(root as never).getAllSubcomponents('vevent')) {
        const uid = String(each.getFirstPropertyValue('uid'));
        byUid.set(uid, [...(byUid.get(uid) ?? []), each]);
      }
  } catch (error) {
    problems.add(unreadable(error));
  }
  return [...byUid.values()].flatMap((all): Series[] => {
    const exceptions = all.filter((each) => each.hasProperty('recurrence-id'));
    const whole = all.filter((each) => !each.hasProperty('recurrence-id'));
    if (whole.length === 0) return [{ event: null, others: exceptions.map((each) => new ICAL.Event(each)) }];
    return whole.map((each) => ({ event: new ICAL.Event(each, { exceptions }), others: [] }));
  });
}

const unreadable = (error: unknown): string =>
  `it cannot be read: ${oneLine(error instanceof Error ? error.message : String(error), 200)}`;

function singly(events: readonly ICAL.Event[], span: Span, me: readonly string[]): Expanded {
  return { occurrences: events.flatMap((event) => within(event, event, event.recurrenceId, span, me)), problem: null };
}

function expandSeries(event: ICAL.Event, span: Span, me: readonly string[]): Expanded {
  const exceptions = Object.values(event.exceptions);
  if (!event.isRecurring()) {
    const others = singly(exceptions, span, me).occurrences;
    return { occurrences: [...within(event, event, null, span, me), ...others], problem: null };
  }
  const occurrences: Occurrence[] = [];
  const done = new Set<ICAL.Event>();
  const reach = MARGIN_MS + (event.rangeExceptions.length > 0 ? MOVED_MS : 0);
  const first = span.from - reach - event.duration.toSeconds() * 1000;
  const times = event.iterator();
  let isWhole = false;
  for (let step = 0; step < MOST_STEPS && occurrences.length < MOST_OCCURRENCES; step += 1) {
    const next = (times.next() as ICAL.Time | undefined) ?? null;
    const about = next === null ? Number.POSITIVE_INFINITY : Date.UTC(next.year, next.month - 1, next.day);
    isWhole = about > span.to + reach;
    if (next === null || isWhole) break;
    if (about < first) continue;
    const { item, startDate, endDate } = event.getOccurrenceDetails(next.clone());
    done.add(item);
    occurrences.push(...within(item, { startDate, endDate }, next, span, me));
  }
  // Whatever was moved into the span from further away.
  const moved = exceptions.filter((each) => !done.has(each));
  occurrences.push(...singly(moved, span, me).occurrences);
  return { occurrences, problem: isWhole ? null : 'it has too many occurrences, so some are missing' };
}

type Times = Pick<ICAL.Event, 'startDate' | 'endDate'>;

/** Nothing where it is at another time. */
function within(
  event: ICAL.Event,
  { startDate, endDate }: Times,
  original: ICAL.Time | null,
  { from, to, zone }: Span,
  me: readonly string[],
): Occurrence[] {
  const named = wordsIn(event.component.getFirstProperty('dtstart')?.getParameter('tzid'));
  const isFloating = startDate.zone === ICAL.Timezone.localTimezone;
  const own = isFloating && isTimeZone(named) ? named : zone;
  const start = momentOf(startDate, own);
  const end = Math.max(start, momentOf(endDate, own));
  if (start >= to || (end <= from && (end > start || start < from))) return [];
  const days = startDate.isDate ? { first: dayOf(startDate), last: lastDay(startDate, endDate) } : null;
  const recurrence = original === null ? null : recurrenceOf(original, own);
  const unknownZone = isFloating && named !== '' && own !== named ? oneLine(named, 100) : null;
  return [{ ...aboutOf(event, me), recurrence, start, end, days, unknownZone }];
}

/** When an event is, whenever that is. */
export function exactTimes(event: ICAL.Event, zone: string): Pick<Occurrence, 'start' | 'end' | 'days'> {
  const always = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY, zone };
  const [times] = within(event, event, null, always, []);
  if (times === undefined) throw new Error('it has no time');
  return times;
}

function aboutOf(
  event: ICAL.Event,
  me: readonly string[],
): Omit<Occurrence, 'recurrence' | 'start' | 'end' | 'days' | 'unknownZone'> {
  const { component } = event;
  const notes = wordsIn(event.description);
  const isHtml = /<\/?[a-z][^>]*>/i.test(notes);
  const state = wordsIn(component.getFirstPropertyValue('status')).toUpperCase();
  const attendees = event.attendees.map(attendeeOf);
  return {
    title: oneLine(wordsIn(event.summary), 300),
    place: oneLine(wordsIn(event.location), 200),
    notes: seen(isHtml ? visibleText(notes) : notes).slice(0, MOST_NOTES),
    isHiding: isHtml && hidesText(notes),
    organizer: personOf(component.getFirstProperty('organizer')),
    attendees: attendees.slice(0, MOST_ATTENDEES).map(({ who, answer }) => ({ who, answer })),
    isCancelled: state === 'CANCELLED',
    isTentative: state === 'TENTATIVE',
    isTransparent: wordsIn(component.getFirstPropertyValue('transp')).toUpperCase() === 'TRANSPARENT',
    answer: attendees.find(({ address }) => me.includes(address))?.answer ?? null,
  };
}

/** A time without a zone, and a day, are those of `zone`. */
function momentOf(time: ICAL.Time, zone: string): number {
  if (!time.isDate && time.zone !== ICAL.Timezone.localTimezone) return time.toUnixTime() * 1000;
  const wall = Date.UTC(time.year, time.month - 1, time.day, time.hour, time.minute, time.second);
  return timeZone(zone).firstMomentOf(wall);
}

const dayOf = (time: ICAL.Time): string =>
  new Date(Date.UTC(time.year, time.month - 1, time.day)).toISOString().slice(0, 10);

/** An end that is a day is the first one after the event. */
function lastDay(start: ICAL.Time, end: ICAL.Time): string {
  const last = Date.UTC(end.year, end.month - 1, end.day) - DAY_MS;
  return new Date(Math.max(last, Date.UTC(start.year, start.month - 1, start.day))).toISOString().slice(0, 10);
}

export const recurrenceOf = (time: ICAL.Time, zone: string): string =>
  time.isDate
    ? dayOf(time).replaceAll('-', '')
    : `${new Date(momentOf(time, zone)).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;

const wordsIn = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Without characters that are not seen or turn the direction of a text; lines stay. */
const seen = (text: string): string => text.replaceAll(/[^\P{Cc}\n\t]|\p{Cf}/gu, '').trim();

function attendeeOf(property: ICAL.Property): { who: string; answer: string; address: string } {
  const answer = wordsIn(property.getParameter('partstat')).toLowerCase();
  return { who: personOf(property), answer: oneLine(answer, 40) || 'needs-action', address: addressOf(property) };
}

export const addressOf = (property: ICAL.Property | null): string =>
  oneLine(wordsIn(property?.getFirstValue()).replace(/^mailto:/i, ''), 320).toLowerCase();

/** A name is whatever its author likes, so the address always stands beside it. */
export function personOf(property: ICAL.Property | null): string {
  if (property === null) return '';
  const name = oneLine(wordsIn(property.getParameter('cn')), 200);
  return name === '' ? addressOf(property) : `${name} <${addressOf(property)}>`;
}
