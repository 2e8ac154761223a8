/**
 * Owns: what the final answer of a worker claims to have done, and whether the calls of the task show it. Pure.
 * Does not own: whether what the answer says is right (the critic judges that). It knows English only; answers in other
 * languages are left to the checks and the critic.
 *
 * A1 Only a statement in the past about the worker's own act is a claim: not a wish, a condition, a denial, or what a
 *    file says about others.
 * A2 A claim about a file is backed by a change of the desk, or by a call that may change things and names the file. What was
 *    taken out of, put into or replaced in a file is backed by a change of that file. A file that was written is there.
 * A3 A claim about a host, an address or a message is backed by a call that reached out and names it.
 */
import { baseName, fileNamesIn, mayBeSameFile } from '../../../kit/text/file-names.ts';
import { toOneLine } from '../../../core/schema/one-line.ts';

type AnswerClaim = {
  act: 'write' | 'remove' | 'send' | 'visit';
  /** Files, hosts or addresses; empty when the sentence names none. */
  subjects: string[];
  /** Files in which something was done, as in "removed a.txt from the list in index.md". */
  places: string[];
  /** Whether one backed subject is enough, as in "moved a.txt to b.txt". */
  any: boolean;
  /** Whether the worker says it of itself. In "a.md was written" somebody else may be meant. */
  own: boolean;
  sentence: string;
};

/** What the task has done until now. */
export type DoneFacts = {
  changed: readonly string[];
  /** Those of the changed ones that are gone. */
  removed: readonly string[];
  /** Calls that succeeded. */
  calls: readonly { tool: string; input: string; changes: boolean; leavesMachine: boolean }[];
  hosts: readonly string[];
  /** Globs of what could be changed were declared, and this file is one of them. */
  isTarget: (path: string) => boolean;
  exists: (path: string) => boolean;
};

const WRITE =
  'wrote|written|created|saved|stored|updated|added|appended|generated|produced|edited|modified|replaced|fixed|exported|filled|rewrote|rewritten|overwrote|overwritten|put|placed';
const TRANSFER = 'moved|renamed|copied|converted|extracted|merged|split|sorted';
const REMOVE = 'deleted|removed|erased';
const SEND =
  'sent|e-?mailed|mailed|posted|uploaded|published|notified|messaged|submitted|pushed|deployed|replied|forwarded';
const VISIT = 'fetched|downloaded|visited|opened|queried|requested|checked';
const VERB = `${WRITE}|${TRANSFER}|${REMOVE}|${SEND}|${VISIT}`;

const OWN = new RegExp(
  String.raw`\b(?:I|we)(?:['’]ve| have| had)?(?: \w+ly| also| now| then| already| just)? (${VERB})\b|^[\s*_#>✅✔☑-]*(?:\d+[.)]\s*)?(?:successfully )?(${VERB})\b`,
  'i',
);
const AGAIN = new RegExp(String.raw`\b(?:and|then)(?: \w+ly| also| then)? (${VERB})\b`, 'gi');
const PASSIVE = new RegExp(
  String.raw`\b(?:is|are|was|were|has been|have been|been|now)?\s*(?:\w+ly |now )?(${WRITE}|${TRANSFER}|${REMOVE}|sent|uploaded|published)\b`,
  'i',
);
const NO_CLAIM =
  /\b(?:not|never|no|nothing|neither|nor|cannot|can|could|would|should|will|(?-i:may)|might|must|if|unless|please|without|failed|unable|instead of|want(?:ed)? to|need(?:s|ed)? to|going to)\b|n['’]t\b|['’]ll\b|\?/i;
/** Nobody dates what they have just done: "contract.pdf was sent to Bob on 3 May" is about the contract. */
const DATED =
  /\b(?:on|in|since|by|until|of) (?:the )?(?:\d{1,2}(?:st|nd|rd|th)?[ .]|\d{4}\b|(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b)|\b(?:yesterday|ago|last (?:week|month|year))\b/i;
const BOUNDARY = /\b(?:from|based on|using|for|about|because|since|by|so that|which|as in|after|before)\b/i;
const ADDRESS = /\bhttps?:\/\/[^\s)>\]"'`]+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g;

export function claimsIn(answer: string): AnswerClaim[] {
  return sentencesIn(answer).flatMap((sentence) =>
    NO_CLAIM.test(withoutNames(sentence)) ? [] : claimsOf(withoutSpeech(sentence), sentence),
  );
}

/** Why each claim that nothing shows cannot be believed. */
export function findUnbackedClaims(answer: string, facts: DoneFacts): string[] {
  const claims = claimsIn(answer);
  const mayBeGone = claims.some(({ act, any }) => act === 'remove' || any);
  const reasons = claims.flatMap((claim) => {
    if (claim.places.some((place) => isChanged(place, facts))) return [];
    const gone =
      mayBeGone || claim.act !== 'write' ? undefined : claim.subjects.find((path) => isGone(claim, path, facts));
    if (gone !== undefined)
      return [`unbacked: the answer says "${toOneLine(claim.sentence, 300)}", but ${gone} is not there`];
    const missing = claim.subjects.filter((subject) => !isBacked(claim, subject, facts));
    const isShown = claim.any ? missing.length < claim.subjects.length : missing.length === 0;
    if (claim.subjects.length > 0) return isShown ? [] : [describe(claim, missing.join(', '))];
    const hasSent = facts.calls.some(({ leavesMachine }) => leavesMachine);
    return claim.act === 'send' && claim.own && !hasSent ? [describe(claim, '')] : [];
  });
  return [...new Set(reasons)];
}

