/**
 * Owns: finding what a person explicitly asks to have remembered.
 *
 * 1. Only the phrasings of languages/ count, in a person's own words: an instruction at the beginning of a sentence, a
 *    preference at that of a clause. A phrasing that is missing there costs one statement; one that matches too much
 *    teaches something wrong, which is worse.
 * 2. A sentence that concerns only the current task, or cannot be understood without it, is not a statement.
 * 3. A sentence that would loosen a guard is never learned; a person may still state it directly as a fact.
 * 4. An instruction is addressed to oka, about oka's work: beside a request for a text that tells others what to do, a
 *    bare "never …" may belong to that text.
 */
import { extractTerms } from '../../../kit/text/terms.ts';
import { inAnyLanguage, languages } from './languages/all-languages.ts';
import { type Language, words } from './languages/language.ts';
import { parseExpiry } from './parse-expiry.ts';
import { ownSentences } from './own-sentences.ts';

export type Statement = {
  kind: 'standing' | 'preference' | 'fact';
  text: string;
  expires?: string;
  /** It names a mailbox, a host or an account, so one mention is not enough. */
  isDelicate: boolean;
};

export function findStatements(text: string, at: string): Statement[] {
  const sentences = ownSentences(text);
  const isForOthers = FOR_OTHERS.some((pattern) => sentences.some((sentence) => pattern.test(sentence)));
  const found = sentences.flatMap((sentence) => {
    const whole = parseStatement(sentence, at);
    if (whole === null) return remarksIn(sentence, at);
    return isForOthers && whole.kind === 'standing' && BARE.test(sentence) ? [] : [whole];
  });
  const seen = new Set<string>();
  return found.filter((each) => !seen.has(each.text) && seen.add(each.text));
}

const FOR_OTHERS = languages.flatMap(({ forOthers }) => forOthers);
/** Begins with "never" or "one must" itself, and not with whom it is for or since when it holds. */
const BARE = new RegExp(
  `^[\\s*_]*(?:(?:and|also|und|et|y),? )?(?:il fau\\p{L}+|hay que|man (?:muss|darf|soll)|${inAnyLanguage('always')}|${inAnyLanguage('negations')})(?![\\p{L}\\p{N}])`,
  'iu',
);

/** Where clauses of their own begin, and where a request follows that is no part of them. */
const CLAUSE =
  /[,;:–—]\s+(?:(?:and|so|but|because|since|as|or|though|und|weil|da|denn|also|aber|et|car|donc|mais|parce que|puisque|y|porque|así que|pero|ya que|pues)\s+)?|\s+(?:and|so|but|because|since|as|und|weil|da|denn|aber|et|car|donc|mais|parce que|puisque|y|porque|así que|pero|ya que|pues)\s+(?=(?:i|we|i['’]\p{L}+|ich|wir|mir|je|j['’]|nous|yo|prefiero|preferimos|no me|me)(?![\p{L}]))/iu;

/** Who asks how somebody else did says besides what they do, and asks oka to do nothing like it. */
const ABOUT_SOMEBODY =
  /^(?:did|does|has|is|was|will|hat|ist|war|wird|ha|est)\s+(?:\p{Lu}\p{Ll}+|he|she|they|er|sie|él|ella|il|elle)(?!\p{L})/u;

const BECAUSE = /^(?:since|because|as|weil|da|comme|puisque|como|ya que)\s+/iu;

/** Preferences inside a sentence, such as "…, so I prefer trains, can you …?", and instructions behind an "and" (1). */
function remarksIn(marked: string, at: string): Statement[] {
  const sentence = marked.normalize('NFC').replaceAll(/\*\*|__/g, '');
  const later = parseLater(sentence, at);
  if (later !== null) return [later];
  const clauses = sentence.split(CLAUSE);
  if (sentence.endsWith('?') && ABOUT_SOMEBODY.test(clauses.at(-1) ?? '')) return [];
  return clauses.flatMap((clause, index) => {
    const said = clause
      .replace(LEAD, '')
      .replace(BECAUSE, '')
      .replace(/[.!]+$/, '')
      .replace(BY_THE_WAY, '')
      .trim();
    // The last clause of a question is the question.
    if (said.endsWith('?') || (index === 0 && clauses.length > 1 && clause.includes('¿'))) return [];
    for (const language of languages) {
      const form = language.remarks.find(({ pattern }) => pattern.test(said));
      if (form === undefined) continue;
      const kind = form.kind === 'fact' ? 'fact' : 'preference';
      return acceptStatement({ language, kind, text: said.replace(form.pattern, form.template) }, at) ?? [];
    }
    return [];
  });
}

