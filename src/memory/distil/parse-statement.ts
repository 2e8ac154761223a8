/**
 * Owns: finding what a person explicitly asks to have remembered.
 *
 * 1. Only the phrasings of statement-forms.ts count, at the beginning of a sentence, in a person's own words.
 * 2. A sentence that concerns only the current task, or cannot be understood without it, is not a statement.
 * 3. A sentence that would loosen a guard is never learned; a person may still state it directly as a fact.
 */
import { extractTerms } from '../text/terms.ts';
import { FORMS, LEAD, NEEDS_PLEASE } from './statement-forms.ts';
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
  const found = ownSentences(text).flatMap((sentence) => parseStatement(sentence, at) ?? []);
  const seen = new Set<string>();
  return found.filter((each) => !seen.has(each.text) && seen.add(each.text));
}

export function parseStatement(marked: string, at: string): Statement | null {
  const sentence = marked.replaceAll(/\*\*|__/g, '');
  const lead = LEAD.exec(sentence)?.[0] ?? '';
  const isAsked = /\b(?:please|bitte)\b/i.test(lead);
  const said = sentence.slice(lead.length);
  if (said.endsWith('?') || (NEEDS_PLEASE.test(said) && !isAsked)) return null;
  const read = matchForm(said);
  if (read === null || isIdle(read.text)) return null;
  const text = normalizeSentence(read.text);
  if (isTaskSpecific(text) || isThin(text) || loosensGuards(text)) return null;
  const expires = parseExpiry(text, at);
  return { kind: read.kind, text, isDelicate: namesAddress(text), ...(expires === null ? {} : { expires }) };
}

function matchForm(said: string): Pick<Statement, 'kind' | 'text'> | null {
  const form = FORMS.find(({ pattern }) => pattern.test(said));
  if (form === undefined) return null;
  const text = said.replace(form.pattern, form.template);
  if (form.kind !== 'said') return { kind: form.kind, text };
  return matchForm(text.replace(LEAD, '')) ?? { kind: 'fact', text };
}

/** "Never mind", "Remember that time …". */
const isIdle = (text: string): boolean =>
  /^never (?:mind|again|ever$|fear)\b/i.test(text) || /^(?:time|day|one|when|how|what|where)\b/i.test(text);

/** Whether the sentence concerns only the current task (2). */
function isTaskSpecific(text: string): boolean {
  if (/\b(?:this time|just (?:this )?once|for now|only here|in here|diesmal|nur hier)\b/i.test(text)) return true;
  const near = /\b(?:this|these|that|those|the following|dies(?:e[nmrs]?)?)\s+([\p{L}-]+)/giu;
  for (const [, word = ''] of text.matchAll(near)) if (!SPANS.test(word)) return true;
  return (
    /\b(?:it|this|that|these|those|them|es|das)[.!]?$/i.test(text) ||
    /\b(?:do|use|keep|make) (?:it|this|that)\b/i.test(text)
  );
}

const SPANS = /^(?:week|month|year|quarter|morning|afternoon|evening|woche|monat|jahr|is|are|was|way)$/i;
const THIN = new Set(['alwai', 'never', 'prefer', 'pleas', 'immer', 'niemal', 'nie']);
const isThin = (text: string): boolean => extractTerms(text).filter((term) => !THIN.has(term)).length < 2;

/** Whether the sentence would loosen a guard (3). */
export function loosensGuards(text: string): boolean {
  return GUARD_LOOSENING.some((pattern) => pattern.test(text));
}

const GUARD_LOOSENING: readonly RegExp[] = [
  /\b(?:ignore|disregard|override|bypass|circumvent|disable|deactivate|turn off|switch off|skip|forget|ignoriere|umgehe|deaktiviere)\b.*\b(?:instruct|rule|polic|approv|guard|sandbox|jail|check|confirm|permission|safety|security|previous|earlier|above|limit|regel|freigabe|prüfung|anweisung)/i,
  /\b(?:never|not|no need to|without|don['’]t|stop|nie|niemals|nicht|ohne)\b.*\b(?:ask|asking|confirm|confirming|confirmation|approval|approvals|permission|nachfrage|nachfragen|fragen|frage|freigabe)\b/i,
  /\b(?:approve|allow|grant|permit|accept|trust|authori[sz]e|genehmige|erlaube|vertraue)\b.*\b(?:all|any|every|everything|always|request|command|install|sender|page|site|alles|jede)/i,
  /\b(?:always|immer|automatically) (?:approve|allow|grant|permit|accept|trust|obey|follow (?:all|any|the) instructions|genehmige|erlaube)\b/i,
  /\b(?:system prompt|developer mode|jailbreak|sudo|as root|chmod 777|--no-verify|rm -rf)\b/i,
  /^(?!.*\b(?:never|not|don['’]t|nie|niemals|nicht)\b).*\b(?:password|passphrase|api[ -]?key|secret|credential|access token|private key|passwort|zugangsdaten)s?\b/i,
];

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
