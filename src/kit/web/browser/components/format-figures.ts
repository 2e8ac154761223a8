/** Numbers for people: money, counts and sizes. */
import { locale, t } from '../words.ts';

export function formatMoney(usd: number): string {
  if (usd === 0) return money({ maximumFractionDigits: 0 }).format(0);
  return money(usd < 0.01 ? { maximumSignificantDigits: 1 } : {}).format(usd);
}

const money = (digits: Intl.NumberFormatOptions): Intl.NumberFormat =>
  new Intl.NumberFormat(locale, { style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol', ...digits });
const counts = new Intl.NumberFormat(locale);
const decimals = new Intl.NumberFormat(locale, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
export const formatDecimal = (value: number): string => decimals.format(value);
export const formatCount = (count: number): string => counts.format(count);

/** A number with its noun: "1 call", "1,200 calls". */
export const countOf = (count: number, noun: string): string =>
  t(count === 1 ? `{} ${noun}` : `{} ${noun}s`, formatCount(count));

export function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** power;
  return `${value < 10 && power > 0 ? formatDecimal(value) : Math.round(value)} ${units[power]}`;
}
