/**
 * Owns: reading `accept` of a task the way people write it.
 *
 * A criterion such as `rows: totals.csv >= 12` without quotes is a map for YAML, and `matches: a.md /^Sum: \d/` is an
 * error. `quoteCriteria` therefore quotes such lines before YAML is read; `toCriteria` joins the maps that are left,
 * where a value has several lines or quotes of its own. A criterion is never changed by this: one that has a comment
 * behind it loses the comment, as everywhere in YAML, unless the sign stands in quotes.
 */
import { withUnixLines } from '../../core/schema/front-matter.ts';
import type { Json } from '../../core/schema/json.ts';

const FIELD = /^accept:\s*(?:#.*)?$/;
const ITEM = /^(\s*)-\s+(\S.*)$/;
/** "word: value" where neither YAML's quotes nor its blocks and lists begin the item. */
const ENTRY = /^([^\s"'[\]{}&*!|>%@`#,?-][^:]*):\s+(\S.*)$/;
/** Values that YAML reads as they are meant: one string in quotes, or a block of lines. */
const YAML_VALUE = /^(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[|>][-+\d]*)\s*(?:#.*)?$/;

/** The text of a task with the one-line criteria of its front matter in quotes; the number of lines stays. */
export function quoteCriteria(text: string): string {
  const lines = withUnixLines(text).split('\n');
  const end = lines.findIndex((line, index) => index > 0 && line.startsWith('---'));
  const field = lines.slice(0, Math.max(0, end)).findIndex((line) => FIELD.test(line));
  if (lines[0]?.trimEnd() !== '---' || field === -1) return text;
  for (let index = field + 1; index < end; index += 1) {
    const [, indent = '', item = ''] = ITEM.exec(lines[index] ?? '') ?? [];
    if (item !== '' && !isContinued(lines[index + 1] ?? '', indent)) lines[index] = `${indent}- ${quoteItem(item)}`;
    else if (isOtherField(lines[index] ?? '')) break;
  }
  return lines.join('\n');
}

/** `accept` as a list of texts; what cannot be one is left to the schema, which refuses it. */
export function toCriteria(accept: Json): Json {
  if (accept === null) return [];
  if (typeof accept === 'string') return [accept];
  if (Array.isArray(accept)) return accept.map((item) => (isMap(item) ? (onlyEntry(item) ?? item) : item));
  return isMap(accept) ? Object.entries(accept).map(([word, value]) => onlyEntry({ [word]: value }) ?? value) : accept;
}

const isMap = (value: Json): value is { [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** "word: value" of a map with one entry; null when it has more, or a value that is no text. */
function onlyEntry(map: { [key: string]: Json }): string | null {
  const [entry, ...more] = Object.entries(map);
  if (entry === undefined || more.length > 0) return null;
  const [word, value] = entry;
  return typeof value === 'string' || typeof value === 'number' ? `${word}: ${String(value).trim()}` : null;
}

function quoteItem(item: string): string {
  const [, , value] = ENTRY.exec(item) ?? [];
  return value === undefined || YAML_VALUE.test(value) ? item : JSON.stringify(withoutComment(item));
}

/** A comment begins with a space and #, except in quotes. */
function withoutComment(item: string): string {
  const parts = item.match(/"(?:[^"\\]|\\.)*"|'[^']*'|\s+#.*$|[^\s"']+|\s+|["']/g) ?? [item];
  return parts
    .filter((part) => !/^\s+#/.test(part))
    .join('')
    .trimEnd();
}

/** Whether the line belongs to the item before it, whose dash has this indentation. */
const isContinued = (line: string, indent: string): boolean => !/^\s*#/.test(line) && line.search(/\S/) > indent.length;

const isOtherField = (line: string): boolean => /^[^\s#-]/.test(line);
