/** Owns: a simple command: its assignments, its redirections, its words, and what it would print. */
import type { Assignment, Command } from 'unbash';
import { checkVariable } from './risky-variables.ts';
import { expandNodes } from './inspect-words.ts';
import { SCRATCH_FOLDER } from './paths.ts';
import { redirect } from './redirections.ts';
import { type Arg, HOLE, literal, type Output, raise, type ShellState, type Stdin } from './shell-state.ts';
import { argsOf, wordText, type Values } from './expand-words.ts';

/** Programs that do not transform the text on their standard input. */
const PASSES =
  /^(?:cat|tee|read|mapfile|readarray|(?:ba|da|z|k)?sh|python\d?|node|sqlite3|git|grep|wc|head|tail|xargs|ed|patch|psql|cd|source|\.)$/;

export function walkCommand(state: ShellState, node: Command, stdin: Stdin): Output {
  checkGaps(state, node);
  const values = expandNodes(state, ...node.prefix, ...(node.name ? [node.name] : []), ...node.suffix);
  const { input, done } = redirect(state, node.redirects, values, stdin);
  const assignments = node.prefix.filter((each) => each.type === 'Assignment');
  for (const assignment of assignments) checkAssignment(state, assignment, values);
  if (node.name === undefined) {
    for (const assignment of assignments) assign(state, assignment, values);
    done(null);
    return null;
  }
  const args = [...programWords(state, node, values), ...node.args.flatMap((arg) => argumentWords(state, arg, values))];
  state.parts.call(state, args, input);
  if (input.from === 'text' && !input.text.includes(HOLE) && !PASSES.test(args[0]?.text ?? ''))
    state.tally.decodes = true;
  const output = outputOf(state, args, input);
  done(output);
  return output;
}

