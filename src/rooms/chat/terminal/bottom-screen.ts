/**
 * Owns: the lower end of a terminal: text that scrolls by above, and a few rows below it that are drawn again and again.
 *
 * 1. What was printed stays as it is, and can be scrolled back to and copied; only the rows at the bottom are erased.
 * 2. No row at the bottom is wider than the terminal, so that their number is known.
 */
import { stripVTControlCharacters } from 'node:util';
import { textWidth } from './text-width.ts';

export type Bottom = { rows: readonly string[]; cursor: { row: number; column: number } };

type BottomScreen = {
  /** Prints text above the rows at the bottom; it ends with a line end. */
  print: (text: string) => void;
  draw: (bottom: Bottom) => void;
  /** To be called when the terminal has another width: what is there was wrapped anew. */
  resized: (columns: number) => void;
  /** Erases the screen and draws the bottom again. */
  clear: () => void;
  close: () => void;
};

const HIDE_CURSOR = '\u001B[?25l';
const SHOW_CURSOR = '\u001B[?25h';
const ERASE_BELOW = '\u001B[J';

export function openBottomScreen(write: (text: string) => void): BottomScreen {
  let bottom: Bottom = { rows: [], cursor: { row: 0, column: 0 } };
  /** How many rows the cursor is below the first row at the bottom. */
  let below = 0;
  const erased = (): string => `\r${below > 0 ? `\u001B[${below}A` : ''}${ERASE_BELOW}`;
  const drawn = ({ rows, cursor }: Bottom): string => {
    below = rows.length === 0 ? 0 : cursor.row;
    const up = rows.length - 1 - cursor.row;
    const across = cursor.column > 0 ? `\u001B[${cursor.column}C` : '';
    return `${rows.join('\n')}${up > 0 ? `\u001B[${up}A` : ''}\r${across}`;
  };
  return {
    print: (text) => write(`${HIDE_CURSOR}${erased()}${text}${drawn(bottom)}${SHOW_CURSOR}`),
    draw: (next) => {
      const text = erased();
      bottom = next;
      write(`${HIDE_CURSOR}${text}${drawn(bottom)}${SHOW_CURSOR}`);
    },
    resized: (columns) => {
      const { rows, cursor } = bottom;
      const taken = (row: string): number => Math.max(1, Math.ceil(textWidth(stripVTControlCharacters(row)) / columns));
      below = rows.slice(0, cursor.row).reduce((sum, row) => sum + taken(row), 0) + Math.floor(cursor.column / columns);
    },
    clear: () => {
      write(`\u001B[H\u001B[2J${drawn(bottom)}`);
    },
    close: () => {
      write(`${erased()}${SHOW_CURSOR}`);
      [bottom, below] = [{ rows: [], cursor: { row: 0, column: 0 } }, 0];
    },
  };
}
