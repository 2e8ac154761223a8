/** Owns: counting the rows of a table. */
import { messageOf } from '../../core/schema/errors.ts';

/** The number of rows, or why there is none. Rows of csv and tsv are counted without the header. */
export function countRows(path: string, text: string): number | string {
  const ending = /\.([A-Za-z0-9]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
  if (ending === 'csv' || ending === 'tsv') return Math.max(0, countRecords(text) - 1);
  return ending === 'json' ? countItems(text) : text.split(/\r\n|\n|\r/).filter((line) => line.trim() !== '').length;
}

function countItems(text: string): number | string {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value.length : 'is JSON, but not a list';
  } catch (error) {
    return `is not JSON: ${messageOf(error)}`;
  }
}

/** Records that are not blank. A line end inside quotes belongs to its record. */
function countRecords(text: string): number {
  let count = 0;
  let quoted = false;
  let filled = false;
  for (const each of text) {
    if (each === '"') quoted = !quoted;
    if ((each === '\n' || each === '\r') && !quoted) {
      if (filled) count += 1;
      filled = false;
    } else if (each.trim() !== '') filled = true;
  }
  return filled ? count + 1 : count;
}
