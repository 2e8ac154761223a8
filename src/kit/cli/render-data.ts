/** Text for data that has no renderer of its own: a table for a list of objects, `key: value` for an object, text as it is. */
import { type Column, renderColumns } from './columns.ts';
import type { Terminal } from './io.ts';
import { plainLines, plainText } from './plain-text.ts';

export function renderData(data: unknown, terminal: Terminal): string {
  if (Array.isArray(data)) return renderList(data, terminal);
  if (typeof data === 'string') return `${plainLines(data)}\n`;
  if (!isObject(data)) return `${cellText(data)}\n`;
  return Object.entries(data)
    .map(([key, value]) =>
      Array.isArray(value) && value.some(isObject)
        ? `${terminal.bold(key)}\n${renderList(value, terminal)}`
        : `${key}: ${cellText(value)}\n`,
    )
    .join('');
}

function renderList(items: readonly unknown[], terminal: Terminal): string {
  if (items.length === 0) return 'Nothing to show.\n';
  if (!items.every(isObject)) return items.map((item) => `${cellText(item)}\n`).join('');
  const keys = [...new Set(items.flatMap((item) => Object.keys(item)))];
  const head = Object.fromEntries(keys.map((key) => [key, key]));
  const columns = keys.map(
    (key, at): Column<Record<string, unknown>> => ({
      text: (row) => cellText(row[key]),
      style: (text, row) => (row === head ? terminal.dim(text) : text),
      ...(at === keys.length - 1 ? { grows: true } : {}),
    }),
  );
  return renderColumns([head, ...items], columns, terminal);
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function cellText(value: unknown): string {
  if (value === null || value === undefined) return '–';
  if (typeof value === 'string') return plainText(value);
  if (Array.isArray(value) && !value.some(isObject)) return value.map(cellText).join(', ');
  return plainText(JSON.stringify(value));
}
