/**
 * Owns: writing one event to a calendar, once.
 *
 * W1 What was approved is written: the call says all of a new event, and of another one its version, and what has been
 *    changed since is neither shown nor overwritten.
 * W2 A new event has its UID, and a change its mark, before anything is written; both follow from the run and what is
 *    wanted, so that the server says after a crash whether it is there, and the same wish is not carried out twice.
 * W3 What an event was is stored before it is changed. It comes back only where the server still has what oka has written.
 */
import { hash } from 'node:crypto';
import { z } from 'zod';
import { messageOf } from '../../../core/schema/errors.ts';
import type { CallPreview, Outcome, Tool, Undoing } from '../../../core/schema/tool.ts';
import { defineTool, failure, ok } from '../../../kit/define-tool.ts';
import { oneAtATime, pause } from '../../../kit/pause.ts';
import { type AccountsInUse, accountNamed } from '../ask-accounts.ts';
import { wroteTo } from '../mail/stored-draft.ts';
import type { Calendar, StoredObject, Written } from './caldav-client.ts';
import { bearsMark, type Edited, type EventEdit } from './edit-event.ts';
import { eventName } from './event-name.ts';
import { editInThread } from './expand-in-thread.ts';
import type { FormerEvents } from './former-events.ts';
import { assertMayChange, isCalled, type OpenCalendars } from './open-calendars.ts';
import type { CalendarReading } from './read-calendars.ts';
import { showChange } from './show-change.ts';

export type CalendarWriting = AccountsInUse & CalendarReading & { former: FormerEvents };

/** What a call wants to be written. */
export type Wanted = {
  account: string;
  /** Its name, or the last part of its address. */
  calendar: string;
  /** Null for a new event. */
  event: { object: string; occurrence: string | null; version: string } | null;
  edit: EventEdit;
  zone: string;
};

const Output = z.strictObject({
  event: z.string().describe('Its name.'),
  version: z.string().optional().describe('What it is now.'),
});

type Definition<Input extends z.ZodType> = Pick<
  Parameters<typeof defineTool<Input>>[0],
  'name' | 'about' | 'input' | 'targets'
> & {
  isDestructive: boolean;
  /** Throws for what cannot be meant. */
  wanted: (input: z.output<Input>) => Wanted;
};

type Undo = (wanted: Wanted, mark: string, version: string | null, isDry: boolean) => Promise<Undoing>;

export function changingTool<Input extends z.ZodType>(
  definition: Definition<Input>,
  ports: CalendarWriting,
  undo: Undo,
): Tool {
  const { isDestructive, wanted, ...rest } = definition;
  const inTurn = oneAtATime();
  return defineTool({
    ...rest,
    output: Output,
    annotations: { read_only: false, destructive: isDestructive, idempotent: false, risk: 'high' },
    asksEachTime: true,
    class: 'external_mutation',
    preview: (input, signal) => preview(wanted(rest.input.parse(input)), ports, signal),
    witness: async ({ run, input }) => {
      const asked = rest.input.parse(input);
      return lookAfter(wanted(asked), markOf(run, asked), ports);
    },
    undo: ({ run, input, output }, isDry) => {
      const asked = rest.input.parse(input);
      const { version = null } = Output.parse(output);
      return inTurn(() => undo(wanted(asked), markOf(run, asked), version, isDry));
    },
    act: (asked, call) => inTurn(() => write(wanted(asked), markOf(call.run, asked), ports, call.signal)),
  });
}

const markOf = (run: string, input: unknown): string =>
  `oka-${hash('sha256', `${run}\n${JSON.stringify(input)}`).slice(0, 40)}`;

/** Where it is to be written. */
type Place = { open: OpenCalendars; calendar: Calendar; object: string };

export function withPlace<T>(
  { account, calendar: words, event }: Wanted,
  mark: string,
  { accounts, calendars }: CalendarWriting,
  signal: AbortSignal,
  act: (place: Place) => Promise<T>,
): Promise<T> {
  const settings = accountNamed(accounts(), account);
  return calendars.use(account, settings, signal, (open) => {
    const [calendar, ...others] = open.calendars.filter((each) => isCalled(each, words));
    if (calendar === undefined)
      throw failure(
        `there is no calendar "${words.slice(0, 200)}" that oka may see`,
        `It sees ${open.calendars.map(({ name }) => name).join(', ')}.`,
      );
    if (others.length > 0)
      throw failure(`there are several calendars "${words}"`, `Name it by its address: ${calendar.id}.`);
    assertMayChange(account, settings, calendar);
    return act({ open, calendar, object: event?.object ?? `${mark}.ics` });
  });
}

/** What the server has, if it is what the call is about. */
async function expectedObject({ open, calendar, object }: Place, { event }: Wanted): Promise<StoredObject | null> {
  if (event === null) return null;
  const found = await open.read(calendar, object);
  if (found === null) throw failure('the event is not there any more', LIST_AGAIN);
  if (found.etag === '' || found.etag !== event.version)
    throw failure('the event is another one than this call says: somebody has changed it', LIST_AGAIN);
  return found;
}

const LIST_AGAIN = 'List it again: calendar.list with `details`.';

