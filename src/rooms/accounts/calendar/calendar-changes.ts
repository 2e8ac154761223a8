/** Owns: calendar.add, calendar.change and calendar.remove: what a call of them says. */
import { z } from 'zod';
import type { Tool } from '../../../core/schema/tool.ts';
import { failure } from '../../../kit/define-tool.ts';
import { type CalendarWriting, changingTool, type Wanted } from './change-event.ts';
import { eventFields, fieldsOf, zoneOf } from './event-input.ts';
import { parseEventName } from './event-name.ts';
import { type PutBack, undoChange } from './undo-event.ts';

const ASKED = 'A person is asked each time and sees the whole event.';

const Known = {
  event: z
    .string()
    .min(3)
    .max(1500)
    .describe('Its name, from calendar.list: one time of a series; all of it with `-` in place of the time.'),
  version: z.string().min(1).max(300).describe('What it is now, from calendar.list with `details`.'),
};

const NewEvent = z.strictObject({
  calendar: z.string().min(1).max(500).describe('The name of the calendar.'),
  account: z.string().max(40).optional().describe('The account; needed where several have calendars.'),
  ...eventFields,
  title: eventFields.title.unwrap(),
  start: eventFields.start.unwrap(),
  end: eventFields.end.unwrap(),
});

export function calendarChangeTools(ports: CalendarWriting): Tool[] {
  const [really, drily]: [PutBack, PutBack] = [new Map(), new Map()];
  const undo: Parameters<typeof changingTool>[2] = (wanted, mark, version, isDry) =>
    undoChange(wanted, mark, version, ports, { putBack: isDry ? drily : really, isDry });
  const add = changingTool(
    {
      name: 'calendar.add',
      about: `Puts an event into a calendar of the person. ${ASKED}`,
      input: NewEvent,
      targets: ['calendar', 'invite'],
      isDestructive: false,
      wanted: (input) => ({
        account: input.account ?? onlyAccount(ports),
        calendar: input.calendar,
        event: null,
        edit: { kind: 'add', fields: fieldsOf(input) },
        zone: zoneOf(input.zone),
      }),
    },
    ports,
    undo,
  );
  const change = changingTool(
    {
      name: 'calendar.change',
      about: `Changes an event, or one time of a series: what is given replaces what it was, and whoever is named in invite is invited, too. ${ASKED}`,
      input: z.strictObject({ ...Known, ...eventFields }),
      targets: ['event', 'invite'],
      isDestructive: true,
      wanted: (input) => {
        const { event: _, version: __, zone, ...fields } = input;
        const isNothing = fields.invite.length === 0 && Object.keys(fields).length === 1;
        if (isNothing) throw failure('nothing would be changed', 'Say what is to be different, such as `start`.');
        return { ...wantedOf(input), edit: { kind: 'change', fields: fieldsOf({ ...fields, zone }) } };
      },
    },
    ports,
    undo,
  );
  const remove = changingTool(
    {
      name: 'calendar.remove',
      about: `Removes an event, or one time of a series, from a calendar of the person. ${ASKED}`,
      input: z.strictObject(Known),
      targets: ['event'],
      isDestructive: true,
      wanted: (input) => ({ ...wantedOf(input), edit: { kind: 'remove' } }),
    },
    ports,
    undo,
  );
  return [add, change, remove];
}

function wantedOf({
  event,
  version,
  zone,
}: {
  event: string;
  version: string;
  zone?: string | undefined;
}): Omit<Wanted, 'edit'> {
  const { account, calendar, object, occurrence } = parseEventName(event);
  return {
    account,
    calendar,
    event: { object, occurrence: occurrence === '-' ? null : occurrence, version },
    zone: zoneOf(zone),
  };
}

function onlyAccount({ accounts }: CalendarWriting): string {
  const having = [...accounts()].filter(([, { caldav }]) => caldav !== undefined).map(([name]) => name);
  const [only, ...others] = having;
  if (only === undefined || others.length > 0)
    throw failure('there are several accounts with calendars', `Name one: ${having.join(', ')}.`);
  return only;
}
