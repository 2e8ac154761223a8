/** Compares what was measured of versions in the same rounds. Pure. */
import { median } from '../figure.ts';
import type { Measured } from './measure-version.ts';

export type Comparison = {
  name: string;
  now: number;
  other: number;
  /** How many times as much now takes, the median of the rounds; less is better, also for rates. */
  ratio: number;
  /** The middle half of the rounds. */
  low: number;
  high: number;
  verdict: 'slower' | 'faster' | 'same';
};

/** Of these figures more is better. */
const RATES = /rate|group_commit/;

/** `tolerance`: what counts as a difference, as a share of 1, if most rounds agree on it. */
export function compareRounds(now: readonly Measured[], other: readonly Measured[], tolerance: number): Comparison[] {
  const names = Object.keys(now[0] ?? {}).filter((name) => other[0]?.[name] !== undefined);
  return names.map((name) => {
    const pairs = now.map((each, round) => [each[name] ?? Number.NaN, other[round]?.[name] ?? Number.NaN] as const);
    const ratios = pairs.map(([mine, theirs]) => (RATES.test(name) ? theirs / mine : mine / theirs));
    const sorted = ratios.toSorted((a, b) => a - b);
    const low = sorted[Math.floor((sorted.length - 1) / 4)] ?? Number.NaN;
    const high = sorted[Math.ceil(((sorted.length - 1) * 3) / 4)] ?? Number.NaN;
    const ratio = median(sorted);
    const isSlower = ratio > 1 + tolerance && low > 1;
    const isFaster = ratio < 1 / (1 + tolerance) && high < 1;
    return {
      name,
      now: median(pairs.map(([mine]) => mine)),
      other: median(pairs.map(([, theirs]) => theirs)),
      ratio,
      low,
      high,
      verdict: isSlower ? 'slower' : isFaster ? 'faster' : 'same',
    };
  });
}

export function comparisonTable(other: string, rows: readonly Comparison[]): string {
  const cells = [
    ['', other, 'now', 'ratio', 'middle half', ''],
    ...rows.map((row) => [
      row.name,
      format(row.other),
      format(row.now),
      row.ratio.toFixed(2),
      `${row.low.toFixed(2)}–${row.high.toFixed(2)}`,
      row.verdict === 'same' ? '' : row.verdict,
    ]),
  ];
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ')
      .trimEnd();
  return `${cells.map(line).join('\n')}\n`;
}

const format = (value: number): string => (value >= 1000 ? value.toFixed(0) : value.toPrecision(3));
