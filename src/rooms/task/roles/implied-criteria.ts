/**
 * Owns: what a task demands besides its criteria, so that no empty result counts as done. Pure.
 *
 * I1 A file that the task plainly asks for has to be there, if no criterion mentions it.
 * I2 An answer that the task asks for is judged, and so is every answer of a plan that may change nothing.
 * I3 Where a plan declares what it changes and changed none of it, it is judged whether nothing had to be changed.
 * I4 Where no criterion could have failed, it is judged whether the task is done; also where a procedure is new. The checks
 *    of a procedure that has proven itself are enough.
 * I5 Criteria that a person wrote say what must be true, and seldom all of it, and checks that a model planned show only what
 *    it had thought of: where a critic can be asked, it is judged beside them whether what was asked for is done. A
 *    judgement of the answer, or that nothing had to be changed, is that, and so is a criterion of the model in prose.
 */
import { fileDemands, MAKE, sentencesIn } from '../../../kit/task/asked-files.ts';
import type { Criterion } from '../../../kit/task/criteria.ts';
import { parseCriterion } from '../../../kit/task/criteria.ts';
import { baseName, fileNamesIn } from '../../../kit/text/file-names.ts';
import { matchesGlob } from '../../../kit/text/glob.ts';

export type TaskFacts = {
  /** The task as the operator wrote it. */
  text: string;
  criteria: readonly PlannedCriterion[];
  /** What the worker answered in the end; null when no model worked. */
  answer: string | null;
  /** What the plans declared that they may change. */
  targets: readonly string[];
  changed: readonly string[];
  /** Who judges what a procedure did: the critic as well, or its checks alone. */
  judge?: 'critic' | 'checks';
  /** Whether a critic can be asked. */
  canAsk?: boolean;
};

export type PlannedCriterion = Criterion & {
  /** Whether it was met already before the work began. */
  before?: boolean;
};

export const ANSWER_IS_RIGHT =
  'The answer is right: it says what the task asks to know, and the evidence shows what it says.';
export const NOTHING_TO_CHANGE =
  'Nothing had to be changed: the evidence shows it, and the answer, if there is one, says so.';
const TASK_IS_DONE = 'What the task asks for is done, and the evidence shows it';

/** Whether oka itself demands this of a task. */
export const isOwnCriterion = (text: string): boolean =>
  text === ANSWER_IS_RIGHT || text === NOTHING_TO_CHANGE || text.startsWith(TASK_IS_DONE);

/** Where a check says that it is not done, nobody need be asked whether it is as a whole (I5). */
export const withoutWhole = (criteria: readonly Criterion[]): Criterion[] =>
  criteria.filter(({ text }) => !text.startsWith(TASK_IS_DONE));

export function impliedCriteria(facts: TaskFacts): Criterion[] {
  const { text, criteria, answer, targets, judge, canAsk = false } = facts;
  const files = fileDemands(text, criteria);
  const isIdle = hasChangedNothing(facts);
  const hasOwn = criteria.some(({ author }) => author === 'operator');
  const wantsAnswer = answer !== null && (asksForAnswer(text, hasOwn) || targets.length === 0);
  const prose = [...(wantsAnswer ? [ANSWER_IS_RIGHT] : []), ...(isIdle ? [NOTHING_TO_CHANGE] : [])];
  const isProven = judge === 'checks' && criteria.some(({ check }) => check !== null);
  const isBound = isProven || criteria.some(isBinding) || files.length > 0 || prose.length > 0;
  const isWhole = isIdle || (wantsAnswer && targets.length === 0);
  const isJudged = !hasOwn && criteria.some(({ check }) => check === null);
  const isEnough = isBound && judge !== 'critic' && (isJudged || !canAsk || isProven || isWhole);
  const texts = [...prose, ...(isEnough ? [] : [`${TASK_IS_DONE}${namesIn(text)}.`])];
  const judged = texts.flatMap((each) => {
    const read = parseCriterion(each, 'operator');
    return 'problem' in read ? [] : [read];
  });
  return [...files, ...judged];
}

