/** Days of the calendar in UTC, written as 2026-01-31. */

const DAY_MS = 24 * 60 * 60 * 1000;

export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** Empty when it is no date. */
export function beforeDay(date: string): string {
  const ms = Date.parse(date);
  return Number.isNaN(ms) ? '' : dayOf(ms - DAY_MS);
}

/** Every day from the first to the last, both included, and at most the last `most` of them. */
export function daysBetween(first: string, last: string, most: number): string[] {
  const end = Date.parse(last);
  const start = Math.max(Date.parse(first), end - (most - 1) * DAY_MS);
  return Array.from({ length: Math.max(0, Math.round((end - start) / DAY_MS) + 1) }, (_, n) =>
    dayOf(start + n * DAY_MS),
  );
}
