/**
 * Which file uses which: by its imports where they can be read, else by the names that it mentions.
 */
import { endingOf, type FileOutline } from '../outline/file-outline.ts';

export type SourceFile = { path: string; text: string; outline: FileOutline };

/** `from` uses `to`; `names` are what it uses of it, when that is known. */
export type Reference = { from: string; to: string; names: readonly string[] };

/** A name that many files declare, or a short one, does not say which file is meant. */
const MOST_DECLARERS = 3;
const SHORTEST_NAME = 4;
/** Words of a long file beyond this are not searched for names. */
const MOST_READ = 200_000;

export function findReferences(files: readonly SourceFile[]): Reference[] {
  const known = new Set(files.map(({ path }) => path));
  const declarers = findDeclarers(files);
  return files.flatMap((file) =>
    file.outline.specifiers.length > 0 ? byImports(file, known) : byMentions(file, declarers),
  );
}

function byImports({ path, text, outline }: SourceFile, known: ReadonlySet<string>): Reference[] {
  return outline.specifiers.flatMap((specifier): Reference[] => {
    const to = resolveSpecifier(path, specifier, known);
    return to === null || to === path ? [] : [{ from: path, to, names: importedNames(text, specifier) }];
  });
}

const CANDIDATES = ['', '.ts', '.js', '.mts', '.mjs', '.tsx', '.jsx', '/index.ts', '/index.js'];

/** The file that a relative import means, by the usual rules; null for a package or what is not in the tree. */
function resolveSpecifier(from: string, specifier: string, known: ReadonlySet<string>): string | null {
  if (!specifier.startsWith('.')) return null;
  const parts = from.split('/').slice(0, -1);
  for (const part of specifier.split('/')) {
    if (part === '..' && parts.length === 0) return null;
    if (part === '..') parts.pop();
    else if (part !== '.') parts.push(part);
  }
  const base = parts.join('/');
  const bases = /\.[mc]?js$/.test(base) ? [base, base.replace(/\.([mc]?)js$/, '.$1ts')] : [base];
  return bases.flatMap((one) => CANDIDATES.map((ending) => `${one}${ending}`)).find((path) => known.has(path)) ?? null;
}

/** The names between the braces of the import of this module. */
function importedNames(text: string, specifier: string): string[] {
  const end = text.search(new RegExp(`from\\s*['"]${escapePattern(specifier)}['"]`));
  if (end === -1) return [];
  const start = text.lastIndexOf('import', end);
  const braces = /\{([^}]*)\}/.exec(text.slice(Math.max(start, 0), end))?.[1] ?? '';
  return braces
    .split(',')
    .map(
      (name) =>
        name
          .trim()
          .replace(/^type\s+/, '')
          .split(/\s+as\s+/)[0] ?? '',
    )
    .filter((name) => name !== '');
}

const escapePattern = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&');

function byMentions({ path, text }: SourceFile, declarers: ReadonlyMap<string, readonly string[]>): Reference[] {
  const used = new Map<string, string[]>();
  for (const word of new Set(text.slice(0, MOST_READ).match(/[\p{L}_$][\p{L}\p{N}_$]{3,}/gu) ?? [])) {
    for (const to of declarers.get(word) ?? []) if (to !== path) used.set(to, [...(used.get(to) ?? []), word]);
  }
  return [...used].map(([to, names]) => ({ from: path, to, names }));
}

/** The files that declare a name, for names that few files declare. */
function findDeclarers(files: readonly SourceFile[]): Map<string, string[]> {
  const declarers = new Map<string, string[]>();
  for (const { path, outline } of files) {
    if (endingOf(path) === 'md') continue;
    for (const { name } of outline.names) {
      if (name.length >= SHORTEST_NAME) declarers.set(name, [...(declarers.get(name) ?? []), path]);
    }
  }
  for (const [name, paths] of declarers) if (paths.length > MOST_DECLARERS) declarers.delete(name);
  return declarers;
}
