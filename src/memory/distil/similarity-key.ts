/**
 * A key that is equal for texts that say the same in nearly the same words: equal stemmed terms without fillers, equal
 * numbers and negation, and for texts with relational words also the same order.
 */
import { sumOf } from '../index/index-item.ts';
import { extractTerms } from '../text/terms.ts';
import { isNegative } from './fact-subject.ts';

const FILLERS = new Set('alwai pleas kindli realli simpli ensur make sure also just immer bitte prefer us'.split(' '));
const RELATED =
  /\b(?:over|instead|rather|than|to|from|into|before|after|unless|until|then|for|statt|vor|nach|von|bis|für|anstelle)\b/i;

export function similarityKey(text: string): string {
  const terms = extractTerms(text).filter((term) => !FILLERS.has(term) && !/^never$|^niemal$|^nie$/.test(term));
  const ordered = RELATED.test(text) ? terms : [...new Set(terms)].toSorted();
  return sumOf(`${isNegative(text) ? 'not' : 'so'} ${ordered.join(' ')}`);
}
