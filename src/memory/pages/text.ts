/**
 * Owns: the text of a page: our lines, then what belongs to people, then a stamp. Pure.
 * Does not own: what our lines say (the parts), nor what people changed (edits.ts).
 *
 * T1 A line is one line, whatever is in it, and only its own mark can be read from it.
 * T2 `partsOf(textOf(page, lines))` gives the page and the lines again.
 * T3 The stamp is a hash of everything before it: a file tells by itself which text of ours it was made from.
 *    It stands last, so that a file that is cut off has none.
 */
import { hash } from 'node:crypto';
import type { Page, PageLine } from '../learning.ts';

export const HEADING = '## Yours';
export const SENTENCE = 'Whatever you write here stays. Lines that you put elsewhere move here.';

const MARK = /\s*<!--oka (?!=)([^\s<>]+)-->/;
const STAMP = /<!--oka =([0-9a-f]{12})-->/;
const EITHER = /\s*<!--oka [^\s<>]*-->/g;

/** Nothing when there is nothing to show. */
export function textOf(page: Page | null, people: readonly string[]): string {
  if (page === null && people.length === 0) return '';
  const ours = (page?.lines ?? []).map(lineOf);
  const gap = ours.length === 0 ? [] : [''];
  const theirs = people.length === 0 ? [] : ['', ...people];
  const text = [...ours, ...gap, HEADING, '', SENTENCE, ...theirs, '', ''].join('\n');
  return `${text}<!--oka =${stampOf(text)}-->\n`;
}

const stampOf = (text: string): string => hash('sha256', text).slice(0, 12);

/** T1. */
function lineOf({ text, mark }: PageLine): string {
  const line = text
    .replaceAll(/[\r\n\u2028\u2029]+/g, ' ')
    .replaceAll('<!--', '<! --')
    .trimEnd();
  const shown = line === HEADING ? `\\${line}` : line;
  return mark === null ? shown : `${shown} <!--oka ${spelled(mark)}-->`;
}

/** A mark as it can stand in a comment. */
const spelled = (mark: string): string =>
  encodeURIComponent(mark.toWellFormed())
    .replaceAll(/%(?:3A|2F|40|2B)/g, decodeURIComponent)
    .replaceAll(/-(?=-|$)/g, '%2D');

function readMark(spelling: string): string {
  try {
    return decodeURIComponent(spelling);
  } catch {
    return spelling; // not one of ours
  }
}

export type Parts = { ours: PageLine[]; people: string[] };

/** Takes a text of ours apart. */
export function partsOf(text: string): Parts {
  const lines = linesIn(text).lines;
  const heading = lines.indexOf(HEADING);
  const end = heading === -1 ? lines.length : heading;
  const ours = lines.slice(0, end).map(markedLine);
  return {
    ours: trimmed(ours, ({ text, mark }) => text === '' && mark === null),
    people: peopleBelow(lines.slice(end)),
  };
}

/** What stands below the heading, without what we put there. */
export function peopleBelow(section: readonly string[]): string[] {
  const sentence = section.indexOf(SENTENCE);
  const people = section.filter((_, index) => index > 0 && index !== sentence);
  return trimmed(people.map(unmarked), isBlank);
}

/** Lines however they end, without the stamp and the blank line before it. */
export function linesIn(text: string): { lines: string[]; stamp: string | null } {
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

/** The text of a line, and what it stands for. */
export function markedLine(line: string): PageLine {
  const spelling = MARK.exec(line)?.[1];
  return { text: unmarked(line).trimEnd(), mark: spelling === undefined ? null : readMark(spelling) };
}

/** A line of people's wears no mark. */
export const unmarked = (line: string): string => (line.includes('<!--oka ') ? line.replaceAll(EITHER, '') : line);

export const isBlank = (line: string): boolean => line.trim() === '';

/** Without blank lines at both ends. */
export function trimmed<T>(lines: readonly T[], isEmpty: (line: T) => boolean): T[] {
  const first = lines.findIndex((line) => !isEmpty(line));
  return first === -1 ? [] : lines.slice(first, lines.findLastIndex((line) => !isEmpty(line)) + 1);
}
