/**
 * Owns: turning text into search terms, and dates into words.
 *
 * 1. The same text gives the same terms on every machine: nothing here depends on a locale.
 * 2. Scripts without spaces between words are indexed by pairs of characters.
 */
import { stem } from './stem.ts';

const WORD = /[\p{L}\p{N}]+(?:['’][\p{L}]+)?/gu;
/** Finds the same in a text of these characters, in half the time. */
const ASCII_WORD = /[A-Za-z0-9]+(?:'[A-Za-z]+)?/g;
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
const ASCII = /^[\x20-\x7E\s]*$/;
const MAX_TERM_LENGTH = 40;
const MAX_TERMS = 2000;

export function extractTerms(text: string): readonly string[] {
  if (text === last.text) return last.terms;
  const terms = splitIntoTerms(text);
  if (text.length >= LONG_TEXT) last = { text, terms };
  return terms;
}

/** The last long text: a task is asked for its terms several times in a row. */
let last: { text: string; terms: readonly string[] } = { text: '', terms: [] };
const LONG_TEXT = 500;

function splitIntoTerms(text: string): string[] {
  const terms: string[] = [];
  const ascii = ASCII.test(text);
  for (const word of (ascii ? text.match(ASCII_WORD) : text.normalize('NFKC').match(WORD)) ?? []) {
    if (terms.length >= MAX_TERMS) break;
    if (!ascii && UNSPACED.test(word)) terms.push(...characterPairs(word));
    else addWordTerms(terms, word);
  }
  return terms;
}

/** The terms of words that were seen before: most words come again and again. */
const known = new Map<string, readonly string[]>();
const MOST_KNOWN = 20_000;

function addWordTerms(terms: string[], word: string): void {
  let found = known.get(word);
  if (found === undefined) {
    found = termsOfWord(word);
    if (known.size >= MOST_KNOWN) known.clear();
    if (word.length <= MAX_TERM_LENGTH) known.set(word, found);
  }
  for (const term of found) terms.push(term);
}

/** "l'hôtel", "d'émojis": the word is behind the apostrophe. In "Ada's" it is before it. */
const ELISION = /^(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu)['’](?=\p{L}{2})/u;

/** Indexes camelCase and snake_case names as a whole and by their parts. */
function termsOfWord(word: string): string[] {
  const lower = word
    .toLowerCase()
    .replace(ELISION, '')
    .replace(/['’]\p{L}+$/u, '');
  if (lower.length > MAX_TERM_LENGTH || STOP_WORDS.has(lower)) return []; // with its accents: "thé" is not "the"
  const terms = [stem(stripDiacritics(lower))];
  if (/\p{Ll}\p{Lu}/u.test(word))
    for (const part of word.split(/(?<=\p{Ll})(?=\p{Lu})/u)) if (part.length > 1) terms.push(stem(part.toLowerCase()));
  return terms;
}

const stripDiacritics = (word: string): string =>
  ASCII.test(word) ? word : word.normalize('NFD').replaceAll(/\p{M}+/gu, '');

function characterPairs(word: string): string[] {
  const characters = Array.from(word);
  if (characters.length === 1) return characters;
  return characters.slice(1).map((each, index) => `${characters[index]}${each}`);
}

export const MONTHS = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
] as const;
export const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'] as const;

/** Spells a date the way people ask for it: "monday 8 may 2023". */
export function dateInWords(at: string): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return '';
  return `${WEEKDAYS[date.getUTCDay()]} ${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
}

/** Words that carry no topic; questions are full of them. */
const STOP_WORDS = new Set(
  `a about above after again against all also am an and any are aren as at be because been before being below between
  both but by can cannot could couldn d did didn do does doesn doing don down during each else ever few for from further
  get gets getting go goes going got had hadn has hasn have haven having he her here hers herself him himself his how i
  if in into is isn it its itself just let like ll m ma me might mightn more most much must mustn my myself need needn no
  nor not now of off oh ok on once one only or other our ours ourselves out over own re really s said same say says
  shall shan she should shouldn so some still such t than that the their theirs them themselves then there these they
  thing things this those though through to too under until up us ve very was wasn we well were weren what when where
  whether which while who whom whose why will with won would wouldn y yeah yes yet you your yours yourself yourselves`
    .split(/\s+/)
    .filter((word) => word !== ''),
);
