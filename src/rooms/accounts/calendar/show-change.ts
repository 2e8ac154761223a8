/** Owns: what a person sees of an event that is to be written: who is invited first, then all of it, and what it was. Pure. */
import type { CallPreview } from '../../../core/schema/tool.ts';
import { formatLocal } from '../../../kit/schedule/schedule-spec.ts';
import { machineTimeZone } from '../../../kit/schedule/time-zone.ts';
import type { ShownEvent } from './edit-event.ts';

type Shown = {
  before: ShownEvent | null;
  after: ShownEvent | null;
  calendar: string;
  /** Whose calendar it is. */
  me: readonly string[];
  /** Those that the person has written to before; null when that is not known. */
  known: ReadonlySet<string> | null;
  /** Whether the server tells everybody who is invited; null when it does not say. */
  sends: boolean | null;
};

/** A question shows a text in parts. */
const PART = /[\s\S]{1,8000}/gu;
const MOST_NOTES = 40_000;

export function showChange(shown: Shown): CallPreview {
  const { before, after, calendar } = shown;
  const event = after ?? before;
  if (event === null) return { changes: [], contents: [] };
  const what = before === null ? 'A new event' : after === null ? 'It is removed' : 'It is changed';
  return {
    changes: [
      ...peopleLines(shown, event),
      `Calendar: ${calendar}`,
      `${what}${PARTS[event.part]}`,
      ...factLines(before, after),
      ...toldLines(shown, event),
      `It can be undone${shown.sends === false ? '' : ', but not what the server has sent'}, as long as nobody changes it.`,
    ],
    contents: [
      ...notesOf(before !== null && after?.notes === before.notes ? null : after, 'The notes'),
      ...notesOf(before, after?.notes === before?.notes ? 'The notes, which stay' : 'The notes until now'),
    ],
  };
}

const PARTS = {
  event: '',
  series: ': all of the series',
  'one of a series': ': this time of the series alone',
} as const;

function peopleLines({ before, after, me, known }: Shown, event: ShownEvent): string[] {
  const { addresses, people } = event;
  const invited = new Set(before?.addresses ?? []);
  return people.flatMap((who, index) => {
    const address = addresses[index] ?? '';
    if (me.includes(address)) return [];
    if (after === null) return [`Invited: ${who}`];
    if (invited.has(address)) return [`Invited already: ${who}`];
    const isNew = known === null ? ' (whether you have written to them is not known)' : ' (never written to before)';
    return [`Invited: ${who}${known?.has(address) === true ? '' : isNew}`];
  });
}

/** Each on a line of its own, so that no text looks like another line; what it was stands below what it will be. */
function factLines(before: ShownEvent | null, after: ShownEvent | null): string[] {
  return FACTS.flatMap(([name, textOf]) => {
    const [was, is] = [before === null ? '' : textOf(before), after === null ? '' : textOf(after)];
    if (before === null || after === null || was === is) return (is || was) === '' ? [] : [`${name}: ${is || was}`];
    return [`${name}: ${is === '' ? 'none' : is}`, `${name} until now: ${was === '' ? 'none' : was}`];
  });
}

const FACTS: readonly (readonly [string, (event: ShownEvent) => string])[] = [
  ['Title', ({ title }) => title],
  ['When', whenOf],
  ['Where', ({ place }) => place],
];

function whenOf({ start, end, days }: ShownEvent): string {
  if (days !== null) return days.first === days.last ? dayOf(days.first) : `${dayOf(days.first)} – ${dayOf(days.last)}`;
  const zone = machineTimeZone();
  return `${formatLocal(start, zone)} – ${formatLocal(end, zone)} (${zone})`;
}

const dayOf = (day: string): string => formatLocal(Date.parse(day), 'UTC').slice(0, 14);

function toldLines({ me, sends }: Shown, { addresses, organizer }: ShownEvent): string[] {
  if (organizer !== '' && !me.includes(organizer))
    return [`${organizer} has invited to this event; it is changed in your calendar, and not in theirs.`];
  if (addresses.every((address) => me.includes(address))) return [];
  if (sends === null) return ['Whether the server sends invitations is not known.'];
  return [
    sends
      ? 'The server sends this to everybody who is invited.'
      : 'This server sends no invitations: nobody is notified.',
  ];
}

function notesOf(event: ShownEvent | null, path: string): CallPreview['contents'] {
  const notes = event?.notes ?? '';
  if (notes === '') return [];
  const parts = notes.slice(0, MOST_NOTES).match(PART) ?? [];
  return parts.map((text, index) => ({
    path: parts.length === 1 ? path : `${path}, part ${index + 1} of ${parts.length}`,
    why:
      notes.length > MOST_NOTES
        ? `these are ${MOST_NOTES} of ${notes.length} characters`
        : 'they are part of the event',
    text,
  }));
}
