/**
 * Owns: what people did to a page, seen by comparing the text that is there with the text of ours that it was made
 * from. Pure.
 *
 * E1 Every line that is not one of ours is a line of people's, wherever it stands, and stays.
 * E2 Everything below our heading is people's, whatever it says.
 * E3 A line of ours counts as struck only if the file carries the stamp of the text that had it: a file that is cut off,
 *    emptied or made anew strikes nothing.
 * E4 An editor that saves an old state takes nothing back that came in between.
 */
import type { Page, PageLine } from '../learning.ts';
import { factMark } from './own-fact.ts';
import { asideOf, isTicked } from './prose.ts';
import { HEADING, isBlank, linesIn, markedLine, partsOf, peopleBelow, SENTENCE, trimmed, unmarked } from './text.ts';

export type PageEdit = {
  page: string;
  /** The lines of people from now on. */
  lines: string[];
  /** Marks whose lines are gone. */
  removed: string[];
  changed: { mark: string; text: string }[];
};

export type Seen = {
  /** The text as it is there. */
  now: string;
  /** The text that the page has to have as far as we know. */
  last: string;
  /** Texts that we have put there before, the newest last. */
  before?: readonly string[];
  /** The very text that `now` was made from, where that is known. */
  from?: string;
  /** Some of it could not be read. */
  isGarbled?: boolean;
};

/** Null when nobody changed anything. */
export function editOf(page: string, seen: Seen): PageEdit | null {
  const { last, now, isGarbled = false } = seen;
  if (now === last) return null;
  const { base, isSure } = baseOf(seen);
  const [was, is] = [partsOf(base), partsOf(last)];
  const found = compared(was.ours, was.people, now);
  const sure = isSure && !isGarbled;
  const both = sure ? merged(was.people, found.people, is.people) : united(is.people, found.people);
  const lines = trimmed(both, isBlank);
  const shown = new Map(is.ours.flatMap(({ text, mark }) => (mark === null ? [] : [[mark, text] as const])));
  const removed = sure
    ? [...found.removed.filter((mark) => shown.has(mark)), ...factsGone(page, is.people, lines)]
    : [];
  const changed = isGarbled ? [] : found.changed.filter(({ mark, text }) => !isSameLine(text, shown.get(mark) ?? text));
  const isSame = JSON.stringify(lines) === JSON.stringify(is.people);
  return isSame && removed.length === 0 && changed.length === 0 ? null : { page, lines, removed, changed };
}

/** E3: by the stamp; without one the text that shares the most lines. */
function baseOf({ now, last, before = [], from }: Seen): { base: string; isSure: boolean } {
  const { stamp, lines } = linesIn(now);
  if (from !== undefined) return { base: from, isSure: stamp !== null };
  const ours = [...before, last];
  const stamped = ours.findLast((text) => stamp !== null && linesIn(text).stamp === stamp);
  if (stamped !== undefined) return { base: stamped, isSure: true };
  const found = new Set(lines.filter((line) => !isBlank(line)));
  const shared = ours.map((text) => linesIn(text).lines.filter((line) => found.has(line)).length);
  return { base: ours[shared.lastIndexOf(Math.max(...shared))] ?? last, isSure: false };
}

type Found = { people: string[]; removed: string[]; changed: PageEdit['changed'] };
type Marked = ReadonlyMap<string, string>;

function compared(ours: Page['lines'], people: readonly string[], now: string): Found {
  const { lines } = linesIn(now);
  const heading = lines.findIndex((line) => line.trimEnd() === HEADING);
  const above = heading === -1 ? lines : lines.slice(0, heading);
  const theirs = heading === -1 ? [] : peopleBelow(lines.slice(heading));
  const marked: Marked = new Map(ours.flatMap(({ text, mark }) => (mark === null ? [] : [[mark, text] as const])));
  const met = metIn(lines, marked);
  const bare = ours.filter(({ mark }) => mark === null || !met.has(mark)).map(({ text }) => essence(text));
  const left = counts([...bare, SENTENCE]);
  const strays = straysIn(above, { marked, met: new Map(met), claims: counts(without(people, theirs)), left });
  const missing = [...marked].filter(([mark]) => !met.has(mark));
  return {
    people: trimmed([...strays, ...theirs], isBlank),
    removed: missing.flatMap(([mark, text]) => (takes(left, essence(text)) ? [mark] : [])),
    changed: [...met].flatMap(([mark, text]) => {
      const ours = marked.get(mark) ?? '';
      return isSameLine(text, ours) ? [] : [{ mark, text: withoutAsideOf(ours, text) }];
    }),
  };
}

