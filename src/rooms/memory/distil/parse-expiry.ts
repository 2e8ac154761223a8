/** When something temporary ends: "this week", "until Friday", "for the next 3 days". */
import { inAnyLanguage, languages } from './languages/all-languages.ts';
import { words } from './languages/language.ts';

const DAY_MS = 86_400_000;

/** Returns the first moment at which it is no longer valid, or null when the text names none. Days are in UTC. */
export function parseExpiry(text: string, saidAt: string): string | null {
  const said = Date.parse(saidAt);
  if (Number.isNaN(said)) return null;
  const lower = text.toLowerCase();
  const today = Math.floor(said / DAY_MS) * DAY_MS;
  const ends = parseUntil(lower, today) ?? parsePeriod(lower, today) ?? parseCountedDays(lower, today);
  return ends === null ? null : new Date(ends).toISOString();
}

const UNTIL = `(?<![\\p{L}\\p{N}])(?:${inAnyLanguage('until')})`;
const END = '(?![\\p{L}\\p{N}])';
const ISO_DAY = new RegExp(`${UNTIL}(\\d{4}-\\d\\d-\\d\\d)${END}`, 'u');
const TOMORROW = new RegExp(`${UNTIL}(?:${inAnyLanguage('tomorrow')})${END}`, 'u');

/** The number of a weekday or month by its name, in any language. */
const numbersOf = (lists: readonly (readonly string[])[]): ReadonlyMap<string, number> =>
  new Map(lists.flatMap((names) => names.map((name, number): [string, number] => [name, number])));

const WEEKDAYS = numbersOf(languages.map(({ weekdays }) => weekdays));
const MONTHS = numbersOf(languages.map(({ monthNames }) => monthNames));
const WEEKDAY = new RegExp(`${UNTIL}(${[...WEEKDAYS.keys()].join('|')})${END}`, 'u');

/** The named day itself is included. */
function parseUntil(text: string, today: number): number | null {
  const iso = ISO_DAY.exec(text)?.[1];
  if (iso !== undefined) return Number.isNaN(Date.parse(iso)) ? null : Date.parse(iso) + DAY_MS;
  if (TOMORROW.test(text)) return today + 2 * DAY_MS;
  const weekday = WEEKDAYS.get(WEEKDAY.exec(text)?.[1] ?? '');
  if (weekday !== undefined) return today + (((weekday - new Date(today).getUTCDay() + 7) % 7) + 1) * DAY_MS;
  return parseUntilDate(text, today);
}

const MONTH = `(?<month>${[...MONTHS.keys()].join('|')})${END}`;
const DAY_AND_MONTH = new RegExp(
  `${UNTIL}(?<day>\\d{1,2})(?:st|nd|rd|th|er)?\\.?(?: of| de)? ${MONTH}(?:,?(?: de| del)? (?<year>\\d{4}))?`,
  'u',
);
const MONTH_AND_DAY = new RegExp(`${UNTIL}${MONTH} (?<day>\\d{1,2})(?:st|nd|rd|th)?(?:,? (?<year>\\d{4}))?`, 'u');

/** "until 8 May", "until May 8, 2027"; without a year, the next such date. */
function parseUntilDate(text: string, today: number): number | null {
  const { day, month: name = '', year } = (DAY_AND_MONTH.exec(text) ?? MONTH_AND_DAY.exec(text))?.groups ?? {};
  const month = MONTHS.get(name);
  if (day === undefined || month === undefined) return null;
  const thisYear = year === undefined ? new Date(today).getUTCFullYear() : Number(year);
  const date = Date.UTC(thisYear, month, Number(day));
  return (year === undefined && date < today ? Date.UTC(thisYear + 1, month, Number(day)) : date) + DAY_MS;
}

const TODAY = words(inAnyLanguage('today'));
const THIS_WEEK = words(inAnyLanguage('thisWeek'));
const THIS_MONTH = words(inAnyLanguage('thisMonth'));
const THIS_YEAR = words(inAnyLanguage('thisYear'));

function parsePeriod(text: string, today: number): number | null {
  const date = new Date(today);
  if (TODAY.test(text)) return today + DAY_MS;
  if (THIS_WEEK.test(text)) return today + ((8 - date.getUTCDay()) % 7 || 7) * DAY_MS;
  if (THIS_MONTH.test(text)) return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
  if (THIS_YEAR.test(text)) return Date.UTC(date.getUTCFullYear() + 1, 0, 1);
  return null;
}

const COUNTED = languages.map(({ forNext: [before, after], days, weeks, months }) => {
  const unit = `(?:(?<days>${days})|(?<weeks>${weeks})|(?<months>${months}))`;
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${before})\\s+(?:(?<count>\\d{1,3})\\s+)?${after}${unit}${END}`, 'u');
});

function parseCountedDays(text: string, today: number): number | null {
  const groups = COUNTED.map((pattern) => pattern.exec(text)?.groups).find((each) => each !== undefined);
  if (groups === undefined) return null;
  const unit = groups['days'] !== undefined ? 1 : groups['weeks'] !== undefined ? 7 : 30;
  return today + (Number(groups['count'] ?? 1) * unit + 1) * DAY_MS;
}
