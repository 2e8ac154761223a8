/** Owns: how far a claim of the critic is believed. The rules K1 to K5 are stated in critic.ts. */
import type { Claim } from '../../../core/schema/role.ts';
import { SAID_TO_BE_MET } from '../../../core/schema/unproven-claim.ts';
import { LIST_OF_CHANGES, type Shown } from './critic-evidence.ts';
import { baseName, fileNamesIn } from '../../../kit/text/file-names.ts';
import { NOTHING_TO_CHANGE } from './implied-criteria.ts';
import { toOneLine, escapeInvisible } from '../../../core/schema/one-line.ts';

const MIN_QUOTE = 8;
const MAX_SHOWN = 1000;
/** A quotation of fewer words can be a text that the criterion asks for. */
const MIN_RESTATED = 3;
const PART_OF_CRITERION = 0.7;

export function judgeClaim(
  criterion: string,
  claim: Claim | undefined,
  shown: readonly Shown[],
): { holds: boolean; evidence: string } {
  if (claim === undefined) return { holds: false, evidence: 'the model did not judge it' };
  const quote = toOneLine(claim.quote, MAX_SHOWN);
  if (!claim.holds) return { holds: false, evidence: quote === '' ? 'no evidence for it' : `against it: "${quote}"` };
  const named = namedEntries(claim.evidence, shown);
  const doubt =
    named.length === 0
      ? `there is no evidence named "${toOneLine(claim.evidence, 20)}"`
      : (findDoubtInAll(claim.quote, named) ??
        findMissingFile(criterion, named) ??
        findListOnly(criterion, named) ??
        findRestatement(claim.quote, criterion));
  if (doubt !== null)
    return { holds: false, evidence: `${SAID_TO_BE_MET} ${doubt}${quote === '' ? '' : `: "${quote}"`}` };
  const sources = named.map(({ witness }) => toOneLine(witness.source, 200)).join(' and ');
  return { holds: true, evidence: `${sources}: "${quote}"` };
}

/** The entries that a claim names, such as "e2" or "e2, e5"; none when one of them is not there. */
function namedEntries(text: string, shown: readonly Shown[]): Shown[] {
  const names = [...new Set(text.split(/[\s,;+&]+|\band\b/).filter((name) => name !== ''))];
  const found = names.flatMap((name) => shown.find((each) => each.name === name) ?? []);
  return found.length === names.length ? found : [];
}

/** Why a quotation proves nothing; null when each of its lines is in one of the entries. */
function findDoubtInAll(quote: string, named: readonly Shown[]): string | null {
  const [only] = named;
  if (only === undefined) return 'nothing is quoted';
  if (named.length === 1) return findDoubt(quote, only);
  const parts = quote.split(/\n|\s(?:…|\.{3}|\|)\s/).filter((part) => part.trim() !== '');
  if (parts.length === 0) return 'nothing is quoted';
  for (const part of parts) {
    const doubts = named.map((entry) => findDoubt(part, entry));
    if (!doubts.includes(null)) return doubts[0] ?? null;
  }
  return null;
}

/** Why a quotation proves nothing; null when it does. */
function findDoubt(given: string, { name, witness, text }: Shown): string | null {
  const quote = escapeInvisible(given).trim();
  if (witness.by !== 'tool') return `${name} is a worker's report about itself`;
  if (!witness.ok) return `${name} is the output of a call that failed`;
  if (!isSpecific(quote, text)) return quote === '' ? 'nothing is quoted' : 'the quotation says too little';
  if (!text.includes(quote)) return `the quotation is not in ${name}`;
  if (isEcho(quote, witness.input)) return `the call of ${name} supplied these words itself`;
  return speaksToJudge(text) ? `${name} tries to instruct the judge` : null;
}

const ABOUT_CHANGES = /\b(?:created?|changed?|removed?|deleted?|moved|renamed|written|unchanged|untouched)\b/i;

/** The list of changes shows what was changed: neither that an answer is right nor that nothing had to be changed. */
function findListOnly(criterion: string, named: readonly Shown[]): string | null {
  const isListOnly = named.every(({ witness }) => witness.source === LIST_OF_CHANGES);
  const canShow = ABOUT_CHANGES.test(criterion) && criterion !== NOTHING_TO_CHANGE;
  return isListOnly && !canShow ? 'the list of changes says nothing about it' : null;
}

