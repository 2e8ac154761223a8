/**
 * Owns: which tasks are of one kind.
 *
 * Tasks with the same skeleton are of one family. One that is only near joins the family of another when the plans of
 * both have the same shape.
 */
import { extractTerms } from '../text/terms.ts';
import type { Rows } from '../../schema/rows.ts';
import { shortHash, skeletonOf, type Token } from './lift.ts';
import { overlap } from './match.ts';

export type Family = { id: string; terms: string[] };

/** Share of the words that near tasks have in common. */
const NEAR = 0.5;
const MOST_OF_A_SHAPE = 20;
const MOST_TERMS = 200;

const skeletonKey = (skeleton: string): string => `procedures/skeleton/${shortHash(skeleton, 24)}`;

export function familyFor(book: Rows, tokens: readonly Token[], shape: string | null): string {
  const skeleton = skeletonOf(tokens);
  const known = book.get<string>(skeletonKey(skeleton));
  const terms = [...new Set(extractTerms(skeleton.replaceAll(/\{\w+\}/g, ' ')))].slice(0, MOST_TERMS);
  const family = known ?? nearOf(book, terms, shape) ?? shortHash(skeleton, 12);
  if (known === undefined) book.put(skeletonKey(skeleton), family);
  if (shape !== null) noteShape(book, { id: family, terms }, shape);
  return family;
}

const shapeKey = (shape: string): string => `procedures/shape/${shape.slice(0, 24)}`;

function nearOf(book: Rows, terms: readonly string[], shape: string | null): string | undefined {
  if (shape === null) return undefined;
  const own = new Set(terms);
  const all = (book.get<Family[]>(shapeKey(shape)) ?? []).map((family) => ({
    id: family.id,
    near: overlap(own, new Set(family.terms)),
  }));
  return all.filter(({ near }) => near >= NEAR).toSorted((a, b) => b.near - a.near)[0]?.id;
}

function noteShape(book: Rows, family: Family, shape: string): void {
  const all = book.get<Family[]>(shapeKey(shape)) ?? [];
  if (all.some(({ id }) => id === family.id)) return;
  book.put(shapeKey(shape), [...all, family].slice(-MOST_OF_A_SHAPE));
}
