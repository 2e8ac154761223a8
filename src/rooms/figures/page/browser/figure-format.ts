/** Numbers of figures as people read them. */
import { formatCount, formatMoney } from '../../../../kit/web/browser/components/format-figures.ts';
import { formatDuration } from '../../../../kit/web/browser/components/time.ts';
import { locale } from '../../../../kit/web/browser/words.ts';

type Unit = 'share' | 'seconds' | 'usd' | 'tokens' | 'count' | 'ratio';

const FORMATS: Readonly<Record<Unit, (value: number) => string>> = {
  share: (value) => `${Math.round(value * 100)} %`,
  seconds: (value) => formatDuration(value * 1000),
  usd: formatMoney,
  tokens: (value) => formatCount(Math.round(value)),
  count: formatCount,
  ratio: (value) => `× ${value.toFixed(2)}`,
};

/** A dash where there is nothing to measure. */
export const formatFigure = (value: number | null | undefined, unit: Unit): string =>
  value === null || value === undefined ? '–' : FORMATS[unit](value);

const dayFormat = new Intl.DateTimeFormat(locale, { month: 'short', day: 'numeric', timeZone: 'UTC' });

/** A day in UTC, such as 31 Jan. */
export const formatDay = (date: string): string => dayFormat.format(new Date(`${date}T00:00:00Z`));
