/** Owns: what a program will get for a word: quotes removed, known variables filled in, braces unfolded. */
import type { ParameterExpansionPart, Word, WordPart } from 'unbash';
import { type Arg, HOLE, JOB, literal, raise, type Scene, unknown } from './scene.ts';

/** What the substitutions in a word give, found when they were walked. */
export type Values = ReadonlyMap<unknown, Arg>;

/** The most a brace may unfold to; more than that is meant to fill the memory. */
const MOST_FROM_BRACES = 100_000;

type Piece = { text: string; quoted: boolean; open?: boolean; glob?: boolean; hidden?: boolean };

/** One word may become several, or none. */
export function argsOf(scene: Scene, word: Word, values: Values): Arg[] {
  const list = listOf(scene, word);
  if (list !== null) return [...list];
  const { parts } = word;
  if (parts === undefined) return [literal(word.value)];
  checkRanges(scene, word.text);
  let ways: Piece[][] = [[]];
  for (const part of parts) {
    const given = piecesOf(scene, part, values);
    ways = ways.length * given.length > 512 ? ways : ways.flatMap((way) => given.map((piece) => [...way, piece]));
  }
  return ways.flatMap((way) => fieldsOf(scene, way));
}

/** Ranges side by side multiply. */
function checkRanges(scene: Scene, text: string): void {
  const sizes = [...text.matchAll(/\{(-?\d+)\.\.(-?\d+)/g)].map(
    ([, from, to]) => Math.abs(Number(to) - Number(from)) + 1,
  );
  if (sizes.length > 1 && sizes.reduce((all, size) => all * size, 1) > MOST_FROM_BRACES)
    raise(scene, 'deny', 'a brace unfolds to more words than memory can hold');
}

/** The word as one text, as bash takes it in assignments and redirections. */
export function textOf(scene: Scene, word: Word, values: Values): Arg {
  const all = argsOf(scene, word, values);
  if (all.length === 1 && all[0] !== undefined) return all[0];
  return {
    text: all.map(({ text }) => text).join(' '),
    open: all.some(({ open }) => open),
    glob: all.some(({ glob }) => glob),
    hidden: all.some(({ hidden }) => hidden),
  };
}

/** "${list[@]}" and "$@" give one argument for every element. */
function listOf(scene: Scene, word: Word): readonly Arg[] | null {
  const name = /^"?\$\{?(\w+)\[[@*]\]\}"?$/.exec(word.text)?.[1];
  if (name !== undefined) return scene.vars.get(name) ?? null;
  return /^"?\$\{?[@*]\}?"?$/.test(word.text) ? scene.positional : null;
}

/** The ways a part can read; only braces have more than one. */
function piecesOf(scene: Scene, part: WordPart, values: Values): Piece[] {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      if (/[\uE000-\uE002]/.test(part.value)) raise(scene, 'deny', 'it holds characters that nobody can see');
      return [{ text: part.value, quoted: true }];
    case 'Glob':
    case 'ExtendedGlob':
      return [{ text: part.text, quoted: true, glob: true }];
    case 'DoubleQuoted':
    case 'LocaleString':
      return [joined(part.parts.flatMap((inner) => piecesOf(scene, inner, values)))];
    case 'SimpleExpansion':
      return [pieceOf(valueOf(scene, part.text.slice(1)))];
    case 'ParameterExpansion':
      return [pieceOf(parameterOf(scene, part, values))];
    case 'CommandExpansion':
      return [pieceOf(values.get(part) ?? unknown)];
    case 'ArithmeticExpansion':
      return [pieceOf({ ...unknown, hidden: false })];
    case 'ProcessSubstitution':
      return [{ text: `/dev/fd/63`, quoted: true, open: true }];
    case 'BraceExpansion':
      return bracesIn(part.text, scene).map(bracePiece);
  }
}