const EFFECTS = {
  write: 'no call of this task wrote',
  remove: 'no call of this task removed',
  send: 'no call of this task sent anything',
  visit: 'no call of this task asked',
} as const;

function describe({ act, sentence }: AnswerClaim, missing: string): string {
  const what = missing === '' ? '' : act === 'send' ? ` to ${missing}` : ` ${missing}`;
  return `unbacked: the answer says "${toOneLine(sentence, 300)}", but ${EFFECTS[act]}${what}`;
}

function isBacked({ act, own }: AnswerClaim, subject: string, facts: DoneFacts): boolean {
  if (act === 'send' || act === 'visit') return isReached(subject, act, facts);
  const name = baseName(subject);
  if (facts.changed.some((path) => mayBeSameFile(path, subject) || path.startsWith(`${subject}/`))) return true;
  if (facts.calls.some(({ changes, input }) => changes && input.includes(name))) return true;
  return !own && facts.exists(subject) && !facts.isTarget(subject);
}

const isChanged = (subject: string, { changed, removed }: DoneFacts): boolean =>
  changed.some((path) => mayBeSameFile(path, subject) && !removed.includes(path));

const WRITES_FILE = /^files\.(?:write|edit)$/;

/** Whether a file that the worker says it wrote was on the desk and is not any more. */
function isGone({ own }: AnswerClaim, subject: string, facts: DoneFacts): boolean {
  if (!own || isChanged(subject, facts) || facts.exists(subject)) return false;
  if (facts.removed.some((path) => mayBeSameFile(path, subject))) return true;
  const name = JSON.stringify(baseName(subject)).slice(1);
  return facts.calls.some(({ tool, input }) => WRITES_FILE.test(tool) && input.includes(name));
}

function isReached(subject: string, act: 'send' | 'visit', { calls, hosts }: DoneFacts): boolean {
  const host = URL.parse(subject)?.host ?? subject;
  if (act === 'visit' && hosts.some((each) => each === host || each.startsWith(`${host}:`))) return true;
  return calls.some(({ input, leavesMachine, tool }) => {
    const isOutward = leavesMachine || (act === 'visit' && !tool.startsWith('files.'));
    return isOutward && input.toLowerCase().includes(host.toLowerCase());
  });
}

function sentencesIn(answer: string): string[] {
  return answer
    .slice(0, 50_000)
    .split(/\n+|(?<=[.!?;])\s+/)
    .map((each) => each.trim())
    .filter((each) => each !== '');
}

/** Words inside names of files and quotations are not words of the sentence. */
const withoutNames = (sentence: string): string =>
  fileNamesIn(sentence)
    .reduce((text, name) => text.replace(name, ' '), sentence)
    .replaceAll(/"[^"]*"|“[^”]*”/g, ' ');

/** What others say is quoted in several words; the name of a file may be in quotation marks, too. */
const withoutSpeech = (sentence: string): string =>
  sentence.replaceAll(/"[^"]*"|“[^”]*”/g, (quoted) => (/\S\s+\S+\s+\S/.test(quoted) ? ' ' : quoted));

/** `sentence` is the text that is searched, `whole` the one that is shown. */
function claimsOf(sentence: string, whole: string): AnswerClaim[] {
  const own = OWN.exec(sentence);
  if (own !== null) {
    const verb = own[1] ?? own[2] ?? '';
    const first = { verb, end: own.index + own[0].length };
    const more = [...sentence.matchAll(AGAIN)].map((each) => ({
      verb: each[1] ?? '',
      end: each.index + each[0].length,
    }));
    return [first, ...more.filter(({ end }) => end > first.end)].map(({ verb: said, end }, index, all) => {
      const object = sentence.slice(end, all[index + 1]?.end);
      return claimOf(said, object, whole, true);
    });
  }
  const [name] = fileNamesIn(sentence);
  const passive = name === undefined ? null : PASSIVE.exec(sentence);
  if (name === undefined || passive === null) return [];
  if (actOf(passive[1] ?? '') === 'send' && DATED.test(sentence)) return [];
  const before = fileNamesIn(sentence.slice(0, passive.index));
  const object = before.length > 0 ? sentence.slice(0, passive.index) : sentence.slice(passive.index);
  return [claimOf(passive[1] ?? '', object, whole, false)];
}

function claimOf(verb: string, object: string, sentence: string, own: boolean): AnswerClaim {
  const act = actOf(verb);
  const named = act === 'send' || act === 'visit' ? (object.match(ADDRESS) ?? []) : filesBefore(object);
  const any = new RegExp(`^(?:${TRANSFER})$`, 'i').test(verb);
  const places = act === 'visit' || (act === 'send' && named.length > 0) ? [] : filesIn(object);
  return { act, places, subjects: named.map((each) => each.replace(/[.,;:!]+$/, '')), any, own, sentence };
}

/** "wrote a.md and b.md from c.csv" is about the first two. */
function filesBefore(object: string): string[] {
  const end = BOUNDARY.exec(object)?.index;
  return fileNamesIn(end === undefined ? object : object.slice(0, end));
}

/** "a.txt from the list in index.md", "the date in notes.md": the file in which it stands or stood. */
function filesIn(object: string): string[] {
  const named = [...object.matchAll(/\b(?:in|into|to|from|of|inside|within)\s+(?:the (?:file )?)?[`"'*]*(\S+)/gi)];
  return named.flatMap(([, word = '']) => fileNamesIn(word).slice(0, 1));
}

function actOf(verb: string): AnswerClaim['act'] {
  const is = (list: string): boolean => new RegExp(`^(?:${list})$`, 'i').test(verb);
  if (is(REMOVE)) return 'remove';
  if (is(SEND)) return 'send';
  return is(VISIT) ? 'visit' : 'write';
}
