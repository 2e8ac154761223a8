/**
 * Owns: grouping tasks into families.
 *
 * Tasks with the same skeleton belong to one family. A task that is only similar joins the family of another when both
 * plans have the same shape.
 */
import { extractTerms } from '../../kit/text/terms.ts';
import type { Rows } from '../../core/schema/rows.ts';
import { shortHash, toSkeleton, type Token } from '../../kit/learning/task-tokens.ts';
import { termOverlap } from './match-task.ts';

type Family = { id: string; terms: string[] };

/** The share of words that similar tasks have in common. */
const MIN_OVERLAP = 0.5;
const MAX_FAMILIES_PER_SHAPE = 20;
const MAX_TERMS = 200;

const skeletonKey = (skeleton: string): string => `procedures/skeleton/${shortHash(skeleton, 24)}`;

export function findFamily(rows: Rows, tokens: readonly Token[], shape: string | null): string {
  const skeleton = toSkeleton(tokens);
  const known = rows.get<string>(skeletonKey(skeleton));
  const terms = [...new Set(extractTerms(skeleton.replaceAll(/\{\w+\}/g, ' ')))].slice(0, MAX_TERMS);
  const family = known ?? findSimilarFamily(rows, terms, shape) ?? shortHash(skeleton, 12);
  if (known === undefined) rows.put(skeletonKey(skeleton), family);
  if (shape !== null) recordShape(rows, { id: family, terms }, shape);
  return family;
}

const shapeKey = (shape: string): string => `procedures/shape/${shape.slice(0, 24)}`;

function findSimilarFamily(rows: Rows, terms: readonly string[], shape: string | null): string | undefined {
  if (shape === null) return undefined;
  const own = new Set(terms);
  const all = (rows.get<Family[]>(shapeKey(shape)) ?? []).map((family) => ({
    id: family.id,
    near: termOverlap(own, new Set(family.terms)),
  }));
  return all.filter(({ near }) => near >= MIN_OVERLAP).toSorted((a, b) => b.near - a.near)[0]?.id;
}

function recordShape(rows: Rows, family: Family, shape: string): void {
  const all = rows.get<Family[]>(shapeKey(shape)) ?? [];
  if (all.some(({ id }) => id === family.id)) return;
  rows.put(shapeKey(shape), [...all, family].slice(-MAX_FAMILIES_PER_SHAPE));
}