/** "Rename the photos, but never delete one", "Plan the trip, and remember that …": told to whoever is told the first part. */
function parseLater(sentence: string, at: string): Statement | null {
  const [first = ''] = sentence.split(JOINED, 1);
  if (first === sentence || sentence.endsWith('?')) return null;
  if (languages.some(({ notStanding }) => notStanding.some((pattern) => pattern.test(first)))) return null;
  const rest = sentence.slice(first.length).replace(JOINED, '').replace(LEAD, '');
  const read = matchForm(rest, false);
  return read === null || read.kind === 'preference' ? null : acceptStatement(read, at);
}

const JOINED = /[,;]?\s+(?:and|but|und|aber|et|mais|y|pero)\s+/iu;
const BY_THE_WAY = new RegExp(`,? (?:${inAnyLanguage('lead')})$`, 'iu');

/** What a text takes back: the words of each statement that no longer holds. */
export function findTakeBacks(text: string): string[] {
  return ownSentences(text).flatMap((sentence) => {
    const said = sentence
      .normalize('NFC')
      .replace(LEAD, '')
      .replace(/[.!]+$/, '');
    const found = TAKE_BACKS.map((pattern) => pattern.exec(said)).find((each) => each !== null);
    return found === undefined || found === null ? [] : [found.slice(1).join(' ').trim()];
  });
}

const TAKE_BACKS = languages.flatMap(({ takeBacks }) => takeBacks);

export function parseStatement(marked: string, at: string): Statement | null {
  const sentence = marked
    .normalize('NFC')
    .replaceAll(/\*\*|__/g, '')
    .replace(AFTERTHOUGHT, '');
  const lead = LEAD.exec(sentence)?.[0] ?? '';
  const said = sentence.slice(lead.length);
  if (said.endsWith('?') || lead.includes('¿')) return null;
  const read = matchForm(said, PLEASE.test(lead));
  if (read === null) return null;
  return acceptStatement(read, at);
}

function acceptStatement({ language, kind, text: words }: Read, at: string): Statement | null {
  const text = normalizeSentence(words);
  if (isIdle(words, language, kind) || isTaskSpecific(text, language) || isThin(text) || loosensGuards(text))
    return null;
  const expires = parseExpiry(text, at);
  return { kind, text, isDelicate: namesAddress(text), ...(expires === null ? {} : { expires }) };
}

/** A reason or a "please" behind a statement. */
const AFTERTHOUGHT = new RegExp(
  `,? (?:${inAnyLanguage('please')})[.!]*$|, (?:that|this|it|which|because|since|so that|das|weil|damit|denn|car|parce que|ce sera|c['’]est|ça|porque|así|para que)(?![\\p{L}]).*$`,
  'iu',
);
/** Words that add no meaning, and whom a message mentions. */
const LEAD = new RegExp(`^(?:(?:${inAnyLanguage('lead')}|@[\\w-]+)(?![\\p{L}\\p{N}])[\\s,:!]+|[*_¡¿]+)+`, 'iu');
const PLEASE = words(inAnyLanguage('please'));

/** Whether the text is phrased as a statement, whatever it states. */
export const hasStatementForm = (text: string): boolean => matchForm(text.replace(LEAD, ''), true) !== null;

type Read = Pick<Statement, 'kind' | 'text'> & { language: Language };

