/**
 * Owns: whether a task is one that a procedure is for, and what it says for its parameters.
 *
 * 1. The whole text is what the template says, with something that fits in every hole.
 * 2. There is one way only to read it: where two readings give other values, none is taken.
 * 3. What differs and does not stand in quotes is a value and no sentence: it looks like what stood there before. "Write
 *    a summary of my mails into a.txt" is not a task to write these words.
 * 4. The time it takes is bounded by the product of the lengths, whatever the texts are.
 */
import type { Parameter, Procedure } from '../../schema/procedure.ts';
import { extractTerms } from '../text/terms.ts';
import { isSameText, lookOf, templateTokens, type Token, tokensOf } from './lift.ts';
import { misfitOf, type Values } from './values.ts';

export type Match = { kind: 'match'; values: Values; constants: number } | { kind: 'ambiguous' } | { kind: 'none' };

const MOST_TOKENS = 3000;
const NONE: Match = { kind: 'none' };

export function matched(procedure: Pick<Procedure, 'task' | 'parameters'>, text: string): Match {
  const { parameters } = procedure;
  const template = templateOf(procedure);
  const tokens = tokensOf(text);
  if (tokens === null || tokens.length > MOST_TOKENS || template.length > MOST_TOKENS) return NONE;
  const kinds = new Map(parameters.map(({ name, kind }) => [name, kind]));
  const holes = template.filter(({ look }) => look === 'hole');
  if (holes.some(({ text: name }) => !kinds.has(name))) return NONE;
  const first = placesOf(template, tokens, kinds, text);
  if (first === null) return NONE;
  const last = placesOf(template.toReversed(), tokens.toReversed(), kinds, text)?.toReversed();
  const values = valuesIn(holes, first, text);
  if (values === null) return NONE;
  if (last === undefined || JSON.stringify(last) !== JSON.stringify(first)) return { kind: 'ambiguous' };
  const loose = new Set(holes.filter(({ isTight }) => !isTight).map(({ text: name }) => name));
  const isLike = (parameter: Parameter): boolean =>
    !loose.has(parameter.name) || isLikeBefore(values[parameter.name] ?? '', parameter);
  if (!parameters.every(isLike)) return { kind: 'ambiguous' };
  return { kind: 'match', values, constants: template.length - holes.length };
}

/** What stands between quotes ends with them, and the folder of a task with its line. */
type Want = Token & { isTight: boolean };

/** Asked for with every task. */
const templates = new WeakMap<object, Want[]>();
/** The parameter that is the folder of the task (task-text.ts). */
export const FOLDER = 'dir';
const QUOTES = new Set(['"', '`', '“', '”', "'"]);

function templateOf(procedure: Pick<Procedure, 'task'>): Want[] {
  const known = templates.get(procedure) ?? wantsIn(templateTokens(procedure.task));
  templates.set(procedure, known);
  return known;
}

const wantsIn = (tokens: readonly Token[]): Want[] =>
  tokens.map((token, at) => {
    const isQuoted = QUOTES.has(tokens[at - 1]?.text ?? '') && QUOTES.has(tokens[at + 1]?.text ?? '');
    return { ...token, isTight: isQuoted || (token.look === 'hole' && token.text === FOLDER) };
  });

type Place = readonly [from: number, to: number];
/** The last hole that could hold more: where it is in the template, and what it holds by now. */
type Back = { p: number; from: number; to: number; places: Place[] };

/**
 * Goes back to the last hole that can hold several words only, as one does for a star: what came before it is as short
 * as it can be, and making it longer helps nothing. Null when it does not fit.
 */
function placesOf(
  template: readonly Want[],
  tokens: readonly Token[],
  kinds: ReadonlyMap<string, Parameter['kind']>,
  text: string,
): Place[] | null {
  let [p, t] = [0, 0];
  let places: Place[] = [];
  let back: Back | null = null;
  for (;;) {
    if (p === template.length && t === tokens.length) return places;
    const want = template[p];
    const token = tokens[t];
    if (want !== undefined && token !== undefined && isMet(want, token, kinds)) {
      if (want.look === 'hole' && isLong(want, kinds)) back = { p, from: t, to: t + 1, places };
      if (want.look === 'hole') places = [...places, placeOf(tokens, t, t + 1)];
      [p, t] = [p + 1, t + 1];
      continue;
    }
    if (back === null || (tokens[back.to]?.look ?? 'line') === 'line') return null;
    back.to += 1;
    const place = placeOf(tokens, back.from, back.to);
    if (misfitOf(text.slice(...place), 'text') !== null) return null;
    [p, t, places] = [back.p + 1, back.to, [...back.places, place]];
  }
}

const isLong = ({ text, isTight }: Want, kinds: ReadonlyMap<string, Parameter['kind']>): boolean =>
  !isTight && ['name', 'text'].includes(kinds.get(text) ?? '');

function placeOf(tokens: readonly Token[], from: number, to: number): Place {
  const [a, b] = [tokens[from], tokens[to - 1]];
  if (a === undefined || b === undefined) return [0, 0];
  return [Math.min(a.at, b.at), Math.max(a.at + a.length, b.at + b.length)];
}

function isMet(want: Want, token: Token, kinds: ReadonlyMap<string, Parameter['kind']>): boolean {
  if (want.look !== 'hole') return isSameText(want.text, token.text);
  const kind = kinds.get(want.text) ?? 'text';
  if (token.look === 'line') return false;
  // In the middle of a sentence a word alone is no path.
  if (kind === 'path' && !want.isTight && token.look !== 'path') return false;
  return kind === 'name' || kind === 'text' || misfitOf(token.text, kind) === null;
}

/** 3. */
function isLikeBefore(value: string, { kind, examples }: Parameter): boolean {
  if (kind === 'path' || kind === 'number' || kind === 'date') return true;
  const look = lookOf(value);
  if (look === 'url' || look === 'mail') return examples.length > 0 && examples.every((each) => lookOf(each) === look);
  if (kind === 'text' || examples.length === 0) return false;
  const words = value.split(' ');
  const most = Math.max(...examples.map((each) => each.split(' ').length));
  const areNames = examples.every((each) => each.split(' ').every(isCapital));
  return (
    words.length <= most + 1 && words.every((word) => extractTerms(word).length > 0 && (!areNames || isCapital(word)))
  );
}

const isCapital = (word: string): boolean => /^[\p{Lu}\p{N}]/u.test(word);

/** The same parameter has the same value wherever it stands. */
function valuesIn(holes: readonly Want[], places: readonly Place[], text: string): Values | null {
  const values: Record<string, string> = {};
  for (const [index, { text: name }] of holes.entries()) {
    const [from, to] = places[index] ?? [0, 0];
    const value = text.slice(from, to);
    if (Object.hasOwn(values, name) && values[name] !== value) return null;
    values[name] = value;
  }
  return values;
}

/** How like a text is to the tasks of a procedure, from 0 to 1. */
export function likeness({ trigger, task }: Pick<Procedure, 'trigger' | 'task'>, text: string): number {
  const terms = new Set(extractTerms(text));
  return Math.max(
    0,
    ...[task.replaceAll(/\{\{\w+\}\}/g, ' '), ...trigger].map((each) => overlap(terms, new Set(extractTerms(each)))),
  );
}

export function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let both = 0;
  for (const term of a) if (b.has(term)) both += 1;
  return a.size + b.size === 0 ? 0 : both / (a.size + b.size - both);
}
