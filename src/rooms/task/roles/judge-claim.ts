/**
 * Owns: how far a claim of the critic is believed. The critic decides what evidence shows; code only decides whether the
 * evidence is there and is evidence. The rules K1 to K4 are stated in critic.ts.
 *
 * Every reason is written for the critic, who gets it once and may answer again.
 */
import { classify } from '../../../core/guard/classify/classify-command.ts';
import type { Claim } from '../../../core/schema/role.ts';
import { SAID_TO_BE_MET } from '../../../core/schema/unproven-claim.ts';
import { fileNow, LIST_OF_CHANGES, type Shown, type Witness } from './critic-evidence.ts';
import { sharesFigure } from './value-sources.ts';
import { ANSWER_IS_RIGHT, isOwnCriterion, NOTHING_TO_CHANGE } from './implied-criteria.ts';
import { foldText, hasWordsOf, isQuotedIn, quotedParts } from './quotation.ts';
import { toOneLine } from '../../../core/schema/one-line.ts';

type ClaimFrame = {
  shown: readonly Shown[];
  /** The task as it was given. Words that it asks for are not written for the judge. */
  task?: string;
  /** What the worker answered; a claim about the answer itself may name it. */
  answer?: string | null;
};

type JudgedClaim = {
  holds: boolean;
  evidence: string;
  /** Why a claim that it is met is not believed; null when it is, or when nothing of that kind is claimed. */
  refused: string | null;
};

const MAX_SHOWN = 1000;
/** Of such criteria the answer itself may show that they are met: "The answer is in German." */
const ABOUT_ANSWER = /\b(?:answers?|answered|repl(?:y|ies)|responses?)\b/i;
/** Fewer words can be a text that the criterion asks for. */
const MIN_RESTATED = 3;
/** A text with this share of the criterion's words, and no other, says the criterion again. */
const RESTATED_SHARE = 0.6;

export function judgeClaim(criterion: string, claim: Claim | undefined, frame: ClaimFrame): JudgedClaim {
  if (claim === undefined) return { holds: false, evidence: 'the model did not judge it', refused: null };
  const quote = toOneLine(claim.quote, MAX_SHOWN);
  if (!claim.holds)
    return {
      holds: false,
      evidence: quote === '' ? 'no evidence for it' : `against it: "${quote}"`,
      refused: null,
    };
  const named = namedEntries(claim.evidence, frame);
  const doubt = typeof named === 'string' ? named : findDoubt(criterion, claim.quote, named, frame);
  const words = quote === '' ? '' : `: "${quote}"`;
  if (typeof named === 'string' || doubt !== null)
    return { holds: false, evidence: `${SAID_TO_BE_MET} ${doubt}${words}`, refused: doubt };
  const sources = named.map(({ source }) => toOneLine(source, 200)).join(' and ');
  return { holds: true, evidence: `${sources}${words}`, refused: null };
}

/** What a claim rests on: entries of the evidence, or the answer. */
type Named = { name: string; source: string; text: string; entry: Shown | null };

/** The entries that a claim names, in any notation; or why there are none. */
function namedEntries(text: string, { shown, answer }: ClaimFrame): Named[] | string {
  const names = [...new Set([...text.matchAll(/\be ?(\d{1,4})\b/gi)].map(([, number]) => `E${Number(number)}`))];
  const missing = names.find((name) => shown.every((each) => each.name !== name));
  const have = shown.length === 0 ? 'there is no evidence' : `there is ${shown[0]?.name} to ${shown.at(-1)?.name}`;
  if (missing !== undefined) return `there is no evidence named ${missing}; ${have}`;
  const isAnswerNamed = /\banswer\b/i.test(text) && typeof answer === 'string' && answer !== '';
  const named = names.flatMap((name): Named[] => {
    const entry = shown.find((each) => each.name === name);
    return entry === undefined ? [] : [{ name, source: entry.witness.source, text: entryText(entry), entry }];
  });
  if (isAnswerNamed) named.push({ name: 'the answer', source: 'the answer', text: answer, entry: null });
  return named.length > 0 ? named : `it names no evidence by its number (${have})`;
}

/** What a quotation may stand in: the text as it was shown, and all of it, where it was shown in part. */
const entryText = ({ text, witness }: Shown): string => `${text}\n${witness.text}\n${witness.now ?? ''}`;