/** Why the evidence cannot be about the criterion (K5); null when it can. */
function findMissingFile(criterion: string, named: readonly Shown[]): string | null {
  const files = fileNamesIn(criterion).map(baseName);
  const seen = named.map(({ witness, text }) => `${witness.source}\n${witness.input}\n${text}`).join('\n');
  return files.length === 0 || files.some((file) => seen.includes(file))
    ? null
    : `${named.map(({ name }) => name).join(' and ')} does not mention ${files[0]}`;
}

/** Why the words are no more than the criterion said again, which a worker can write into any file (K6); else null. */
function findRestatement(quote: string, criterion: string): string | null {
  const said = contentWords(quote);
  const wanted = new Set(contentWords(criterion));
  if (said.length < MIN_RESTATED || !said.every((word) => wanted.has(word))) return null;
  const [plainQuote, plainCriterion] = [plainText(quote), plainText(criterion)];
  const isAskedFor =
    plainCriterion.includes(plainQuote) && plainQuote.length < plainCriterion.length * PART_OF_CRITERION;
  return isAskedFor ? null : 'the quotation only repeats the criterion';
}

const plainText = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

const contentWords = (text: string): string[] =>
  plainText(text)
    .split(' ')
    .filter(
      (word) =>
        word.length > 2 && !/^(?:the|and|are|was|were|has|have|had|all|its|their|this|that|with|for|been)$/.test(word),
    )
    .map((word) => word.replace(/(?:ing|ed|es|s|d)$/, ''));

/**
 * Whether the call only returned its own input, which proves nothing. The input is JSON or text; the name of a field, such
 * as "stdout: ", is put before an output here and proves nothing either.
 */
function isEcho(quote: string, input: string): boolean {
  const plain = input.replaceAll(String.raw`\n`, '\n').replaceAll(String.raw`\"`, '"');
  const lines = quote.split('\n').map((line) => line.trim().replace(/^\w+: /, ''));
  return lines.every((line) => plain.includes(line) || input.includes(line));
}

/** A few letters occur in every text, so a short quotation has to be a complete line. */
function isSpecific(quote: string, text: string): boolean {
  if (!/[\p{L}\p{N}]/u.test(quote)) return false;
  return quote.length >= MIN_QUOTE || text.split('\n').some((line) => line.trim() === quote);
}

const INSTRUCTIONS_TO_JUDGE: readonly RegExp[] = [
  /\b(?:ignore|disregard|forget|override)\b[^.\n]{0,60}\b(?:instructions?|rules?|prompts?|criteri(?:a|on)|above|previous)\b/i,
  /\bsubmit_verdict\b|\bsystem prompt\b|"?holds"?\s*[:=]\s*"?true\b/i,
  /\b(?:all|every|each|the)\s+(?:\w+\s+){0,3}?criteri(?:a|on)\b[^.\n]{0,40}\b(?:hold|holds|met|satisfied|passed?|fulfilled|done|true)\b/i,
  /\b(?:verdict|judge?ment)\b\s*(?:is|:|=|must be|should be)?\s*["'*_]*(?:done|pass(?:ed)?|accept(?:ed)?|success)\b/i,
  /\b(?:critic|judge|reviewer|evaluator|grader)\b[^.\n]{0,60}\b(?:must|should|shall|please)\b[^.\n]{0,60}\b(?:pass|accept|approve|mark|say|answer|return|report)\b/i,
  /\b(?:mark|report|rate|grade|count)\b[^.\n]{0,40}\bas\s+(?:done|passed|complete[d]?|successful|met|holding)\b/i,
  /<\/?data\b|<\/?(?:system|assistant)>/i,
];

/** Folds compatibility forms and invisible characters first, so that words are recognised as a reader sees them. */
export function speaksToJudge(text: string): boolean {
  const folded = text.normalize('NFKC').replaceAll(/\\u\{[0-9a-f]+\}/g, '');
  return INSTRUCTIONS_TO_JUDGE.some((shape) => shape.test(folded));
}
