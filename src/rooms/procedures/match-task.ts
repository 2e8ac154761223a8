/**
 * Owns: whether a task matches the template of a procedure, and the parameter values it states.
 *
 * 1. The whole text follows the template, with a fitting value in every hole.
 * 2. There is only one reading: if two readings give different values, the match is ambiguous.
 * 3. An unquoted value has the form of earlier values there, so that a sentence is not taken for a value: "Write a
 *    summary of my mails into a.txt" is not a task to write those words.
 * 4. Matching takes time bounded by the product of both lengths.
 */
import type { Parameter, Procedure } from '../../core/schema/procedure.ts';
import { extractTerms } from '../../kit/text/terms.ts';
import { isSameText, classifyText, tokenizeTemplate, type Token, tokenize } from '../../kit/learning/task-tokens.ts';
import { findMisfit, type Values } from './parameter-values.ts';

type Match = { kind: 'match'; values: Values; constants: number } | { kind: 'ambiguous' } | { kind: 'none' };

const MAX_TOKENS = 3000;
const NO_MATCH: Match = { kind: 'none' };

export function matchTask(procedure: Pick<Procedure, 'task' | 'parameters'>, text: string): Match {
  const { parameters } = procedure;
  const template = templateTokensOf(procedure);
  const tokens = tokenize(text);
  if (tokens === null || tokens.length > MAX_TOKENS || template.length > MAX_TOKENS) return NO_MATCH;
  const kinds = new Map(parameters.map(({ name, kind }) => [name, kind]));
  const holes = template.filter(({ look }) => look === 'hole');
  if (holes.some(({ text: name }) => !kinds.has(name))) return NO_MATCH;
  const first = findPlaces(template, tokens, kinds, text);
  if (first === null) return NO_MATCH;
  const last = findPlaces(template.toReversed(), tokens.toReversed(), kinds, text)?.toReversed();
  const values = readValues(holes, first, text);
  if (values === null) return NO_MATCH;
  if (last === undefined || JSON.stringify(last) !== JSON.stringify(first)) return { kind: 'ambiguous' };
  const loose = new Set(holes.filter(({ isTight }) => !isTight).map(({ text: name }) => name));
  const isLike = (parameter: Parameter): boolean =>
    !loose.has(parameter.name) || resemblesExamples(values[parameter.name] ?? '', parameter);
  if (!parameters.every(isLike)) return { kind: 'ambiguous' };
  return { kind: 'match', values, constants: template.length - holes.length };
}

/** A tight hole has a clear end: the closing quote, or the end of the line for the folder of a task. */
type TemplateToken = Token & { isTight: boolean };

/** Cached, because every task needs them. */
const templates = new WeakMap<object, TemplateToken[]>();
/** The parameter that is the folder of the task (task-text.ts). */
const FOLDER = 'dir';
const QUOTES = new Set(['"', '`', '“', '”', "'"]);

function templateTokensOf(procedure: Pick<Procedure, 'task'>): TemplateToken[] {
  const known = templates.get(procedure) ?? markTight(tokenizeTemplate(procedure.task));
  templates.set(procedure, known);
  return known;
}

const markTight = (tokens: readonly Token[]): TemplateToken[] =>
  tokens.map((token, at) => {
    const isQuoted = QUOTES.has(tokens[at - 1]?.text ?? '') && QUOTES.has(tokens[at + 1]?.text ?? '');
    return { ...token, isTight: isQuoted || (token.look === 'hole' && token.text === FOLDER) };
  });

type Place = readonly [from: number, to: number];
/** The last hole that could take more tokens: its place in the template, and what it has now. */
type Back = { p: number; from: number; to: number; places: Place[] };

/**
 * Backtracks only to the last hole that can span several words, as glob matching does for a star: everything before it
 * is as short as possible, and extending it cannot help. Returns null when the text does not fit.
 */
function findPlaces(
  template: readonly TemplateToken[],
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
    if (want !== undefined && token !== undefined && fitsToken(want, token, kinds)) {
      if (want.look === 'hole' && canSpanWords(want, kinds)) back = { p, from: t, to: t + 1, places };
      if (want.look === 'hole') places = [...places, rangeOfTokens(tokens, t, t + 1)];
      [p, t] = [p + 1, t + 1];
      continue;
    }
    if (back === null || (tokens[back.to]?.look ?? 'line') === 'line') return null;
    back.to += 1;
    const place = rangeOfTokens(tokens, back.from, back.to);
    if (findMisfit(text.slice(...place), 'text') !== null) return null;
    [p, t, places] = [back.p + 1, back.to, [...back.places, place]];
  }
}

const canSpanWords = ({ text, isTight }: TemplateToken, kinds: ReadonlyMap<string, Parameter['kind']>): boolean =>
  !isTight && ['name', 'text'].includes(kinds.get(text) ?? '');

function rangeOfTokens(tokens: readonly Token[], from: number, to: number): Place {
  const [a, b] = [tokens[from], tokens[to - 1]];
  if (a === undefined || b === undefined) return [0, 0];
  return [Math.min(a.at, b.at), Math.max(a.at + a.length, b.at + b.length)];
}

function fitsToken(want: TemplateToken, token: Token, kinds: ReadonlyMap<string, Parameter['kind']>): boolean {
  if (want.look !== 'hole') return isSameText(want.text, token.text);
  const kind = kinds.get(want.text) ?? 'text';
  if (token.look === 'line') return false;
  // In the middle of a sentence a word alone is no path.
  if (kind === 'path' && !want.isTight && token.look !== 'path') return false;
  return kind === 'name' || kind === 'text' || findMisfit(token.text, kind) === null;
}

/** Whether a value has the form of the values seen before (3). */
function resemblesExamples(value: string, { kind, examples }: Parameter): boolean {
  if (kind === 'path' || kind === 'number' || kind === 'date') return true;
  const look = classifyText(value);
  if (look === 'url' || look === 'mail')
    return examples.length > 0 && examples.every((each) => classifyText(each) === look);
  if (kind === 'text' || examples.length === 0) return false;
  const words = value.split(' ');
  const most = Math.max(...examples.map((each) => each.split(' ').length));
  const areNames = examples.every((each) => each.split(' ').every(isCapital));
  return (
    words.length <= most + 1 && words.every((word) => extractTerms(word).length > 0 && (!areNames || isCapital(word)))
  );
}

const isCapital = (word: string): boolean => /^[\p{Lu}\p{N}]/u.test(word);

/** The same parameter has the same value everywhere. */
function readValues(holes: readonly TemplateToken[], places: readonly Place[], text: string): Values | null {
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
export function similarityToTask({ trigger, task }: Pick<Procedure, 'trigger' | 'task'>, text: string): number {
  const terms = new Set(extractTerms(text));
  return Math.max(
    0,
    ...[task.replaceAll(/\{\{\w+\}\}/g, ' '), ...trigger].map((each) =>
      termOverlap(terms, new Set(extractTerms(each))),
    ),
  );
}

export function termOverlap(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let both = 0;
  for (const term of a) if (b.has(term)) both += 1;
  return a.size + b.size === 0 ? 0 : both / (a.size + b.size - both);
}