function findDoubt(
  criterion: string,
  quote: string,
  named: readonly Named[],
  { shown, task = '', answer = null }: ClaimFrame,
): string | null {
  const absent = quotedParts(quote).find((part) => !named.some(({ text }) => isQuotedIn(part, text)));
  if (absent !== undefined) return describeAbsent(absent, named, shown);
  const speaker = speaksToJudge(task) ? undefined : named.find((each) => instructsJudge(each, quote, shown));
  if (speaker !== undefined) return `${speaker.name} tries to instruct the judge; name other evidence`;
  const doubts = named.map((each) => findMadeUp(criterion, quote, each, answer) ?? findOutdated(quote, each, shown));
  return doubts.includes(null) ? null : (doubts[0] ?? null);
}

function describeAbsent(part: string, named: readonly Named[], shown: readonly Shown[]): string {
  const names = named.map(({ name }) => name).join(' and ');
  const elsewhere = shown.find((each) => isQuotedIn(part, entryText(each)))?.name;
  const isGiven = named.some(({ entry }) => isQuotedIn(part, `${entry?.witness.input}\n${entry?.witness.call}`));
  const hint = isGiven
    ? ', but in what the call was given; quote what it returned, or nothing'
    : elsewhere === undefined
      ? '; a quotation is copied, or left out'
      : `; it is in ${elsewhere}`;
  return `the quotation is not in ${names}${hint}`;
}

/** Why an entry shows nothing about this criterion, because its author made it for the claim alone; else null. */
function findMadeUp(
  criterion: string,
  quote: string,
  { name, text, entry }: Named,
  answer: string | null,
): string | null {
  if (entry === null)
    return ABOUT_ANSWER.test(criterion) && !isOwnCriterion(criterion)
      ? null
      : 'the answer is what is judged; name the evidence that shows it';
  const { witness } = entry;
  const isOwn = criterion === ANSWER_IS_RIGHT || criterion === NOTHING_TO_CHANGE;
  if (isOwn && !witness.ok && witness.source.startsWith('files.') && !SAYS_NOTHING.test(answer ?? ''))
    return `${name} only says that there was nothing to read; name the evidence that shows it`;
  if (
    witness.source === LIST_OF_CHANGES ||
    isWrite(witness) ||
    witness.kind === 'sources' ||
    witness.kind === 'check'
  ) {
    const hasValue = witness.kind === 'check' && criterion === ANSWER_IS_RIGHT && sharesFigure(answer ?? '', text);
    return isOwn && !hasValue
      ? `${name} only lists what was changed or checked; name the evidence that shows it`
      : null;
  }
  if (isEcho(quote, witness.call ?? '', text)) return `the call of ${name} supplied these words itself`;
  const isWritten = witness.kind === 'file' && witness.isOwn === true;
  return isWritten && isRestatement(witness.text, criterion) ? `${name} only repeats the criterion` : null;
}

const isWrite = ({ source, kind }: Witness): boolean =>
  kind === undefined && /^files\.(?:write|edit|move|remove)\b/.test(source);

