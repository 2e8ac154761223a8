/**
 * A key that is equal for texts that say the same in nearly the same words: equal stemmed terms without fillers, equal
 * numbers and negation, and for texts with relational words also the same order.
 */
import { sumOf } from '../../../kit/learning/index-item.ts';
import { extractTerms } from '../../../kit/text/terms.ts';
import { isNegative } from './fact-subject.ts';
import { inAnyLanguage, languages } from './languages/all-languages.ts';
import { words } from './languages/language.ts';

const FILLERS = new Set(languages.flatMap(({ fillers }) => extractTerms(fillers)));
const NEVER = new Set(extractTerms('never niemals nie jamais nunca jamás'));
const RELATED = words(inAnyLanguage('relations'));

export function similarityKey(text: string): string {
  const terms = extractTerms(text).filter((term) => !FILLERS.has(term) && !NEVER.has(term));
  const ordered = RELATED.test(text) ? terms : [...new Set(terms)].toSorted();
  return sumOf(`${isNegative(text) ? 'not' : 'so'} ${ordered.join(' ')}`);
}
