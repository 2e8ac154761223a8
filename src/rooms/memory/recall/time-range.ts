/** The time range that a question refers to, if any: "yesterday", "in May 2023", "on 8 May", "2026-01-31". */
import { MONTHS, WEEKDAYS } from '../../../kit/text/terms.ts';

/** Seconds since 1970; `to` is exclusive. */
type TimeRange = { from: number; to: number };

const DAY_SECONDS = 86_400;

export function parseTimeRange(question: string, now: number): TimeRange | null {
  const text = question.toLowerCase();
  return parseIsoDay(text) ?? parseRelativeRange(text, now) ?? parseNamedMonth(text);
}

function parseIsoDay(text: string): TimeRange | null {
  const found = /\b(\d{4})-(\d\d)-(\d\d)\b/.exec(text);
  if (found === null) return null;
  const from = Date.UTC(Number(found[1]), Number(found[2]) - 1, Number(found[3])) / 1000;
  return { from, to: from + DAY_SECONDS };
}

function parseRelativeRange(text: string, now: number): TimeRange | null {
  const today = Math.floor(now / 1000 / DAY_SECONDS) * DAY_SECONDS;
  const days = (back: number, long: number): TimeRange => ({
    from: today - back * DAY_SECONDS,
    to: today + (long - back) * DAY_SECONDS,
  });
  if (/\btoday\b/.test(text)) return days(0, 1);
  if (/\byesterday\b/.test(text)) return days(1, 1);
  if (/\b(?:this|past) week\b/.test(text)) return days(7, 8);
  if (/\blast week\b/.test(text)) return days(14, 14);
  if (/\b(?:this|past) month\b/.test(text)) return days(31, 32);
  if (/\blast month\b/.test(text)) return days(62, 62);
  const weekday = WEEKDAYS.findIndex((name) => new RegExp(`\\b(?:on|last) ${name}\\b`).test(text));
  if (weekday === -1) return null;
  const back = (new Date(now).getUTCDay() - weekday + 7) % 7 || 7;
  return days(back, 1);
}

/** Requires a year; "May" alone is found as a keyword. */
function parseNamedMonth(text: string): TimeRange | null {
  const name = MONTHS.join('|');
  const found = new RegExp(
    `(?:\\b(\\d{1,2})(?:st|nd|rd|th)?(?: of)? )?\\b(${name})(?: (\\d{1,2})(?:st|nd|rd|th)?\\b)?,? (\\d{4})\\b`,
  ).exec(text);
  if (found === null) return null;
  const month = MONTHS.findIndex((each) => each === found[2]);
  const year = Number(found[4]);
  const day = Number(found[1] ?? found[3] ?? 0);
  if (day > 0) return { from: Date.UTC(year, month, day) / 1000, to: Date.UTC(year, month, day + 1) / 1000 };
  return { from: Date.UTC(year, month, 1) / 1000, to: Date.UTC(year, month + 1, 1) / 1000 };
}
