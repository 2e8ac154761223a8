/**
 * Owns: finding what people did to a page, by comparing the file with the generated text that it is based on. Pure.
 *
 * E1 Every line that was not generated belongs to people, wherever it is, and stays.
 * E2 Everything below our heading belongs to people, whatever it says.
 * E3 A generated line counts as removed only if the file has the stamp of the text that contained it: a file that is
 *    truncated, emptied or recreated removes nothing.
 * E4 An editor that saves an old version undoes nothing that came in between.
 */
import type { Page, PageLine } from '../../../core/schema/learning-part.ts';
import { factMarkOfLine } from '../../../kit/learning/own-fact.ts';
import { noteOf, isTicked } from '../../../kit/learning/page-prose.ts';
import {
  type PageEdit,
  HEADING,
  isBlank,
  parseLines,
  parseMarkedLine,
  splitText,
  linesBelowHeading,
  SENTENCE,
  trimBlank,
  removeMarks,
} from '../../../kit/learning/page-text.ts';

type EditSources = {
  /** The current text of the file. */
  now: string;
  /** The text that the page should have. */
  last: string;
  /** Earlier generated texts, the newest last. */
  before?: readonly string[];
  /** The text that `now` is based on, if known. */
  from?: string;
  /** Whether some of it could not be decoded. */
  isGarbled?: boolean;
};

/** Returns null when nobody changed anything. */
export function findEdit(page: string, seen: EditSources): PageEdit | null {
  const { last, now, isGarbled = false } = seen;
  if (now === last) return null;
  const { base, isSure } = findBase(seen);
  const [was, is] = [splitText(base), splitText(last)];
  const found = compareLines(was.ours, was.people, now);
  const sure = isSure && !isGarbled;
  const both = sure ? mergeLines(was.people, found.people, is.people) : appendNewLines(is.people, found.people);
  const lines = trimBlank(both, isBlank);
  const shown = new Map(is.ours.flatMap(({ text, mark }) => (mark === null ? [] : [[mark, text] as const])));
  const removed = sure
    ? [...found.removed.filter((mark) => shown.has(mark)), ...removedFacts(page, is.people, lines)]
    : [];
  const changed = isGarbled ? [] : found.changed.filter(({ mark, text }) => !isSameLine(text, shown.get(mark) ?? text));
  const isSame = JSON.stringify(lines) === JSON.stringify(is.people);
  return isSame && removed.length === 0 && changed.length === 0 ? null : { page, lines, removed, changed };
}

/** Finds the base by its stamp; without one, the text that shares the most lines (E3). */
function findBase({ now, last, before = [], from }: EditSources): { base: string; isSure: boolean } {
  const { stamp, lines } = parseLines(now);
  if (from !== undefined) return { base: from, isSure: stamp !== null };
  const ours = [...before, last];
  const stamped = ours.findLast((text) => stamp !== null && parseLines(text).stamp === stamp);
  if (stamped !== undefined) return { base: stamped, isSure: true };
  const found = new Set(lines.filter((line) => !isBlank(line)));
  const shared = ours.map((text) => parseLines(text).lines.filter((line) => found.has(line)).length);
  return { base: ours[shared.lastIndexOf(Math.max(...shared))] ?? last, isSure: false };
}

type LineComparison = { people: string[]; removed: string[]; changed: PageEdit['changed'] };
type Marked = ReadonlyMap<string, string>;

function compareLines(ours: Page['lines'], people: readonly string[], now: string): LineComparison {
  const { lines } = parseLines(now);
  const heading = lines.findIndex((line) => line.trimEnd() === HEADING);
  const above = heading === -1 ? lines : lines.slice(0, heading);
  const theirs = heading === -1 ? [] : linesBelowHeading(lines.slice(heading));
  const marked: Marked = new Map(ours.flatMap(({ text, mark }) => (mark === null ? [] : [[mark, text] as const])));
  const met = findMarkedLines(lines, marked);
  const bare = ours.filter(({ mark }) => mark === null || !met.has(mark)).map(({ text }) => normalizeLine(text));
  const left = countTexts([...bare, SENTENCE]);
  const strays = findPeoplesLines(above, {
    marked,
    met: new Map(met),
    claims: countTexts(subtractLines(people, theirs)),
    left,
  });
  const missing = [...marked].filter(([mark]) => !met.has(mark));
  return {
    people: trimBlank([...strays, ...theirs], isBlank),
    removed: missing.flatMap(([mark, text]) => (takeOne(left, normalizeLine(text)) ? [mark] : [])),
    changed: [...met].flatMap(([mark, text]) => {
      const ours = marked.get(mark) ?? '';
      return isSameLine(text, ours) ? [] : [{ mark, text: removeNote(ours, text) }];
    }),
  };
}

