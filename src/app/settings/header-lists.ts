/**
 * Owns: adding an item to a list in the front matter of POLICY.md, and taking one away, so that everything else, comments
 * too, stays as a person wrote it. Pure.
 */
import { OkaError } from '../../core/schema/errors.ts';
import { linesIn, readFrontMatter } from '../../core/schema/front-matter.ts';

type Block = { key: number; isEmpty: boolean /** Lines [first, end) below the key. */; first: number; end: number };

export function withItem(text: string, key: string, item: Readonly<Record<string, string>>): string {
  const lines = text.split('\n');
  const close = endOfHeader(lines);
  const block = findBlock(lines, key, close);
  const [first, ...rest] = Object.entries(item).map(([name, value]) => `${name}: ${quoted(value)}`);
  const indent = block === null || block.isEmpty ? '  ' : (/^(\s*)-/.exec(lines[block.first] ?? '')?.[1] ?? '  ');
  const written = [`${indent}- ${first}`, ...rest.map((each) => `${indent}  ${each}`)];
  if (block === null) lines.splice(close, 0, `${key}:`, ...written);
  else if (block.isEmpty) lines.splice(block.key, 1, `${key}:`, ...written);
  else lines.splice(block.end, 0, ...written);
  return lines.join('\n');
}

export function withoutItem(text: string, key: string, index: number): string {
  const lines = text.split('\n');
  const block = findBlock(lines, key, endOfHeader(lines));
  const { [key]: all } = readFrontMatter(text, 'POLICY.md').data;
  if (block === null || block.isEmpty || !Array.isArray(all) || index >= all.length)
    throw new OkaError('usage', `there is no such line in ${key}`);
  if (all.length === 1) {
    lines.splice(block.key, block.end - block.key, `${key}: []`);
    return lines.join('\n');
  }
  const lineOf = linesIn(text, 'POLICY.md');
  const from = lineOf([key, index]) - 1;
  let to = index + 1 < all.length ? lineOf([key, index + 1]) - 1 : block.end;
  while (to > from + 1 && /^\s*(?:#.*)?$/.test(lines[to - 1] ?? '')) to -= 1; // what stands above the next item is about it
  lines.splice(from, to - from);
  return lines.join('\n');
}

function endOfHeader(lines: readonly string[]): number {
  const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === '---');
  if (end === -1 || lines[0]?.trimEnd() !== '---')
    throw new OkaError('invalid-file', 'POLICY.md has no front matter', { fix: 'Edit the file itself.' });
  return end;
}

/** Null when the list is not there; one in brackets that is not empty is left to a person. */
function findBlock(lines: readonly string[], key: string, close: number): Block | null {
  const at = lines.findIndex((line, index) => index < close && line.startsWith(`${key}:`));
  if (at === -1) return null;
  const behind = (lines[at] ?? '')
    .slice(key.length + 1)
    .replace(/\s+#.*$/, '')
    .trim();
  const isEmpty = behind === '[]';
  if (behind !== '' && !isEmpty)
    throw new OkaError('refused', `${key} is written in one line`, { fix: 'Edit the file itself.' });
  let end = at + 1;
  while (end < close && /^(?:\s|-\s|#|$)/.test(lines[end] ?? '')) end += 1;
  while (end > at + 1 && /^\s*(?:#.*)?$/.test(lines[end - 1] ?? '')) end -= 1;
  return { key: at, isEmpty, first: at + 1, end };
}

/** A plain word as it is, all else as a text in quotes. */
const quoted = (value: string): string =>
  /^(?!true$|false$|null$|yes$|no$)[a-z][a-z0-9._-]*$/.test(value) ? value : JSON.stringify(value);
