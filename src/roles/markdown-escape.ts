/**
 * Owns: escaping foreign text for markdown, so that it is shown and never acts: no link, image, HTML, heading, end of a
 * fence, or invisible character. Links are made here only, to files that oka itself places.
 */
import { truncateText, toOneLine, escapeInvisible } from './prompt-text.ts';

/** Text within a line. */
export function escapeInline(text: string, most = 500): string {
  return toOneLine(text, most)
    .replaceAll(/[\\`*[\]<>|~]/g, (each) => `\\${each}`)
    .replaceAll(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, String.raw`\_`)
    .replaceAll(/&(?=#?\w{1,40};)/g, String.raw`\&`)
    .replaceAll(/:(?=\/\/)/g, String.raw`\:`)
    .replaceAll(/\b(www)\.(?=\S)/gi, String.raw`$1\.`)
    .replaceAll('@', String.raw`\@`)
    .replace(/^(\d+)([.)])/, String.raw`$1\$2`)
    .replace(/^[#+=>-]/, (each) => `\\${each}`);
}

/** A name, a path or a command as inline code. */
export function inlineCode(text: string, most = 300): string {
  const shown = toOneLine(text, most);
  const runs = (shown.match(/`+/g) ?? []).map((run) => run.length);
  let ticks = 1;
  while (runs.includes(ticks)) ticks += 1;
  const fence = '`'.repeat(ticks);
  const pad = shown === '' || /^[`\s]|[`\s]$/.test(shown) ? ' ' : '';
  return `${fence}${pad}${shown}${pad}${fence}`;
}

/** A path as a link to where the file is, relative to the page; without a target it is only code. */
export function formatLink(path: string, target: string | undefined): string {
  return target === undefined ? inlineCode(path) : `[${inlineCode(path)}](${encodePath(target)})`;
}

/** Everything but plain characters is encoded, so that a name cannot end the link or be read as an address. */
const encodePath = (path: string): string =>
  path
    .toWellFormed()
    .split('/')
    .map((part) => encodeURIComponent(part).replaceAll(/[!'()*]/g, (each) => `%${each.charCodeAt(0).toString(16)}`))
    .join('/');

/** A fenced block of text that nothing inside can end. */
export function fenceText(text: string, most = 4000): string {
  const shown = truncateText(escapeInvisible(text.replaceAll(/\r\n?/g, '\n')), most).replace(/\n$/, '');
  const longest = Math.max(2, ...(shown.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}text\n${shown}\n${fence}`;
}

/** Indents a block so that it belongs to a list item. */
export const indentBlock = (columns: number, block: string): string =>
  block
    .split('\n')
    .map((line) => (line === '' ? line : `${' '.repeat(columns)}${line}`))
    .join('\n');
