/**
 * Owns: an event as it is to be written: a new one, one that is changed, one time of a series that is changed or left out.
 * Pure; goes through ical.js. What is shown is read from the text that is written. As strangers may have written the event,
 * it is edited in a thread that can be ended (expand-in-thread.ts).
 */
import ICAL from 'ical.js';
import { oneLine } from '../mail/mail-lines.ts';
import { addressOf, exactTimes, MOST_ATTENDEES, MOST_STEPS, personOf, recurrenceOf } from './expand-events.ts';

/** Of whole days, an end is the last one. */
export type EventTime = { day: string } | { moment: number };
/** What is left out stays as it is; what is empty goes. */
export type EventFields = {
  title?: string | undefined;
  start?: EventTime | undefined;
  end?: EventTime | undefined;
  place?: string | undefined;
  notes?: string | undefined;
  invite: readonly string[];
};
export type EventEdit = { kind: 'add' | 'change'; fields: EventFields } | { kind: 'remove' };
export type EditTask = EventEdit & {
  /** As the server has it; null for a new event. */
  ics: string | null;
  /** As names of events have it (event-name.ts); null for all of it. */
  occurrence: string | null;
  /** The UID of a new event; whatever is changed bears it, too, so that the change is known again. */
  mark: string;
  now: number;
  zone: string;
  /** Who invites to a new event. */
  me: string;
};

export type ShownEvent = {
  title: string;
  start: number;
  end: number;
  days: { first: string; last: string } | null;
  place: string;
  notes: string;
  /** Addresses in lower case; `people` are the same with names. */
  addresses: string[];
  people: string[];
  organizer: string;
  part: 'event' | 'series' | 'one of a series';
};
/** `ics` is null where nothing is left of it. */
type Edit = { ics: string | null; before: ShownEvent | null; after: ShownEvent | null };
export type Edited = { problem: string } | ({ problem: null } & Edit);

const MARK = 'x-oka-call';
const DAY_MS = 86_400_000;

class Unable extends Error {}

export function editEvent(task: EditTask): Edited {
  try {
    return { problem: null, ...edit(task) };
  } catch (error) {
    const words = oneLine(error instanceof Error ? error.message : String(error), 300);
    return { problem: error instanceof Unable ? words : `the event cannot be read: ${words}` };
  }
}

/** Whether a text of a server bears the mark of a change. */
export const bearsMark = (ics: string, mark: string): boolean =>
  ics.replaceAll(/\r?\n[ \t]/g, '').includes(`${MARK.toUpperCase()}:${mark}`);

function edit(task: EditTask): Edit {
  const root = task.ics === null ? newCalendar(task.mark) : parseOne(task.ics);
  const found = findIn(root, task);
  const event = found.next === null ? found.event : addException(root, found.event, found.next);
  const before = task.ics === null ? null : shownOf(event, found.part, task);
  if (task.kind === 'remove') return { ics: without(root, { ...found, event }, task), before, after: null };
  applyFields(event, task.fields, task);
  stamp(event, task);
  const ics = root.toString();
  const written = findIn(parseOne(ics), task);
  return { ics, before, after: shownOf(written.event, written.part, task) };
}

function newCalendar(uid: string): ICAL.Component {
  const root = new ICAL.Component('vcalendar');
  root.addPropertyWithValue('version', '2.0');
  root.addPropertyWithValue('prodid', '-//oka//EN');
  const component = new ICAL.Component('vevent');
  component.addPropertyWithValue('uid', uid);
  root.addSubcomponent(component);
  return root;
}

function parseOne(ics: string): ICAL.Component {
  const parsed = ICAL.parse(ics) as unknown[];
  if (Array.isArray(parsed[0])) throw new Unable('it contains several calendars');
  return new ICAL.Component(parsed as never);
}

/** `next` is the time of a series that has no exception yet; `whole` is the series. */
type Found = { event: ICAL.Event; whole: ICAL.Event | null; next: ICAL.Time | null; part: ShownEvent['part'] };

