/**
 * Owns: what a sentence is about, so that a newer one about the same can take its place.
 *
 * 1. No guess: where the form does not show it, a sentence has no subject, and both are kept.
 * 2. Two sentences contradict each other when they are about the same and either give another value, or the same value
 *    with and without a "not".
 */
import { sumOf } from '../index/item.ts';
import { stem } from '../text/stem.ts';
import { extractTerms } from '../text/terms.ts';

export type Subject = { about: string; value: string; isDenied: boolean };

export function subjectOf(text: string): Subject | null {
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

export function contradict(one: Subject, other: Subject): boolean {
  if (one.about !== other.about) return false;
  const isSameValue = one.value === other.value;
  return isSameValue ? one.isDenied !== other.isDenied : !one.isDenied && !other.isDenied;
}

export const saySame = (one: Subject, other: Subject): boolean =>
  one.about === other.about && one.value === other.value && one.isDenied === other.isDenied;

const NEGATORS =
  /\b(?:never|not|no longer|do not|don['’]t|doesn['’]t|isn['’]t|aren['’]t|avoid|without|no|nie|niemals|nicht|kein[a-z]*|ohne)\b/gi;

/** Two negations make none. */
export const isNegative = (text: string): boolean => ([...text.matchAll(NEGATORS)].length & 1) === 1;

type Form = (text: string) => { about: string; value: string } | null;

const FORMS: readonly Form[] = [chosen, usedFor, valued, setting, stated, limited, done];

const words = (text: string): string => extractTerms(text).join(' ');

/** "prefer X over Y", "use X instead of Y": about the two, whichever comes first. */
function chosen(text: string): ReturnType<Form> {
  const found =
    /^(?:prefer|use|choose|take) (.+?) (?:over|to|instead of|rather than|in place of) (.+)$/i.exec(text) ??
    /^(?:bevorzuge|verwende|nutze|benutze|nimm) (.+?) (?:statt|anstelle von|gegenüber|vor) (.+)$/i.exec(text);
  if (found === null) return null;
  const [this_, that] = [words(found[1] ?? ''), words(found[2] ?? '')];
  if (this_ === '' || that === '' || this_ === that) return null;
  return { about: `choose ${[this_, that].toSorted().join(' | ')}`, value: this_ };
}

/** "use X for Y". */
function usedFor(text: string): ReturnType<Form> {
  const found =
    /^(?:use|prefer|choose|take) (.+?) (?:for|when) (.+)$/i.exec(text) ??
    /^(?:verwende|nutze|benutze|nimm|bevorzuge) (?:immer )?(.+?) für (.+)$/i.exec(text);
  return found === null ? null : { about: `for ${words(found[2] ?? '')}`, value: words(found[1] ?? '') };
}

/** Values of which only one can hold for the same thing. */
const VALUES =
  'english|german|french|spanish|italian|dutch|portuguese|markdown|pdf|html|csv|json|yaml|xml|docx|xlsx|plain text|eur|euros?|usd|dollars?|gbp|chf|celsius|fahrenheit|metric units|imperial units|utc|local time|tabs|spaces|lower ?case|upper ?case|deutsch|englisch|französisch';

/** "write reports in German": about the reports. */
function valued(text: string): ReturnType<Form> {
  const found = new RegExp(`^(.{3,80}?) (?:in|as|with|auf|als) (${VALUES})$`, 'i').exec(text);
  return found === null ? null : { about: `in ${words(found[1] ?? '')}`, value: words(found[2] ?? '') };
}

/** "key = value". */
function setting(text: string): ReturnType<Form> {
  const found = /^([\w.-]{2,60}) ?= ?(\S.{0,200})$/.exec(text);
  return found === null ? null : { about: `set ${found[1]}`, value: (found[2] ?? '').trim() };
}

/** "the X is Y": one thing, and not a whole sentence before the verb. */
function stated(text: string): ReturnType<Form> {
  const found =
    /^(?:the|my|our|der|die|das|mein|meine|unser|unsere) ([\p{L}\p{N}' -]{2,60}?) (?:is|are|ist|sind) (?:now |called |named |jetzt )?(.+)$/iu.exec(
      text,
    );
  const about = words(found?.[1] ?? '');
  if (found === null || about.split(' ').length > 5) return null;
  return { about: `is ${about}`, value: words(found[2] ?? '') };
}

const NUMBER = /\b\d+(?:[.,]\d+)?\b/g;

/** "keep lines under 80 characters": about the same limit, whatever the number. */
function limited(text: string): ReturnType<Form> {
  const numbers = [...text.matchAll(NUMBER)].map(([number]) => number);
  const [number = ''] = numbers;
  if (numbers.length !== 1 || !LIMITS.test(text)) return null;
  const limit = LIMITS.exec(text)?.[0].toLowerCase() ?? '';
  return { about: `limit ${limit} ${words(text.replace(number, ' '))}`, value: number };
}

const LIMITS =
  /\b(?:under|below|above|at most|at least|maximum|minimum|max|min|limit|up to|no more than|höchstens|mindestens|maximal)\b/i;

/** "never push on Fridays" against "push on Fridays": about the deed itself, with every word but articles. */
function done(text: string): ReturnType<Form> {
  const deed = text.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{N}'’._/-]*/gu) ?? [];
  const about = deed.filter((word) => !ARTICLES.has(word)).map(stem);
  return about.length < 2 || about.length > 14 ? null : { about: `do ${about.join(' ')}`, value: 'do' };
}

const ARTICLES = new Set(['the', 'a', 'an', 'my', 'our', 'ever', 'der', 'die', 'das', 'den', 'ein', 'eine']);
