/** What the values of options mean: days, times, shares. Each throws a usage error where a value means nothing. */
import { OkaError } from '../../core/schema/errors.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** A day, a moment, or so many days back: 2026-01-31, 7d. */
export const parseSince = (given: string): string => parseMoment(given, 'since');

export function parseMoment(given: string, name: string): string {
  const [, days] = /^(\d{1,5})d$/.exec(given) ?? [];
  if (days !== undefined) return new Date(Date.now() - Number(days) * DAY_MS).toISOString();
  const moment = /^\d{4}-\d{2}-\d{2}/.test(given) ? Date.parse(given) : Number.NaN;
  if (!Number.isNaN(moment)) return new Date(moment).toISOString();
  throw new OkaError('usage', `--${name} is a day or a number of days, not "${given}"`, {
    fix: `Such as: --${name} 2026-01-31, or --${name} 7d`,
  });
}

export function parseDay(given: string, name: string): string {
  if (/^\d{4}-\d\d-\d\d$/.test(given) && !Number.isNaN(Date.parse(given))) return given;
  throw new OkaError('usage', `--${name} is a day such as 2026-01-31, not "${given}"`);
}

export function parseDate(given: string): Date {
  const date = new Date(given);
  if (/^\d{4}-\d{2}-\d{2}/.test(given) && !Number.isNaN(date.getTime())) return date;
  throw new OkaError('usage', `"${given}" is not a date`, { fix: 'Write it as 2026-01-31.' });
}

/** A share from 0 to 1. */
export function parseShare(given: string, name: string): number {
  const value = Number(given);
  if (given.trim() !== '' && value >= 0 && value <= 1) return value;
  throw new OkaError('usage', `--${name} is a number from 0 to 1, not "${given}"`);
}

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 };

/** 90m, 30d: milliseconds. */
export function parseDuration(given: string, name: string): number {
  const [, amount, unit = 's'] = /^(\d{1,6})([smhdw])$/.exec(given) ?? [];
  if (amount !== undefined) return Number(amount) * (SECONDS[unit] ?? 1) * 1000;
  throw new OkaError('usage', `--${name} is a length of time, not "${given}"`, {
    fix: 'Such as 90m, 12h, 30d or 8w.',
  });
}

/** 30d, 12h: how long ago, and the text itself for messages. */
export function parseAge(given: string, name: string): { text: string; ms: number } {
  const [, amount, unit] = /^(\d{1,5})([dh])$/.exec(given) ?? [];
  if (amount === undefined)
    throw new OkaError('usage', `--${name}: "${given}" is not a time`, { fix: 'Write 30d or 12h.' });
  return { text: given, ms: Number(amount) * (unit === 'd' ? 86_400_000 : 3_600_000) };
}
