/** Owns: expanding a word to what a program receives: quotes removed, known variables and braces expanded. */
import type { ParameterExpansionPart, Word, WordPart } from 'unbash';
import { SCRATCH_FOLDER } from './paths.ts';
import { type Arg, HOLE, JOB, joinArgs, literal, raise, type ShellState, unknown } from './shell-state.ts';

/** What each substitution prints, by its node. */
export type Values = ReadonlyMap<unknown, Arg>;

/** The most words a brace may expand to; more would exhaust memory. */
const MOST_FROM_BRACES = 100_000;

type Piece = { text: string; quoted: boolean; open?: boolean; glob?: boolean; hidden?: boolean };

/** The arguments a word expands to: one, several or none. */
export function argsOf(state: ShellState, word: Word, values: Values): Arg[] {
  const list = listOf(state, word);
  if (list !== null) return [...list];
  const { parts } = word;
  if (parts === undefined) return [literal(word.value)];
  checkRanges(state, word.text);
  let alternatives: Piece[][] = [[]];
  for (const part of parts) {
    const given = piecesOf(state, part, values);
    alternatives =
      alternatives.length * given.length > 512
        ? alternatives
        : alternatives.flatMap((alternative) => given.map((piece) => [...alternative, piece]));
  }
  return alternatives.flatMap((alternative) => fieldsOf(state, alternative));
}

/** Denies adjacent ranges that multiply to too many words. */
function checkRanges(state: ShellState, text: string): void {
  const sizes = [...text.matchAll(/\{(-?\d+)\.\.(-?\d+)/g)].map(
    ([, from, to]) => Math.abs(Number(to) - Number(from)) + 1,
  );
  if (sizes.length > 1 && sizes.reduce((all, size) => all * size, 1) > MOST_FROM_BRACES)
    raise(state, 'deny', 'a brace expands to more words than fit into memory');
}

/** The word as one text, as bash uses it in assignments and redirections. */
export function wordText(state: ShellState, word: Word, values: Values): Arg {
  const all = argsOf(state, word, values);
  if (all.length === 1 && all[0] !== undefined) return all[0];
  return {
    text: all.map(({ text }) => text).join(' '),
    open: all.some(({ open }) => open),
    glob: all.some(({ glob }) => glob),
    hidden: all.some(({ hidden }) => hidden),
  };
}

/** The elements of "${list[@]}" or "$@", which expand to one argument each; null for any other word. */
function listOf(state: ShellState, word: Word): readonly Arg[] | null {
  const name = /^"?\$\{?(\w+)\[[@*]\]\}"?$/.exec(word.text)?.[1];
  if (name !== undefined) return state.vars.get(name) ?? null;
  return /^"?\$\{?[@*]\}?"?$/.test(word.text) ? state.positional : null;
}

/** The possible expansions of a part; only braces have more than one. */
function piecesOf(state: ShellState, part: WordPart, values: Values): Piece[] {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      if (/[\uE000-\uE002]/.test(part.value)) raise(state, 'deny', 'it contains invisible characters');
      return [{ text: part.value, quoted: true }];
    case 'Glob':
    case 'ExtendedGlob':
      return [{ text: part.text, quoted: true, glob: true }];
    case 'DoubleQuoted':
    case 'LocaleString':
      return [joinPieces(part.parts.flatMap((inner) => piecesOf(state, inner, values)))];
    case 'SimpleExpansion':
      return [pieceOf(valueOf(state, part.text.slice(1)))];
    case 'ParameterExpansion':
      return [pieceOf(parameterOf(state, part, values))];
    case 'CommandExpansion':
      return [pieceOf(values.get(part) ?? unknown)];
    case 'ArithmeticExpansion':
      return [pieceOf({ ...unknown, hidden: false })];
    case 'ProcessSubstitution':
      return [{ text: `/dev/fd/63`, quoted: true, open: true }];
    case 'BraceExpansion':
      return bracesIn(part.text, state).map(bracePiece);
  }
}

function bracePiece(text: string): Piece {
  const bare = text.replaceAll(/\$\{[^}]*\}|\$\w+|\$\(.*\)|`.*`/g, HOLE).replaceAll(/['"\\]/g, '');
  return { text: bare, quoted: true, open: bare.includes(HOLE), glob: isGlob(bare) };
}

function joinPieces(pieces: readonly Piece[]): Piece {
  return {
    text: pieces.map(({ text }) => text).join(''),
    quoted: true,
    open: pieces.some(({ open }) => open === true),
    hidden: pieces.some(({ hidden }) => hidden === true),
  };
}

const pieceOf = ({ text, open, glob, hidden }: Arg): Piece => ({ text, quoted: false, open, glob, hidden });

/** Unquoted white space of an expansion splits the word, as in bash. */
function fieldsOf(state: ShellState, pieces: readonly Piece[]): Arg[] {
  const separator = separatorOf(state);
  const fields: Arg[] = [];
  let current: Arg | null = null;
  for (const piece of pieces) {
    const texts = piece.quoted ? [piece.text] : piece.text.split(separator);
    for (const [index, text] of texts.entries()) {
      if (index > 0 && current !== null) {
        if (current.text !== '') fields.push(current);
        current = null;
      }
      current = appendPiece(current, piece, text);
    }
  }
  if (current !== null) fields.push(current);
  return fields;
}

/** White space, and whatever the line itself assigns to IFS. */
function separatorOf(state: ShellState): RegExp {
  const own = state.vars.get('IFS')?.[0]?.text.replaceAll(/[\s\]\\^-]/g, '') ?? '';
  return own === '' ? /\s+/ : new RegExp(`[\\s${own}]+`);
}