/** Whether a plan declares what it changes and has changed none of it (I3). */
export const hasChangedNothing = ({ targets, changed }: Pick<TaskFacts, 'targets' | 'changed'>): boolean =>
  targets.length > 0 && !changed.some((path) => targets.some((target) => matchesGlob(target, path)));

/**
 * A criterion counts if it could have failed: the operator's own, prose, and a check that failed before the work. That a
 * file or a folder is there says nothing about its content, so a model's check of that does not count.
 */
function isBinding({ author, check, before }: PlannedCriterion): boolean {
  if (author === 'operator' || check === null) return true;
  const isExistence = check.kind === 'folder' || (check.kind === 'file' && check.want !== 'absent');
  return check.kind !== 'unchanged' && !isExistence && before !== true;
}

const namesIn = (text: string): string => {
  const names = [...new Set(fileNamesIn(text).map(baseName))].slice(0, 5);
  return names.length === 0 ? '' : `: ${names.join(', ')}`;
};

const ASKS =
  /\?(?:\s|$)|\b(?:tell|answer|let me know|what|why|how (?:many|much|long|often|old|far|big)|calculate|compute|find out|look up|check whether|compare|recommend|explain|describe|summari[sz]e|give me|show me|report (?:back|to me|whether|how|which|what))\b/i;
/** Words that are also nouns ask for something only where a sentence or a further order begins. */
const ASKS_AT_START = /(?:^|[,:;]\s*|\b(?:and|then|please|also|finally|to)\s+)(?:count|name|list)\b/i;
/** Elsewhere, as in "the files whose name ends in .bak", these words only say which thing is meant. */
const QUESTION_WORD =
  /(?:^|[:;(]\s*|\b(?:say|see|know|find|check|determine|decide|out|up|and|or)\s+)(?:(?:in|on|at|for|by|from|to|with|of)\s+)?(?:which|when|who|whom|whose|where)\b/i;

/** After something else was asked for, in the same sentence: "Append the line to log.txt, and tell how many there are." */
const TELLS =
  /[,;]?\s*\b(?:and|then)\s+(?:also |then |please )*(?:tell(?: me| us)?|let me know|report back) (?:which|what|who|when|where|why|how|whether|if)\b/i;

const MAKES_FILE = new RegExp(String.raw`\b(?:${MAKE}|add|append|update|rename|move|delete|remove)\b`, 'i');

/**
 * Whether a sentence of the task asks for something to be said, and not only for a file. Where the operator stated
 * criteria, these say what counts as done, and only a question asks for more.
 */
export function asksForAnswer(text: string, hasCriteria = false): boolean {
  return sentencesIn(text).some((whole) => {
    if (/\?\s*$/.test(whole)) return true;
    if (!hasCriteria && TELLS.test(whole)) return true;
    const sentence = whole.replace(/^(?:when|where)\b[^,]*,\s*/i, '');
    const placed = [...sentence.matchAll(/\b(?:into|to|as)\s+[`"'*]*(\S+)/gi)].flatMap(([, word]) =>
      fileNamesIn(word ?? ''),
    );
    return (
      !hasCriteria &&
      [ASKS, ASKS_AT_START, QUESTION_WORD].some((shape) => shape.test(sentence)) &&
      !/^ask\b/i.test(sentence) &&
      placed.length === 0 &&
      !MAKES_FILE.test(sentence)
    );
  });
}

const SAYS_NOTHING = /\b(?:no|none|nothing|not|already|unchanged|without|zero|neither|never|0)\b|n['’]t\b/i;

/** Why a plan that changed nothing of what it declared is not done, by its answer; null when the answer explains it. */
export function idleReason({
  answer,
  targets,
  changed,
}: Pick<TaskFacts, 'answer' | 'targets' | 'changed'>): string | null {
  if (!hasChangedNothing({ targets, changed }) || SAYS_NOTHING.test(answer ?? '')) return null;
  return `nothing was changed, although the plan declares ${targets.slice(0, 5).join(', ')}, and the answer does not say that nothing had to be done`;
}
