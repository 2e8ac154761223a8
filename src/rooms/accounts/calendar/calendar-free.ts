/** Owns: calendar.free: when there is time for something, over all calendars that are asked. */
import { z } from 'zod';
import type { Outcome, Tool, ToolCall } from '../../../core/schema/tool.ts';
import { failure, ok } from '../../../kit/define-tool.ts';
import { formatLocal } from '../../../kit/schedule/schedule-spec.ts';
import { readingTool } from '../reading-tool.ts';
import { daysInput, spanOf } from './event-days.ts';
import { freeStretches, isBlocking } from './free-slots.ts';
import { type CalendarReading, readCalendars } from './read-calendars.ts';

const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;
const Clock = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$|^24:00$/);

const Input = z.strictObject({
  ...daysInput,
  minutes: z.int().min(5).max(1440).describe('How long it takes.'),
  day_begins: Clock.default('09:00').describe('When hours of work begin.'),
  day_ends: Clock.default('17:00').describe('When they end.'),
  weekdays: z.array(z.enum(WEEKDAYS)).min(1).default(['mon', 'tue', 'wed', 'thu', 'fri']).describe('Days of work.'),
  buffer: z
    .int()
    .min(0)
    .max(480)
    .default(0)
    .describe('Minutes that stay free before and after each event, as for travel.'),
  limit: z.int().min(1).max(100).default(20).describe('How many slots.'),
});
type Asked = z.output<typeof Input>;

const Output = z.strictObject({
  slots: z
    .array(
      z.strictObject({
        start: z.string().describe('When it can begin.'),
        end: z.string().describe('When it is over then.'),
        free_until: z.string().describe('Until when there is nothing else, so it may begin later, too.'),
      }),
    )
    .describe('The earliest first.'),
  zone: z.string().describe('The time zone of all times.'),
  events: z.int().describe('How many events block time in these days.'),
  more: z.int().positive().optional().describe('How many further slots there are.'),
  note: z.string().optional().describe('What could not be read: these slots may not be free.'),
});

export function calendarFreeTool(reading: CalendarReading): Tool {
  return readingTool({
    name: 'calendar.free',
    about:
      "Finds times in some days that are free in all of the person's calendars, within hours of work. Events that are cancelled, declined, or count as free do not block. Changes nothing.",
    input: Input,
    output: Output,
    act: (asked, call) => find(asked, reading, call),
  });
}

async function find(asked: Asked, reading: CalendarReading, call: ToolCall): Promise<Outcome> {
  const span = spanOf(asked);
  const { zone } = span;
  const { from, to = from, minutes, buffer, limit } = asked;
  const hours = { from: minutesOf(asked.day_begins), to: minutesOf(asked.day_ends) };
  if (hours.to - hours.from < minutes)
    throw failure(
      `${minutes} minutes do not fit between ${asked.day_begins} and ${asked.day_ends}`,
      'Give more hours, or fewer minutes.',
    );
  const around = { ...span, from: span.from - buffer * MINUTE_MS, to: span.to + buffer * MINUTE_MS };
  const { events, problems } = await readCalendars({ ...asked, account: asked.account }, reading, around, call);
  const weekdays = asked.weekdays.map((day) => WEEKDAYS.indexOf(day));
  const free = freeStretches(events, { from, to, zone, hours, weekdays, minutes, buffer, after: Date.now() });
  const more = free.length - limit;
  return ok({
    slots: free.slice(0, limit).map(({ start, end }) => ({
      start: formatLocal(start, zone),
      end: formatLocal(start + minutes * MINUTE_MS, zone),
      free_until: formatLocal(end, zone),
    })),
    zone,
    events: events.filter(isBlocking).length,
    ...(more > 0 ? { more } : {}),
    ...(problems.length === 0 ? {} : { note: problems.join('; ') }),
  });
}

const MINUTE_MS = 60_000;

const minutesOf = (clock: string): number => Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3));
