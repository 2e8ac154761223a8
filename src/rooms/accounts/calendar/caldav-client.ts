/** Owns: what a CalDAV server is asked, and its answers. The only door to tsdav. */
import { calendarQuery, propfind } from 'tsdav';

export type Fetch = typeof globalThis.fetch;
type Answers = Awaited<ReturnType<typeof propfind>>;
type Answered = Answers[number];

/** `id` is the last part of its address; its name is what people call it. */
export type Calendar = { id: string; name: string; url: string };
/** `id` is the last part of its address; it holds one event, with all that belongs to its series. */
export type CalendarObject = StoredObject & { id: string };
/** `etag` is what the server calls its present state; empty where it does not say. */
export type StoredObject = { ics: string; etag: string };
/** `etag` is null where the server does not say it, or has nothing any more. */
export type Written = 'written since' | { etag: string | null };

/** What the server answers instead. */
class CalDavRefusal extends Error {
  readonly status: number;
  constructor(status: number, words: string) {
    super(words);
    this.status = status;
  }
}

const WHERE = { 'd:current-user-principal': {}, 'c:calendar-home-set': {}, 'd:resourcetype': {} };
const WHAT = { 'd:displayname': {}, 'd:resourcetype': {}, 'c:supported-calendar-component-set': {} };

/** Calendars below an address: that of the server, of a person, of their calendars, or of one calendar. */
export async function listCalendars(url: string, fetch: Fetch): Promise<Calendar[]> {
  const home = (await findHome(url, fetch)) ?? url;
  const found = expectAnswers(await propfind({ url: home, props: WHAT, depth: '1', fetch }));
  return found.filter(isCalendar).map(({ href = '', props }) => {
    const at = new URL(href, home);
    const id = lastPart(at.pathname);
    return { id, name: wordsOf(props?.['displayname']) || decodeURI(id), url: at.href };
  });
}

/** Where the calendars of whoever has logged in are; null where the server does not say. */
async function findHome(url: string, fetch: Fetch): Promise<string | null> {
  const starts = new URL(url).pathname === '/' ? [url, new URL('/.well-known/caldav', url).href] : [url];
  let refusal: CalDavRefusal | null = null;
  for (const start of starts)
    try {
      const [first] = expectAnswers(await propfind({ url: start, props: WHERE, depth: '0', fetch }));
      if (first !== undefined && isCalendar(first)) return start;
      const home = hrefIn(first, 'calendarHomeSet');
      if (home !== null) return new URL(home, start).href;
      const principal = hrefIn(first, 'currentUserPrincipal');
      if (principal === null) continue;
      const at = new URL(principal, start).href;
      const [person] = expectAnswers(await propfind({ url: at, props: WHERE, depth: '0', fetch }));
      const itsHome = hrefIn(person, 'calendarHomeSet');
      if (itsHome !== null) return new URL(itsHome, at).href;
    } catch (error) {
      if (!(error instanceof CalDavRefusal) || error.status === 401) throw error;
      refusal ??= error;
    }
  if (refusal !== null) throw refusal;
  return null;
}

/** Events that happen between two moments, as the server has them. The server looks for them. */
export async function objectsWithin(
  { url }: Calendar,
  { from, to }: { from: number; to: number },
  fetch: Fetch,
): Promise<CalendarObject[]> {
  const range = { _attributes: { start: basicTime(from), end: basicTime(to) } };
  const events = { _attributes: { name: 'VEVENT' }, 'time-range': range };
  const answers = await calendarQuery({
    url,
    props: { 'c:calendar-data': {}, 'd:getetag': {} },
    filters: { 'comp-filter': { _attributes: { name: 'VCALENDAR' }, 'comp-filter': events } },
    depth: '1',
    fetch,
  });
  return expectAnswers(answers).flatMap(({ href = '', props }) => {
    const ics = wordsOf(props?.['calendarData']);
    return ics === '' ? [] : [{ id: lastPart(new URL(href, url).pathname), ics, etag: wordsOf(props?.['getetag']) }];
  });
}

/** As the server has it, byte by byte; null where there is none. */
export async function readObject(url: string, fetch: Fetch): Promise<StoredObject | null> {
  // A server that compresses may give it another ETag.
  const response = await fetch(url, { headers: { 'accept-encoding': 'identity' } });
  if (isGone(response)) return null;
  return { ics: await expectDone(response).text(), etag: response.headers.get('etag') ?? '' };
}

/** Only where the server still has `before`; null: only where it has nothing. */
export async function writeObject(url: string, ics: string, before: string | null, fetch: Fetch): Promise<Written> {
  const condition = before === null ? { 'if-none-match': '*' } : { 'if-match': before };
  const headers = { 'content-type': 'text/calendar; charset=utf-8', ...condition };
  const response = await fetch(url, { method: 'PUT', headers, body: ics });
  if (response.status === 412) return 'written since';
  return { etag: expectDone(response).headers.get('etag') };
}

/** Only where the server still has `before`. */
export async function removeObject(url: string, before: string, fetch: Fetch): Promise<Written> {
  const response = await fetch(url, { method: 'DELETE', headers: { 'if-match': before } });
  if (response.status === 412) return 'written since';
  if (!isGone(response)) expectDone(response);
  return { etag: null };
}

/** Whether the server itself tells everybody who is invited (RFC 6638). */
export async function sendsInvitations(url: string, fetch: Fetch): Promise<boolean> {
  const response = expectDone(await fetch(url, { method: 'OPTIONS' }));
  return (response.headers.get('dav') ?? '').includes('calendar-auto-schedule');
}

const isGone = ({ status }: Response): boolean => status === 404 || status === 410;

function expectDone(response: Response): Response {
  if (response.ok) return response;
  throw new CalDavRefusal(response.status, `${response.status} ${response.statusText}`.trim());
}

/** 20261120T090000Z */
const basicTime = (moment: number): string => `${new Date(moment).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;

function expectAnswers(answers: Answers): Answers {
  const [first] = answers;
  if (first === undefined || first.props !== undefined) return answers;
  if (first.ok && isMultistatus(first.raw)) return []; // nothing is there
  if (!first.ok) throw new CalDavRefusal(first.status, `${first.status} ${first.statusText}`.trim());
  throw new CalDavRefusal(first.status, 'it does not answer as a CalDAV server');
}

const isMultistatus = (raw: unknown): boolean => typeof raw === 'object' && raw !== null && 'multistatus' in raw;

function isCalendar({ props }: Answered): boolean {
  const kind: unknown = props?.['resourcetype'];
  if (typeof kind !== 'object' || kind === null || !('calendar' in kind)) return false;
  const { comp } = (props?.['supportedCalendarComponentSet'] ?? {}) as { comp?: unknown };
  const parts = comp === undefined ? [] : Array.isArray(comp) ? (comp as unknown[]) : [comp];
  const names = parts.map((each) => (each as { _attributes?: { name?: string } })._attributes?.name);
  return names.length === 0 || names.includes('VEVENT');
}

function hrefIn(answered: Answered | undefined, prop: string): string | null {
  const { href } = (answered?.props?.[prop] ?? {}) as { href?: unknown };
  const words = wordsOf(Array.isArray(href) ? href[0] : href);
  return words === '' ? null : words;
}

/** tsdav makes numbers and truth of words that look like it. */
function wordsOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value !== 'object' || value === null || !('_cdata' in value)) return '';
  return Array.isArray(value._cdata) ? value._cdata.join('') : wordsOf(value._cdata);
}

const lastPart = (path: string): string => path.split('/').findLast((part) => part !== '') ?? '';
