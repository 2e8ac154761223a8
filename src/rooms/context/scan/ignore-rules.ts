/** Which entries .gitignore and .okaignore leave out. This is the door of the package `ignore`. */
import { hash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import ignore, { type Ignore } from 'ignore';
import { type ByteString, toPathText } from './path-text.ts';

export const IGNORE_FILES = ['.gitignore', '.okaignore'] as const;
/** Never part of a tree, at any depth. */
const ALWAYS = new Set(['.git', '.oka']);
const MOST_BYTES = 1024 * 1024;

/** The rules that apply in a folder, those of the folders above it first. */
export type IgnoreRules = {
  /** Changes when any of the rules does. */
  version: string;
  files: readonly { folder: ByteString; rules: Ignore }[];
};

export const NO_RULES: IgnoreRules = { version: '', files: [] };

/** Adds the ignore files of a folder to the rules of the folders above. `read` returns null for a file that cannot be read. */
export function addIgnoreFiles(
  rules: IgnoreRules,
  folder: ByteString,
  names: readonly ByteString[],
  read: (name: string) => Buffer | null,
): IgnoreRules {
  const texts = IGNORE_FILES.filter((name) => names.includes(name)).flatMap((name) => read(name)?.toString() ?? []);
  if (texts.length === 0) return rules;
  const own = ignore().add(usableLines(texts.join('\n')));
  const version = hash('sha256', JSON.stringify([rules.version, folder, texts])).slice(0, 16);
  return { version, files: [...rules.files, { folder, rules: own }] };
}

/** The deepest file that has a rule for the entry decides, as in git. */
export function isIgnored({ files }: IgnoreRules, path: ByteString, isFolder: boolean): boolean {
  if (ALWAYS.has(path.slice(path.lastIndexOf('/') + 1))) return true;
  for (const { folder, rules } of files.toReversed()) {
    const below = toPathText(folder === '' ? path : path.slice(folder.length + 1));
    const { ignored, unignored } = rules.test(isFolder ? `${below}/` : below);
    if (ignored || unignored) return ignored;
  }
  return false;
}

/** Null for what is not a regular file, or is too large. */
export function readIgnoreFile(file: string | Buffer): Buffer | null {
  let fd: number;
  try {
    fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return null;
  }
  try {
    const stats = fstatSync(fd);
    return stats.isFile() && stats.size <= MOST_BYTES ? readFileSync(fd) : null;
  } catch {
    return null;
  } finally {
    closeSync(fd);
  }
}

/** A pattern becomes a regular expression; one with many stars could take for ever on a long name, and is left out. */
function usableLines(text: string): string {
  const isUsable = (line: string): boolean =>
    line.length <= 1000 &&
    (line.match(/\*\*/g)?.length ?? 0) <= 3 &&
    line.split('/').every((part) => (part.match(/\*+/g)?.length ?? 0) <= 3);
  return text.split('\n').filter(isUsable).join('\n');
}
