/**
 * Owns: the text that a person is writing: characters, the cursor, and what keys do to them. Pure.
 * A large paste is one character of it, shown as "[pasted 10,000 lines]" and sent as it is.
 */
import type { Key, KeyName } from './terminal-keys.ts';
import { graphemeWidth, splitGraphemes, textWidth } from './text-width.ts';

type Cell = { readonly text: string; readonly shown: string };
export type Draft = { readonly cells: readonly Cell[]; readonly cursor: number };

export const emptyDraft: Draft = { cells: [], cursor: 0 };

const LARGEST_SHOWN_PASTE = 2000;
const MOST_SHOWN_LINES = 20;

export const draftText = ({ cells }: Draft): string => cells.map(({ text }) => text).join('');

export function draftOf(text: string): Draft {
  const cells = cellsOf(text);
  return { cells, cursor: cells.length };
}

/** The draft after a key; the same draft where the key does nothing to it. */
export function editDraft(draft: Draft, key: Key): Draft {
  if (key.kind === 'text') return insertCells(draft, cellsOf(key.text));
  if (key.kind === 'paste') return insertCells(draft, pastedCells(key.text));
  return editByName(draft, key.name);
}

export function insertCells({ cells, cursor }: Draft, added: readonly Cell[]): Draft {
  return {
    cells: [...cells.slice(0, cursor), ...added, ...cells.slice(cursor)],
    cursor: cursor + added.length,
  };
}

export function cellsOf(text: string): Cell[] {
  return splitGraphemes(text.replaceAll('\t', '    ')).map((each) => ({ text: each, shown: shownGrapheme(each) }));
}

const shownGrapheme = (each: string): string => (each !== '\n' && graphemeWidth(each) === 0 ? '·' : each);

function pastedCells(text: string): Cell[] {
  const lines = text.split('\n').length;
  if (text.length <= LARGEST_SHOWN_PASTE && lines <= MOST_SHOWN_LINES) return cellsOf(text);
  const what = lines === 1 ? `${text.length.toLocaleString('en')} characters` : `${lines.toLocaleString('en')} lines`;
  return [{ text, shown: `[pasted ${what}]` }];
}

function editByName(draft: Draft, name: KeyName): Draft {
  const { cells, cursor } = draft;
  const to = (position: number): Draft => ({ cells, cursor: Math.max(0, Math.min(cells.length, position)) });
  const without = (from: number, until: number): Draft =>
    from >= until ? draft : { cells: [...cells.slice(0, from), ...cells.slice(until)], cursor: from };
  switch (name) {
    case 'newline':
      return insertCells(draft, cellsOf('\n'));
    case 'left':
      return to(cursor - 1);
    case 'right':
      return to(cursor + 1);
    case 'home':
      return to(lineStart(draft));
    case 'end':
      return to(lineEnd(draft));
    case 'word-left':
      return to(wordStart(draft));
    case 'word-right':
      return to(wordEnd(draft));
    case 'up':
      return to(verticalMove(draft, -1) ?? cursor);
    case 'down':
      return to(verticalMove(draft, 1) ?? cursor);
    case 'backspace':
      return without(Math.max(0, cursor - 1), cursor);
    case 'delete':
      return without(cursor, Math.min(cells.length, cursor + 1));
    case 'delete-word':
      return without(wordStart(draft), cursor);
    case 'delete-before':
      return without(lineStart(draft), cursor);
    case 'delete-after':
      return without(cursor, lineEnd(draft));
    case 'enter':
    case 'complete':
    case 'interrupt':
    case 'end-of-input':
    case 'redraw':
      return draft;
  }
}

const isLineEnd = (cell: Cell | undefined): boolean => cell?.text === '\n';
const isWord = (cell: Cell | undefined): boolean => cell !== undefined && /[\p{L}\p{N}_@]/u.test(cell.text);

function lineStart({ cells, cursor }: Draft): number {
  let at = cursor;
  while (at > 0 && !isLineEnd(cells[at - 1])) at -= 1;
  return at;
}

function lineEnd({ cells, cursor }: Draft): number {
  let at = cursor;
  while (at < cells.length && !isLineEnd(cells[at])) at += 1;
  return at;
}

function wordStart({ cells, cursor }: Draft): number {
  let at = cursor;
  while (at > 0 && !isWord(cells[at - 1])) at -= 1;
  while (at > 0 && isWord(cells[at - 1])) at -= 1;
  return at;
}

function wordEnd({ cells, cursor }: Draft): number {
  let at = cursor;
  while (at < cells.length && !isWord(cells[at])) at += 1;
  while (at < cells.length && isWord(cells[at])) at += 1;
  return at;
}

/** The same column of the line above or below; null when there is no such line. */
export function verticalMove(draft: Draft, by: -1 | 1): number | null {
  const { cells } = draft;
  const [start, end] = [lineStart(draft), lineEnd(draft)];
  if (by === -1 ? start === 0 : end === cells.length) return null;
  const target = { cells, cursor: by === -1 ? start - 1 : end + 1 };
  return Math.min(lineStart(target) + (draft.cursor - start), lineEnd(target));
}

type DraftRows = { rows: string[]; cursor: { row: number; column: number } };

/** The draft as rows of the terminal behind a prompt, at most `most` of them, with the cursor among them. */
export function layOutDraft({ cells, cursor }: Draft, prompt: string, width: number, most: number): DraftRows {
  const indent = ' '.repeat(textWidth(prompt));
  const rows = [prompt];
  let taken = indent.length;
  let place = { row: 0, column: taken };
  const nextRow = (): void => {
    rows.push(indent);
    taken = indent.length;
  };
  const put = (shown: string): void => {
    for (const grapheme of splitGraphemes(shown)) {
      const columns = graphemeWidth(grapheme);
      if (taken + columns > width) nextRow();
      rows[rows.length - 1] += grapheme;
      taken += columns;
    }
  };
  cells.forEach((cell, at) => {
    if (at === cursor) place = { row: rows.length - 1, column: taken };
    if (isLineEnd(cell)) nextRow();
    else put(cell.shown);
  });
  if (cursor === cells.length) {
    if (taken >= width) nextRow();
    place = { row: rows.length - 1, column: taken };
  }
  const first = Math.max(0, Math.min(place.row - most + 1, rows.length - most));
  const from = place.row < first ? place.row : first;
  return { rows: rows.slice(from, from + most), cursor: { row: place.row - from, column: place.column } };
}
