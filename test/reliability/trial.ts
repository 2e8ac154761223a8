/** What a trial of `npm run reliability` is given, and what it reports. */
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export type Trial = {
  name: string;
  /** What is done and what must come out of it, in a sentence for the page. */
  about: string;
  /** Its part of the time, relative to the others. */
  share: number;
  run: (call: TrialCall) => Promise<TrialReport>;
};

export type TrialCall = {
  /** When no new case may begin, as Date.now() counts. */
  until: number;
  random: Random;
  log: (text: string) => void;
};

export type TrialReport = {
  /** How often what was done. */
  counts: Record<string, number>;
  failures: string[];
  /** Figures that are compared; the first row is the head. */
  table?: readonly (readonly string[])[];
  /** Why some or all of it could not be done here. */
  skipped?: string;
};

export type Random = {
  below: (limit: number) => number;
  between: (least: number, most: number) => number;
  chance: (probability: number) => boolean;
  pick: <T>(from: readonly [T, ...T[]]) => T;
};

/** The same numbers for the same seed (xorshift). */
export function randomFrom(seed: number): Random {
  let state = (seed | 0) === 0 ? 1 : seed | 0;
  const next = (): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    below,
    between: (least, most) => least + below(most - least + 1),
    chance: (probability) => next() < probability,
    pick: (from) => from[below(from.length)] ?? from[0],
  };
}

export const freshFolder = (): string => mkdtempSync(join(tmpdir(), 'oka-reliability-'));

/** In memory where that is possible: for trials that cut bytes themselves, so that no disk has to be waited for. */
export const folderInMemory = (): string =>
  mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'oka-reliability-'));
