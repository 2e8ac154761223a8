/** Stems an English word with Porter's five steps: "connected", "connecting" and "connections" are one term. */

const PLAIN = /^[a-z]+$/;
const VOWEL = 'aeiou';

export function stem(word: string): string {
  if (word.length < 3 || !PLAIN.test(word)) return word;
  return trimEnding(replaceSuffix(replaceSuffix(replaceFinalY(removeInflection(removePlural(word))), SECOND), THIRD));
}

function isConsonant(word: string, at: number): boolean {
  const letter = word[at] ?? '';
  if (VOWEL.includes(letter)) return false;
  return letter !== 'y' || at === 0 || !isConsonant(word, at - 1);
}

/** Counts how often a vowel is followed by a consonant. */
function measure(stem: string): number {
  let count = 0;
  for (let at = 1; at < stem.length; at += 1) if (isConsonant(stem, at) && !isConsonant(stem, at - 1)) count += 1;
  return count;
}

function hasVowel(stem: string): boolean {
  for (let at = 0; at < stem.length; at += 1) if (!isConsonant(stem, at)) return true;
  return false;
}

const endsDouble = (word: string): boolean => word.at(-1) === word.at(-2) && isConsonant(word, word.length - 1);

/** A stem that ends in consonant, vowel, consonant (but not w, x or y) has lost an e. */
function endsShort(word: string): boolean {
  const last = word.length - 1;
  return (
    last >= 2 &&
    isConsonant(word, last - 2) &&
    !isConsonant(word, last - 1) &&
    isConsonant(word, last) &&
    !'wxy'.includes(word[last] ?? '')
  );
}

function removePlural(word: string): string {
  if (word.endsWith('sses') || word.endsWith('ies')) return word.slice(0, -2);
  return word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word;
}

function removeInflection(word: string): string {
  if (word.endsWith('eed')) return measure(word.slice(0, -3)) > 0 ? word.slice(0, -1) : word;
  const ending = ['ed', 'ing'].find((each) => word.endsWith(each) && hasVowel(word.slice(0, -each.length)));
  if (ending === undefined) return word;
  const stem = word.slice(0, -ending.length);
  if (/(?:at|bl|iz)$/.test(stem)) return `${stem}e`;
  if (endsDouble(stem) && !/[lsz]$/.test(stem)) return stem.slice(0, -1);
  return measure(stem) === 1 && endsShort(stem) ? `${stem}e` : stem;
}

function replaceFinalY(word: string): string {
  return word.endsWith('y') && hasVowel(word.slice(0, -1)) ? `${word.slice(0, -1)}i` : word;
}

type Endings = readonly (readonly [from: string, to: string])[];

const SECOND: Endings = [
  ['ational', 'ate'],
  ['tional', 'tion'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['izer', 'ize'],
  ['abli', 'able'],
  ['alli', 'al'],
  ['entli', 'ent'],
  ['eli', 'e'],
  ['ousli', 'ous'],
  ['ization', 'ize'],
  ['ation', 'ate'],
  ['ator', 'ate'],
  ['alism', 'al'],
  ['iveness', 'ive'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['aliti', 'al'],
  ['iviti', 'ive'],
  ['biliti', 'ble'],
];

const THIRD: Endings = [
  ['icate', 'ic'],
  ['ative', ''],
  ['alize', 'al'],
  ['iciti', 'ic'],
  ['ical', 'ic'],
  ['ful', ''],
  ['ness', ''],
];

const FOURTH = /(?:al|ance|ence|er|ic|able|ible|ant|ement|ment|ent|(?<=[st])ion|ou|ism|ate|iti|ous|ive|ize)$/;

function replaceSuffix(word: string, endings: Endings): string {
  const found = endings.find(([from]) => word.endsWith(from));
  if (found === undefined) return word;
  const stem = word.slice(0, -found[0].length);
  return measure(stem) > 0 ? `${stem}${found[1]}` : word;
}

function trimEnding(word: string): string {
  const short = word.replace(FOURTH, '');
  const bare = short !== word && measure(short) > 1 ? short : word;
  const withoutE = bare.endsWith('e') ? bare.slice(0, -1) : bare;
  const noE = withoutE !== bare && (measure(withoutE) > 1 || (measure(withoutE) === 1 && !endsShort(withoutE)));
  const last = noE ? withoutE : bare;
  return last.endsWith('ll') && measure(last) > 1 ? last.slice(0, -1) : last;
}
