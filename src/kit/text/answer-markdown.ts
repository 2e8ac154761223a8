/**
 * Owns: the answer of a model on a page. Models write markdown, so lists, tables, emphasis and code stay what they are.
 *
 * M1 Nothing in an answer acts: links, pictures, addresses and HTML are shown as text or code. A line that could still
 *    act after that is shown as code, all of it.
 * M2 An answer adds no section to the page: its headings are below those of the page, and it leaves no fence open.
 */
import { ADDRESS, fenceText, indentBlock, inlineCode } from './markdown-escape.ts';
import { truncateText } from './prompt-text.ts';
import { escapeInvisible } from '../../core/schema/one-line.ts';

const MOST_BYTES = 65_536;
/** Levels by which headings are moved, so that they are below the section that the answer is in. */
const HEADING_SHIFT = 2;
const DEEPEST_HEADING = 6;
const FENCE = /^(\s*)(`{3,}|~{3,})[^`]*$/;
/** Also in items of lists and in quotations. */
const HEADING = /^((?:[\s>]|[-+*]\s|\d{1,9}[.)]\s)*)(#{1,6})(?=\s|$)/;
/** Below a line of text it would make that line a heading. */
const UNDERLINE = /^(?:[\s>]|[-+*]\s|\d{1,9}[.)]\s)*(?:=+|-+)\s*$/;
/** Lines that markdown does not join with the next one. */
const OWN_LINE = /^\s*(?:[-+*|>]|\d{1,9}[.)]\s|#|`{3}|~{3}|$)/;

export function renderAnswer(answer: string): string {
  const text = truncateText(escapeInvisible(answer.replaceAll(/\r\n?/g, '\n')), MOST_BYTES);
  const lines = text
    .replace(/^\s*\n/, '')
    .trimEnd()
    .split('\n');
  const shown: string[] = [];
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    const [, indent = '', mark] = FENCE.exec(line) ?? [];
    if (mark === undefined) shown.push(...renderLine(line, lines[index + 1] ?? ''));
    else {
      const end = findFenceEnd(lines, index + 1, mark);
      const code = lines
        .slice(index + 1, end)
        .map((each) => (each.startsWith(indent) ? each.slice(indent.length) : each));
      shown.push(indentBlock(indent.length, fenceText(code.join('\n'), MOST_BYTES)));
      index = end;
    }
  }
  return shown.join('\n');
}

/** The line that closes a fence, or the end of the text. */
function findFenceEnd(lines: readonly string[], from: number, mark: string): number {
  const isEnd = (line: string): boolean => line.trim().startsWith(mark) && /^(?:`+|~+)$/.test(line.trim());
  const found = lines.slice(from).findIndex(isEnd);
  return found === -1 ? lines.length : from + found;
}

function renderLine(line: string, next: string): string[] {
  if (UNDERLINE.test(line)) return ['', line.includes('=') ? inlineCode(line) : '---', ''];
  const own = line.replace(HEADING, (_, before: string, marks: string) => {
    const level = Math.min(DEEPEST_HEADING, marks.length + HEADING_SHIFT);
    return `${before}${'#'.repeat(level)}`;
  });
  const shown = disarm(own.trimEnd());
  return [OWN_LINE.test(line) || OWN_LINE.test(next) ? shown : `${shown}  `];
}

type Token = { code?: string; text?: string; target?: string; tag?: string; address?: string };

const TOKEN = new RegExp(
  [
    /(?<code>(?<!`)(?<ticks>`+)(?!`).*?(?<!`)\k<ticks>(?!`))/,
    /!?\[(?<text>[^[\]`<]*)\]\(\s*(?<target>[^()\s`]*)(?:\s[^()`]*)?\)/,
    /(?<tag><[A-Za-z/!?][^<>`]*>?)/,
    new RegExp(`(?<address>${ADDRESS.source})`),
  ]
    .map(({ source }) => source)
    .join('|'),
  'gi',
);

/** Stands for code in what is left of a line; escaped before, it is in no answer. */
const CODE = '\0';
/** What is left of links, HTML, footnotes, entities and addresses, and what would make code begin or end elsewhere. */
const ACTS = /\][([:]|\[\^|<[A-Za-z/!?]|&#?\w{1,40};|:\/\/|@\S|\bwww\.\S|`|\\[!-/:-@[-`{-~\0]|\0\0|~~~/i;

/** M1. Code stays as it is. */
function disarm(line: string): string {
  const rest = line.replaceAll(TOKEN, (...match) => textOfLink(match.at(-1) as Token) ?? CODE);
  return ACTS.test(rest)
    ? inlineCode(line, line.length)
    : line.replaceAll(TOKEN, (...match) => showToken(match.at(-1) as Token));
}

function showToken(token: Token): string {
  const { code, target, tag, address = '' } = token;
  if (code !== undefined) return code;
  const shown = tag ?? target ?? address;
  const text = textOfLink(token);
  return `${text === undefined ? '' : `${text} (`}${inlineCode(shown, shown.length)}${text === undefined ? '' : ')'}`;
}

/** The text of a link that is not just its target. */
const textOfLink = ({ text, target }: Token): string | undefined =>
  text === undefined || text.trim() === '' || text === target ? undefined : text;