function bracePiece(text: string): Piece {
  const bare = text.replaceAll(/\$\{[^}]*\}|\$\w+|\$\(.*\)|`.*`/g, HOLE).replaceAll(/['"\\]/g, '');
  return { text: bare, quoted: true, open: bare.includes(HOLE), glob: isGlob(bare) };
}

function joined(pieces: readonly Piece[]): Piece {
  return {
    text: pieces.map(({ text }) => text).join(''),
    quoted: true,
    open: pieces.some(({ open }) => open === true),
    hidden: pieces.some(({ hidden }) => hidden === true),
  };
}

const pieceOf = ({ text, open, glob, hidden }: Arg): Piece => ({ text, quoted: false, open, glob, hidden });

/** Unquoted white space of an expansion splits the word, as in bash. */
function fieldsOf(scene: Scene, pieces: readonly Piece[]): Arg[] {
  const separator = separatorOf(scene);
  const fields: Arg[] = [];
  let current: Arg | null = null;
  for (const piece of pieces) {
    const texts = piece.quoted ? [piece.text] : piece.text.split(separator);
    for (const [index, text] of texts.entries()) {
      if (index > 0 && current !== null) {
        if (current.text !== '') fields.push(current);
        current = null;
      }
      current = grown(current, piece, text);
    }
  }
  if (current !== null) fields.push(current);
  return fields;
}

/** White space and whatever the line itself put into IFS. */
function separatorOf(scene: Scene): RegExp {
  const own = scene.vars.get('IFS')?.[0]?.text.replaceAll(/[\s\]\\^-]/g, '') ?? '';
  return own === '' ? /\s+/ : new RegExp(`[\\s${own}]+`);
}

function grown(current: Arg | null, piece: Piece, text: string): Arg {
  return {
    text: (current?.text ?? '') + text,
    open: current?.open === true || piece.open === true,
    glob: current?.glob === true || piece.glob === true,
    hidden: current?.hidden === true || piece.hidden === true,
  };
}

/** What a variable holds at this point, or a hole. */
export function valueOf(scene: Scene, name: string): Arg {
  if (name === '_') return { ...unknown, hidden: true };
  if (name === '!') return { ...unknown, text: JOB };
  const place = /^\d$/.test(name) ? scene.positional?.[Number(name) - 1] : undefined;
  if (place !== undefined) return place;
  if (name === '@' || name === '*') return scene.positional === null ? unknown : allOf(scene.positional);
  const known = scene.vars.get(name);
  if (known !== undefined) return known[0] ?? literal('');
  if (name === 'HOME') return { ...literal('~'), open: false };
  if (name === 'PWD') return scene.cwd === null ? unknown : literal(scene.cwd);
  if (name === 'TMPDIR') return literal('/tmp');
  return unknown;
}

function allOf(args: readonly Arg[]): Arg {
  return {
    text: args.map(({ text }) => text).join(' '),
    open: args.some(({ open }) => open),
    glob: false,
    hidden: args.some(({ hidden }) => hidden),
  };
}

function parameterOf(scene: Scene, part: ParameterExpansionPart, values: Values): Arg {
  if (part.prefix === '#') return { ...unknown };
  if (part.prefix === '!') return { ...unknown, hidden: part.index === undefined };
  const at = part.index?.text;
  const list = at === undefined ? undefined : scene.vars.get(part.parameter);
  const value =
    at === undefined
      ? valueOf(scene, part.parameter)
      : ((at === '@' || at === '*' ? list && allOf(list) : list?.[/^\d+$/.test(at) ? Number(at) : -1]) ?? unknown);
  const { operation } = part;
  if (operation === undefined) return value;
  switch (operation.type) {
    case 'Default': {
      const other = textOf(scene, operation.operand, values);
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

/** {a,b} and {1..9}; of a range the first and the last. */
export function bracesIn(text: string, scene: Scene, depth = 0): string[] {
  const open = depth > 6 ? -1 : text.search(/(?<![$\\])\{[^{}]*(?:,|\.\.)/);
  if (open === -1) return [text];
  const close = closing(text, open);
  if (close === -1) return [text];
  const inside = text.slice(open + 1, close);
  const range = /^(-?\d+|\w)\.\.(-?\d+|\w)(?:\.\.-?\d+)?$/.exec(inside);
  const choices = range === null ? choicesIn(inside) : rangeOf(range[1] ?? '', range[2] ?? '', scene);
  if (choices.length < 2) return [text];
  const ways = choices.flatMap((choice) =>
    bracesIn(text.slice(0, open) + choice + text.slice(close + 1), scene, depth + 1),
  );
  return ways.slice(0, 256);
}

function rangeOf(from: string, to: string, scene: Scene): string[] {
  if (Math.abs(Number(to) - Number(from)) > MOST_FROM_BRACES)
    raise(scene, 'deny', 'a brace unfolds to more words than memory can hold');
  return [from, to];
}

function closing(text: string, open: number): number {
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
