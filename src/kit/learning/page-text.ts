/**
 * Owns: the text of a page: generated lines, then people's lines, then a stamp. Pure.
 * Does not own: what the generated lines say (the parts), nor what people changed (find-edit.ts).
 *
 * T1 A line is one line, whatever it contains, and only its own mark can be read from it.
 * T2 `splitText(composeText(page, lines))` gives the page and the lines again.
 * T3 The stamp is a hash of everything before it, so a file shows which generated text it is based on. It comes last, so
 *    that a truncated file has none.
 */
import { hash } from 'node:crypto';
import type { Page, PageLine } from '../../core/schema/learning-part.ts';

/** What a person did to a page. */
export type PageEdit = {
  page: string;
  /** The people's lines from now on. */
  lines: string[];
  /** The marks of removed lines. */
  removed: string[];
  changed: { mark: string; text: string }[];
};

export const HEADING = '## Yours';
export const SENTENCE = 'Whatever you write here stays. Lines that you put elsewhere move here.';

const MARK = /\s*<!--oka (?!=)([^\s<>]+)-->/;
const STAMP = /<!--oka =([0-9a-f]{12})-->/;
const ANY_MARK = /\s*<!--oka [^\s<>]*-->/g;

/** Returns an empty text when there is nothing to show. */
export function composeText(page: Page | null, people: readonly string[]): string {
  if (page === null && people.length === 0) return '';
  const ours = (page?.lines ?? []).map(formatLine);
  const gap = ours.length === 0 ? [] : [''];
  const theirs = people.length === 0 ? [] : ['', ...people];
  const text = [...ours, ...gap, HEADING, '', SENTENCE, ...theirs, '', ''].join('\n');
  return `${text}<!--oka =${computeStamp(text)}-->\n`;
}

const computeStamp = (text: string): string => hash('sha256', text).slice(0, 12);

/** Formats one line so that it stays one line (T1). */
function formatLine({ text, mark }: PageLine): string {
  const line = text
    .replaceAll(/[\r\n\u2028\u2029]+/g, ' ')
    .replaceAll('<!--', '<! --')
    .trimEnd();
  const shown = line === HEADING ? `\\${line}` : line;
  return mark === null ? shown : `${shown} <!--oka ${encodeMark(mark)}-->`;
}

/** Encodes a mark for a comment. */
const encodeMark = (mark: string): string =>
  encodeURIComponent(mark.toWellFormed())
    .replaceAll(/%(?:3A|2F|40|2B)/g, decodeURIComponent)
    .replaceAll(/-(?=-|$)/g, '%2D');

function decodeMark(spelling: string): string {
  try {
    return decodeURIComponent(spelling);
  } catch {
    return spelling; // not one of ours
  }
}

type TextParts = { ours: PageLine[]; people: string[] };

/** Splits a generated text into its parts. */
export function splitText(text: string): TextParts {
  const lines = parseLines(text).lines;
  const heading = lines.indexOf(HEADING);
  const end = heading === -1 ? lines.length : heading;
  const ours = lines.slice(0, end).map(parseMarkedLine);
  return {
    ours: trimBlank(ours, ({ text, mark }) => text === '' && mark === null),
    people: linesBelowHeading(lines.slice(end)),
  };
}

/** People's lines below the heading, without the generated sentence. */
export function linesBelowHeading(section: readonly string[]): string[] {
  const sentence = section.indexOf(SENTENCE);
  const people = section.filter((_, index) => index > 0 && index !== sentence);
  return trimBlank(people.map(removeMarks), isBlank);
}

/** Lines however they end, without the stamp and the blank line before it. */
export function parseLines(text: string): { lines: string[]; stamp: string | null } {
  const all = text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/);
  const stamps = all.flatMap((line) => STAMP.exec(line)?.[1] ?? []);
  const lines = all.flatMap((line, index) => {
    if (isBlank(line) && STAMP.test(all[index + 1] ?? '')) return [];
    if (!STAMP.test(line)) return [line];
    const rest = line.replace(STAMP, '');
    return isBlank(rest) ? [] : [rest];
  });
  return { lines, stamp: stamps.at(-1) ?? null };
}

/** The text of a line, and what it means. */
export function parseMarkedLine(line: string): PageLine {
  const spelling = MARK.exec(line)?.[1];
  return { text: removeMarks(line).trimEnd(), mark: spelling === undefined ? null : decodeMark(spelling) };
}

/** A line of people's wears no mark. */
export const removeMarks = (line: string): string => (line.includes('<!--oka ') ? line.replaceAll(ANY_MARK, '') : line);

export const isBlank = (line: string): boolean => line.trim() === '';

/** Without blank lines at both ends. */
export function trimBlank<T>(lines: readonly T[], isEmpty: (line: T) => boolean): T[] {
  const first = lines.findIndex((line) => !isEmpty(line));
  return first === -1 ? [] : lines.slice(first, lines.findLastIndex((line) => !isEmpty(line)) + 1);
}