async function edited(place: Place, wanted: Wanted, found: StoredObject | null, mark: string, signal: AbortSignal) {
  const { edit, event, zone } = wanted;
  const task = { ...edit, ics: found?.ics ?? null, occurrence: event?.occurrence ?? null, mark, now: Date.now(), zone };
  const done: Edited = await editInThread({ ...task, me: place.open.settings.address.toLowerCase() }, signal);
  if (done.problem !== null) throw failure(done.problem, 'The person can change it themselves.');
  return done;
}

function preview(wanted: Wanted, ports: CalendarWriting, signal: AbortSignal): Promise<CallPreview> {
  return withPlace(wanted, 'oka', ports, signal, async (place) => {
    const { before, after } = await edited(place, wanted, await expectedObject(place, wanted), 'oka', signal);
    const { open, calendar } = place;
    const { address, caldav } = open.settings;
    const me = [address, caldav?.user ?? ''].map((each) => each.toLowerCase());
    const event = after ?? before;
    const isAlone = event?.addresses.every((each) => me.includes(each)) === true;
    const invited = event?.addresses.filter((each) => before?.addresses.includes(each) !== true) ?? [];
    return showChange({
      before,
      after,
      calendar: `${calendar.name}, of the account ${open.account} (${new URL(calendar.url).pathname})`,
      me,
      known: invited.length === 0 ? null : await maybe(writtenTo(open, invited, ports, signal), signal),
      sends: isAlone ? false : await maybe(open.sendsInvitations(calendar), signal),
    });
  });
}

const writtenTo = (
  { account, settings }: OpenCalendars,
  addresses: readonly string[],
  ports: CalendarWriting,
  signal: AbortSignal,
) => ports.mailboxes.use(account, settings, signal, (box) => wroteTo(box, addresses));

function maybe<T>(asked: Promise<T>, signal: AbortSignal): Promise<T | null> {
  // what is not known is shown as not known
  return asked.catch(() => {
    signal.throwIfAborted();
    return null;
  });
}

function write(wanted: Wanted, mark: string, ports: CalendarWriting, signal: AbortSignal): Promise<Outcome> {
  return withPlace(wanted, mark, ports, signal, async (place) => {
    const before = await look(place, wanted, mark, ports);
    if (before.state === 'done') return doneAs(place, wanted, before.version);
    const found = await expectedObject(place, wanted);
    const { ics } = await edited(place, wanted, found, mark, signal);
    if (found !== null) ports.former.keep(mark, found.ics);
    const written = await attempt(place, wanted, mark, ports, { found, ics }, signal);
    if (typeof written === 'object') return written;
    throw failure('somebody has changed the event at the same time; it was left as it is', LIST_AGAIN);
  });
}

type Writing = { found: StoredObject | null; ics: string | null };

/** Where its answer did not come, the server is asked what it has. */
async function attempt(
  place: Place,
  wanted: Wanted,
  mark: string,
  ports: CalendarWriting,
  { found, ics }: Writing,
  signal: AbortSignal,
): Promise<Outcome | 'written since'> {
  const { open, calendar, object } = place;
  try {
    const written: Written =
      ics === null
        ? await open.remove(calendar, object, found?.etag ?? '')
        : await open.write(calendar, object, ics, found?.etag ?? null);
    if (written === 'written since') return written;
    const isUnsaid = ics !== null && written.etag === null;
    return doneAs(place, wanted, isUnsaid ? ((await open.read(calendar, object))?.etag ?? null) : written.etag);
  } catch (error) {
    signal.throwIfAborted();
    const after = await look(place, wanted, mark, ports).catch(() => null); // then it is in doubt
    if (after?.state === 'done') return doneAs(place, wanted, after.version);
    if (after?.state === 'not done') throw error;
    return { status: 'failed', error: `${messageOf(error)}; it may have been written`, unseen: true };
  }
}

function doneAs({ open, calendar, object }: Place, { event }: Wanted, version: string | null): Outcome {
  const name = eventName({
    account: open.account,
    occurrence: event?.occurrence ?? '-',
    calendar: calendar.id,
    object,
  });
  return ok({ event: name, ...(version === null ? {} : { version }) });
}

type Seen = { state: 'done'; version: string | null } | { state: 'not done' | 'unknown' };

async function look(
  { open, calendar, object }: Place,
  { event, edit }: Wanted,
  mark: string,
  { former }: CalendarWriting,
): Promise<Seen> {
  const found = await open.read(calendar, object);
  if (found !== null && (event === null || bearsMark(found.ics, mark))) return { state: 'done', version: found.etag };
  // Before it is removed it is stored.
  if (event === null || found?.etag === event.version || former.find(mark) === null) return { state: 'not done' };
  return found === null && edit.kind === 'remove' ? { state: 'done', version: null } : { state: 'unknown' };
}

/** What was on its way when work stopped has arrived after so long. */
const ON_ITS_WAY_MS = 2000;

/** Whether a call was carried out whose process has died. Null when that is not to be seen. */
function lookAfter(wanted: Wanted, mark: string, ports: CalendarWriting): Promise<Outcome | null> {
  const signal = AbortSignal.timeout(60_000);
  return withPlace(wanted, mark, ports, signal, async (place) => {
    const first = await look(place, wanted, mark, ports);
    if (first.state === 'not done') await pause(ON_ITS_WAY_MS, signal);
    const seen = first.state === 'not done' ? await look(place, wanted, mark, ports) : first;
    if (seen.state === 'done') return doneAs(place, wanted, seen.version);
    if (seen.state === 'unknown') return null;
    return { status: 'failed', error: 'work stopped before the event was written', temporary: true };
  });
}
