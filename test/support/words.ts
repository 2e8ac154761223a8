/**
 * Owns: finding words of the retired dialect in texts, and names in source files that say too little. Reads no disk.
 * Does not own: the list of words and the folders that are still to be cleaned (test/words.test.ts).
 */
import { basename } from 'node:path/posix';
import { parseAst } from 'vitest/node';

/** A phrase that texts no longer use, and the word that replaces it. */
export type Retired = { phrase: RegExp; use: string };

/** A piece of text that a person may read, with the place it comes from. */
export type Passage = { at: string; text: string };

export type SourceFile = {
  path: string;
  /** String and template literals that contain prose; a template's expressions appear as `…`. */
  passages: Passage[];
  comments: Passage[];
  functions: { name: string; at: string; exported: boolean }[];
};

export function parseSource(path: string, text: string): SourceFile {
  const program = parseAst(text, { lang: 'ts' }) as unknown as Syntax;
  const lineEnds = [...text.matchAll(/\n/g)].map(({ index }) => index);
  const placeOf = (offset: number): string => `${path}:${lineEnds.filter((end) => end < offset).length + 1}`;
  const file: SourceFile = { path, passages: [], comments: [], functions: [] };
  const literals: Syntax[] = [];
  const visit = (node: Syntax, exported: boolean): void => {
    if (LITERAL.test(node.type)) literals.push(node);
    const prose = proseOf(node);
    if (prose !== null) file.passages.push({ at: placeOf(node.start), text: prose });
    const name = functionName(node);
    if (name !== null) file.functions.push({ name, at: placeOf(node.start), exported });
    if (IGNORED.test(node.type)) return;
    const passesOn = node.type === 'ExportNamedDeclaration' || (exported && node.type === 'VariableDeclaration');
    for (const child of childrenOf(node)) visit(child, passesOn);
  };
  visit(program, false);
  file.comments = commentsIn(text, literals).map(({ index, comment }) => ({ at: placeOf(index), text: comment }));
  return file;
}

/** Markdown as passages, a line each, without code blocks and code spans. */
export function parseMarkdown(path: string, text: string): Passage[] {
  let fenced = false;
  return text.split('\n').flatMap((line, index) => {
    const fence = /^\s*`{3,}/.test(line);
    if (fence) fenced = !fenced;
    if (fence || fenced) return [];
    return [{ at: `${path}:${index + 1}`, text: line.replace(/`[^`]*`/g, '`…`') }];
  });
}

export function findRetired(passages: readonly Passage[], retired: readonly Retired[]): string[] {
  return passages.flatMap(({ at, text }) =>
    retired.flatMap(({ phrase, use }) => {
      const found = phrase.exec(text);
      return found === null ? [] : [`${at} says "${found[0]}": use ${use}`];
    }),
  );
}

/** Files whose base name another file has too, one line for each name. */
export function sharedBaseNames(paths: readonly string[], allowed: readonly string[]): string[] {
  const byName = Map.groupBy(paths, (path) => basename(path));
  return [...byName]
    .filter(([name, same]) => same.length > 1 && !allowed.includes(name))
    .map(([name, same]) => `${name}: ${same.toSorted().join(', ')}`)
    .toSorted();
}

/** A comment that gives nothing but the numbers of invariants, such as "C2." or "W1, W3". */
export function isOnlyNumber(comment: string): boolean {
  const words = comment.split(/[^\p{L}\d]+/u).filter((word) => word !== '' && word !== 'and');
  return words.length > 0 && words.every((word) => /^[A-Z]{0,2}\d+[a-z]?$/.test(word));
}

type Syntax = { type: string; start: number; end: number; name?: string; value?: unknown } & {
  [field in 'id' | 'init' | 'key']?: Syntax | null;
} & { quasis?: { value: { cooked: string } }[] };

/** Syntax whose strings no person reads: module names and types. */
const IGNORED = /^(Import|ExportAll)|^TS(?!(As|Satisfies|NonNull|Instantiation)Expression|TypeAssertion)/;
const LITERAL = /^(Literal|TemplateLiteral)$/;
const FUNCTION = /^(Arrow)?Function(Expression|Declaration)?/;

/** The text of a literal if it has at least two words; keys, names and other machine values have none. */
function proseOf(node: Syntax): string | null {
  const literal = node.type === 'Literal' && typeof node.value === 'string' ? node.value : null;
  const template =
    node.type === 'TemplateLiteral' ? (node.quasis ?? []).map(({ value }) => value.cooked).join('…') : null;
  const text = literal ?? template;
  return text !== null && /[\p{L}…,:;)] \S/u.test(text) ? text : null;
}

function functionName(node: Syntax): string | null {
  if (node.type === 'FunctionDeclaration') return node.id?.name ?? null;
  const isFunction = node.type === 'VariableDeclarator' && FUNCTION.test(node.init?.type ?? '');
  return isFunction ? (node.id?.name ?? null) : null;
}

/** Comments as they are written. Literals are blanked out first, since a string may contain what looks like one. */
function commentsIn(text: string, literals: readonly Syntax[]): { index: number; comment: string }[] {
  const parts: string[] = [];
  let at = 0;
  for (const { start, end } of literals.toSorted((a, b) => a.start - b.start))
    if (end > at) {
      parts.push(text.slice(at, start), ' '.repeat(end - Math.max(at, start)));
      at = end;
    }
  const code = parts.join('') + text.slice(at);
  return [...code.matchAll(/\/\*[\s\S]*?\*\/|\/\/.*/g)].map(({ index, 0: found }) => {
    return { index, comment: text.slice(index, index + found.length) };
  });
}

function childrenOf(node: Syntax): Syntax[] {
  const isSyntax = (each: unknown): each is Syntax => typeof (each as Syntax | null)?.type === 'string';
  return Object.values(node).flat().filter(isSyntax);
}
