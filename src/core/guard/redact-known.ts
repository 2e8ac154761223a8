/**
 * Owns: removing known values from text, in every form they may appear in.
 * Does not own: which values are known (open-vault.ts), which forms exist (redact-forms.ts).
 *
 * K1 JSON stays JSON: output of JSON.stringify is changed string by string, even where a value extends from one string
 *    into the next.
 * K2 A text without a known value is returned unchanged, after one pass without an allocation.
 */
import type { Json } from '../schema/json.ts';
import type { Redact } from '../schema/ports.ts';
import { fold, type Folded } from './redact-fold.ts';
import { allNeedlesOf, type Needle } from './redact-forms.ts';
import { isKnown, mayContain, rareEnds, slideWindow, WINDOW, type Windows, windowsOf } from './redact-windows.ts';

export type KnownValue = { name: string; value: string };

/** The range of a value in a text. */
type Range = { from: number; to: number; name: string };
/** A needle, indexed by the four units of its core that start at `at`. */
type Anchored = { needle: Needle; at: number };
type Search = { windows: Windows; anchored: ReadonlyMap<number, readonly Anchored[]> };

const BORDER = '\0';
const ESCAPE = /[\\%]/;
/** Characters that JSON has to escape. */
const BREAKING = /["\\\p{Cc}]/u;
const PADDING = '='.charCodeAt(0);

export function redactKnown(values: readonly KnownValue[]): Redact {
  const needles = values.flatMap(({ name, value }) => allNeedlesOf(name, value));
  if (needles.length === 0) return (text) => text;
  const search = searchFor(needles);
  const open = values.filter(({ value }) => hasOpenEnd(value) && !BREAKING.test(value));
  const redactLiteral = (text: string): string =>
    open.reduce((clean, { name, value }) => clean.replaceAll(value, () => `[redacted:${name}]`), text);
  return (given) => {
    if (!mayContain(given, search.windows)) return given;
    const text = redactLiteral(given);
    const ranges = rangesIn(text, search);
    if (ranges.length === 0) return text;
    return redactJson(text, search) ?? replaceRanges(text, ranges);
  };
}

/** Whether the end of a value may form an escape with what follows; it is then also searched for literally. */
function hasOpenEnd(value: string): boolean {
  return /%[0-9a-f]?$/.test(String.fromCharCode(...fold(value).units.slice(-2)));
}

function searchFor(needles: readonly Needle[]): Search {
  const anchored = new Map<number, Anchored[]>();
  const ends = rareEnds(needles.map(({ core }) => core));
  for (const needle of needles) {
    const at = rarestIn(needle.core, ends);
    const window = needle.core.subarray(at, at + WINDOW).reduce(slideWindow, 0);
    const others = anchored.get(window);
    if (others === undefined) anchored.set(window, [{ needle, at }]);
    else others.push({ needle, at });
  }
  return { windows: windowsOf(anchored.keys()), anchored };
}

/** The start of the four units that are rarest in ordinary text, among those that end in one of `ends`. */
function rarestIn(core: Uint16Array, ends: ReadonlySet<number>): number {
  const rarity = (unit: number): number => {
    const character = String.fromCharCode(unit);
    return /[etaoinsrhld]/.test(character) ? 0 : /[a-z0-9./:]/.test(character) ? 2 : 3;
  };
  let best = { at: 0, score: -1 };
  for (let at = 0; at + WINDOW <= core.length; at += 1) {
    if (!ends.has(core[at + WINDOW - 1] ?? 0)) continue;
    const score = core.subarray(at, at + WINDOW).reduce((sum, unit) => sum + rarity(unit), 0);
    if (score > best.score) best = { at, score };
  }
  return best.at;
}

function rangesIn(text: string, { windows, anchored }: Search): Range[] {
  const folded = fold(text);
  const ranges: Range[] = [];
  let window = 0;
  for (let index = 0; index < folded.units.length; index += 1) {
    window = slideWindow(window, folded.units[index] as number);
    if (!isKnown(window, windows)) continue;
    for (const { needle, at } of anchored.get(window) ?? []) {
      const range = rangeAt(text, folded, index + 1 - WINDOW - at, needle);
      if (range !== null) ranges.push(range);
    }
  }
  return mergeRanges(ranges);
}

/** The range of the needle whose core starts at this unit. At its ends, only units that an escape consumed may be missing. */
function rangeAt(text: string, { units, starts, ends }: Folded, at: number, needle: Needle): Range | null {
  const { name, core, before, behind, soft } = needle;
  if (at < 0 || !core.every((unit, index) => units[at + index] === unit)) return null;
  let from = at;
  while (at - from < before.length && units[from - 1] === before[before.length - 1 - (at - from)]) from -= 1;
  const end = at + core.length;
  let to = end;
  while (to - end < behind.length && units[to] === behind[to - end]) to += 1;
  const front = text.slice(ends[from - 2] ?? 0, starts[at]);
  const rear = text.slice(ends[end - 1], starts[to + 1] ?? text.length);
  if (at - from < before.length && !ESCAPE.test(front)) return null;
  if (to - end < behind.length && !ESCAPE.test(rear)) return null;
  if (soft.before > 0 && isBase64(units[from - 1])) from -= 1;
  if (soft.behind > 0 && isBase64(units[to])) to += 1;
  while (soft.behind > 0 && units[to] === PADDING && to < end + behind.length + 3) to += 1;
  return { from: starts[from] ?? 0, to: ends[to - 1] ?? 0, name };
}

function isBase64(unit: number | undefined): boolean {
  return unit !== undefined && /[a-z0-9+/]/.test(String.fromCharCode(unit));
}

/** Sorted; overlapping ranges and adjacent parts of one value are merged. */
function mergeRanges(ranges: readonly Range[]): Range[] {
  const all: Range[] = [];
  for (const range of ranges.toSorted((a, b) => a.from - b.from)) {
    const last = all.at(-1);
    const touches =
      last !== undefined && (range.from < last.to || (range.from === last.to && range.name === last.name));
    if (touches) last.to = Math.max(last.to, range.to);
    else all.push({ ...range });
  }
  return all;
}

function replaceRanges(text: string, ranges: readonly Range[]): string {
  let done = 0;
  const parts = ranges.map(({ from, to, name }) => {
    const before = text.slice(done, from);
    done = to;
    return `${before}[redacted:${name}]`;
  });
  return parts.join('') + text.slice(done);
}

/** Null if the text is not output of JSON.stringify. */
function redactJson(text: string, search: Search): string | null {
  if (!/^[[{"]/.test(text)) return null;
  try {
    const value = JSON.parse(text) as Json;
    if (JSON.stringify(value) !== text) return null;
    const strings: string[] = [];
    visit(value, (string) => strings.push(string));
    const clean = redactTogether(strings, search);
    let next = 0;
    return JSON.stringify(withStrings(value, search, () => clean[next++] ?? ''));
  } catch {
    return null; // not JSON, or nested too deeply to be treated as JSON
  }
}

/** Redacts texts that may be parts of one text: a value that crosses a border is removed on both sides. */
function redactTogether(texts: readonly string[], search: Search): string[] {
  const ranges = rangesIn(texts.join(BORDER), search);
  let start = 0;
  let next = 0;
  return texts.map((text) => {
    const end = start + text.length;
    const mine: Range[] = [];
    while (next < ranges.length && (ranges[next] as Range).to <= start) next += 1;
    for (let index = next; index < ranges.length; index += 1) {
      const { from, to, name } = ranges[index] as Range;
      if (from >= end) break;
      mine.push({ from: Math.max(0, from - start), to: Math.min(text.length, to - start), name });
    }
    start = end + BORDER.length;
    return mine.length === 0 ? text : replaceRanges(text, mine);
  });
}

function visit(value: Json, tell: (string: string) => void): void {
  if (typeof value === 'string') tell(value);
  else if (Array.isArray(value)) for (const item of value) visit(item, tell);
  else if (value !== null && typeof value === 'object') for (const item of Object.values(value)) visit(item, tell);
}

/** The same value with other strings, in the order of `visit`. A number that is a known value becomes 0. */
function withStrings(value: Json, search: Search, next: () => string): Json {
  if (typeof value === 'string') return next();
  if (typeof value === 'number') return rangesIn(String(value), search).length > 0 ? 0 : value;
  if (Array.isArray(value)) return value.map((item) => withStrings(item, search, next));
  if (value === null || typeof value !== 'object') return value;
  const fields = Object.entries(value).map(
    ([key, item]) => [redactTogether([key], search)[0] ?? '', withStrings(item, search, next)] as const,
  );
  return Object.fromEntries(fields);
}
