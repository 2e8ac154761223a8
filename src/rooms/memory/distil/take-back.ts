/**
 * Owns: which facts a person takes back with words such as "you no longer need to sign letters". Only what people stated
 * is taken back, and only the fact that has the words; when none has them, nothing changes.
 */
import type { Rows } from '../../../core/schema/rows.ts';
import { extractTerms } from '../../../kit/text/terms.ts';
import { sourceRank } from './fact-finding.ts';
import { isValid, type StoredFact } from './fact-rows.ts';
import { proposeChange } from './pending-changes.ts';

/** The share of the words that a fact has to have. */
const SHARED = 0.75;

export function takeBack(rows: Rows, words: string, at: string): void {
  const wanted = new Set(extractTerms(words));
  if (wanted.size === 0) return;
  const near = [...rows.each<StoredFact>('facts/held/')].flatMap(([, found]) => {
    if (!isValid(found) || sourceRank(found.fact.source) < sourceRank('person')) return [];
    const terms = extractTerms(found.fact.text);
    const shared = [...wanted].filter((term) => terms.some((each) => isAlike(each, term))).length;
    return shared >= SHARED * wanted.size ? [{ id: found.fact.id, score: shared / terms.length }] : [];
  });
  const best = Math.max(0, ...near.map(({ score }) => score));
  const facts = near.filter(({ score }) => score === best).map(({ id }) => id);
  if (facts.length > 0) proposeChange(rows, { type: 'fact.forgotten', data: { facts, why: 'withdrawn' } }, at);
}

/** The same word in another form, in any language: "unterschreibe" and "unterschreiben". */
function isAlike(one: string, other: string): boolean {
  const least = Math.max(4, Math.min(one.length, other.length) - 2);
  return one === other || (one.length >= least && one.slice(0, least) === other.slice(0, least));
}