function findIn(root: ICAL.Component, { occurrence, zone }: EditTask): Found {
  const all = root.getAllSubcomponents('vevent').map((each) => new ICAL.Event(each));
  const exceptions = all.filter((each) => each.isRecurrenceException());
  const [whole = null, ...others] = all.filter((each) => !each.isRecurrenceException());
  if (others.length > 0 || new Set(all.map(({ uid }) => uid)).size !== 1)
    throw new Unable('it contains several events');
  if (occurrence === null) {
    if (whole === null) throw new Unable('it contains single times of a series; name one of these');
    return { event: whole, whole, next: null, part: whole.isRecurring() ? 'series' : 'event' };
  }
  if (exceptions.some((each) => each.modifiesFuture()))
    throw new Unable('a time of this series changes all that follow it (THISANDFUTURE), which oka cannot change');
  const part = 'one of a series';
  const exception = exceptions.find((each) => recurrenceOf(each.recurrenceId, zone) === occurrence);
  if (exception !== undefined) return { event: exception, whole, next: null, part };
  const next = whole?.isRecurring() !== true ? null : timeOfSeries(whole, occurrence, zone);
  if (whole === null || next === null) throw new Unable('the series has no such time');
  return { event: whole, whole, next, part };
}

function timeOfSeries(whole: ICAL.Event, occurrence: string, zone: string): ICAL.Time | null {
  const isUnknown = whole.startDate.zone === ICAL.Timezone.localTimezone && !whole.startDate.isDate;
  if (isUnknown && whole.component.getFirstProperty('dtstart')?.getFirstParameter('tzid') !== undefined)
    throw new Unable('the series does not say what its time zone is, so oka cannot change one of its times');
  const times = whole.iterator();
  for (let step = 0; step < MOST_STEPS; step += 1) {
    const next = (times.next() as ICAL.Time | undefined) ?? null;
    const name = next === null ? null : recurrenceOf(next, zone);
    if (next === null || name === null || name > occurrence) return null; // they are in order
    if (name === occurrence) return next.clone();
  }
  return null;
}

/** As the series has it, and for this time alone. */
function addException(root: ICAL.Component, whole: ICAL.Event, next: ICAL.Time): ICAL.Event {
  const component = new ICAL.Component(structuredClone(whole.component.toJSON()) as never);
  root.addSubcomponent(component);
  for (const name of ['rrule', 'rdate', 'exdate', 'exrule', MARK]) component.removeAllProperties(name);
  const event = new ICAL.Event(component);
  const end = next.clone();
  end.addDuration(whole.duration);
  event.startDate = next;
  if (component.hasProperty('dtend')) event.endDate = end;
  event.recurrenceId = next;
  return event;
}

/** What is left without it. */
function without(root: ICAL.Component, { event, whole, next, part }: Found, task: EditTask): string | null {
  if (part !== 'one of a series') return null;
  root.removeSubcomponent(event.component);
  if (whole === null) return root.getFirstSubcomponent('vevent') === null ? null : root.toString();
  const time = next ?? event.recurrenceId;
  const left = whole.component.addPropertyWithValue('exdate', time);
  const isZoned = ![ICAL.Timezone.utcTimezone, ICAL.Timezone.localTimezone].includes(time.zone) && !time.isDate;
  if (isZoned) left.setParameter('tzid', time.zone.tzid);
  stamp(whole, task);
  return root.toString();
}

function stamp(event: ICAL.Event, { mark, now }: EditTask): void {
  const time = ICAL.Time.fromJSDate(new Date(now), true);
  const { component } = event;
  for (const name of ['dtstamp', 'last-modified']) component.updatePropertyWithValue(name, time);
  component.updatePropertyWithValue('sequence', (Number(component.getFirstPropertyValue('sequence')) || 0) + 1);
  component.updatePropertyWithValue(MARK, mark);
}

