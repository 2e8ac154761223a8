/**
 * Owns: inserting a value into a command without changing what the command does.
 *
 * 1. A value never becomes a program, an option, or more than one word.
 * 2. A value with special characters is quoted if it is a whole word, and refused otherwise.
 * 3. Inside code, and in a line too complex to tell, only a bare word is accepted.
 */
import type { Values } from './parameter-values.ts';

export type Problem = { problem: string };

const HOLE = /\{\{input\.([a-z][a-z0-9_]*)\}\}/y;
/** Has no special meaning to a shell. */
const PLAIN = /^[A-Za-z0-9_@%+=:,./-]+$/;
const BARE = /^[A-Za-z0-9_][A-Za-z0-9_-]*$/;
const COMPLEX = /\$\(|`|<<|\$'|\$"|\$\{|\(\(/;
/** Programs whose arguments are code or another command. */
const CODE_PROGRAMS = new Set(
  `sh bash dash zsh ksh fish python python3 node deno bun perl ruby php lua tclsh Rscript awk gawk mawk sed jq yq env xargs
  eval exec source . ssh sqlite3 psql mysql make parallel sudo nohup timeout nice time watch script setsid`.split(
    /\s+/,
  ),
);
const OPENERS = new Set(['then', 'do', 'else', 'elif', 'if', 'while', 'until', '!', '{', '(']);

/** The position in a line. */
type Scan = {
  at: number;
  quote: '' | "'" | '"';
  /** The current word so far, with its holes unfilled; null between words. */
  word: string | null;
  /** The words of the current command so far, without redirection targets. */
  words: string[];
  /** Whether the current word is a redirection target. */
  isFile: boolean;
  line: string;
};

export function fillCommandLine(template: string, values: Values): { line: string } | Problem {
  const scan: Scan = { at: 0, quote: '', word: null, words: [], isFile: false, line: '' };
  const isComplex = COMPLEX.test(template);
  while (scan.at < template.length) {
    HOLE.lastIndex = scan.at;
    const [all, name] = HOLE.exec(template) ?? [];
    if (all === undefined || name === undefined) scanLetter(template, scan);
    else {
      const put = placeValue(template, scan, all, values[name] ?? '', isComplex);
      if (typeof put !== 'string') return put;
      scan.line += put;
      scan.word = `${scan.word ?? ''}${all}`;
      scan.at += all.length;
    }
  }
  return { line: scan.line };
}

function scanLetter(template: string, scan: Scan): void {
  const letter = template[scan.at] ?? '';
  scan.line += letter;
  scan.at += 1;
  if (scan.quote !== '') {
    if (letter === '\\' && scan.quote === '"') takeEscaped(template, scan);
    else if (letter === scan.quote) scan.quote = '';
    scan.word += letter;
  } else if (letter === '\\') {
    scan.word = `${scan.word ?? ''}${letter}`;
    takeEscaped(template, scan);
  } else if (letter === '&' && (/[<>]/.test(template[scan.at - 2] ?? '') || template[scan.at] === '>'))
    scan.word = null;
  else if (/[\s;|&()<>]/.test(letter)) endWord(scan, letter);
  else {
    if (letter === "'" || letter === '"') scan.quote = letter;
    scan.word = `${scan.word ?? ''}${letter}`;
  }
}

/** Takes the character after a backslash literally. */
function takeEscaped(template: string, scan: Scan): void {
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

function placeValue(template: string, scan: Scan, hole: string, value: string, isComplex: boolean): string | Problem {
  const { quote, word, words } = scan;
  const before = template[scan.at - 1] ?? ' ';
  const after = template[scan.at + hole.length] ?? ' ';
  const isFirst = word === null || /^["']$/.test(word);
  if (words.length === 0 && !scan.isFile && !/^\w+=/.test(word ?? '')) return refuse(value, 'would choose the program');
  if (before === '$' || before === '\\') return refuse(value, 'would become part of a variable');
  if (isFirst && value.startsWith('-')) return refuse(value, 'could be taken for an option');
  const isWhole = quote === '' && word === null && /[\s;|&()<>]/.test(after);
  if (scan.isFile && isWhole && PLAIN.test(value)) return value;
  if (isComplex || isInCode(words, isWhole)) {
    const isBare = BARE.test(value) && !(isWhole && isInCode(words, isWhole));
    const isLiteral = PLAIN.test(value) && isInLiteral(template, scan, hole);
    return isBare || isLiteral ? value : refuse(value, 'is inside code');
  }
  if (PLAIN.test(value)) return value;
  if (isWhole) return `'${value.replaceAll("'", String.raw`'\''`)}'`;
  if (quote === "'" && !value.includes("'")) return value;
  if (quote === '"' && !/["$`\\!]/.test(value)) return value;
  return refuse(value, 'cannot be quoted at this place');
}

/** The arguments of such a program before its files are code. */
function isInCode(words: readonly string[], isWhole: boolean): boolean {
  const program = words[0]?.split('/').at(-1) ?? '';
  return CODE_PROGRAMS.has(program) && !(isWhole && isOperand(words));
}

/** After the first word that is not an option come files. */
const isOperand = (words: readonly string[]): boolean => words.slice(1).some((word) => !word.startsWith('-'));

/** Whether the hole is inside a string literal of the code, not only in quotes of the shell. */
function isInLiteral(template: string, { at, quote }: Scan, hole: string): boolean {
  const left = /(["'])[\w./ -]*$/.exec(template.slice(Math.max(0, at - 200), at))?.[1];
  const right = /^(?:[\w./ -]|\{\{input\.\w+\}\})*(["'])/.exec(
    template.slice(at + hole.length, at + hole.length + 200),
  )?.[1];
  return quote !== '' && left !== undefined && left === right && left !== quote;
}

export function fillArgv(template: readonly string[], values: Values): { argv: string[] } | Problem {
  const program = template[0]?.split('/').at(-1) ?? '';
  const argv: string[] = [];
  for (const [index, element] of template.entries()) {
    const names = [...element.matchAll(/\{\{input\.([a-z][a-z0-9_]*)\}\}/g)].map((found) => found[1] ?? '');
    const isOption = names.length > 0 && element.startsWith('{{') && (values[names[0] ?? ''] ?? '').startsWith('-');
    if (names.length > 0 && index === 0) return refuse(element, 'would choose the program');
    if (isOption) return refuse(element, 'could be taken for an option');
    const isWhole = /^\{\{input\.\w+\}\}$/.test(element);
    const isFile = isWhole && isOperand(template.slice(0, index));
    const bad = names.find((name) => isWhole || !BARE.test(values[name] ?? ''));
    if (CODE_PROGRAMS.has(program) && !isFile && bad !== undefined) return refuse(values[bad] ?? '', 'is inside code');
    argv.push(element.replaceAll(/\{\{input\.([a-z][a-z0-9_]*)\}\}/g, (_, name: string) => values[name] ?? ''));
  }
  return { argv };
}

const refuse = (value: string, why: string): Problem => ({ problem: `"${value.slice(0, 60)}" ${why}` });
