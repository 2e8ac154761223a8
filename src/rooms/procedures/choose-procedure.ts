/**
 * Owns: which procedure a task is planned from, if any.
 *
 * 1. A promoted procedure comes before a candidate, and a more specific one before a more general one.
 * 2. A share of the tasks that a promoted procedure could plan is planned without it, and a candidate is tried on a share
 *    of the tasks it could plan. Which ones depends only on the names of the run and the procedure.
 *    While a procedure is tried or new, the critic judges what it does as well as its checks (promotion-gate.ts, G4), and
 *    afterwards a tenth of it.
 * 3. No procedure is withheld when nobody else could plan the task.
 * 4. A procedure that is withheld is not shown to the planner either.
 * 5. One that another home shared is not tried before a run of this home has had the plan that it gives, and then comes
 *    behind one that was learned here.
 */
import { hash } from 'node:crypto';
import type { MaintenanceConfig } from '../../core/schema/maintenance.ts';
import type { ProcedureChoice } from '../../core/schema/procedure.ts';
import type { Candidate } from '../../kit/learning/context-pack.ts';
import type { ChosenProcedure, FilledProcedure } from '../../kit/ports/procedures-port.ts';
import { fillProcedure, isProblem, unreadableParameters } from './fill-procedure.ts';
import { isUnconfirmed, type KnownProcedure } from '../../kit/learning/known-procedures.ts';
import { similarityToTask, matchTask } from './match-task.ts';
import type { Problem } from './fill-command.ts';
import { type InputShapes, oddInput } from './input-shapes.ts';

type ChoiceInput = {
  run: string;
  /** The text of the task from taskText: complete, and without its criteria, which apply in any case. */
  text: string;
  bare: string;
  today: string;
  known: readonly KnownProcedure[];
  shares: Pick<MaintenanceConfig['procedures'], 'trial_share' | 'hold_back'>;
  /** Whether somebody else can plan it. */
  hasPlanner: boolean;
  /** Returns why a plan cannot be used after all, or null. */
  check: (filled: FilledProcedure, known: KnownProcedure) => string | null;
  /** What the files are like that it reads. */
  look: (filled: FilledProcedure, known: KnownProcedure) => InputShapes;
};

/** `fit` counts the tokens that the procedure specifies; null when the task is only similar. */
type Fit = {
  known: KnownProcedure;
  fit: number | null;
  near: number;
  filled: FilledProcedure | Problem;
  inputs?: InputShapes;
};

const MAX_OFFERS = 3;
const MIN_SIMILARITY = 0.4;
const MAX_OFFER_LENGTH = 1200;
const NO_PROCEDURE: ChosenProcedure = { kind: 'none' };

export function chooseProcedure(ask: ChoiceInput): ChosenProcedure {
  const fitting = ask.known.flatMap((known) => findFit(known, ask)).toSorted(bestFirst);
  const ready = fitting.filter((each) => each.fit !== null && !isProblem(each.filled));
  const promoted = ready.find(({ known }) => known.status === 'promoted');
  if (promoted !== undefined) return useOrHoldBack(promoted, ask);
  const candidate = ready.find(({ known }) => known.status === 'candidate');
  if (candidate !== undefined) return tryOrHoldBack(candidate, ask);
  return ask.hasPlanner ? offerToPlanner(fitting.filter(({ known }) => known.status === 'promoted')) : NO_PROCEDURE;
}

function findFit(known: KnownProcedure, { text, bare, today, hasPlanner, check, look }: ChoiceInput): Fit[] {
  const { procedure, status } = known;
  if (status !== 'promoted' && status !== 'candidate') return [];
  if (status === 'candidate' && isUnconfirmed(procedure)) return [];
  const whole = matchTask(procedure, text);
  const match = whole.kind === 'none' && bare !== text ? matchTask(procedure, bare) : whole;
  const near = match.kind === 'none' && status === 'promoted' ? similarityToTask(procedure, text) : 1;
  if (match.kind === 'none')
    return near >= MIN_SIMILARITY && status === 'promoted'
      ? [{ known, fit: null, near, filled: { problem: 'the task is only like those that it is for' } }]
      : [];
  if (match.kind === 'ambiguous')
    return [{ known, fit: 0, near, filled: { problem: 'the task can be read in more than one way' } }];
  const filled = fillFor(known, match.values, today);
  if (isProblem(filled)) return [{ known, fit: match.constants, near, filled }];
  const inputs = look(filled, known);
  const isWanted = !hasPlanner || known.forced;
  const problem = check(filled, known) ?? (isWanted ? null : oddInput(known.usual, inputs));
  return [{ known, fit: match.constants, near, inputs, filled: problem === null ? filled : { problem } }];
}

function fillFor(
  { procedure }: KnownProcedure,
  values: FilledProcedure['values'],
  today: string,
): FilledProcedure | Problem {
  const lost = unreadableParameters(procedure);
  return lost.length > 0
    ? { problem: `the task does not say: ${lost.join(', ')}` }
    : fillProcedure(procedure, values, today);
}

