/**
 * Owns: what a step that only fetches may ask a package registry for.
 *
 * P1 Every part of a requested path was named by a manifest or lock file on the desk before the step began, by the command
 *    itself, or by an earlier answer of a registry to this step. So code of the desk that runs beside a package manager
 *    cannot put data of its own into a request.
 * P2 A task that asks for many packages that do not exist is refused more: the names in a manifest can be made up, too.
 */
import type { Registry } from '../../core/guard/egress-rule.ts';

export type PackageScope = {
  /** Whether a path at a registry, without a query, is one that package managers ask for and consists of known names. */
  admits(registry: Registry, path: string): boolean;
  /** Adds every name in a text: of a manifest, a lock file, a command, or an answer of a registry. */
  learn(text: string): void;
  /** Notes whether a registry had what was asked for. */
  answered(path: string, wasFound: boolean): void;
  isExhausted(): boolean;
};

/** Names that package managers ask for by themselves. */
const ALWAYS_KNOWN = 'pip setuptools wheel hatchling poetry-core flit-core maturin';
const WORD = /[@A-Za-z0-9][\w.+~%@/-]*/g;
const LONGEST = 400;
const MOST_NAMES = 2_000_000;
/** Misses that are allowed beyond the number of packages that were found: pip asks each of its indexes for every name. */
const SPARE_MISSES = 10;

/** What registries had and did not have, of one task. */
export type FetchHistory = { found: Set<string>; missed: Set<string> };

export const emptyHistory = (): FetchHistory => ({ found: new Set(), missed: new Set() });

export function createPackageScope(named = '', { found, missed } = emptyHistory()): PackageScope {
  const known = new Set<string>();
  const learn = (text: string): void => {
    for (const [word] of text.matchAll(WORD))
      for (const name of namesIn(word)) if (known.size < MOST_NAMES) known.add(name);
  };
  learn(`${ALWAYS_KNOWN} ${named}`);
  return {
    learn,
    admits: (registry, path) => pathsBelow(registry, path).some((rest) => isKnownPath(rest, known)),
    answered: (path, wasFound) => void (wasFound ? found : missed).add(path),
    isExhausted: () => missed.size > SPARE_MISSES + found.size,
  };
}

/** The word itself, and its parts: name and version of left-pad@1.3.0, the path and the file of an address. */
function namesIn(word: string): string[] {
  if (word.length > LONGEST || /^[0-9a-f]{32,}$/.test(word)) return [];
  const plain = decode(word).replace(/[.,/]+$/, '');
  const path = plain.includes('/') ? [plain.slice(plain.indexOf('/') + 1)] : [];
  const parts = plain.split('/').flatMap((part) => [part, ...part.split(/(?<=.)@/)]);
  const scoped = /^@[^/]+\/[^@/]+/.exec(plain)?.[0];
  const all = [plain, ...path, ...parts, ...(scoped === undefined ? [] : [scoped])];
  return all.flatMap((name) => [name, normalize(name)]);
}

/** The path as it is, and what is left of it below each place where the registry has its packages. */
function pathsBelow({ bases = ['/'] }: Registry, path: string): string[] {
  const whole = decode(path);
  const below = bases.filter((base) => whole.startsWith(base)).map((base) => whole.slice(base.length));
  return [...below, whole.slice(1)];
}

const TARBALL = /^((?:@[^/]+\/)?([^/]+))\/-\/([^/]+)\.tgz$/;
const VERSION = /^((?:@[^/]+\/)?[^/]+)\/([^/]+)$/;

function isKnownPath(written: string, known: ReadonlySet<string>): boolean {
  const isKnown = (name: string): boolean => known.has(name) || known.has(normalize(name));
  const rest = written.replace(/\.metadata$/, '').replace(/\/$/, '');
  if (isKnown(rest)) return true;
  const [, packageName, unscoped, file] = TARBALL.exec(rest) ?? [];
  if (packageName !== undefined && file !== undefined)
    return isKnown(packageName) && (isKnown(`${file}.tgz`) || isVersionOf(file, unscoped ?? '', isKnown));
  const [, name, version] = VERSION.exec(rest) ?? [];
  return name !== undefined && version !== undefined && isKnown(name) && (version === 'latest' || isKnown(version));
}

function isVersionOf(file: string, name: string, isKnown: (name: string) => boolean): boolean {
  return file.startsWith(`${name}-`) && isKnown(file.slice(name.length + 1));
}

/** As Python compares names of packages. */
const normalize = (name: string): string => name.toLowerCase().replaceAll(/[-_.]+/g, '-');

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
