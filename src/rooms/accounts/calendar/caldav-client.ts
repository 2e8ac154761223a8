/** Owns: what a CalDAV server is asked, and its answers. The only door to tsdav. */
import { calendarQuery, propfind } from 'tsdav';

export type Fetch = typeof globalThis.fetch;
type Answers = Awaited<ReturnType<typeof propfind>>;
type Answered = Answers[number];

/** `id` is the last part of its address; its name is what people call it. */
export type Calendar = { id: string; name: string; url: string };
/** `id` is the last part of its address; it holds one event, with all that belongs to its series. */
export type CalendarObject = { id: string; ics: string };

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
    props: { 'c:calendar-data': {} },
    filters: { 'comp-filter': { _attributes: { name: 'VCALENDAR' }, 'comp-filter': events } },
    depth: '1',
    fetch,
  });
  return expectAnswers(answers).flatMap(({ href = '', props }) => {
    const ics = wordsOf(props?.['calendarData']);
    return ics === '' ? [] : [{ id: lastPart(new URL(href, url).pathname), ics }];
  });
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