/** Our marks that are there: of several lines with one mark the one that says what ours said, else the first. */
function metIn(lines: readonly string[], marked: Marked): Map<string, string> {
  const met = new Map<string, string>();
  for (const { text, mark } of lines.map(markedLine)) {
    const ours = mark === null ? undefined : marked.get(mark);
    if (mark === null || ours === undefined) continue;
    const before = met.get(mark);
    if (before === undefined || (!isSameLine(before, ours) && isSameLine(text, ours))) met.set(mark, text);
  }
  return met;
}

type Owned = { marked: Marked; met: Map<string, string>; claims: Map<string, number>; left: Map<string, number> };

/** E1: lines above our heading that are not ours, with the blank lines between them. */
function straysIn(above: readonly string[], owned: Owned): string[] {
  const strays: string[] = [];
  let blanks: string[] | null = null;
  for (const line of above) {
    if (isBlank(line)) blanks?.push(line);
    else {
      const ours = owned.marked.get(markedLine(line).mark ?? '');
      if (isOurs(markedLine(line), owned)) blanks = null;
      else {
        strays.push(...(blanks ?? []), ours === undefined ? unmarked(line) : withoutAsideOf(ours, unmarked(line)));
        blanks = [];
      }
    }
  }
  return strays;
}

/** What we said beside a line is not a person's. */
function withoutAsideOf(ours: string, text: string): string {
  const aside = asideOf(ours);
  return aside !== '' && text.endsWith(aside) ? text.slice(0, -aside.length) : text;
}

/** What people were known to have written is theirs before it is ours. */
function isOurs({ text, mark }: PageLine, { marked, met, claims, left }: Owned): boolean {
  if (mark !== null && met.get(mark) === text) {
    met.delete(mark);
    return isSameWords(text, marked.get(mark) ?? '');
  }
  return !takes(claims, text) && takes(left, essence(text));
}

/** A line without what programs that tidy up markdown change. */
const essence = (line: string): string =>
  line
    .replace(/^(\s*)[*+](?=\s)/, '$1-')
    .replace(/^(\s*- )\[[ xX]\] +/, '$1')
    .replaceAll(/\\([!-/:-@[-`{-~])/g, '$1')
    .replaceAll(/\*\(([^()]*)\)\*/g, '_($1)_')
    .replaceAll(/\s+/g, ' ')
    .trim();

/** With what is said beside it, or without. */
const isSameWords = (text: string, ours: string): boolean =>
  essence(text) === essence(ours) || essence(text) === essence(withoutAsideOf(ours, ours));
const isSameLine = (text: string, ours: string): boolean =>
  isSameWords(text, ours) && isTicked(text) === isTicked(ours);

/** Facts that stood in lines of people's which are gone. */
const factsGone = (page: string, before: readonly string[], after: readonly string[]): string[] => [
  ...new Set(without(before, after).flatMap((line) => factMark(page, line) ?? [])),
];

/** E4: `now` was made from `base`, and so was `last`. */
function merged(base: readonly string[], now: readonly string[], last: readonly string[]): string[] {
  const kept = without(now, without(base, last), { keepBlank: true });
  return [...kept, ...without(without(last, base), without(now, base))];
}

const united = (last: readonly string[], now: readonly string[]): string[] =>
  last.length === 0 ? [...now] : [...last, ...without(now, last)];

/** The lines of one that are not in the other, each as often as it is there more. Blank lines say nothing. */
function without(lines: readonly string[], others: readonly string[], { keepBlank = false } = {}): string[] {
  const left = counts(others.map((line) => line.trimEnd()));
  return lines.filter((line) => (isBlank(line) ? keepBlank : !takes(left, line.trimEnd())));
}

function counts(texts: readonly string[]): Map<string, number> {
  const found = new Map<string, number>();
  for (const text of texts) found.set(text.trimEnd(), (found.get(text.trimEnd()) ?? 0) + 1);
  return found;
}

function takes(left: Map<string, number>, text: string): boolean {
  const count = left.get(text) ?? 0;
  if (count > 0) left.set(text, count - 1);
  return count > 0;
}
