/**
 * When two texts say the same in nearly the same words: equal terms after stemming, without fillers, with the same numbers
 * and the same number of negations. Where words stand in a relation, also in the same order.
 */
import { sumOf } from '../index/item.ts';
import { extractTerms } from '../text/terms.ts';
import { isNegative } from './subject.ts';

const FILLERS = new Set('alwai pleas kindli realli simpli ensur make sure also just immer bitte prefer us'.split(' '));
const RELATED =
  /\b(?:over|instead|rather|than|to|from|into|before|after|unless|until|then|for|statt|vor|nach|von|bis|für|anstelle)\b/i;

export function likenessOf(text: string): string {
  const terms = extractTerms(text).filter((term) => !FILLERS.has(term) && !/^never$|^niemal$|^nie$/.test(term));
  const ordered = RELATED.test(text) ? terms : [...new Set(terms)].toSorted();
  return sumOf(`${isNegative(text) ? 'not' : 'so'} ${ordered.join(' ')}`);
}
