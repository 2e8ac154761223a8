/** When something temporary ends: "this week", "until Friday", "for the next 3 days". */
import { MONTHS, WEEKDAYS } from '../text/terms.ts';

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

const GERMAN = ['sonntag', 'montag', 'dienstag', 'mittwoch', 'donnerstag', 'freitag', 'samstag'];
const UNTIL = '\\b(?:until|till|up to|through|bis(?: zum)?)\\s+(?:the\\s+|next\\s+|end of\\s+)?';

/** The named day itself is included. */
function parseUntil(text: string, today: number): number | null {
  const iso = new RegExp(`${UNTIL}(\\d{4}-\\d\\d-\\d\\d)\\b`).exec(text)?.[1];
  if (iso !== undefined) return Number.isNaN(Date.parse(iso)) ? null : Date.parse(iso) + DAY_MS;
  if (new RegExp(`${UNTIL}(?:tomorrow|morgen)\\b`).test(text)) return today + 2 * DAY_MS;
  const named = new RegExp(`${UNTIL}(${[...WEEKDAYS, ...GERMAN].join('|')})\\b`).exec(text)?.[1];
  if (named !== undefined) {
    const weekday = [WEEKDAYS, GERMAN].map((days) => days.findIndex((day) => day === named)).find((at) => at >= 0) ?? 0;
    return today + (((weekday - new Date(today).getUTCDay() + 7) % 7) + 1) * DAY_MS;
  }
  return parseUntilDate(text, today);
}

/** "until 8 May", "until May 8, 2027"; without a year, the next such date. */
function parseUntilDate(text: string, today: number): number | null {
  const month = MONTHS.join('|');
  const found =
    new RegExp(`${UNTIL}(?<day>\\d{1,2})(?:st|nd|rd|th)?\\.?(?: of)? (?<month>${month})(?:,? (?<year>\\d{4}))?`).exec(
      text,
    ) ?? new RegExp(`${UNTIL}(?<month>${month}) (?<day>\\d{1,2})(?:st|nd|rd|th)?(?:,? (?<year>\\d{4}))?`).exec(text);
  const { day, month: name, year } = found?.groups ?? {};
  if (day === undefined || name === undefined) return null;
  const at = MONTHS.findIndex((each) => each === name);
  const thisYear = year === undefined ? new Date(today).getUTCFullYear() : Number(year);
  const date = Date.UTC(thisYear, at, Number(day));
  return (year === undefined && date < today ? Date.UTC(thisYear + 1, at, Number(day)) : date) + DAY_MS;
}

function parsePeriod(text: string, today: number): number | null {
  const date = new Date(today);
  if (/\b(?:today|heute|this (?:morning|afternoon|evening))\b/.test(text)) return today + DAY_MS;
  if (/\b(?:this week|diese woche)\b/.test(text)) return today + ((8 - date.getUTCDay()) % 7 || 7) * DAY_MS;
  if (/\b(?:this month|diesen monat)\b/.test(text)) return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
  if (/\b(?:this year|dieses jahr)\b/.test(text)) return Date.UTC(date.getUTCFullYear() + 1, 0, 1);
  return null;
}

const DAYS_IN: Readonly<Record<string, number>> = { day: 1, week: 7, month: 30, tag: 1, woche: 7, monat: 30 };

function parseCountedDays(text: string, today: number): number | null {
  const found = /\b(?:for the next|for another|für die nächsten)\s+(\d{1,3}\s+)?(day|week|month|tag|woche|monat)/.exec(
    text,
  );
  if (found === null) return null;
  return today + (Number(found[1] ?? 1) * (DAYS_IN[found[2] ?? ''] ?? 1) + 1) * DAY_MS;
}
