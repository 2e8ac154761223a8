/**
 * Owns: signs of the words that a text adds to another one, by which it is noticed later whether they were used. A sign is a
 * checksum, so that the words themselves are not repeated.
 */
import { crc32 } from 'node:zlib';
import { extractTerms } from './terms.ts';

const MOST_SIGNS = 8;
/** Shorter words are in every text. */
const SHORTEST = 4;

/** Of the words that only the first text has, those with figures and the longest ones. */
export function signsOfNew(text: string, known: string): number[] {
  const old = new Set(extractTerms(known));
  const fresh = [...new Set(extractTerms(text))].filter(
    (term) => !old.has(term) && (term.length >= SHORTEST || /\d/.test(term)),
  );
  const weight = (term: string): number => term.length + (/\d/.test(term) ? 10 : 0);
  return fresh
    .toSorted((a, b) => weight(b) - weight(a))
    .slice(0, MOST_SIGNS)
    .map((term) => crc32(term));
}

/** The signs of all words of a text. */
export const signsIn = (text: string): ReadonlySet<number> => new Set(extractTerms(text).map((term) => crc32(term)));
