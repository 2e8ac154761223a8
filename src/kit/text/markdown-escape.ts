/**
 * Owns: showing foreign text in markdown, so that it never acts: no link, image, HTML, heading, end of a fence, or
 * invisible character. Links and pictures are made here only, to files that oka itself places.
 */
import { truncateText } from './prompt-text.ts';
import { toOneLine, escapeInvisible } from '../../core/schema/one-line.ts';

/**
 * Text within a line: as it is when markdown shows it so, else as inline code, which shows every character. Nothing is
 * escaped by backslashes: many people read these pages in a plain editor.
 */
export function quoteInline(text: string, most = 500): string {
  const line = toOneLine(text, most);
  return isInert(line.replaceAll(ADDRESS, 'x')) ? codeAddresses(line) : inlineCode(line, most);
}

/** What a reader of markdown would turn into a link by itself: addresses of the web and of mail, and mentions. */
export const ADDRESS = /[^\s`<>()[\]"']{0,200}(?::\/\/|@(?=\S)|\bwww\.(?=\S))[^\s`<>()[\]"']*(?<![.,;:!?])/gi;

const codeAddresses = (text: string): string => text.replaceAll(ADDRESS, (each) => inlineCode(each, each.length));

/** What could be read as markup anywhere in a line, what only at its beginning, and a row of a table by itself. */
const ACTIVE = [
  /[`]|\\(?:[!-/:-@[-`{-~]|$)/,
  /(?<=\S)\*|\*(?=\S)|~~|(?<=\S)~/,
  /(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/u,
  /\][([:]|\[\^|<[A-Za-z/!?]|&#?\w{1,40};/,
  /:\/\/|\bwww\.\S|@\S/i,
  /^(?:[-+*>]|\d{1,9}[.)])(?:\s|$)|^>|^#{1,6}(?:\s|$)|^\[[ xX]\]/,
  /^[=|:\s-]+$/,
];

const isInert = (line: string): boolean => ACTIVE.every((markup) => !markup.test(line));

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

/** A picture, by where its file is, relative to the page. */
export const formatPicture = (path: string, target: string): string =>
  `![${toOneLine(path, 200).replaceAll(/[^\p{L}\p{N} ,.()/-]/gu, '')}](${encodePath(target)})`;

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
