/** A line of the comparison. NaN: not known here. */
export type PeerRow = {
  name: string;
  /** Wall time where a flush costs nothing. */
  us_per_step: number;
  flushes_per_step: number;
  /** Most finished steps that a power cut would undo: the longest stretch of the run without a flush. */
  lost_steps?: number;
  note: string;
};

export function unavailable(name: string, reason: string): PeerRow {
  return { name, us_per_step: Number.NaN, flushes_per_step: Number.NaN, note: `not available: ${reason}` };
}

export function tableOfRows(rows: readonly PeerRow[]): string {
  const cells = [
    ['', 'µs per step', 'flushes per step', 'a power cut loses', ''],
    ...rows.map((row) => [
      row.name,
      formatValue(row.us_per_step, 0),
      formatValue(row.flushes_per_step, 2),
      formatValue(row.lost_steps ?? Number.NaN, 0),
      row.note,
    ]),
  ];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => (column % 4 === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ')
      .trimEnd();
  return `${cells.map(line).join('\n')}\n`;
}

function formatValue(value: number, digits: number): string {
  return Number.isNaN(value) ? 'n/a' : value.toFixed(digits);
}