/** Denies a stray parenthesis: the parser skips it, bash would stop there. */
function checkGaps({ source, ...state }: ShellState, node: Command): void {
  const words = [...node.prefix, ...(node.name ? [node.name] : []), ...node.suffix].toSorted(
    (one, other) => one.pos - other.pos,
  );
  for (const [at, word] of words.entries()) {
    const before = words[at - 1];
    if (before && /[()]/.test(source.slice(before.end, word.pos)))
      raise(state as ShellState, 'deny', 'it does not parse: unbalanced parenthesis');
  }
  const last = words.at(-1);
  if (last && /^[ \t]*\(/.test(source.slice(last.end)))
    raise(state as ShellState, 'deny', 'it does not parse: unbalanced parenthesis');
}

/** The words of the program's name. Anything but plain text, quoted or not, could become another program. */
function programWords(state: ShellState, node: Command, values: Values): Arg[] {
  const name = node.name;
  if (name === undefined) return [];
  const plain = (name.parts ?? []).every((part) =>
    ['Literal', 'SingleQuoted', 'AnsiCQuoted', 'DoubleQuoted', 'LocaleString'].includes(part.type),
  );
  const inner = (name.parts ?? []).flatMap((part) =>
    part.type === 'DoubleQuoted' || part.type === 'LocaleString' ? part.parts : [],
  );
  if (plain && inner.every((part) => part.type === 'Literal')) return argsOf(state, name, values).slice(0, 1);
  const [first, ...rest] = argsOf(state, name, values);
  return [{ ...(first ?? literal('')), open: true }, ...rest];
}

function argumentWords(state: ShellState, arg: Command['args'][number], values: Values): Arg[] {
  if (arg.type === 'Word') return argsOf(state, arg, values);
  assign(state, arg, values);
  const value = arg.value.type === 'Word' ? wordText(state, arg.value, values) : literal('');
  const index = arg.index === undefined ? '' : `[${arg.index.text}]`;
  return [{ ...value, text: `${arg.name}${index}=${value.text}` }];
}

function checkAssignment(state: ShellState, assignment: Assignment, values: Values): void {
  const { name, index, value } = assignment;
  if (index !== undefined) {
    state.tally.calculates = true;
    if (/['"\\]/.test(index.text) && /\$\(|`/.test(index.text)) raise(state, 'deny', 'a subscript contains code');
  }
  checkVariable(state, name, value.type === 'Word' ? wordText(state, value, values) : literal(''));
}

function assign(state: ShellState, { name, append, index, value }: Assignment, values: Values): void {
  const before = state.vars.get(name) ?? [];
  if (value.type === 'ArrayValue') {
    const elements = value.elements.flatMap((word) => argsOf(state, word, values));
    state.vars.set(name, append === true ? [...before, ...elements] : elements);
    return;
  }
  const now = wordText(state, value, values);
  if (index !== undefined) state.vars.set(name, [...before, now]);
  else if (append === true && before[0])
    state.vars.set(name, [{ ...now, text: before[0].text + now.text, open: now.open || before[0].open }]);
  else state.vars.set(name, [now]);
}

/** What a call would print. Known only for the few programs that pass their input or arguments on. */
function outputOf(state: ShellState, args: readonly Arg[], stdin: Stdin): Output {
  const [name, ...rest] = args;
  const words = rest.map(({ text }) => text);
  const known = Object.hasOwn(PRINTS, name?.text ?? '') ? PRINTS[name?.text ?? ''] : undefined;
  return known?.({ state, words, rest, stdin }) ?? null;
}

type Printing = { state: ShellState; words: readonly string[]; rest: readonly Arg[]; stdin: Stdin };

/** Letters written as character codes, which a person cannot read. */
const ENCODED_LETTER = /\\(?:x[2-7][\da-fA-F]|0?(?:0[4-7]|1[0-7])[0-7]|u00[2-7][\da-fA-F])/;

const PRINTS: Readonly<Record<string, (printing: Printing) => Output>> = {
  echo: ({ state, words }) => {
    const plain = words.filter((word, index) => index > 0 || !/^-[neE]+$/.test(word)).join(' ');
    const decodes = /^-\w*e/.test(words[0] ?? '');
    if (decodes && ENCODED_LETTER.test(plain)) state.tally.decodes = true;
    return decodes && ENCODED_LETTER.test(plain) ? null : { text: decodes ? unescape(plain) : plain };
  },
  printf: ({ state, words }) => {
    if (!words.some((word) => ENCODED_LETTER.test(word)))
      return words[0] === '-v' ? null : { text: formatPrintf(words) };
    state.tally.decodes = true;
    return null;
  },
  cat: ({ words, rest, stdin }) => {
    if (words.length > 0) return words.length === 1 && rest[0] && !words[0]?.startsWith('-') ? { file: rest[0] } : null;
    return stdin.from === 'text' ? { text: stdin.text } : stdin.from === 'file' ? { file: stdin.file } : null;
  },
  tee: ({ stdin }) => (stdin.from === 'text' ? { text: stdin.text } : null),
  pwd: ({ state }) => (state.cwd === null ? null : { text: state.cwd }),
  mktemp: () => ({ text: `${SCRATCH_FOLDER}/${HOLE}` }),
};

function formatPrintf([format = '', ...values]: readonly string[]): string {
  const left = [...values];
  const once = unescape(format).replaceAll(
    /%(?:%|[-+ #0]*[\d*]*(?:\.\d+)?([a-zA-Z]))/g,
    (_, kind: string | undefined) => {
      const value = kind === undefined ? '%' : (left.shift() ?? '');
      return kind === 'b' ? unescape(value) : value;
    },
  );
  return [once, ...left].join(' ');
}

function unescape(text: string): string {
  return text.replaceAll(
    /\\(?:x([0-9a-fA-F]{1,2})|0?([0-7]{1,3})|u([0-9a-fA-F]{1,4})|(.))/g,
    (_, hex, octal, unicode, plain: string | undefined) => {
      if (plain !== undefined) return { n: '\n', t: '\t', r: '\r', e: '\u001B', '\\': '\\' }[plain] ?? plain;
      const code =
        hex === undefined && unicode === undefined
          ? Number.parseInt(String(octal), 8)
          : Number.parseInt(String(hex ?? unicode), 16);
      return code === 0 ? '\n' : code >= 0xe000 && code <= 0xe002 ? HOLE : String.fromCharCode(code);
    },
  );
}
