/** Numbers, durations and times as RESULT.md writes them. */
import type { Speaker } from '../../../kit/text/languages.ts';

export const MAX_LISTED = 200;

export const moreLine = (count: number, { say, language }: Speaker): string =>
  count > MAX_LISTED ? `\n\n… ${say('and {} more', formatNumber(count - MAX_LISTED, language))}` : '';

const formatNumber = (amount: number, language: string, digits = 0): string =>
  new Intl.NumberFormat(language, { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(amount);

export const countOf = (amount: number, noun: string, { say, language }: Speaker): string =>
  say(amount === 1 ? `{} ${noun}` : `{} ${noun}s`, formatNumber(amount, language));

export const formatMoney = (usd: number, { language }: Speaker): string =>
  new Intl.NumberFormat(language, {
    style: 'currency',
    currency: 'USD',
    currencyDisplay: 'narrowSymbol',
    minimumFractionDigits: 4,
    maximumFractionDigits: 4,
  }).format(usd);

export function formatBytes(bytes: number, speaker: Speaker): string {
  if (bytes < 1000) return countOf(bytes, 'byte', speaker);
  const [size, unit] = bytes < 1e6 ? [bytes / 1000, 'KB'] : [bytes / 1e6, 'MB'];
  return `${formatNumber(size, speaker.language, 1)} ${unit}`;
}

/** A time of the ledger, which is in UTC: the page may be read anywhere. */
export const formatMoment = (iso: string): string => `${iso.slice(0, 19).replace('T', ' ')} UTC`;

/** Both times, or one if nothing lies between them. */
export function formatPeriod(from: string, to: string, { say }: Speaker): string {
  const [first, last] = [formatMoment(from), formatMoment(to)];
  if (first === last) return say('on {}', first);
  const isSameDay = first.slice(0, 10) === last.slice(0, 10);
  return isSameDay ? say('on {} to {}', first.slice(0, -4), last.slice(11)) : say('from {} to {}', first, last);
}

export function formatDuration(ms: number, { language }: Speaker): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 60) return `${formatNumber(seconds, language, 1)} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60
    ? `${minutes} min ${Math.round(seconds % 60)} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
