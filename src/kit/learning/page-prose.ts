/**
 * Owns: putting foreign text into one line of a page, and reading the words of a line back.
 *
 * 1. Escaped text shows as it is: it cannot become markup, a mark, a heading, a list item or a second line.
 * 2. `plainWords` of a line with `escapeText(text)` gives the text again, as far as it was shown.
 */
import type { Evidence } from '../../core/schema/memory.ts';
import type { PageLine } from '../../core/schema/learning-part.ts';
import { plain } from './learning.ts';

const WIDTH = 80;
/** Control, format, direction and unassigned characters, and unusual line separators. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Cn}]/gu;

/** Escapes foreign text for one line. */
export function escapeText(text: string, most = 300): string {
  const line = text
    .slice(0, most * 4)
    .replaceAll(/[\s\p{Zl}\p{Zp}]+/gu, ' ')
    .replaceAll(INVISIBLE, '')
    .trim();
  const characters = Array.from(line);
  const shown = characters.length <= most ? line : `${characters.slice(0, most - 1).join('')}…`;
  return shown
    .replaceAll(/[\\`*[\]<>|~]/g, (each) => `\\${each}`)
    .replaceAll(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, String.raw`\_`)
    .replaceAll(/&(?=#?\w{1,40};)/g, String.raw`\&`)
    .replace(/^(\d+)([.)])/, String.raw`$1\$2`)
    .replace(/^[#+=-]/, (each) => `\\${each}`);
}

/** A command or a name that people may copy. */
export function toInlineCode(text: string): string {
  const shown = text.replaceAll(/\s+/g, ' ').replaceAll(INVISIBLE, '').trim();
  const runs = (shown.match(/`+/g) ?? []).map(({ length }) => length);
  let ticks = 1;
  while (runs.includes(ticks)) ticks += 1;
  const pad = /^`|`$|^$/.test(shown) ? ' ' : '';
  return `${'`'.repeat(ticks)}${pad}${shown}${pad}${'`'.repeat(ticks)}`;
}

/** A generated note at the end of a line. */
export const toNote = (text: string): string => ` _(${text})_`;

const MAX_NAMED = 3;

/** A note that names the evidence. */
export function evidenceNote(evidence: readonly Evidence[]): string {
  const named = evidence.slice(0, MAX_NAMED).map(({ run, seq }) => (run === null ? `event ${seq}` : `${run}, ${seq}`));
  const more = evidence.length - named.length;
  return evidence.length === 0 ? '' : toNote([...named, ...(more > 0 ? [`${more} more`] : [])].join('; '));
}

const ITEM = /^\s*(?:[-*+]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?/;
const ASIDE = /(?:\s(?:_\([^()]*\)_|\*\([^()]*\)\*))+\s*$/;

/** The note at the end of a line, with the space before it. */
export const noteOf = (line: string): string => ASIDE.exec(line)?.[0].trimEnd() ?? '';

/** The words of a line, without list markers and escapes. */
export function plainWords(line: string): string {
  return line
    .replace(ITEM, '')
    .replaceAll(/\\([!-/:-@[-`{-~])/g, '$1')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

export const isTicked = (line: string): boolean => /^\s*[-*+]\s+\[[xX]\]\s/.test(line);

/** Wraps prose into lines. */
export function wrapParagraph(text: string): PageLine[] {
  const lines: string[] = [];
  for (const word of text.split(' ').filter((each) => each !== '')) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > WIDTH) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines.map((line) => plain(/^(?:[-+]|\d+[.)]|#+|=+)$/.test(line.split(' ', 1)[0] ?? '') ? `\\${line}` : line));
}

/** A heading with its lines; nothing when there are none. */
export const renderSection = (heading: string, lines: readonly PageLine[]): PageLine[] =>
  lines.length === 0 ? [] : [plain(''), plain(`## ${heading}`), plain(''), ...lines];

export const formatNumber = (amount: number): string => String(Math.round(amount)).replaceAll(/\B(?=(\d{3})+$)/g, ',');

export const formatCount = (amount: number, one: string, many = `${one}s`): string =>
  `${formatNumber(amount)} ${amount === 1 ? one : many}`;

/** `a`, `a and b`, `a, b and c`. */
export function joinList(parts: readonly string[]): string {
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}

export function formatDuration(seconds: number): string {
  if (seconds < 1) return 'under a second';
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  return minutes < 60 * 48
    ? `${Math.floor(minutes / 60)} h ${minutes % 60} min`
    : formatCount(Math.round(minutes / 1440), 'day');
}

export const formatUsd = (usd: number): string => `$${usd < 0.1 && usd > 0 ? usd.toFixed(4) : usd.toFixed(2)}`;
