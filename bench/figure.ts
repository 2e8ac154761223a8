/** A measured figure and the bar it has to clear. Ratios are taken within one run: machines are noisy. */
export type Figure = {
  name: string;
  value: number;
  unit: string;
  bar?: { most: number } | { least: number };
  about: string;
};

export function misses({ value, bar }: Figure): boolean {
  if (bar === undefined) return false;
  return 'most' in bar ? !(value <= bar.most) : !(value >= bar.least);
}

export function tableOf(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => [
    figure.name,
    formatValue(figure.value),
    figure.unit,
    barOf(figure),
    figure.about,
  ]);
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => (column === 1 ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0)))
      .join('  ')
      .trimEnd();
  return `${rows.map(line).join('\n')}\n`;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

function barOf(figure: Figure): string {
  if (figure.bar === undefined) return '';
  const words = 'most' in figure.bar ? `≤ ${figure.bar.most}` : `≥ ${figure.bar.least}`;
  return `${misses(figure) ? '✗' : '✓'} ${words}`;
}

export function formatValue(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}