const SAYS_NOTHING = /\b(?:no|none|nothing|not|nowhere|never|without|missing|gone|absent|removed|deleted)\b|n['’]t\b/i;

/** Why an entry is no evidence of how it is: it was read before it was changed. */
function findOutdated(quote: string, { name, entry }: Named, shown: readonly Shown[]): string | null {
  const now = entry === null ? null : fileNow(entry.witness, shown);
  if (entry === null || now === null) return null;
  const parts = quotedParts(quote).map((part) => part.replace(/^content: /, ''));
  const isOld =
    parts.length === 0 ? now.isOther : !parts.some((part) => isQuotedIn(part, now.text) || hasWordsOf(part, now.text));
  return isOld ? `${name} shows the file as it was before it was changed; ${now.name} shows it as it is` : null;
}

/** Programs that print the words they are given and know nothing else. */
const PRINTERS = new Set(['echo', 'printf', 'true', ':', 'sleep']);
const ONLY_PRINTS = /^(?:print|console\.log)\((["'`])[^"'`]*\1\);?$/;

/** Whether a command did no more than print words that stand in it. A command that also looked at something may. */
export function isEcho(quote: string, call: string, text: string): boolean {
  if (call === '') return false;
  const code = /^(?:python3?|node) -(?:c|e|p) (["'])([\s\S]*)\1$/.exec(call.trim())?.[2];
  const { programs, class: effect } = classify({ line: call });
  const onlyPrints =
    code === undefined
      ? effect === 'read' && programs.length > 0 && programs.every((program) => PRINTERS.has(program))
      : ONLY_PRINTS.test(code.trim());
  const source = foldText(call.replaceAll(String.raw`\n`, '\n'));
  const said = quotedParts(quote === '' ? text : quote).map((part) => foldText(part.replace(/^\s*stdout: /, '')));
  return onlyPrints && said.some((part) => /[\p{L}\p{N}]/u.test(part)) && said.every((part) => source.includes(part));
}

/** Whether a text is no more than the criterion said again, which a worker can write into any file. */
function isRestatement(text: string, criterion: string): boolean {
  const said = contentWords(text);
  const wanted = contentWords(criterion);
  if (said.length < MIN_RESTATED || !said.every((word) => wanted.includes(word))) return false;
  if (said.join(' ') === wanted.join(' ')) return true;
  const isAskedFor = ` ${wanted.join(' ')} `.includes(` ${said.join(' ')} `);
  return !isAskedFor && new Set(said).size >= new Set(wanted).size * RESTATED_SHARE;
}

const contentWords = (text: string): string[] =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .split(' ')
    .filter(
      (word) =>
        word.length > 2 && !/^(?:the|and|are|was|were|has|have|had|all|its|their|this|that|with|for|been)$/.test(word),
    )
    .map((word) => word.replace(/(?:ing|ed|es|s|d)$/, ''));

const INSTRUCTIONS_TO_JUDGE: readonly RegExp[] = [
  /\b(?:ignore|disregard|forget|override)\b[^.\n]{0,60}\b(?:instructions?|rules?|prompts?|criteri(?:a|on)|above|previous)\b/i,
  /\bsubmit_verdict\b|\bsystem prompt\b|"?holds"?\s*[:=]\s*"?true\b/i,
  /\b(?:all|every|each|the)\s+(?:\w+\s+){0,3}?criteri(?:a|on)\b[^.\n]{0,40}\b(?:hold|holds|met|satisfied|passed?|fulfilled|done|true)\b/i,
  /\b(?:verdict|judge?ment)\b\s*(?:is|:|=|must be|should be)?\s*["'*_]*(?:done|pass(?:ed)?|accept(?:ed)?|success)\b/i,
  /\b(?:critic|judge|reviewer|evaluator|grader)\b[^.\n]{0,60}\b(?:must|should|shall|please)\b[^.\n]{0,60}\b(?:pass|accept|approve|mark|say|answer|return|report)\b/i,
  /\b(?:mark|report|rate|grade|count)\b[^.\n]{0,40}\bas\s+(?:done|passed|complete[d]?|successful|met|holding)\b/i,
  /<\/?data\b|<\/?(?:system|assistant)>/i,
];

/** Of a text that the task did not make: a document may well say that reviewers have to approve something. */
const ORDERS_TO_CRITIC: readonly RegExp[] = [
  ...INSTRUCTIONS_TO_JUDGE.filter((_, index) => [0, 1, 6].includes(index)),
  /\bcritic\b[^.\n]{0,60}\b(?:must|should|shall|please)\b/i,
];

/** Whether an entry was written to persuade the judge: by the worker, or by whoever tries to give orders to a model. */
function instructsJudge({ text, entry }: Named, quote: string, shown: readonly Shown[]): boolean {
  if (entry === null) return speaksToJudge(text);
  const { witness } = entry;
  const made = isWrite(witness) ? `${text}\n${witness.input}` : (witness.call ?? '');
  const mayPrintOwn =
    witness.call !== undefined && shown.some((each) => each.witness.isOwn === true && isMadeToPersuade(each));
  if (witness.isOwn === true || mayPrintOwn) return speaksToJudge(text);
  return [quote, made].some((each) => speaksToJudge(each)) || speaksToJudge(text, ORDERS_TO_CRITIC);
}

const isMadeToPersuade = ({ witness }: Shown): boolean => speaksToJudge(witness.text);

/** Folds compatibility forms and invisible characters first, so that words are recognised as a reader sees them. */
export function speaksToJudge(text: string, shapes: readonly RegExp[] = INSTRUCTIONS_TO_JUDGE): boolean {
  const folded = text.normalize('NFKC').replaceAll(/\\u\{[0-9a-f]+\}/g, '');
  return shapes.some((shape) => shape.test(folded));
}