const bestFirst = (a: Fit, b: Fit): number =>
  (b.fit ?? -1) - (a.fit ?? -1) ||
  b.near - a.near ||
  Number(isFromElsewhere(a)) - Number(isFromElsewhere(b)) ||
  (a.known.procedure.id < b.known.procedure.id ? -1 : 1);

const isFromElsewhere = ({ known: { procedure } }: Fit): boolean => procedure.from !== undefined;

/** A number from 0 to 1 that is always the same for the same names. */
export const stableShare = (run: string, procedure: string): number =>
  Number.parseInt(hash('sha256', `${run}\n${procedure}`).slice(0, 8), 16) / 2 ** 32;

function useOrHoldBack(fitting: Fit, ask: ChoiceInput): ChosenProcedure {
  const { run, shares, hasPlanner } = ask;
  const isHeldBack = hasPlanner && stableShare(run, fitting.known.procedure.id) < shares.hold_back;
  return isHeldBack
    ? {
        kind: 'withheld',
        choice: toChoice(fitting, 'held_back', 'a share of the tasks is planned without it, for comparison'),
      }
    : planWith(fitting, 'used', useReason(fitting.known, run), isJudgedUse(fitting.known, run));
}

/** The share of the uses of a procedure that has proven itself that the critic judges all the same. */
const JUDGED_SHARE = 0.1;
export const isJudgedUse = ({ probation, procedure: { id } }: KnownProcedure, run: string): boolean =>
  probation || stableShare(run, `${id} judged`) < JUDGED_SHARE;

function useReason(known: KnownProcedure, run: string): string {
  if (known.forced) return 'a person has put it above the numbers';
  if (known.probation) return 'it was promoted, and its first uses are judged by the critic';
  return isJudgedUse(known, run)
    ? 'it has proven itself, and the critic looks at a share of its uses'
    : 'it has proven itself';
}

function tryOrHoldBack(fitting: Fit, { run, shares, hasPlanner }: ChoiceInput): ChosenProcedure {
  if (stableShare(run, fitting.known.procedure.id) < trialShare(fitting.known, shares.trial_share))
    return planWith(fitting, 'trial', 'it is tried on a share of the tasks that it is for', true);
  return hasPlanner
    ? {
        kind: 'withheld',
        choice: toChoice(fitting, 'held_back', 'it is a candidate, and this task is not among those that try it'),
      }
    : NO_PROCEDURE;
}

/** One that was demoted before is tried half as often, each time. */
export const trialShare = ({ moves }: Pick<KnownProcedure, 'moves'>, share: number): number =>
  share / 2 ** moves.filter(({ from, to }) => to === 'demoted' && from !== to).length;

function planWith(fitting: Fit, arm: 'used' | 'trial', reason: string, isJudged: boolean): ChosenProcedure {
  const { filled, known } = fitting;
  if (isProblem(filled)) return NO_PROCEDURE;
  const expects = known.usual?.result ?? null;
  const judge = isJudged ? ('critic' as const) : ('checks' as const);
  const choice = { ...toChoice(fitting, arm, reason), judge, ...(expects === null ? {} : { expects }) };
  return { kind: 'plan', filled, known, choice };
}

function toChoice({ known, filled, inputs = {} }: Fit, arm: ProcedureChoice['arm'], reason: string): ProcedureChoice {
  const { procedure, moves } = known;
  const without = moves.at(-1)?.numbers.without;
  const isUsed = arm === 'used' || arm === 'trial';
  return {
    procedure: procedure.id,
    version: procedure.version,
    arm,
    reason,
    parameters: isProblem(filled) ? {} : { ...filled.values },
    ...(Object.keys(inputs).length === 0 ? {} : { inputs }),
    saves: isUsed ? { tokens: without?.tokens ?? null, seconds: without?.seconds ?? null } : null,
  };
}

function offerToPlanner(fitting: readonly Fit[]): ChosenProcedure {
  const [best] = fitting;
  if (best === undefined) return NO_PROCEDURE;
  const why = isProblem(best.filled) ? best.filled.problem : 'it is like this task';
  const choice = toChoice(
    { ...best, filled: { problem: why } },
    'offered',
    `shown to the planner: ${why}`.slice(0, 2000),
  );
  return { kind: 'offer', offers: fitting.slice(0, MAX_OFFERS).map(toOffer), choice };
}

/** Renders the procedure as one line, so that it cannot look like another part of the prompt. */
function toOffer({ known: { procedure }, fit, near }: Fit): Candidate {
  const steps = procedure.steps.map((step, at) => `${at + 1}) ${step}`).join(' ');
  const checks = procedure.criteria.map(({ text }) => text).join('; ');
  const text = `- ${procedure.title}. Steps: ${steps}${checks === '' ? '' : ` Done when: ${checks}`}`;
  return {
    id: `procedure:${procedure.id}`,
    section: 'procedures',
    score: fit === null ? near : 1,
    text: text.replaceAll(/[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').slice(0, MAX_OFFER_LENGTH),
    evidence: procedure.evidence.slice(0, 20),
  };
}