function applyFields(event: ICAL.Event, fields: EventFields, task: EditTask): void {
  const { component } = event;
  if (fields.start !== undefined || fields.end !== undefined) setTimes(event, fields, task);
  const texts = { summary: fields.title, location: fields.place, description: fields.notes };
  for (const [name, text] of Object.entries(texts))
    if (text === '') component.removeAllProperties(name);
    else if (text !== undefined) component.updatePropertyWithValue(name, text);
  if (fields.notes !== undefined) component.removeAllProperties('x-alt-desc'); // the same in another form
  const there = new Set(event.attendees.map(addressOf));
  for (const address of fields.invite.filter((each) => !there.has(each))) {
    const invited = component.addPropertyWithValue('attendee', `mailto:${address}`);
    invited.setParameter('partstat', 'NEEDS-ACTION');
    invited.setParameter('rsvp', 'TRUE');
  }
  if (event.attendees.length > 0 && !component.hasProperty('organizer'))
    component.addPropertyWithValue('organizer', `mailto:${task.me}`);
}

/** Whoever moves an event without saying when it ends means that it takes as long as before. */
function setTimes(event: ICAL.Event, { start: newStart, end: newEnd }: EventFields, { zone }: EditTask): void {
  const isNew = !event.component.hasProperty('dtstart');
  if (event.isRecurring())
    throw new Unable('the times of a whole series cannot be changed; change one of its times, or make a new one');
  const now = isNew ? null : exactTimes(event, zone);
  const start = newStart ?? startOf(now);
  if (start === null) throw new Unable('it does not say when it begins');
  const end = newEnd ?? movedEnd(start, now);
  if (end === null) throw new Unable('say when it ends, too');
  if ('day' in start !== 'day' in end) throw new Unable('start and end have to be two days, or two times');
  const isBackwards = 'day' in start && 'day' in end ? end.day < start.day : timeIn(end) <= timeIn(start);
  if (isBackwards) throw new Unable('it would end before it begins');
  const own = isNew || event.startDate.isDate ? null : event.startDate.zone;
  event.startDate = asTime(start, own, 0);
  event.endDate = asTime(end, own, DAY_MS);
}

type Times = ReturnType<typeof exactTimes>;
const startOf = (now: Times | null): EventTime | null =>
  now === null ? null : now.days === null ? { moment: now.start } : { day: now.days.first };
const timeIn = (time: EventTime): number => ('day' in time ? Date.parse(time.day) : time.moment);

function movedEnd(start: EventTime, now: Times | null): EventTime | null {
  if (now === null || 'day' in start !== (now.days !== null)) return null;
  if ('moment' in start) return { moment: start.moment + now.end - now.start };
  const length = now.days === null ? 0 : Date.parse(now.days.last) - Date.parse(now.days.first);
  return { day: new Date(Date.parse(start.day) + length).toISOString().slice(0, 10) };
}

/** An end that is a day is the first one after the event. */
function asTime(time: EventTime, zone: ICAL.Timezone | null, more: number): ICAL.Time {
  if ('day' in time) return ICAL.Time.fromDateString(new Date(Date.parse(time.day) + more).toISOString().slice(0, 10));
  const utc = ICAL.Time.fromJSDate(new Date(time.moment), true);
  return zone === null || zone === ICAL.Timezone.localTimezone ? utc : utc.convertToZone(zone);
}

function shownOf(event: ICAL.Event, part: ShownEvent['part'], { zone }: EditTask): ShownEvent {
  const text = (name: string): string => {
    const value = event.component.getFirstPropertyValue(name);
    return typeof value === 'string' ? value : '';
  };
  const { attendees } = event;
  if (attendees.length > MOST_ATTENDEES)
    throw new Unable(`more than ${MOST_ATTENDEES} people are invited, too many to be shown`);
  const { start, end, days } = exactTimes(event, zone);
  return {
    title: text('summary'),
    start,
    end,
    days,
    place: text('location'),
    notes: text('description'),
    addresses: attendees.map(addressOf),
    people: attendees.map(personOf),
    organizer: addressOf(event.component.getFirstProperty('organizer')),
    part,
  };
}
