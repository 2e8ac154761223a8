/**
 * What a file contains, in a few lines and without a model: its first sentences, its headings or exported names with
 * their lines, and what it imports.
 *
 * 1. The outline follows from the content and from the ending of the name alone, so it is the same on every machine.
 * 2. It takes time linear in the length of the text.
 */
import { declarationAt, type DeclaredName } from './declaration-line.ts';
import { leadingSentences } from './leading-sentences.ts';
import { readModuleNames } from './module-names.ts';

const JAVASCRIPT =
  /^export\s+(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(?:const|let|var|function\*?|class|type|interface|enum)\s+([\w$]+)/;

const PYTHON = /^(?:async\s+)?(?:def|class)\s+([A-Za-z]\w*)/;

const GO = /^(?:func\s+(?:\([^)]*\)\s*)?|type\s+|var\s+|const\s+)([A-Z]\w*)/;

const RUST =
  /^pub(?:\([^)]*\))?\s+(?:async\s+|unsafe\s+|const\s+)*(?:fn|struct|enum|trait|mod|type|static|const)\s+(\w+)/;

const CLASSES =
  /^\s{0,4}(?:public|protected|export|internal|open)\s+(?:static\s+|final\s+|abstract\s+|sealed\s+|async\s+|partial\s+)*(?:class|interface|enum|record|struct|trait|object|fun|[\w<>[\],?]+)\s+(\w+)/;

const C = /^(?:typedef\s+)?(?:struct|enum|union)\s+(\w+)|^[A-Za-z_][\w\s*]*?\b(\w+)\s*\([^;]*$/;

const SHELL = /^(?:function\s+)?([A-Za-z_][\w-]*)\s*\(\)\s*\{?/;

const SQL =
  /^create\s+(?:or\s+replace\s+)?(?:table|view|index|function|procedure|type)\s+(?:if\s+not\s+exists\s+)?([\w."]+)/i;

const RUBY = /^\s{0,4}(?:def|class|module)\s+([\w.:?!]+)/;

const PATTERNS: Readonly<Record<string, RegExp>> = {
  ...byEndings(JAVASCRIPT, ['js', 'mjs', 'cjs', 'jsx', 'ts', 'mts', 'cts', 'tsx', 'vue', 'svelte']),
  ...byEndings(PYTHON, ['py', 'pyi']),
  ...byEndings(GO, ['go']),
  ...byEndings(RUST, ['rs']),
  ...byEndings(CLASSES, ['java', 'kt', 'cs', 'scala', 'swift', 'php']),
  ...byEndings(C, ['c', 'h', 'cc', 'cpp', 'hpp']),
  ...byEndings(SHELL, ['sh', 'bash', 'zsh']),
  ...byEndings(SQL, ['sql']),
  ...byEndings(RUBY, ['rb']),
};

const LONGEST_LINE = 400;

export type FileOutline = {
  lines: number;
  lead: string;
  headings: Heading[];
  names: DeclaredName[];
  specifiers: string[];
};

type Heading = { level: number; text: string; line: number };

const SCRIPTS = ['js', 'mjs', 'cjs', 'ts', 'mts', 'cts'];
const PROSE = ['md', 'markdown', 'txt', 'rst', 'adoc', 'org', ''];
const MARKDOWN = ['md', 'markdown', 'adoc'];

/** Longer texts are outlined by their beginning. */
const MOST_READ = 2_000_000;

export function outlineOf(text: string, ending: string): FileOutline {
  const read = text.slice(0, MOST_READ);
  const parsed = SCRIPTS.includes(ending) ? readModuleNames(read) : null;
  return {
    lines: countLines(text),
    lead: leadingSentences(read, !PROSE.includes(ending), 3, 480),
    headings: MARKDOWN.includes(ending) ? readHeadings(read) : [],
    names: parsed?.names ?? readDeclaredLines(read, ending),
    specifiers: parsed?.specifiers ?? [],
  };
}

/** The ending of a name in small letters, without the dot: `a.d.ts` ends in ts, `.env` and `Makefile` in nothing. */
export function endingOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  return dot <= 0 ? '' : name.slice(dot + 1).toLowerCase();
}

/** Headings of markdown (or AsciiDoc), outside fences. */
function readHeadings(text: string): Heading[] {
  const headings: Heading[] = [];
  let fence = '';
  text.split('\n').forEach((line, index) => {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1] ?? '';
    if (mark !== '' && fence === '') fence = mark;
    else if (mark !== '' && mark.startsWith(fence)) fence = '';
    const heading = fence === '' ? /^ {0,3}(#{1,6}|={2,6})\s+(\S.*)$/.exec(line) : null;
    if (heading !== null) {
      const title = (heading[2] ?? '').replace(/\s+#+\s*$/, '').trim();
      headings.push({ level: heading[1]?.length ?? 1, text: title.slice(0, 160), line: index + 1 });
    }
  });
  return headings;
}

function countLines(text: string): number {
  let lines = text === '' || text.endsWith('\n') ? 0 : 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}

/** `ending` is that of the name of the file, without its dot and in small letters. */
function readDeclaredLines(text: string, ending: string): DeclaredName[] {
  const pattern = PATTERNS[ending];
  if (pattern === undefined) return [];
  const names: DeclaredName[] = [];
  text.split('\n').forEach((line, index) => {
    const found = line.length <= LONGEST_LINE ? pattern.exec(line) : null;
    const name = found?.slice(1).find((group) => group !== undefined);
    if (name !== undefined) names.push({ name, line: index + 1, declaration: declarationAt(line.trimStart(), 0) });
  });
  return names;
}

function byEndings(pattern: RegExp, endings: readonly string[]): Record<string, RegExp> {
  return Object.fromEntries(endings.map((ending) => [ending, pattern]));
}
