/** Owns: a simple command: its assignments, its redirections, its words, and what it would print. */
import type { Assignment, Command } from 'unbash';
import { checkVariable } from './environment.ts';
import { inspect } from './inspect.ts';
import { redirect } from './redirect.ts';
import { type Arg, HOLE, literal, type Output, raise, type Scene, type Stdin } from './scene.ts';
import { argsOf, textOf, type Values } from './words.ts';

/** Programs that do not make another text out of the one they are given. */
const PASSES =
  /^(?:cat|tee|read|mapfile|readarray|(?:ba|da|z|k)?sh|python\d?|node|sqlite3|git|grep|wc|head|tail|xargs|ed|patch|psql|cd|source|\.)$/;

export function walkCommand(scene: Scene, node: Command, stdin: Stdin): Output {
  checkGaps(scene, node);
  const values = inspect(scene, ...node.prefix, ...(node.name ? [node.name] : []), ...node.suffix);
  const { input, done } = redirect(scene, node.redirects, values, stdin);
  const assignments = node.prefix.filter((each) => each.type === 'Assignment');
  for (const assignment of assignments) checkAssignment(scene, assignment, values);
  if (node.name === undefined) {
    for (const assignment of assignments) assign(scene, assignment, values);
    done(null);
    return null;
  }
  const args = [...nameOf(scene, node, values), ...node.args.flatMap((arg) => wordsOf(scene, arg, values))];
  scene.parts.call(scene, args, input);
  if (input.from === 'text' && !input.text.includes(HOLE) && !PASSES.test(args[0]?.text ?? ''))
    scene.tally.decodes = true;
  const output = printed(scene, args, input);
  done(output);
  return output;
}

/** The parser passes over a stray parenthesis, at which bash would stop. */
function checkGaps({ source, ...scene }: Scene, node: Command): void {
  const words = [...node.prefix, ...(node.name ? [node.name] : []), ...node.suffix].toSorted(
    (one, other) => one.pos - other.pos,
  );
  for (const [at, word] of words.entries()) {
    const before = words[at - 1];
    if (before && /[()]/.test(source.slice(before.end, word.pos)))
      raise(scene as Scene, 'deny', 'it does not parse: a parenthesis stands alone');
  }
  const last = words.at(-1);
  if (last && /^[ \t]*\(/.test(source.slice(last.end)))
    raise(scene as Scene, 'deny', 'it does not parse: a parenthesis stands alone');
}

/** Anything but plain text, quoted or not, could become another program when it runs. */
function nameOf(scene: Scene, node: Command, values: Values): Arg[] {
  const name = node.name;
  if (name === undefined) return [];
  const plain = (name.parts ?? []).every((part) =>
    ['Literal', 'SingleQuoted', 'AnsiCQuoted', 'DoubleQuoted', 'LocaleString'].includes(part.type),
  );
  const inner = (name.parts ?? []).flatMap((part) =>
    part.type === 'DoubleQuoted' || part.type === 'LocaleString' ? part.parts : [],
  );
  if (plain && inner.every((part) => part.type === 'Literal')) return argsOf(scene, name, values).slice(0, 1);
  const [first, ...rest] = argsOf(scene, name, values);
  return [{ ...(first ?? literal('')), open: true }, ...rest];
}

function wordsOf(scene: Scene, arg: Command['args'][number], values: Values): Arg[] {
  if (arg.type === 'Word') return argsOf(scene, arg, values);
  assign(scene, arg, values);
  const value = arg.value.type === 'Word' ? textOf(scene, arg.value, values) : literal('');
  const index = arg.index === undefined ? '' : `[${arg.index.text}]`;
  return [{ ...value, text: `${arg.name}${index}=${value.text}` }];
}

function checkAssignment(scene: Scene, assignment: Assignment, values: Values): void {
  const { name, index, value } = assignment;
  if (index !== undefined) {
    scene.tally.calculates = true;
    if (/['"\\]/.test(index.text) && /\$\(|`/.test(index.text)) raise(scene, 'deny', 'a subscript holds code');
  }
  checkVariable(scene, name, value.type === 'Word' ? textOf(scene, value, values) : literal(''));
}

function assign(scene: Scene, { name, append, index, value }: Assignment, values: Values): void {
  const before = scene.vars.get(name) ?? [];
  if (value.type === 'ArrayValue') {
    const elements = value.elements.flatMap((word) => argsOf(scene, word, values));
    scene.vars.set(name, append === true ? [...before, ...elements] : elements);
    return;
  }
  const now = textOf(scene, value, values);
  if (index !== undefined) scene.vars.set(name, [...before, now]);
  else if (append === true && before[0])
    scene.vars.set(name, [{ ...now, text: before[0].text + now.text, open: now.open || before[0].open }]);
  else scene.vars.set(name, [now]);
}

/** Known only for the few programs that pass on what they are given. */
function printed(scene: Scene, args: readonly Arg[], stdin: Stdin): Output {
  const [name, ...rest] = args;
  const words = rest.map(({ text }) => text);
  const known = Object.hasOwn(PRINTS, name?.text ?? '') ? PRINTS[name?.text ?? ''] : undefined;
  return known?.({ scene, words, rest, stdin }) ?? null;
}

type Printing = { scene: Scene; words: readonly string[]; rest: readonly Arg[]; stdin: Stdin };

/** Letters written as numbers: nobody reads what they say. */
const SPELT = /\\(?:x[2-7][\da-fA-F]|0?(?:0[4-7]|1[0-7])[0-7]|u00[2-7][\da-fA-F])/;

const PRINTS: Readonly<Record<string, (printing: Printing) => Output>> = {
  echo: ({ scene, words }) => {
    const plain = words.filter((word, index) => index > 0 || !/^-[neE]+$/.test(word)).join(' ');
    const decodes = /^-\w*e/.test(words[0] ?? '');
    if (decodes && SPELT.test(plain)) scene.tally.decodes = true;
    return decodes && SPELT.test(plain) ? null : { text: decodes ? unescaped(plain) : plain };
  },
  printf: ({ scene, words }) => {
    if (!words.some((word) => SPELT.test(word))) return words[0] === '-v' ? null : { text: formatted(words) };
    scene.tally.decodes = true;
    return null;
  },
  cat: ({ words, rest, stdin }) => {
    if (words.length > 0) return words.length === 1 && rest[0] && !words[0]?.startsWith('-') ? { file: rest[0] } : null;
    return stdin.from === 'text' ? { text: stdin.text } : stdin.from === 'file' ? { file: stdin.file } : null;
  },
  tee: ({ stdin }) => (stdin.from === 'text' ? { text: stdin.text } : null),
  pwd: ({ scene }) => (scene.cwd === null ? null : { text: scene.cwd }),
  mktemp: () => ({ text: `/tmp/${HOLE}` }),
};

function formatted([format = '', ...values]: readonly string[]): string {
  const left = [...values];
  const once = unescaped(format).replaceAll(
    /%(?:%|[-+ #0]*[\d*]*(?:\.\d+)?([a-zA-Z]))/g,
    (_, kind: string | undefined) => {
      const value = kind === undefined ? '%' : (left.shift() ?? '');
      return kind === 'b' ? unescaped(value) : value;
    },
  );
  return [once, ...left].join(' ');
}

function unescaped(text: string): string {
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
