/** The stretch of time that a question speaks of, if it does: "yesterday", "in May 2023", "on 8 May", "2026-01-31". */
import { MONTHS, WEEKDAYS } from '../text/words.ts';

/** Seconds since 1970, from the first to before the last. */
export type Stretch = { from: number; to: number };

const DAY = 86_400;

export function stretchIn(question: string, now: number): Stretch | null {
  const text = question.toLowerCase();
  return isoDay(text) ?? relative(text, now) ?? namedMonth(text);
}

function isoDay(text: string): Stretch | null {
  const found = /\b(\d{4})-(\d\d)-(\d\d)\b/.exec(text);
  if (found === null) return null;
  const from = Date.UTC(Number(found[1]), Number(found[2]) - 1, Number(found[3])) / 1000;
  return { from, to: from + DAY };
}

function relative(text: string, now: number): Stretch | null {
  const today = Math.floor(now / 1000 / DAY) * DAY;
  const days = (back: number, long: number): Stretch => ({ from: today - back * DAY, to: today + (long - back) * DAY });
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

/** Needs a year: "May" alone is found by its word. */
function namedMonth(text: string): Stretch | null {
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
