/** Owns: spreadsheets as tables of text. The only door to hucre. */
import { type CellValue, detectDelimiter, EncryptedFileError, letterToCol, parseCsv, read, type Sheet } from 'hucre';
import { BoundedText } from './bounded-text.ts';
import { type DocumentBody, type DocumentRequest, Unreadable } from './document-contract.ts';

type Table = { name: string; rows: readonly (readonly CellValue[])[] };
type Area = { top: number; left: number; bottom: number; right: number };

const CELL_CHARACTERS = 2000;

export async function readWorkbook(bytes: Uint8Array, request: DocumentRequest): Promise<DocumentBody> {
  const { sheets } = await openWorkbook(bytes);
  return toText(sheets, request);
}

export function readCsv(text: string, request: DocumentRequest): DocumentBody {
  const delimiter = request.name.toLowerCase().endsWith('.tsv') ? '\t' : detectDelimiter(text.slice(0, 65_536));
  const rows = parseCsv(text, { delimiter });
  return toText([{ name: request.name, rows }], { ...request, sheet: undefined });
}

async function openWorkbook(bytes: Uint8Array): Promise<{ sheets: Sheet[] }> {
  try {
    return await read(bytes);
  } catch (error) {
    if (error instanceof EncryptedFileError)
      throw new Unreadable('it is encrypted and needs a password', 'Save a copy without the password.');
    const words = error instanceof Error ? error.message.split('\n')[0] : String(error);
    throw new Unreadable(`it is damaged: ${words}`, 'Open it in a spreadsheet program and save it again.');
  }
}

function toText(tables: readonly Table[], request: DocumentRequest): DocumentBody {
  const area = parseArea(request.range);
  const text = new BoundedText();
  for (const { name, rows } of chooseTables(tables, request.sheet)) {
    const shown = rows.slice(area.top, area.bottom + 1);
    text.add(`## ${name}\n\n`);
    for (const row of shown) if (!text.add(renderRow(row.slice(area.left, area.right + 1)))) break;
    if (shown.every((row) => row.length === 0)) text.add('(empty)\n');
    text.add('\n');
  }
  return { sheets: tables.map(measure), ...text.result() };
}

function chooseTables(tables: readonly Table[], wanted: string | undefined): readonly Table[] {
  if (wanted === undefined) return tables;
  const byName = tables.filter(({ name }) => name.toLowerCase() === wanted.toLowerCase());
  const byNumber = /^\d{1,4}$/.test(wanted) ? tables.slice(Number(wanted) - 1, Number(wanted)) : [];
  const found = byName.length > 0 ? byName : byNumber;
  if (found.length > 0) return found;
  throw new Unreadable(`there is no sheet "${wanted}"`, `It has: ${tables.map(({ name }) => name).join(', ')}.`);
}

function parseArea(range: string | undefined): Area {
  if (range === undefined) return { top: 0, left: 0, bottom: Infinity, right: Infinity };
  const found = /^\s*([A-Z]{1,3})?(\d{1,7})?(?:\s*:\s*([A-Z]{1,3})?(\d{1,7})?)?\s*$/i.exec(range);
  if (found === null || range.trim() === '')
    throw new Unreadable(`"${range}" is no range of cells`, 'Use one such as A1:D20, A:C or 1:50.');
  const [, fromColumn, fromRow, toColumn, toRow] = found;
  const isSingle = !range.includes(':');
  const last = { column: isSingle ? fromColumn : toColumn, row: isSingle ? fromRow : toRow };
  return {
    top: fromRow === undefined ? 0 : Math.max(0, Number(fromRow) - 1),
    left: fromColumn === undefined ? 0 : letterToCol(fromColumn.toUpperCase()),
    bottom: last.row === undefined ? Infinity : Number(last.row) - 1,
    right: last.column === undefined ? Infinity : letterToCol(last.column.toUpperCase()),
  };
}

const measure = ({ name, rows }: Table): { name: string; rows: number; columns: number } => ({
  name,
  rows: rows.length,
  columns: rows.reduce((most, row) => Math.max(most, row.length), 0),
});

const renderRow = (row: readonly CellValue[]): string => `| ${row.map(renderCell).join(' | ')} |\n`;

function renderCell(value: CellValue): string {
  if (value === null || value === undefined) return '';
  if (value instanceof Date) return renderDate(value);
  return String(value)
    .slice(0, CELL_CHARACTERS)
    .replaceAll('|', '\\|')
    .replaceAll(/\s*\n\s*/g, ' ');
}

function renderDate(date: Date): string {
  if (Number.isNaN(date.getTime())) return '';
  const text = date.toISOString();
  return text.endsWith('T00:00:00.000Z') ? text.slice(0, 10) : text.slice(0, 16).replace('T', ' ');
}