/** The marked lines that are still there; of several with one mark, the unchanged one, else the first. */
function findMarkedLines(lines: readonly string[], marked: Marked): Map<string, string> {
  const met = new Map<string, string>();
  for (const { text, mark } of lines.map(parseMarkedLine)) {
    const ours = mark === null ? undefined : marked.get(mark);
    if (mark === null || ours === undefined) continue;
    const before = met.get(mark);
    if (before === undefined || (!isSameLine(before, ours) && isSameLine(text, ours))) met.set(mark, text);
  }
  return met;
}

type Owned = { marked: Marked; met: Map<string, string>; claims: Map<string, number>; left: Map<string, number> };

/** Lines above our heading that were not generated, with the blank lines between them (E1). */
function findPeoplesLines(above: readonly string[], owned: Owned): string[] {
  const strays: string[] = [];
  let blanks: string[] | null = null;
  for (const line of above) {
    if (isBlank(line)) blanks?.push(line);
    else {
      const ours = owned.marked.get(parseMarkedLine(line).mark ?? '');
      if (isOwnLine(parseMarkedLine(line), owned)) blanks = null;
      else {
        strays.push(...(blanks ?? []), ours === undefined ? removeMarks(line) : removeNote(ours, removeMarks(line)));
        blanks = [];
      }
    }
  }
  return strays;
}

/** A generated note at the end of a line is not a person's. */
function removeNote(ours: string, text: string): string {
  const aside = noteOf(ours);
  return aside !== '' && text.endsWith(aside) ? text.slice(0, -aside.length) : text;
}

/** A line that people are known to have written is theirs even if it equals a generated one. */
function isOwnLine({ text, mark }: PageLine, { marked, met, claims, left }: Owned): boolean {
  if (mark !== null && met.get(mark) === text) {
    met.delete(mark);
    return isSameWords(text, marked.get(mark) ?? '');
  }
  return !takeOne(claims, text) && takeOne(left, normalizeLine(text));
}

/** Removes differences that markdown formatters make. */
const normalizeLine = (line: string): string =>
  line
    .replace(/^(\s*)[*+](?=\s)/, '$1-')
    .replace(/^(\s*- )\[[ xX]\] +/, '$1')
    .replaceAll(/\\([!-/:-@[-`{-~])/g, '$1')
    .replaceAll(/\*\(([^()]*)\)\*/g, '_($1)_')
    .replaceAll(/\s+/g, ' ')
    .trim();

/** Compares with and without the generated note. */
const isSameWords = (text: string, ours: string): boolean =>
  normalizeLine(text) === normalizeLine(ours) || normalizeLine(text) === normalizeLine(removeNote(ours, ours));
const isSameLine = (text: string, ours: string): boolean =>
  isSameWords(text, ours) && isTicked(text) === isTicked(ours);

/** Facts in people's lines that were removed. */
const removedFacts = (page: string, before: readonly string[], after: readonly string[]): string[] => [
  ...new Set(subtractLines(before, after).flatMap((line) => factMarkOfLine(page, line) ?? [])),
];

/** Merges two texts that are both based on `base` (E4). */
function mergeLines(base: readonly string[], now: readonly string[], last: readonly string[]): string[] {
  const kept = subtractLines(now, subtractLines(base, last), { keepBlank: true });
  return [...kept, ...subtractLines(subtractLines(last, base), subtractLines(now, base))];
}

const appendNewLines = (last: readonly string[], now: readonly string[]): string[] =>
  last.length === 0 ? [...now] : [...last, ...subtractLines(now, last)];

/** The lines of one that are not in the other, counting repetitions. Blank lines are ignored. */
function subtractLines(lines: readonly string[], others: readonly string[], { keepBlank = false } = {}): string[] {
  const left = countTexts(others.map((line) => line.trimEnd()));
  return lines.filter((line) => (isBlank(line) ? keepBlank : !takeOne(left, line.trimEnd())));
}

function countTexts(texts: readonly string[]): Map<string, number> {
  const found = new Map<string, number>();
  for (const text of texts) found.set(text.trimEnd(), (found.get(text.trimEnd()) ?? 0) + 1);
  return found;
}

function takeOne(left: Map<string, number>, text: string): boolean {
  const count = left.get(text) ?? 0;
  if (count > 0) left.set(text, count - 1);
  return count > 0;
}
