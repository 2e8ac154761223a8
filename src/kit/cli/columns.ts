/** Rows as columns that fit the terminal. */
import type { Terminal } from './io.ts';
import { fitText, plainText } from './plain-text.ts';

export type Column<Row> = {
  text: (row: Row) => string;
  style?: (text: string, row: Row) => string;
  /** Else as wide as its widest text. */
  width?: number;
  align?: 'right';
  /** It gets the columns that the others leave; one column at most. */
  grows?: boolean;
};

const GAP = '  ';
const LEAST = 10;

export function renderColumns<Row>(rows: readonly Row[], columns: readonly Column<Row>[], { width }: Terminal): string {
  const texts = rows.map((row) => columns.map((column) => plainText(column.text(row))));
  const widths = columnWidths(texts, columns, width);
  return rows.map((row, at) => `${renderRow(row, texts[at] ?? [], columns, widths)}\n`).join('');
}

function columnWidths<Row>(texts: string[][], columns: readonly Column<Row>[], total: number): number[] {
  const widths = columns.map(
    ({ width, grows }, at) => width ?? (grows ? 0 : Math.max(0, ...texts.map((row) => row[at]?.length ?? 0))),
  );
  if (!Number.isFinite(total))
    return columns.map(({ width = 0 }, at) => Math.max(width, ...texts.map((row) => row[at]?.length ?? 0)));
  const taken = widths.reduce((sum, each) => sum + each, 0) + GAP.length * (columns.length - 1);
  return widths.map((each, at) => (columns[at]?.grows === true ? Math.max(LEAST, total - taken) : each));
}

function renderRow<Row>(row: Row, texts: string[], columns: readonly Column<Row>[], widths: number[]): string {
  const cells = columns.map(({ style, align }, at) => {
    const width = widths[at] ?? 0;
    const text = fitText(texts[at] ?? '', width);
    const padded = align === 'right' ? text.padStart(width) : at === columns.length - 1 ? text : text.padEnd(width);
    return style === undefined ? padded : style(padded, row);
  });
  return cells.join(GAP).trimEnd();
}
