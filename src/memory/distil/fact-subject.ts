/**
 * Owns: the subject of a sentence, so that a newer sentence about the same subject can supersede it.
 *
 * 1. No guessing: when the phrasing does not show a subject, there is none, and both sentences stay valid.
 * 2. Two sentences contradict each other when they have the same subject and either different values, or the same value
 *    with and without a negation.
 */
import { sumOf } from '../index/index-item.ts';
import { stem } from '../text/stem.ts';
import { extractTerms } from '../text/terms.ts';

export type Subject = { about: string; value: string; isDenied: boolean };

export function parseSubject(text: string): Subject | null {
  const bare = text.replace(/[.!\s]+$/, '').replace(/^(?:always|immer|please|bitte)\s+/i, '');
  const isDenied = isNegative(bare);
  const plain = bare.replace(NEGATORS, '').replaceAll(/\s+/g, ' ').trim();
  for (const form of FORMS) {
    const { about, value } = form(plain) ?? {};
    if (about !== undefined && value !== undefined && value !== '') return { about, value, isDenied };
  }
  return null;
}

export const subjectKey = ({ about }: Subject): string => sumOf(about);

export function areContradictory(one: Subject, other: Subject): boolean {
  if (one.about !== other.about) return false;
  const isSameValue = one.value === other.value;
  return isSameValue ? one.isDenied !== other.isDenied : !one.isDenied && !other.isDenied;
}

export const isSameStatement = (one: Subject, other: Subject): boolean =>
  one.about === other.about && one.value === other.value && one.isDenied === other.isDenied;

const NEGATORS =
  /\b(?:never|not|no longer|do not|don['’]t|doesn['’]t|isn['’]t|aren['’]t|avoid|without|no|nie|niemals|nicht|kein[a-z]*|ohne)\b/gi;

/** An even number of negations cancels out. */
export const isNegative = (text: string): boolean => ([...text.matchAll(NEGATORS)].length & 1) === 1;

type Form = (text: string) => { about: string; value: string } | null;

const FORMS: readonly Form[] = [
  parseChoice,
  parseUse,
  parseValue,
  parseSetting,
  parseDefinition,
  parseLimit,
  parseAction,
];

const toTerms = (text: string): string => extractTerms(text).join(' ');

/** "prefer X over Y", "use X instead of Y": the subject is the pair, in either order. */
function parseChoice(text: string): ReturnType<Form> {
  const found =
    /^(?:prefer|use|choose|take) (.+?) (?:over|to|instead of|rather than|in place of) (.+)$/i.exec(text) ??
    /^(?:bevorzuge|verwende|nutze|benutze|nimm) (.+?) (?:statt|anstelle von|gegenüber|vor) (.+)$/i.exec(text);
  if (found === null) return null;
  const [this_, that] = [toTerms(found[1] ?? ''), toTerms(found[2] ?? '')];
  if (this_ === '' || that === '' || this_ === that) return null;
  return { about: `choose ${[this_, that].toSorted().join(' | ')}`, value: this_ };
}

/** "use X for Y". */
function parseUse(text: string): ReturnType<Form> {
  const found =
    /^(?:use|prefer|choose|take) (.+?) (?:for|when) (.+)$/i.exec(text) ??
    /^(?:verwende|nutze|benutze|nimm|bevorzuge) (?:immer )?(.+?) für (.+)$/i.exec(text);
  return found === null ? null : { about: `for ${toTerms(found[2] ?? '')}`, value: toTerms(found[1] ?? '') };
}

/** Values that exclude each other. */
const VALUES =
  'english|german|french|spanish|italian|dutch|portuguese|markdown|pdf|html|csv|json|yaml|xml|docx|xlsx|plain text|eur|euros?|usd|dollars?|gbp|chf|celsius|fahrenheit|metric units|imperial units|utc|local time|tabs|spaces|lower ?case|upper ?case|deutsch|englisch|französisch';

/** "write reports in German": the subject is the reports. */
function parseValue(text: string): ReturnType<Form> {
  const found = new RegExp(`^(.{3,80}?) (?:in|as|with|auf|als) (${VALUES})$`, 'i').exec(text);
  return found === null ? null : { about: `in ${toTerms(found[1] ?? '')}`, value: toTerms(found[2] ?? '') };
}

/** "key = value". */
function parseSetting(text: string): ReturnType<Form> {
  const found = /^([\w.-]{2,60}) ?= ?(\S.{0,200})$/.exec(text);
  return found === null ? null : { about: `set ${found[1]}`, value: (found[2] ?? '').trim() };
}

/** "the X is Y": the subject is a short name, not a clause. */
function parseDefinition(text: string): ReturnType<Form> {
  const found =
    /^(?:the|my|our|der|die|das|mein|meine|unser|unsere) ([\p{L}\p{N}' -]{2,60}?) (?:is|are|ist|sind) (?:now |called |named |jetzt )?(.+)$/iu.exec(
      text,
    );
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

const LIMITS =
  /\b(?:under|below|above|at most|at least|maximum|minimum|max|min|limit|up to|no more than|höchstens|mindestens|maximal)\b/i;

/** "never push on Fridays" against "push on Fridays": the subject is the action, with every word but articles. */
function parseAction(text: string): ReturnType<Form> {
  const deed = text.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{N}'’._/-]*/gu) ?? [];
  const about = deed.filter((word) => !ARTICLES.has(word)).map(stem);
  return about.length < 2 || about.length > 14 ? null : { about: `do ${about.join(' ')}`, value: 'do' };
}

const ARTICLES = new Set(['the', 'a', 'an', 'my', 'our', 'ever', 'der', 'die', 'das', 'den', 'ein', 'eine']);
