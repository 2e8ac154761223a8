/**
 * Names that lines seem to declare, in languages without a parser here. A line counts if it begins with the words of a
 * declaration; that is right for formatted source, and a wrong guess costs a word in an outline.
 */
import { type DeclaredName, declarationAt } from './declaration-line.ts';

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

/** `ending` is that of the name of the file, without its dot and in small letters. */
export function readDeclaredLines(text: string, ending: string): DeclaredName[] {
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
