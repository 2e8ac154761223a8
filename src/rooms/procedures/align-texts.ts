/**
 * Owns: finding the template that several texts share, and the values in its holes.
 *
 * 1. Filling the holes with a text's values gives that text again, apart from whitespace.
 * 2. A hole has a value in every text and does not span lines.
 */
import type { Parameter } from '../../core/schema/procedure.ts';
import { isSameText, type TokenForm, toSkeleton, type Token, tokenize } from '../../kit/learning/task-tokens.ts';
import { inferKind, findMisfit } from './parameter-values.ts';

/** A place where the texts differ, with its value in each of them. */
type Hole = { name: string; kind: Parameter['kind']; values: string[] };
export type Aligned = { template: string; holes: Hole[] };

type Range = readonly [from: number, to: number];
/** Text that all have in common, or null where they differ; with its range in each text. */
type Segment = { text: string | null; looks: ReadonlySet<TokenForm>; places: Range[] };

/** Longer texts are only compared token by token. */
const MAX_COMPARED = 1000;
const MIN_WORDS = 2;

export function alignTexts(texts: readonly string[]): Aligned | null {
  const [first, ...others] = texts.map((text) => tokenize(text));
  if (first === undefined || first === null) return null;
  let pieces = first.map(
    (token): Segment => ({ text: token.text, looks: new Set([token.look]), places: [tokenRange(token)] }),
  );
  for (const tokens of others) {
    const next = tokens === null ? null : mergeTokens(pieces, tokens, toSkeleton(first) === toSkeleton(tokens));
    if (next === null) return null;
    pieces = next;
  }
  return isSpecific(pieces) ? nameHoles(pieces, texts) : null;
}

const tokenRange = ({ at, length }: Token): Range => [at, at + length];

/** Refuses a template that consists almost only of holes, because it could match anything. */
function isSpecific(pieces: readonly Segment[]): boolean {
  const words = pieces.filter(({ text, looks }) => text !== null && looks.has('word')).length;
  return words >= Math.max(MIN_WORDS, pieces.filter(({ text }) => text === null).length);
}

function mergeTokens(pieces: readonly Segment[], tokens: readonly Token[], placeByPlace: boolean): Segment[] | null {
  if (placeByPlace && pieces.length === tokens.length)
    return pieces.map((piece, at) => widenSegment(piece, tokens[at]));
  if (Math.max(pieces.length, tokens.length) > MAX_COMPARED) return null;
  const next: Segment[] = [];
  let [p, t] = [0, 0];
  for (const [piece, token] of [...longestCommon(pieces, tokens), [pieces.length, tokens.length] as const]) {
    const gap = findGap(pieces.slice(p, piece), tokens.slice(t, token));
    if (gap === 'uneven') return null;
    next.push(...gap);
    const [both, here] = [pieces[piece], tokens[token]];
    if (both !== undefined && here !== undefined) next.push({ ...both, places: [...both.places, tokenRange(here)] });
    [p, t] = [piece + 1, token + 1];
  }
  return next;
}

function widenSegment({ text, looks, places }: Segment, token: Token | undefined): Segment {
  if (token === undefined) return { text, looks, places };
  const isSame = text !== null && isSameText(text, token.text);
  return { text: isSame ? text : null, looks: new Set([...looks, token.look]), places: [...places, tokenRange(token)] };
}

function findGap(pieces: readonly Segment[], tokens: readonly Token[]): Segment[] | 'uneven' {
  const [first, last, from, to] = [pieces[0], pieces.at(-1), tokens[0], tokens.at(-1)];
  if (first === undefined && from === undefined) return [];
  if (first === undefined || last === undefined || from === undefined || to === undefined) return 'uneven';
  const looks = new Set([...pieces.flatMap((piece) => [...piece.looks]), ...tokens.map(({ look }) => look)]);
  if (looks.has('line')) return 'uneven';
  const before = first.places.map(([start], run): Range => [start, last.places[run]?.[1] ?? start]);
  return [{ text: null, looks, places: [...before, [from.at, to.at + to.length]] }];
}