function appendPiece(current: Arg | null, piece: Piece, text: string): Arg {
  return {
    text: (current?.text ?? '') + text,
    open: current?.open === true || piece.open === true,
    glob: current?.glob === true || piece.glob === true,
    hidden: current?.hidden === true || piece.hidden === true,
  };
}

/** The value of a variable at this point, or a hole. */
function valueOf(state: ShellState, name: string): Arg {
  if (name === '_') return { ...unknown, hidden: true };
  if (name === '!') return { ...unknown, text: JOB };
  const place = /^\d$/.test(name) ? state.positional?.[Number(name) - 1] : undefined;
  if (place !== undefined) return place;
  if (name === '@' || name === '*') return state.positional === null ? unknown : joinArgs(state.positional);
  const known = state.vars.get(name);
  if (known !== undefined) return known[0] ?? literal('');
  if (name === 'HOME') return { ...literal('~'), open: false };
  if (name === 'PWD') return state.cwd === null ? unknown : literal(state.cwd);
  if (name === 'TMPDIR') return literal(SCRATCH_FOLDER);
  return unknown;
}

function parameterOf(state: ShellState, part: ParameterExpansionPart, values: Values): Arg {
  if (part.prefix === '#') return { ...unknown };
  if (part.prefix === '!') return { ...unknown, hidden: part.index === undefined };
  const at = part.index?.text;
  const list = at === undefined ? undefined : state.vars.get(part.parameter);
  const value =
    at === undefined
      ? valueOf(state, part.parameter)
      : ((at === '@' || at === '*' ? list && joinArgs(list) : list?.[/^\d+$/.test(at) ? Number(at) : -1]) ?? unknown);
  const { operation } = part;
  if (operation === undefined) return value;
  switch (operation.type) {
    case 'Default': {
      const other = wordText(state, operation.operand, values);
      if (operation.operator.includes('?')) return value;
      if (operation.operator.includes('+')) return { ...other, open: true };
      return value.text === HOLE ? { ...other, open: true } : value;
    }
    case 'Slice':
      return { ...unknown, hidden: true };
    case 'Remove':
    case 'Replace':
    case 'CaseModification':
    case 'Transform':
    case 'Names':
    case 'Unknown':
      return { ...unknown, hidden: value.hidden || (operation.type === 'Replace' && value.text !== '' && !value.open) };
  }
}

const isGlob = (text: string): boolean => /[*?]|\[.+\]/.test(text);

/** Expands {a,b} and {1..9}; of a range, only the first and the last. */
function bracesIn(text: string, state: ShellState, depth = 0): string[] {
  const open = depth > 6 ? -1 : text.search(/(?<![$\\])\{[^{}]*(?:,|\.\.)/);
  if (open === -1) return [text];
  const close = closingBrace(text, open);
  if (close === -1) return [text];
  const inside = text.slice(open + 1, close);
  const range = /^(-?\d+|\w)\.\.(-?\d+|\w)(?:\.\.-?\d+)?$/.exec(inside);
  const choices = range === null ? choicesIn(inside) : rangeOf(range[1] ?? '', range[2] ?? '', state);
  if (choices.length < 2) return [text];
  const alternatives = choices.flatMap((choice) =>
    bracesIn(text.slice(0, open) + choice + text.slice(close + 1), state, depth + 1),
  );
  return alternatives.slice(0, 256);
}

function rangeOf(from: string, to: string, state: ShellState): string[] {
  if (Math.abs(Number(to) - Number(from)) > MOST_FROM_BRACES)
    raise(state, 'deny', 'a brace expands to more words than fit into memory');
  return [from, to];
}

function closingBrace(text: string, open: number): number {
  let depth = 0;
  for (let at = open; at < text.length; at += 1) {
    if (text[at] === '{') depth += 1;
    if (text[at] === '}') depth -= 1;
    if (depth === 0) return at;
  }
  return -1;
}

function choicesIn(inside: string): string[] {
  const choices = [''];
  let depth = 0;
  for (const char of inside) {
    if (char === '{') depth += 1;
    if (char === '}') depth -= 1;
    if (char === ',' && depth === 0) choices.push('');
    else choices[choices.length - 1] += char;
  }
  return choices;
}
