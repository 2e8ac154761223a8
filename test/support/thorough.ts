/**
 * Some tests try every case of a large matrix. `npm test` runs a representative part of such a test, and the adversarial
 * suite runs all of it: its configuration sets the variable and includes every test file that imports this one.
 */
export const isThorough = process.env['OKA_TEST_THOROUGH'] === '1';

/** All of the cases, or the few that `npm test` tries. */
export const casesOf = <T>(all: readonly T[], few: (each: T, index: number) => boolean): readonly T[] =>
  isThorough ? all : all.filter(few);

/** A number of kills or random cases; OKA_TEST_SCALE=3 makes three times as many. */
export const scaled = (usual: number): number =>
  Math.max(1, Math.round(usual * Number(process.env['OKA_TEST_SCALE'] ?? 1)));

/** How often something random is tried. */
export const timesOf = (all: number, few: number): number => (isThorough ? all : few);