function matchForm(said: string, isAsked: boolean): Read | null {
  const first = FIRST_WORD.exec(said)?.[0].toLowerCase() ?? '';
  const bare = said.replace(/[.!]+$/, '');
  const isMarked = MARKED.test(said);
  for (const language of languages) {
    const forms = FORM_WORDS.get(language)?.has(first) === true ? language.forms : [];
    const found = forms.find(({ pattern }) => pattern.test(said));
    const form = found ?? (isMarked ? language.marked.find(({ pattern }) => pattern.test(bare)) : undefined);
    if (form === undefined) continue;
    const { kind } = form;
    if (kind === 'preference' && !isAsked && language.needsPlease.test(said)) continue;
    const text = (form === found ? said : bare).replace(form.pattern, form.template);
    return kind === 'said' ? readSaid(text, language) : { language, kind, text };
  }
  return null;
}

const MARKED = words(['always', 'negations', 'fromNow'].map((name) => inAnyLanguage(name as 'always')).join('|'));
const FIRST_WORD = /^\p{L}+/u;

/**
 * The words in the forms of each language, with and without a letter that is optional ("notez?"). Every form begins with
 * one of them, so that most sentences need not be held against any form.
 */
const FORM_WORDS = new Map(
  languages.map((language) => {
    const sources = language.forms.map(({ pattern }) => pattern.source.toLowerCase()).join(' ');
    const found = [...sources.replaceAll(/\\./g, ' ').matchAll(/\p{L}+\??/gu)].flatMap(([word]) =>
      word.endsWith('?') ? [word.slice(0, -1), word.slice(0, -2)] : [word],
    );
    return [language, new Set(found)];
  }),
);

/** What somebody asks to have remembered is a fact, unless it is phrased as an instruction or a preference. */
function readSaid(said: string, language: Language): Read {
  const text = said.replace(LEAD, '');
  return matchForm(text, false) ?? { language, kind: 'fact', text };
}

/** Whether the sentence has the form of a statement and states nothing that is to be remembered. */
const isIdle = (text: string, { idle, notStanding }: Language, kind: Statement['kind']): boolean =>
  idle.some((pattern) => pattern.test(text)) ||
  (kind === 'standing' && notStanding.some((pattern) => pattern.test(text)));

/** Whether the sentence concerns only the current task (2). */
function isTaskSpecific(text: string, { taskOnly, demonstratives, periods }: Language): boolean {
  if (taskOnly.some((pattern) => pattern.test(text))) return true;
  const near = new RegExp(`(?<![\\p{L}\\p{N}])(?:${demonstratives})\\s+([\\p{L}-]+)`, 'giu');
  const isPeriod = new RegExp(`^(?:${periods})$`, 'iu');
  return [...text.matchAll(near)].some(([, word = '']) => !isPeriod.test(word));
}

const THIN = new Set(extractTerms('always never prefer please immer niemals nie stets toujours jamais siempre nunca'));
const isThin = (text: string): boolean => !extractTerms(text).some((term) => term.length > 1 && !THIN.has(term));

/** Whether the sentence would loosen a guard (3). */
export function loosensGuards(text: string): boolean {
  return GUARD_LOOSENING.some((pattern) => pattern.test(text));
}

/** Of all languages: a sentence may mix them. */
const GUARD_LOOSENING: readonly RegExp[] = languages.flatMap(({ guardLoosening }) => guardLoosening);

export const namesAddress = (text: string): boolean =>
  /\S+@\S+\.\S+|\w+:\/\/|\bwww\.|\b[\w-]+\.(?:com|org|net|io|dev|app|info|biz|ru|cn|de|example|test|xyz|top)\b|\b[A-Z]{2}\d{2}[A-Z0-9 ]{10,}\b|\+\d[\d ()-]{6,}/i.test(
    text,
  );

function normalizeSentence(text: string): string {
  const flat = text
    .replaceAll(/[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/^[\s*_]+/, '')
    .replace(/[\s*_,;:]+$/, '');
  const first = Array.from(flat)[0] ?? '';
  const upper = `${first.toUpperCase()}${flat.slice(first.length)}`;
  return /[.!]$/.test(upper) ? `${upper.replace(/[.!]+$/, '')}.` : `${upper}.`;
}
