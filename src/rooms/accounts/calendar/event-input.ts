/** Owns: what a call says of an event, made of words that a model wrote. Pure. */
import { z } from 'zod';
import { failure } from '../../../kit/define-tool.ts';
import { isTimeZone, machineTimeZone, timeZone } from '../../../kit/schedule/time-zone.ts';
import { oneLine } from '../mail/mail-lines.ts';
import type { EventFields, EventTime } from './edit-event.ts';

const When = z.string().regex(/^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2})?$/);

export const eventFields = {
  title: z.string().min(1).max(300).optional().describe('What it is called.'),
  start: When.optional().describe('When it begins: 2026-05-01T14:00, or 2026-05-01 for whole days.'),
  end: When.optional().describe('When it ends; of whole days, the last one.'),
  zone: z.string().max(100).optional().describe("The time zone of these times; the person's when left out."),
  place: z.string().max(200).optional().describe('Where.'),
  notes: z.string().max(8000).optional().describe('What is written about it, as plain text.'),
  invite: z.array(z.email().max(320)).max(30).default([]).describe('Addresses of people to invite.'),
};
type Given = z.output<z.ZodObject<typeof eventFields>>;

export function fieldsOf({ title, start, end, zone, place, notes, invite }: Given): EventFields {
  const name = zoneOf(zone);
  const fields = {
    title: title === undefined ? undefined : oneLine(title, 300),
    start: start === undefined ? undefined : readTime(start, name),
    end: end === undefined ? undefined : readTime(end, name),
    place: place === undefined ? undefined : oneLine(place, 200),
    notes: notes === undefined ? undefined : plainText(notes),
    invite: [...new Set(invite.map((address) => address.toLowerCase()))],
  };
  if (fields.title === '') throw failure('the event has no title', 'Say what it is called in `title`.');
  return fields;
}

export function zoneOf(zone: string = machineTimeZone()): string {
  if (!isTimeZone(zone)) throw failure(`"${oneLine(zone, 100)}" is no time zone`, 'Write one such as Europe/Berlin.');
  return zone;
}

function readTime(words: string, zone: string): EventTime {
  const [day = '', clock] = words.split('T');
  const isClock = clock === undefined || /^([01]\d|2[0-3]):[0-5]\d$/.test(clock);
  if (!z.iso.date().safeParse(day).success || !isClock)
    throw failure(`"${words}" is no time`, 'Write it as 2026-05-01T14:00, or 2026-05-01 for whole days.');
  if (clock === undefined) return { day };
  const [moment] = timeZone(zone).momentsOf(Date.parse(`${day}T${clock}Z`));
  if (moment === undefined)
    throw failure(`clocks in ${zone} are set forward over ${words}`, 'Give a time that there is.');
  return { moment };
}

/** Without characters that are not seen or turn the direction of a text; lines stay. */
const plainText = (text: string): string =>
  text
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/[^\P{Cc}\n\t]|\p{Cf}/gu, '')
    .trim();
