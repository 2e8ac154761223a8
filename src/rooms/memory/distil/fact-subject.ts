/**
 * Owns: the subject of a sentence, so that a newer sentence about the same subject can supersede it.
 *
 * 1. No guessing: when the phrasing does not show a subject, there is none, and both sentences stay valid.
 * 2. Two sentences contradict each other when they have the same subject and either different values, or the same value
 *    with and without a negation.
 */
import { sumOf } from '../../../kit/learning/index-item.ts';
import { stem } from '../../../kit/text/stem.ts';
import { extractTerms } from '../../../kit/text/terms.ts';
import { inAnyLanguage, languages } from './languages/all-languages.ts';
import { words } from './languages/language.ts';

export type Subject = { about: string; value: string; isDenied: boolean };

export function parseSubject(text: string): Subject | null {
  const bare = text
    .replace(/[.!\s]+$/, '')
    .replace(LEADING, '')
    .replaceAll(ALWAYS, '');
  const isDenied = isNegative(bare);
  const plain = unpaired(bare).replaceAll(NEGATORS, '').replaceAll(/\s+/g, ' ').trim();
  for (const form of FORMS) {
    const { about, value } = form(plain) ?? {};
    if (about !== undefined && value !== undefined && value !== '') return { about, value, isDenied };
  }
  return null;
}

const LEADING = new RegExp(`^(?:${inAnyLanguage('please')})\\s+`, 'iu');
const ALWAYS = words(inAnyLanguage('always'), 'giu');

export const subjectKey = ({ about }: Subject): string => sumOf(about);

export function areContradictory(one: Subject, other: Subject): boolean {
  if (one.about !== other.about) return forbids(one, other) || forbids(other, one);
  const isSameValue = one.value === other.value;
  return isSameValue ? one.isDenied !== other.isDenied : !one.isDenied && !other.isDenied;
}

/** "never sign letters" against "sign letters with Ada": the same deed, and how it is done. An exception is none. */
function forbids(one: Subject, other: Subject): boolean {
  if (!one.isDenied || other.isDenied || !isDeed(one) || !other.about.startsWith(`${one.about} `)) return false;
  return MANNERS.has(other.about.slice(one.about.length + 1).split(' ', 1)[0] ?? '');
}

const isDeed = ({ about }: Subject): boolean => about.startsWith('do ');
const MANNERS = new Set('with as using by mit als per avec comme con como'.split(' '));

/** What is done to what: deeds that have this in common may contradict each other. Null for other subjects. */
export const deedKey = (subject: Subject): string | null =>
  isDeed(subject) ? sumOf(subject.about.split(' ').slice(0, 3).join(' ')) : null;

export const isSameStatement = (one: Subject, other: Subject): boolean =>
  one.about === other.about && one.value === other.value && one.isDenied === other.isDenied;

const NEGATORS = words(inAnyLanguage('negations'), 'giu');

const unpaired = (text: string): string =>
  languages
    .flatMap(({ negationPairs }) => negationPairs)
    .reduce((rest, [pattern, single]) => rest.replaceAll(pattern, single), text);

/** An even number of negations cancels out; a negation of two words counts once. */
export const isNegative = (text: string): boolean => ([...unpaired(text).matchAll(NEGATORS)].length & 1) === 1;

type Form = (text: string) => { about: string; value: string } | null;

const FORMS: readonly Form[] = [
  parseChoice,
  parseUse,
  parseValue,
  parseSetting,
  parseDefinition,
  parseLimit,
  parsePlace,
  parseAction,
];

/** Without articles, which change with the place of a word in the sentence. */
const toTerms = (text: string): string =>
  extractTerms(text)
    .filter((term) => !ARTICLE_TERMS.has(term))
    .join(' ');

/** The first language whose pattern fits. */
const firstMatch = (patterns: readonly RegExp[], text: string): RegExpExecArray | null =>
  patterns.map((pattern) => pattern.exec(text)).find((found) => found !== null) ?? null;

const CHOICES = languages.map(
  ({ choose, over }) => new RegExp(`^(?:${choose}) (.+?) (?:${over})\\s*(?<!\\S)(.+)$`, 'iu'),
);

