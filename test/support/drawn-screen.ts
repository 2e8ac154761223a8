/** What a terminal shows after a program has written to it: the few sequences that oka uses, on an endless screen. */
import { graphemeWidth, splitGraphemes } from '../../src/rooms/chat/terminal/text-width.ts';

export type Shown = { lines: string[]; cursor: { row: number; column: number } };

export function screenOf(written: string, width: number): Shown {
  const rows: string[][] = [[]];
  let [row, column] = [0, 0];
  const put = (grapheme: string): void => {
    const columns = graphemeWidth(grapheme);
    if (column + columns > width) [row, column] = [row + 1, 0];
    const line = (rows[row] ??= []);
    while (line.length < column) line.push(' ');
    line.splice(column, columns, grapheme, ...(columns === 2 ? [''] : []));
    column += columns;
  };
  // oxlint-disable-next-line no-control-regex -- these are what a terminal reads
  for (const [, sequence, plain = ''] of written.matchAll(/\u001B\[([0-9;?]*[A-Za-z])|([^\u001B]+)/g)) {
    if (sequence === undefined) {
      for (const grapheme of splitGraphemes(plain.replaceAll('\r\n', '\n')))
        if (grapheme === '\n') [row, column] = [row + 1, 0];
        else if (grapheme === '\r') column = 0;
        else put(grapheme);
      while (rows.length <= row) rows.push([]);
      continue;
    }
    const count = Number(sequence.slice(0, -1)) || 1;
    if (sequence.endsWith('A')) row = Math.max(0, row - count);
    else if (sequence.endsWith('C')) column += count;
    else if (sequence.endsWith('J') && sequence !== '2J') {
      rows.length = row + 1;
      rows[row] = (rows[row] ?? []).slice(0, column);
    }
  }
  const lines = rows.map((line) => line.join('').trimEnd());
  while (lines.at(-1) === '') lines.pop();
  return { lines, cursor: { row, column } };
}
