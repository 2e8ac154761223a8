/**
 * Owns: what a file is like, whatever it says: its marks, the names of its columns, and the kinds of their values; and what
 * is new about one, compared with those that a procedure has read so far. Pure.
 */
import type { FileShape } from '../../core/schema/procedure.ts';

const MOST_LINES = 300;
const MOST_COLUMNS = 30;
/** The share of lines that have to have a mark. */
const MOST_OF = 0.8;

export function shapeOf(text: string): FileShape {
  if (text.includes('\0')) return { mark: 'bytes', columns: [], values: [], rows: 0 };
  const all = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  const lines = all.slice(0, MOST_LINES);
  return jsonShape(text) ?? tableShape(lines, all.length) ?? listShape(lines, all.length);
}

function jsonShape(text: string): FileShape | null {
  if (!/^\s*[[{]/.test(text)) return null;
  try {
    const value: unknown = JSON.parse(text);
    const first: unknown = Array.isArray(value) ? value[0] : value;
    const entries = first !== null && typeof first === 'object' ? Object.entries(first).slice(0, MOST_COLUMNS) : [];
    return {
      mark: Array.isArray(value) ? '[]' : '{}',
      columns: entries.map(([name]) => name.slice(0, 80)),
      values: entries.map(([, each]) => (each === null ? '' : typeof each)),
      rows: Array.isArray(value) ? value.length : 1,
    };
  } catch {
    return null; // it only looks like JSON, or its end was not read
  }
}

function tableShape(lines: readonly string[], all: number): FileShape | null {
  if (lines.length < 2) return null;
  for (const mark of ['\t', ';', '|', ',']) {
    const width = cellsOf(lines[0] ?? '', mark).length;
    const isTable =
      width > 1 && lines.filter((line) => cellsOf(line, mark).length === width).length >= MOST_OF * lines.length;
    if (!isTable) continue;
    const rows = lines.map((line) => cellsOf(line, mark).slice(0, MOST_COLUMNS));
    const [head = [], ...rest] = rows;
    const isNamed = head.every((cell) => cell !== '' && kindOf(cell) === 'text');
    const values = head.map((_, at) => kindsOf((isNamed ? rest : rows).map((row) => row[at] ?? '')));
    return { mark, columns: isNamed ? head.map((cell) => cell.slice(0, 80)) : [], values, rows: all - Number(isNamed) };
  }
  return null;
}

/** Lines that begin alike ("- "), or that are names and values ("rent: 900"). */
function listShape(lines: readonly string[], all: number): FileShape {
  const most = MOST_OF * Math.max(1, lines.length);
  const beginnings = lines.map(
    (line) => /^\s*([-*+>#•]|\[[ xX]?\]|\d{1,3}[.)])\s/.exec(line)?.[1]?.replace(/\d+|[xX ]/, '') ?? '',
  );
  const mark = beginnings.find((each) => each !== '' && beginnings.filter((other) => other === each).length >= most);
  const pairs = lines.map((line) => /^[^:=]{1,60}([:=])\s*(.*)$/.exec(line));
  const pair = pairs.find(
    (each) => each !== null && pairs.filter((other) => other?.[1] === each[1]).length >= most,
  )?.[1];
  const rest = pair === undefined ? lines : pairs.map((each) => each?.[2] ?? '');
  const values = pair !== undefined || rest.every((line) => kindOf(line.trim()) !== 'text') ? [kindsOf(rest)] : [];
  return { mark: mark ?? pair ?? '', columns: [], values, rows: all };
}

const WITHIN = '\u0001';
/** A mark within quotation marks separates nothing. */
const cellsOf = (line: string, mark: string): string[] =>
  line
    .replaceAll(/"(?:[^"]|"")*"/g, (quoted) => quoted.slice(1, -1).replaceAll(mark, WITHIN))
    .split(mark)
    .map((cell) => cell.replaceAll(WITHIN, mark).trim());

const KINDS: readonly [RegExp, string][] = [
  [/^[-+]?\d+$/, 'number'],
  [/^[-+]?[\d ']*\d\.\d+$|^[-+]?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/, 'decimal point'],
  [/^[-+]?[\d ']*\d,\d+$|^[-+]?\d{1,3}(?:\.\d{3})+(?:,\d+)?$/, 'decimal comma'],
  [/^\d{4}-\d\d-\d\d(?:[T ].*)?$/, 'date 2031-03-04'],
  [/^\d{1,2}\.\d{1,2}\.\d{2,4}$/, 'date 4.3.2031'],
  [/^\d{1,2}\/\d{1,2}\/\d{2,4}$/, 'date 4/3/2031'],
];

const kindOf = (cell: string): string =>
  KINDS.find(([pattern]) => pattern.test(cell.replace(/\s?[€$£%]$|^[€$£]\s?/, '')))?.[1] ?? 'text';

/** Of all cells that say something; `text` where one is. */
function kindsOf(cells: readonly string[]): string {
  const kinds = new Set(cells.filter((cell) => cell.trim() !== '').map((cell) => kindOf(cell.trim())));
  return kinds.has('text') ? 'text' : [...kinds].toSorted().join(', ');
}

/** Why a file is not like any that was read so far, for a person; null when it is. */
export function oddShape(known: readonly FileShape[], seen: FileShape): string | null {
  if (known.length === 0 || seen.rows === 0) return null;
  const marked = known.filter(({ mark }) => mark === seen.mark);
  if (marked.length === 0) return `its lines have ${shown(seen.mark)}, not ${shown(known[0]?.mark ?? '')} as before`;
  const named = marked.filter(({ columns }) => columns.join('\n') === seen.columns.join('\n'));
  if (named.length === 0)
    return `its columns are ${listed(seen.columns)}, not ${listed(marked[0]?.columns ?? [])} as before`;
  const at = seen.values.findIndex((kinds, column) =>
    isNew(
      kinds,
      named.map(({ values }) => values[column] ?? ''),
    ),
  );
  if (at === -1) return null;
  const name = seen.columns[at] ?? `column ${at + 1}`;
  return `its ${name} has ${seen.values[at]}, not ${named[0]?.values[at] ?? 'nothing'} as before`;
}

const shown = (mark: string): string => (mark === '' ? 'no mark' : mark === '\t' ? 'tabs' : `"${mark}"`);
const listed = (columns: readonly string[]): string => (columns.length === 0 ? 'not named' : columns.join(', '));

function isNew(kinds: string, known: readonly string[]): boolean {
  const all = new Set(known.flatMap((each) => each.split(', ')));
  if (kinds === '' || all.has('text')) return false;
  return kinds
    .split(', ')
    .some((kind) => !all.has(kind) && !(kind === 'number' && [...all].some((each) => each.startsWith('decimal'))));
}
