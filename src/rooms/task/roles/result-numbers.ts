/** Numbers, durations and times as RESULT.md writes them. */

export const MAX_LISTED = 200;

export const moreLine = (count: number, what: string): string =>
  count > MAX_LISTED ? `\n\n… and ${count - MAX_LISTED} more ${what}` : '';

const groupDigits = (amount: number): string => String(Math.round(amount)).replaceAll(/\B(?=(\d{3})+$)/g, ',');

export const countOf = (amount: number, noun: string): string =>
  `${groupDigits(amount)} ${noun}${amount === 1 ? '' : 's'}`;

export function formatBytes(bytes: number): string {
  if (bytes < 1000) return countOf(bytes, 'byte');
  return bytes < 1e6 ? `${(bytes / 1000).toFixed(1)} KB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

/** A time of the ledger, which is in UTC: the page may be read anywhere. */
export const formatMoment = (iso: string): string => `${iso.slice(0, 19).replace('T', ' ')} UTC`;

/** Both times, or one if nothing lies between them. */
export function formatPeriod(from: string, to: string): string {
  const [first, last] = [formatMoment(from), formatMoment(to)];
  if (first === last) return `on ${first}`;
  const isSameDay = first.slice(0, 10) === last.slice(0, 10);
  return isSameDay ? `on ${first.slice(0, -4)} to ${last.slice(11)}` : `from ${first} to ${last}`;
}

export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60
    ? `${minutes} min ${Math.round(seconds % 60)} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
