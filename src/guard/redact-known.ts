/**
 * Owns: taking known values out of text, in every form they may come in.
 * Does not own: which values are known (vault.ts), which forms there are (redact-forms.ts).
 *
 * K1 JSON stays JSON: a text that is what JSON.stringify gives is changed string by string, also where a value runs
 *    from one string of it into the next.
 * K2 A text without a known value comes back as it was, and costs one pass without an allocation.
 */
import type { Json } from '../schema/json.ts';
import type { Redact } from '../schema/ports.ts';
import { fold, type Folded } from './redact-fold.ts';
import { type Needle, needlesOf } from './redact-forms.ts';
import { isKnown, mayHold, rareEnds, slid, WINDOW, type Windows, windowsOf } from './redact-windows.ts';

export type KnownValue = { name: string; value: string };

/** Where a value stands in a text. */
type Range = { from: number; to: number; name: string };
/** A needle, found by the four units of its core that begin at `at`. */
type Anchored = { needle: Needle; at: number };
type Search = { windows: Windows; anchored: ReadonlyMap<number, readonly Anchored[]> };

const BORDER = '\0';
const ESCAPE = /[\\%]/;
/** What JSON would have to escape. */
const BREAKING = /["\\\p{Cc}]/u;
const PADDING = '='.charCodeAt(0);

export function redactKnown(values: readonly KnownValue[]): Redact {
  const search = searchFor(values.flatMap(({ name, value }) => needlesOf(name, value)));
  if (search.anchored.size === 0) return (text) => text;
  const open = values.filter(({ value }) => hasOpenEnd(value) && !BREAKING.test(value));
  const literally = (text: string): string =>
    open.reduce((clean, { name, value }) => clean.replaceAll(value, () => `[redacted:${name}]`), text);
  return (given) => {
    if (!mayHold(given, search.windows)) return given;
    const text = literally(given);
    const ranges = rangesIn(text, search);
    if (ranges.length === 0) return text;
    return jsonRedacted(text, search) ?? replaced(text, ranges);
  };
}

/** A value that ends so may make an escape of what follows; as it is, it is found nevertheless. */
function hasOpenEnd(value: string): boolean {
  return /%[0-9a-f]?$/.test(String.fromCharCode(...fold(value).units.slice(-2)));
}

function searchFor(needles: readonly Needle[]): Search {
  const anchored = new Map<number, Anchored[]>();
  const ends = rareEnds(needles.map(({ core }) => core));
  for (const needle of needles) {
    const at = rarestIn(needle.core, ends);
    const window = needle.core.subarray(at, at + WINDOW).reduce(slid, 0);
    anchored.set(window, [...(anchored.get(window) ?? []), { needle, at }]);
  }
  return { windows: windowsOf(anchored.keys()), anchored };
}

/** Where the four units begin that ordinary text has most rarely, of those with such an end. */
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
    window = slid(window, folded.units[index] as number);
    if (!isKnown(window, windows)) continue;
    for (const { needle, at } of anchored.get(window) ?? []) {
      const range = rangeAt(text, folded, index + 1 - WINDOW - at, needle);
      if (range !== null) ranges.push(range);
    }
  }
  return joined(ranges);
}

/** The needle with its core at this unit. Of its ends only what an escape has swallowed may be missing. */
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

/** In order; what overlaps is one, and so are the pieces of one value. */
function joined(ranges: readonly Range[]): Range[] {
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

function replaced(text: string, ranges: readonly Range[]): string {
  let done = 0;
  const parts = ranges.map(({ from, to, name }) => {
    const before = text.slice(done, from);
    done = to;
    return `${before}[redacted:${name}]`;
  });
  return parts.join('') + text.slice(done);
}

/** Null when the text is not what JSON.stringify gives. */
function jsonRedacted(text: string, search: Search): string | null {
  if (!/^[[{"]/.test(text)) return null;
  try {
    const value = JSON.parse(text) as Json;
    if (JSON.stringify(value) !== text) return null;
    const strings: string[] = [];
    visit(value, (string) => strings.push(string));
    const clean = severally(strings, search);
    let next = 0;
    return JSON.stringify(rewritten(value, search, () => clean[next++] ?? ''));
  } catch {
    return null; // not JSON, or nested too deeply to be told from text
  }
}

/** Redacts texts that may be parts of one: a value that runs over a border is taken out on both sides of it. */
function severally(texts: readonly string[], search: Search): string[] {
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
    return mine.length === 0 ? text : replaced(text, mine);
  });
}

function visit(value: Json, tell: (string: string) => void): void {
  if (typeof value === 'string') tell(value);
  else if (Array.isArray(value)) for (const item of value) visit(item, tell);
  else if (value !== null && typeof value === 'object') for (const item of Object.values(value)) visit(item, tell);
}

/** The same with other strings, in the order of `visit`. A number that is a known value becomes 0: a number stays one. */
function rewritten(value: Json, search: Search, next: () => string): Json {
  if (typeof value === 'string') return next();
  if (typeof value === 'number') return rangesIn(String(value), search).length > 0 ? 0 : value;
  if (Array.isArray(value)) return value.map((item) => rewritten(item, search, next));
  if (value === null || typeof value !== 'object') return value;
  const fields = Object.entries(value).map(
    ([key, item]) => [severally([key], search)[0] ?? '', rewritten(item, search, next)] as const,
  );
  return Object.fromEntries(fields);
}
