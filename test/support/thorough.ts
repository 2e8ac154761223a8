/**
 * Some tests try every case of a large matrix. `npm test` runs a representative part of such a test, and the adversarial
 * suite runs all of it: its configuration sets the variable and includes every test file that imports this one.
 *
 * On each change CI runs a part of the slower suites: OKA_TEST_PART is the seed that chooses it (the commit), and
 * OKA_TEST_SCALE the size of a part of the adversarial suite. Whatever such a part tries, the whole tries, too: so it fails only where the whole fails.
 */
import { createHash } from 'node:crypto';
import { globSync } from 'node:fs';
import { join } from 'node:path';

export const isThorough = process.env['OKA_TEST_THOROUGH'] === '1';

/** The seed of the part that is run; empty for all of it. */
const part = process.env['OKA_TEST_PART'] ?? '';

/** A whole number below the limit that follows from the seed of the part and a name. */
export const chanceOf = (name: string, limit: number): number =>
  createHash('sha256').update(`${part} ${name}`).digest().readUInt32LE() % limit;

/** The files of a suite, or one in so many of them, chosen by the seed of the part. */
export function filesOf(pattern: string, oneIn: number): string[] {
  const all = globSync(pattern, { cwd: join(import.meta.dirname, '../..') });
  if (part === '') return all;
  console.log(`A part of a suite: OKA_TEST_PART=${part} runs it again, and without that variable all of it runs.`);
  return partOf(oneIn, all, (file) => file);
}

/** All of them, or one in so many in a part of a suite, and at least one. */
export const partOf = <T>(oneIn: number, all: readonly T[], nameOf: (each: T) => string): T[] =>
  part === ''
    ? [...all]
    : all
        .toSorted((one, other) => chanceOf(nameOf(one), 2 ** 32) - chanceOf(nameOf(other), 2 ** 32))
        .slice(0, Math.ceil(all.length / oneIn));

/** All of the cases, or the few that `npm test` tries. */
export const casesOf = <T>(all: readonly T[], few: (each: T, index: number) => boolean): readonly T[] =>
  isThorough ? all : all.filter(few);

/** A number of kills or random cases; OKA_TEST_SCALE=3 makes three times as many. */
export const scaled = (usual: number): number =>
  Math.max(1, Math.round(usual * Number(process.env['OKA_TEST_SCALE'] ?? 1)));

/** A time limit for something scaled, never below the usual one. */
export const scaledLimit = (ms: number): number => Math.max(ms, scaled(ms));

/** How many of something scaled have to be seen at the very least; in a small part chance decides about rare ones. */
export const leastOf = (usual: number): number => (part === '' ? usual : Math.floor(usual / 4) - 1);

/** How often something random is tried. */
export const timesOf = (all: number, few: number): number => (isThorough ? all : few);

/** All of the cases, or as many of them as the scale of the part says, in their order. */
export function someOf<T>(all: readonly T[]): readonly T[] {
  if (part === '') return all;
  const chosen = new Set(
    all
      .map((_, index) => index)
      .toSorted(byChance)
      .slice(0, scaled(all.length)),
  );
  return all.filter((_, index) => chosen.has(index));
}

/** One in so many of the cases in a part of a suite, else all of them. */
export const oneIn = <T>(many: number, all: readonly T[]): readonly T[] =>
  part === '' ? all : all.filter((_, index) => chanceOf(String(index), many) === 0);

const byChance = (one: number, other: number): number =>
  chanceOf(String(one), 2 ** 32) - chanceOf(String(other), 2 ** 32);

/** Parameters of fast-check: so many cases from its seed; in a part a stretch of those that the whole tries. */
export function runsOf(usual: number): { numRuns: number; path?: string } {
  const numRuns = scaled(usual);
  return part === '' ? { numRuns } : { numRuns, path: String(chanceOf('stretch', usual - numRuns + 1)) };
}