/** "prefer X over Y", "use X instead of Y in Z": the subject is the pair, in either order, and where it is for. */
function parseChoice(text: string): ReturnType<Form> {
  const found = firstMatch(CHOICES, text);
  if (found === null) return null;
  const [other = '', where = ''] = (found[2] ?? '').split(/ (?=(?:in|for|when|on|at|with|für|bei|beim|im) )/i, 2);
  const [this_, that] = [toTerms(found[1] ?? ''), toTerms(other)];
  if (this_ === '' || that === '' || this_ === that) return null;
  return { about: `choose ${[this_, that].toSorted().join(' | ')} ${toTerms(where)}`.trim(), value: this_ };
}

const USES = languages.map((language) => new RegExp(`^(?:${language.use}) (.+?) (?:${language.for}) (.+)$`, 'iu'));

/** "use X for Y". */
function parseUse(text: string): ReturnType<Form> {
  const found = firstMatch(USES, text);
  return found === null ? null : { about: `for ${toTerms(found[2] ?? '')}`, value: toTerms(found[1] ?? '') };
}

/** Values that exclude each other. */
const VALUES = new RegExp(`^(.{3,80}?) (?:${inAnyLanguage('in')}) (${inAnyLanguage('values')})$`, 'iu');

/** "write reports in German": the subject is the reports. */
function parseValue(text: string): ReturnType<Form> {
  const found = VALUES.exec(text);
  return found === null ? null : { about: `in ${toTerms(found[1] ?? '')}`, value: toTerms(found[2] ?? '') };
}

/** "key = value". */
function parseSetting(text: string): ReturnType<Form> {
  const found = /^([\w.-]{2,60}) ?= ?(\S.{0,200})$/.exec(text);
  return found === null ? null : { about: `set ${found[1]}`, value: (found[2] ?? '').trim() };
}

const DEFINITIONS = languages.map(
  ({ possessives, is }) => new RegExp(`^(?:${possessives}) ([\\p{L}\\p{N}' -]{2,60}?) ${is}(.+)$`, 'iu'),
);

/** "the X is Y": the subject is a short name, not a clause. */
function parseDefinition(text: string): ReturnType<Form> {
  const found = firstMatch(DEFINITIONS, text);
  const about = toTerms(found?.[1] ?? '');
  if (found === null || about.split(' ').length > 5) return null;
  return { about: `is ${about}`, value: toTerms(found[2] ?? '') };
}

const NUMBER = /\b\d+(?:[.,]\d+)?\b/g;

/** "keep lines under 80 characters": the subject is the limit, whatever the number. */
function parseLimit(text: string): ReturnType<Form> {
  const numbers = [...text.matchAll(NUMBER)].map(([number]) => number);
  const [number = ''] = numbers;
  if (numbers.length !== 1 || !LIMITS.test(text)) return null;
  const limit = LIMITS.exec(text)?.[0].toLowerCase() ?? '';
  return { about: `limit ${limit} ${toTerms(text.replace(number, ' '))}`, value: number };
}

const LIMITS = words(inAnyLanguage('limits'));

const PLACE = new RegExp(
  `^(\\S+ .{2,60}?) (?:in|into|to|under|on|unter|auf|dans|sous|sur|en|bajo) ((?:\\S+ ){0,2}\\S+)$`,
  'iu',
);
/** Kinds of places and forms, of which things have one. */
const PLACE_NOUNS = words(
  'folder|directory|binder|drawer|shelf|tray|box|calendar|list|channel|account|label|language|format|colou?r|ordner|verzeichnis|kalender|liste|konto|dossier|répertoire|calendrier|compte|carpeta|calendario|lista|cuenta',
);

/** "put invoices into the red folder": the subject is in which folder they are put. */
function parsePlace(text: string): ReturnType<Form> {
  const found = PLACE.exec(text);
  const noun = PLACE_NOUNS.exec(found?.[2] ?? '')?.[0];
  if (found === null || noun === undefined) return null;
  const value = toTerms((found[2] ?? '').replace(noun, ' '));
  return { about: `place ${toTerms(found[1] ?? '')} ${toTerms(noun)}`, value };
}

/** "never push on Fridays" against "push on Fridays": the subject is the action, with every word but articles. */
function parseAction(text: string): ReturnType<Form> {
  const deed = text.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{N}'’._/-]*/gu) ?? [];
  const about = deed.filter((word) => !ARTICLES.has(word)).map(stem);
  return about.length < 2 || about.length > 14 ? null : { about: `do ${about.join(' ')}`, value: 'do' };
}

const ARTICLES = new Set(inAnyLanguage('articles').split('|'));
const ARTICLE_TERMS = new Set([...ARTICLES].flatMap(extractTerms));
