/**
 * Owns: putting text that nobody here wrote into markdown, so that it is read and never acts: no link, no image, no HTML,
 * no heading, no end of a fence, nothing invisible.
 */
import { cut, oneLine, visible } from './text.ts';

/** Text in a line. */
export function inline(text: string, most = 500): string {
  return oneLine(text, most)
    .replaceAll(/[\\`*[\]<>|~]/g, (each) => `\\${each}`)
    .replaceAll(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, String.raw`\_`)
    .replaceAll(/&(?=#?\w{1,40};)/g, String.raw`\&`)
    .replaceAll(/:(?=\/\/)/g, String.raw`\:`)
    .replaceAll(/\b(www)\.(?=\S)/gi, String.raw`$1\.`)
    .replaceAll('@', String.raw`\@`)
    .replace(/^(\d+)([.)])/, String.raw`$1\$2`)
    .replace(/^[#+=>-]/, (each) => `\\${each}`);
}

/** A name, a path or a command, as code in a line. */
export function code(text: string, most = 300): string {
  const shown = oneLine(text, most);
  const runs = (shown.match(/`+/g) ?? []).map((run) => run.length);
  let ticks = 1;
  while (runs.includes(ticks)) ticks += 1;
  const fence = '`'.repeat(ticks);
  const pad = shown === '' || /^[`\s]|[`\s]$/.test(shown) ? ' ' : '';
  return `${fence}${pad}${shown}${pad}${fence}`;
}

/** A block of text as it is; nothing in it can end the block. */
export function fenced(text: string, most = 4000): string {
  const shown = cut(visible(text.replaceAll(/\r\n?/g, '\n')), most).replace(/\n$/, '');
  const longest = Math.max(2, ...(shown.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}text\n${shown}\n${fence}`;
}

/** The same, belonging to a list item. */
export const indentedBy = (columns: number, block: string): string =>
  block
    .split('\n')
    .map((line) => (line === '' ? line : `${' '.repeat(columns)}${line}`))
    .join('\n');
