/**
 * Owns: what several texts have in common, and what stands in its gaps.
 *
 * 1. The texts with the values in its holes are the template, up to blanks.
 * 2. A gap holds something in every text, and lies within one line.
 */
import type { Parameter } from '../../schema/procedure.ts';
import { isSameText, type Look, skeletonOf, type Token, tokensOf } from './lift.ts';
import { kindOf, misfitOf } from './values.ts';

/** What differs, with its value in each of the texts. */
export type Hole = { name: string; kind: Parameter['kind']; values: string[] };
export type Aligned = { template: string; holes: Hole[] };

type Range = readonly [from: number, to: number];
/** What all have, or what each has instead; with its place in each text. */
type Piece = { text: string | null; looks: ReadonlySet<Look>; places: Range[] };

/** Longer texts are only compared place by place. */
const MOST_COMPARED = 1000;
const FEWEST_WORDS = 2;

export function aligned(texts: readonly string[]): Aligned | null {
  const [first, ...others] = texts.map((text) => tokensOf(text));
  if (first === undefined || first === null) return null;
  let pieces = first.map(
    (token): Piece => ({ text: token.text, looks: new Set([token.look]), places: [placeOf(token)] }),
  );
  for (const tokens of others) {
    const next = tokens === null ? null : merged(pieces, tokens, skeletonOf(first) === skeletonOf(tokens));
    if (next === null) return null;
    pieces = next;
  }
  return isTelling(pieces) ? named(pieces, texts) : null;
}

const placeOf = ({ at, length }: Token): Range => [at, at + length];

/** Of a template that is nearly all holes nobody knows what it is about. */
function isTelling(pieces: readonly Piece[]): boolean {
  const words = pieces.filter(({ text, looks }) => text !== null && looks.has('word')).length;
  return words >= Math.max(FEWEST_WORDS, pieces.filter(({ text }) => text === null).length);
}

function merged(pieces: readonly Piece[], tokens: readonly Token[], placeByPlace: boolean): Piece[] | null {
  if (placeByPlace && pieces.length === tokens.length) return pieces.map((piece, at) => widened(piece, tokens[at]));
  if (Math.max(pieces.length, tokens.length) > MOST_COMPARED) return null;
  const next: Piece[] = [];
  let [p, t] = [0, 0];
  for (const [piece, token] of [...longest(pieces, tokens), [pieces.length, tokens.length] as const]) {
    const gap = gapOf(pieces.slice(p, piece), tokens.slice(t, token));
    if (gap === 'uneven') return null;
    next.push(...gap);
    const [both, here] = [pieces[piece], tokens[token]];
    if (both !== undefined && here !== undefined) next.push({ ...both, places: [...both.places, placeOf(here)] });
    [p, t] = [piece + 1, token + 1];
  }
  return next;
}

function widened({ text, looks, places }: Piece, token: Token | undefined): Piece {
  if (token === undefined) return { text, looks, places };
  const isSame = text !== null && isSameText(text, token.text);
  return { text: isSame ? text : null, looks: new Set([...looks, token.look]), places: [...places, placeOf(token)] };
}

function gapOf(pieces: readonly Piece[], tokens: readonly Token[]): Piece[] | 'uneven' {
  const [first, last, from, to] = [pieces[0], pieces.at(-1), tokens[0], tokens.at(-1)];
  if (first === undefined && from === undefined) return [];
  if (first === undefined || last === undefined || from === undefined || to === undefined) return 'uneven';
  const looks = new Set([...pieces.flatMap((piece) => [...piece.looks]), ...tokens.map(({ look }) => look)]);
  if (looks.has('line')) return 'uneven';
  const before = first.places.map(([start], run): Range => [start, last.places[run]?.[1] ?? start]);
  return [{ text: null, looks, places: [...before, [from.at, to.at + to.length]] }];
}

type Pair = readonly [piece: number, token: number];

/** The longest sequence that both have. What they begin and end with alike is not searched. */
function longest(pieces: readonly Piece[], tokens: readonly Token[]): Pair[] {
  const [ours, theirs] = [pieces.map(({ text }) => text?.toLowerCase()), tokens.map(({ text }) => text.toLowerCase())];
  const isSame = (row: number, column: number): boolean => ours[row] !== undefined && ours[row] === theirs[column];
  let [start, end] = [0, 0];
  const shorter = Math.min(ours.length, theirs.length);
  while (start < shorter && isSame(start, start)) start += 1;
  while (end < shorter - start && isSame(ours.length - 1 - end, theirs.length - 1 - end)) end += 1;
  const middle = between({ rows: ours.length - start - end, columns: theirs.length - start - end }, (row, column) =>
    isSame(row + start, column + start),
  );
  return [
    ...Array.from({ length: start }, (_, at): Pair => [at, at]),
    ...middle.map(([row, column]): Pair => [row + start, column + start]),
    ...Array.from({ length: end }, (_, at): Pair => [ours.length - end + at, theirs.length - end + at]),
  ];
}

function between(
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

/** What has the same values everywhere is one parameter. */
function named(pieces: readonly Piece[], texts: readonly string[]): Aligned | null {
  const [first = ''] = texts;
  const holes = new Map<string, Hole>();
  let [template, end] = ['', 0];
  for (const { text, looks, places } of pieces) {
    if (text !== null) continue;
    const values = places.map(([from, to], run) => (texts[run] ?? '').slice(from, to));
    if (values.some((value) => misfitOf(value, 'text') !== null)) return null;
    const key = JSON.stringify(values);
    const before = first.slice(end, places[0]?.[0] ?? end);
    const hole = holes.get(key) ?? holeOf(values, looks, [...holes.values()], `${template}${before}`);
    holes.set(key, hole);
    template += `${before}{{${hole.name}}}`;
    end = places[0]?.[1] ?? end;
  }
  return { template: `${template}${first.slice(end)}`, holes: [...holes.values()] };
}

function holeOf(values: string[], looks: ReadonlySet<Look>, known: readonly Hole[], before: string): Hole {
  const line = /(?:^|\n)(dir|title): $/.exec(before)?.[1];
  const isFolder = line === 'dir' && values.every((value) => misfitOf(value, 'path') === null);
  const kind = isFolder ? 'path' : kindOf(values, looks);
  const base = line ?? kind;
  const taken = known.filter(({ name }) => name === base || name.startsWith(`${base}_`)).length;
  return { name: taken === 0 ? base : `${base}_${taken + 1}`, kind, values };
}
