/** Owns: the events within a span of days over calendars of accounts; what cannot be read costs only itself, and is said. */
import { messageOf, OkaError } from '../../../core/schema/errors.ts';
import type { ToolCall } from '../../../core/schema/tool.ts';
import { failure } from '../../../kit/define-tool.ts';
import type { Account } from '../account-settings.ts';
import { accountNamed, askAccounts } from '../ask-accounts.ts';
import { oneLine } from '../mail/mail-lines.ts';
import type { Calendar } from './caldav-client.ts';
import { eventName } from './event-name.ts';
import type { Occurrence, Span } from './expand-events.ts';
import { expandInThread } from './expand-in-thread.ts';
import { type Calendars, isCalled, type OpenCalendars, withoutCalendar } from './open-calendars.ts';

export type CalendarReading = { accounts: () => ReadonlyMap<string, Account>; calendars: Calendars };

export type CalendarEvent = Occurrence & { name: string; calendar: string; version: string };
/** `problems` is what could not be read: with one, there may be more events. */
type ReadEvents = { events: CalendarEvent[]; problems: string[] };

type Asked = { account: string | undefined; calendars: readonly string[] };

/** Servers do not know in which zone a day, or a time without a zone, is meant. */
const AROUND_MS = 86_400_000;
const MOST_PROBLEMS = 10;

/** The earliest first. Throws when nothing answers, and for a calendar that is not there. */
export async function readCalendars(
  { account, calendars }: Asked,
  reading: CalendarReading,
  span: Span,
  call: Pick<ToolCall, 'signal'>,
): Promise<ReadEvents> {
  const all = reading.accounts();
  if (account !== undefined && accountNamed(all, account).caldav === undefined) throw withoutCalendar(account);
  const having = new Map([...all].filter(([, { caldav }]) => caldav !== undefined));
  const seen: string[] = [];
  const { answers, note } = await askAccounts(having, account, call, (name, settings) =>
    reading.calendars.use(name, settings, call.signal, (open) => {
      seen.push(...open.calendars.map((each) => each.name));
      return readAccountCalendars(open, calendars, span, call.signal);
    }),
  );
  const missing = calendars.find((words) => !answers.some(({ asked }) => asked.some((each) => isCalled(each, words))));
  if (missing !== undefined && note === null)
    throw failure(
      `there is no calendar "${oneLine(missing, 200)}" that oka may see`,
      `It sees ${seen.toSorted().join(', ')}.`,
    );
  const problems = [
    ...answers.flatMap((each) => each.problems),
    ...(note === null ? [] : [note]),
    ...(missing === undefined ? [] : [`there is no calendar "${oneLine(missing, 200)}"`]),
  ];
  const more = problems.length - MOST_PROBLEMS;
  return {
    events: answers.flatMap(({ events }) => events).toSorted((a, b) => a.start - b.start || a.end - b.end),
    problems: [...problems.slice(0, MOST_PROBLEMS), ...(more > 0 ? [`and ${more} further problems`] : [])],
  };
}

type AccountEvents = ReadEvents & { asked: readonly Calendar[] };

async function readAccountCalendars(
  open: OpenCalendars,
  wanted: readonly string[],
  span: Span,
  signal: AbortSignal,
): Promise<AccountEvents> {
  const asked =
    wanted.length === 0
      ? open.calendars
      : open.calendars.filter((each) => wanted.some((words) => isCalled(each, words)));
  const found: AccountEvents = { asked, events: [], problems: [] };
  let answering = 0;
  let refusal: OkaError | null = null;
  for (const calendar of asked)
    try {
      const { events, problems } = await readCalendar(open, calendar, span, signal);
      answering += 1;
      found.events.push(...events);
      found.problems.push(...problems);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof OkaError)) throw error;
      refusal ??= error;
      found.problems.push(`the calendar ${calendar.name} was not read: ${messageOf(error)}`);
    }
  if (answering === 0 && refusal !== null) throw refusal;
  return found;
}

async function readCalendar(
  open: OpenCalendars,
  calendar: Calendar,
  span: Span,
  signal: AbortSignal,
): Promise<ReadEvents> {
  const around = { from: span.from - AROUND_MS, to: span.to + AROUND_MS };
  const objects = await open.objects(calendar, around);
  const { address, caldav } = open.settings;
  const me = [address, caldav?.user ?? ''].map((each) => each.toLowerCase());
  const expanded = await expandInThread({ objects: objects.map(({ ics }) => ics), span, me }, signal);
  const found: ReadEvents = { events: [], problems: [] };
  for (const [index, { occurrences, problem }] of expanded.entries()) {
    const { id: object = '', etag: version = '' } = objects[index] ?? {};
    const nameOf = (occurrence: string): string =>
      eventName({ account: open.account, occurrence, calendar: calendar.id, object });
    if (problem !== null) found.problems.push(`${nameOf('-')}: ${problem}`);
    for (const each of occurrences)
      found.events.push({
        ...each,
        name: nameOf(each.recurrence ?? '-'),
        calendar: oneLine(calendar.name, 200),
        version,
      });
  }
  return found;
}
