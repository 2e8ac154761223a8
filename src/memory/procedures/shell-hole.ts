/**
 * Owns: putting a value into a command so that the command stays what it was.
 *
 * 1. A value never becomes a program, an option, or more than one word.
 * 2. Where it is not plain it is quoted if it is a word of its own, else it is refused.
 * 3. Inside code, and where the line is too involved to say what it is inside of, only a bare word is let in.
 */
import type { Values } from './values.ts';

export type Problem = { problem: string };

const HOLE = /\{\{input\.([a-z][a-z0-9_]*)\}\}/y;
/** Means nothing to a shell. */
const PLAIN = /^[A-Za-z0-9_@%+=:,./-]+$/;
const BARE = /^[A-Za-z0-9_][A-Za-z0-9_-]*$/;
const INVOLVED = /\$\(|`|<<|\$'|\$"|\$\{|\(\(/;
/** What they are given is code, or another command. */
const CODE = new Set(
  `sh bash dash zsh ksh fish python python3 node deno bun perl ruby php lua tclsh Rscript awk gawk mawk sed jq yq env xargs
  eval exec source . ssh sqlite3 psql mysql make parallel sudo nohup timeout nice time watch script setsid`.split(
    /\s+/,
  ),
);
const OPENERS = new Set(['then', 'do', 'else', 'elif', 'if', 'while', 'until', '!', '{', '(']);

/** Where in a line we are. */
type Scan = {
  at: number;
  quote: '' | "'" | '"';
  /** The word so far, holes as they are; null between words. */
  word: string | null;
  /** The words of the command so far, without the files that it is redirected to. */
  words: string[];
  /** Whether the word at hand names such a file. */
  isFile: boolean;
  line: string;
};

export function filledLine(template: string, values: Values): { line: string } | Problem {
  const scan: Scan = { at: 0, quote: '', word: null, words: [], isFile: false, line: '' };
  const isInvolved = INVOLVED.test(template);
  while (scan.at < template.length) {
    HOLE.lastIndex = scan.at;
    const [all, name] = HOLE.exec(template) ?? [];
    if (all === undefined || name === undefined) step(template, scan);
    else {
      const put = placed(template, scan, all, values[name] ?? '', isInvolved);
      if (typeof put !== 'string') return put;
      scan.line += put;
      scan.word = `${scan.word ?? ''}${all}`;
      scan.at += all.length;
    }
  }
  return { line: scan.line };
}

function step(template: string, scan: Scan): void {
  const letter = template[scan.at] ?? '';
  scan.line += letter;
  scan.at += 1;
  if (scan.quote !== '') {
    if (letter === '\\' && scan.quote === '"') take(template, scan);
    else if (letter === scan.quote) scan.quote = '';
    scan.word += letter;
  } else if (letter === '\\') {
    scan.word = `${scan.word ?? ''}${letter}`;
    take(template, scan);
  } else if (letter === '&' && (/[<>]/.test(template[scan.at - 2] ?? '') || template[scan.at] === '>'))
    scan.word = null;
  else if (/[\s;|&()<>]/.test(letter)) endWord(scan, letter);
  else {
    if (letter === "'" || letter === '"') scan.quote = letter;
    scan.word = `${scan.word ?? ''}${letter}`;
  }
}

/** The letter behind a backslash means itself. */
function take(template: string, scan: Scan): void {
  const letter = template[scan.at];
  if (letter === undefined || template.startsWith('{{input.', scan.at)) return;
  scan.line += letter;
  scan.word = `${scan.word ?? ''}${letter}`;
  scan.at += 1;
}

function endWord(scan: Scan, letter: string): void {
  const { word, words, isFile } = scan;
  const isBefore = word !== null && words.length === 0 && (OPENERS.has(word) || /^\w+=/.test(word));
  const isNumber = word !== null && /[<>]/.test(letter) && /^\d+$/.test(word);
  if (word !== null && !isFile && !isBefore && !isNumber) words.push(word);
  if (/[;|&()\n]/.test(letter)) scan.words = [];
  scan.isFile = /[<>]/.test(letter) || (isFile && word === null && /[^\S\n]/.test(letter));
  scan.word = null;
}

function placed(template: string, scan: Scan, hole: string, value: string, isInvolved: boolean): string | Problem {
  const { quote, word, words } = scan;
  const before = template[scan.at - 1] ?? ' ';
  const after = template[scan.at + hole.length] ?? ' ';
  const isFirst = word === null || /^["']$/.test(word);
  if (words.length === 0 && !scan.isFile && !/^\w+=/.test(word ?? ''))
    return refused(value, 'would say which program runs');
  if (before === '$' || before === '\\') return refused(value, 'would become part of a variable');
  if (isFirst && value.startsWith('-')) return refused(value, 'could be taken for an option');
  const isWhole = quote === '' && word === null && /[\s;|&()<>]/.test(after);
  if (scan.isFile && isWhole && PLAIN.test(value)) return value;
  if (isInvolved || isInCode(words, isWhole)) {
    const isBare = BARE.test(value) && !(isWhole && isInCode(words, isWhole));
    const isTold = PLAIN.test(value) && isInLiteral(template, scan, hole);
    return isBare || isTold ? value : refused(value, 'stands inside of code');
  }
  if (PLAIN.test(value)) return value;
  if (isWhole) return `'${value.replaceAll("'", String.raw`'\''`)}'`;
  if (quote === "'" && !value.includes("'")) return value;
  if (quote === '"' && !/["$`\\!]/.test(value)) return value;
  return refused(value, 'cannot be quoted where it stands');
}

/** What a program of this kind is given before its files says what it does. */
function isInCode(words: readonly string[], isWhole: boolean): boolean {
  const program = words[0]?.split('/').at(-1) ?? '';
  return CODE.has(program) && !(isWhole && isOperand(words));
}

/** Behind the first word that is no option come files. */
const isOperand = (words: readonly string[]): boolean => words.slice(1).some((word) => !word.startsWith('-'));

/** Between quotes of the code itself, which are not those of the shell. */
function isInLiteral(template: string, { at, quote }: Scan, hole: string): boolean {
  const left = /(["'])[\w./ -]*$/.exec(template.slice(Math.max(0, at - 200), at))?.[1];
  const right = /^(?:[\w./ -]|\{\{input\.\w+\}\})*(["'])/.exec(
    template.slice(at + hole.length, at + hole.length + 200),
  )?.[1];
  return quote !== '' && left !== undefined && left === right && left !== quote;
}

export function filledArgv(template: readonly string[], values: Values): { argv: string[] } | Problem {
  const program = template[0]?.split('/').at(-1) ?? '';
  const argv: string[] = [];
  for (const [index, element] of template.entries()) {
    const names = [...element.matchAll(/\{\{input\.([a-z][a-z0-9_]*)\}\}/g)].map((found) => found[1] ?? '');
    const isOption = names.length > 0 && element.startsWith('{{') && (values[names[0] ?? ''] ?? '').startsWith('-');
    if (names.length > 0 && index === 0) return refused(element, 'would say which program runs');
    if (isOption) return refused(element, 'could be taken for an option');
    const isWhole = /^\{\{input\.\w+\}\}$/.test(element);
    const isFile = isWhole && isOperand(template.slice(0, index));
    const bad = names.find((name) => isWhole || !BARE.test(values[name] ?? ''));
    if (CODE.has(program) && !isFile && bad !== undefined) return refused(values[bad] ?? '', 'stands inside of code');
    argv.push(element.replaceAll(/\{\{input\.([a-z][a-z0-9_]*)\}\}/g, (_, name: string) => values[name] ?? ''));
  }
  return { argv };
}

const refused = (value: string, why: string): Problem => ({ problem: `"${value.slice(0, 60)}" ${why}` });
