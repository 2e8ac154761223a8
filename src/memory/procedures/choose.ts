/**
 * Owns: which procedure a task is planned from, if any.
 *
 * 1. Promoted goes before candidate, and the one that says most about the task first.
 * 2. Of the tasks that a promoted one could plan a share is planned without it, and of those that a candidate could plan
 *    a share is tried: which, follows from the names of run and procedure alone.
 * 3. Nothing is held back where nobody else could plan.
 * 4. What is held back is not shown to the planner either.
 */
import { hash } from 'node:crypto';
import type { MaintenanceConfig } from '../../schema/maintenance.ts';
import type { ProcedureChoice } from '../../schema/procedure.ts';
import type { Candidate } from '../recall/context-pack.ts';
import { type Filled, filledProcedure, isProblem, unreadable } from './fill.ts';
import type { KnownProcedure } from './known.ts';
import { likeness, matched } from './match.ts';
import type { Problem } from './shell-hole.ts';

export type ChooseAsk = {
  run: string;
  /** The text of the task, as taskText gives it: whole, and without the criteria above it, which are kept anyway. */
  text: string;
  bare: string;
  today: string;
  known: readonly KnownProcedure[];
  shares: Pick<MaintenanceConfig['procedures'], 'trial_share' | 'hold_back'>;
  /** Whether somebody else can plan it. */
  hasPlanner: boolean;
  /** Why a plan cannot be used after all, or null. */
  check: (filled: Filled, known: KnownProcedure) => string | null;
};

export type Chosen =
  | { kind: 'plan'; filled: Filled; known: KnownProcedure; choice: ProcedureChoice }
  | { kind: 'held back'; choice: ProcedureChoice }
  | { kind: 'offer'; offers: Candidate[]; choice: ProcedureChoice }
  | { kind: 'none' };

/** `fit` is how much of it is said by the procedure; null when it is only near. */
type Fitting = { known: KnownProcedure; fit: number | null; near: number; filled: Filled | Problem };

const MOST_OFFERS = 3;
const NEAR = 0.4;
const LONGEST_OFFER = 1200;
const NONE: Chosen = { kind: 'none' };

export function chosen(ask: ChooseAsk): Chosen {
  const fitting = ask.known.flatMap((known) => fittingOf(known, ask)).toSorted(bestFirst);
  const ready = fitting.filter((each) => each.fit !== null && !isProblem(each.filled));
  const promoted = ready.find(({ known }) => known.status === 'promoted');
  if (promoted !== undefined) return used(promoted, ask);
  const candidate = ready.find(({ known }) => known.status === 'candidate');
  if (candidate !== undefined) return tried(candidate, ask);
  return ask.hasPlanner ? offered(fitting.filter(({ known }) => known.status === 'promoted')) : NONE;
}

function fittingOf(known: KnownProcedure, { text, bare, today, check }: ChooseAsk): Fitting[] {
  const { procedure, status } = known;
  if (status !== 'promoted' && status !== 'candidate') return [];
  const whole = matched(procedure, text);
  const match = whole.kind === 'none' && bare !== text ? matched(procedure, bare) : whole;
  const near = match.kind === 'none' && status === 'promoted' ? likeness(procedure, text) : 1;
  if (match.kind === 'none')
    return near >= NEAR && status === 'promoted'
      ? [{ known, fit: null, near, filled: { problem: 'the task is only like those that it is for' } }]
      : [];
  if (match.kind === 'ambiguous')
    return [{ known, fit: 0, near, filled: { problem: 'the task can be read in more than one way' } }];
  const filled = filledFor(known, match.values, today);
  const problem = isProblem(filled) ? null : check(filled, known);
  return [{ known, fit: match.constants, near, filled: problem === null ? filled : { problem } }];
}

function filledFor({ procedure }: KnownProcedure, values: Filled['values'], today: string): Filled | Problem {
  const lost = unreadable(procedure);
  return lost.length > 0
    ? { problem: `the task does not say: ${lost.join(', ')}` }
    : filledProcedure(procedure, values, today);
}

const bestFirst = (a: Fitting, b: Fitting): number =>
  (b.fit ?? -1) - (a.fit ?? -1) || b.near - a.near || (a.known.procedure.id < b.known.procedure.id ? -1 : 1);

/** From 0 to 1, the same for the same names. */
export const shareOf = (run: string, procedure: string): number =>
  Number.parseInt(hash('sha256', `${run}\n${procedure}`).slice(0, 8), 16) / 2 ** 32;

function used(fitting: Fitting, ask: ChooseAsk): Chosen {
  const { run, shares, hasPlanner } = ask;
  const isHeldBack = hasPlanner && shareOf(run, fitting.known.procedure.id) < shares.hold_back;
  return isHeldBack
    ? {
        kind: 'held back',
        choice: choiceOf(fitting, 'held_back', 'a share of the tasks is planned without it, for comparison'),
      }
    : planned(fitting, 'used', fitting.known.forced ? 'a person has put it above the numbers' : 'it has proven itself');
}

function tried(fitting: Fitting, { run, shares, hasPlanner }: ChooseAsk): Chosen {
  if (shareOf(run, fitting.known.procedure.id) < shares.trial_share)
    return planned(fitting, 'trial', 'it is tried on a share of the tasks that it is for');
  return hasPlanner
    ? {
        kind: 'held back',
        choice: choiceOf(fitting, 'held_back', 'it is a candidate, and this task is not among those that try it'),
      }
    : NONE;
}

function planned(fitting: Fitting, arm: 'used' | 'trial', reason: string): Chosen {
  const { filled, known } = fitting;
  return isProblem(filled) ? NONE : { kind: 'plan', filled, known, choice: choiceOf(fitting, arm, reason) };
}

function choiceOf({ known, filled }: Fitting, arm: ProcedureChoice['arm'], reason: string): ProcedureChoice {
  const { procedure, moves } = known;
  const without = moves.at(-1)?.numbers.without;
  const isUsed = arm === 'used' || arm === 'trial';
  return {
    procedure: procedure.id,
    version: procedure.version,
    arm,
    reason,
    parameters: isProblem(filled) ? {} : { ...filled.values },
    saves: isUsed ? { tokens: without?.tokens ?? null, seconds: without?.seconds ?? null } : null,
  };
}

function offered(fitting: readonly Fitting[]): Chosen {
  const [best] = fitting;
  if (best === undefined) return NONE;
  const why = isProblem(best.filled) ? best.filled.problem : 'it is like this task';
  const choice = choiceOf(
    { ...best, filled: { problem: why } },
    'offered',
    `shown to the planner: ${why}`.slice(0, 2000),
  );
  return { kind: 'offer', offers: fitting.slice(0, MOST_OFFERS).map(offerOf), choice };
}

/** One line that cannot look like another part of the prompt. */
function offerOf({ known: { procedure }, fit, near }: Fitting): Candidate {
  const steps = procedure.steps.map((step, at) => `${at + 1}) ${step}`).join(' ');
  const checks = procedure.criteria.map(({ text }) => text).join('; ');
  const text = `- ${procedure.title}. Steps: ${steps}${checks === '' ? '' : ` Done when: ${checks}`}`;
  return {
    id: `procedure:${procedure.id}`,
    section: 'procedures',
    score: fit === null ? near : 1,
    text: text.replaceAll(/[\s\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').slice(0, LONGEST_OFFER),
    evidence: procedure.evidence.slice(0, 20),
  };
}