type Pair = readonly [piece: number, token: number];

/** The longest common subsequence. A common beginning and end are matched without searching. */
function longestCommon(pieces: readonly Segment[], tokens: readonly Token[]): Pair[] {
  const [ours, theirs] = [pieces.map(({ text }) => text?.toLowerCase()), tokens.map(({ text }) => text.toLowerCase())];
  const isSame = (row: number, column: number): boolean => ours[row] !== undefined && ours[row] === theirs[column];
  let [start, end] = [0, 0];
  const shorter = Math.min(ours.length, theirs.length);
  while (start < shorter && isSame(start, start)) start += 1;
  while (end < shorter - start && isSame(ours.length - 1 - end, theirs.length - 1 - end)) end += 1;
  const middle = longestCommonBetween(
    { rows: ours.length - start - end, columns: theirs.length - start - end },
    (row, column) => isSame(row + start, column + start),
  );
  return [
    ...Array.from({ length: start }, (_, at): Pair => [at, at]),
    ...middle.map(([row, column]): Pair => [row + start, column + start]),
    ...Array.from({ length: end }, (_, at): Pair => [ours.length - end + at, theirs.length - end + at]),
  ];
}

function longestCommonBetween(
  { rows, columns }: { rows: number; columns: number },
  isSame: (row: number, column: number) => boolean,
): Pair[] {
  const best = Array.from({ length: rows + 1 }, () => new Uint16Array(columns + 1));
  const at = (row: number, column: number): number => best[row]?.[column] ?? 0;
  for (let row = rows - 1; row >= 0; row -= 1) {
    const line = best[row] ?? new Uint16Array(0);
    for (let column = columns - 1; column >= 0; column -= 1)
      line[column] = isSame(row, column)
        ? at(row + 1, column + 1) + 1
        : Math.max(at(row + 1, column), at(row, column + 1));
  }
  const pairs: Pair[] = [];
  for (let [row, column] = [0, 0]; row < rows && column < columns; ) {
    if (isSame(row, column)) {
      pairs.push([row, column]);
      [row, column] = [row + 1, column + 1];
    } else if (at(row + 1, column) >= at(row, column + 1)) row += 1;
    else column += 1;
  }
  return pairs;
}

/** Turns differences into named holes; differences with the same values everywhere are one parameter. */
function nameHoles(pieces: readonly Segment[], texts: readonly string[]): Aligned | null {
  const [first = ''] = texts;
  const holes = new Map<string, Hole>();
  let [template, end] = ['', 0];
  for (const { text, looks, places } of pieces) {
    if (text !== null) continue;
    const values = places.map(([from, to], run) => (texts[run] ?? '').slice(from, to));
    if (values.some((value) => findMisfit(value, 'text') !== null)) return null;
    const key = JSON.stringify(values);
    const before = first.slice(end, places[0]?.[0] ?? end);
    const hole = holes.get(key) ?? createHole(values, looks, [...holes.values()], `${template}${before}`);
    holes.set(key, hole);
    template += `${before}{{${hole.name}}}`;
    end = places[0]?.[1] ?? end;
  }
  return { template: `${template}${first.slice(end)}`, holes: [...holes.values()] };
}

function createHole(values: string[], looks: ReadonlySet<TokenForm>, known: readonly Hole[], before: string): Hole {
  const line = /(?:^|\n)(dir|title): $/.exec(before)?.[1];
  const isFolder = line === 'dir' && values.every((value) => findMisfit(value, 'path') === null);
  const kind = isFolder ? 'path' : inferKind(values, looks);
  const base = line ?? kind;
  const taken = known.filter(({ name }) => name === base || name.startsWith(`${base}_`)).length;
  return { name: taken === 0 ? base : `${base}_${taken + 1}`, kind, values };
}
