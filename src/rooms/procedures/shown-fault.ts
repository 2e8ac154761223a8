/**
 * Owns: what shows that the first plan of a task was wrong, which is the plan that a procedure makes.
 *
 * 1. One of its steps failed by itself, a person refused one, or its result does not meet a criterion, as a check or the
 *    critic found, or the person who was asked to confirm it. Who refuses a step of a habit would be asked the same again.
 * 2. Nothing else shows it, however the run ends: a model that could not be asked, or that gave no answer that can be used;
 *    a budget that is spent; a step that nobody approved in time, or that a person ended after its machine was lost; a run
 *    that was cancelled, set aside, or taken over by another member of a fleet. What steps leave undone for such a reason
 *    shows nothing, either.
 * 3. What was shown stays shown, whatever happens to the run afterwards.
 */
import { BUDGET_SPENT, MODEL_FAILED, PLANNER_FAILED } from '../../core/schema/outside-failure.ts';
import { areSaidToBeMet } from '../../core/schema/unproven-claim.ts';
import type { Event } from '../../core/schema/event.ts';
import type { Rows } from '../../core/schema/rows.ts';
import { rootOf, type TaskRecord, taskRecordOf } from '../../kit/learning/task-record.ts';

/** The run of the steps, the question whether the result is right, and whether a fault was shown. */
type Signs = { steps: string | null; asked: string | null; fault: boolean };

const signsKey = (run: string): string => `procedures/signs/${run}`;
const signsOf = (rows: Rows, run: string): Signs =>
  rows.get<Signs>(signsKey(run)) ?? { steps: null, asked: null, fault: false };

export const hasShownFault = (rows: Rows, run: string): boolean => signsOf(rows, run).fault;

export const forgetSigns = (rows: Rows, run: string): void => rows.put(signsKey(run), null);

/** Reads the record of the task, which has to be folded before. */
export function recordSigns(rows: Rows, event: Event): void {
  if (event.run === null) return;
  const root = rootOf(rows, event.run);
  const task = taskRecordOf(rows, root);
  if (task === undefined || task.ended !== null || task.plans > 1) return;
  const signs = signsOf(rows, root);
  const changed = event.run === root ? signsOfTask(signs, event, task) : signsOfSteps(signs, event, task);
  if (changed !== signs) rows.put(signsKey(root), changed);
}

function signsOfTask(signs: Signs, event: Event, task: TaskRecord): Signs {
  if (event.type === 'wait.opened' && isConfirmation(event)) return { ...signs, asked: event.data.wait };
  if (event.type === 'wait.closed' && event.data.wait === signs.asked)
    return { ...signs, asked: null, fault: signs.fault || event.data.answer.verdict === 'denied' };
  const isWrong = event.type === 'run.judged' && isCarriedOut(task) && isFoundWrong(event);
  return isWrong ? { ...signs, fault: true } : signs;
}

/** Other approvals show what would be done. This one asks what nobody could check. */
const isConfirmation = ({ data: { node, for: awaited } }: Of<'wait.opened'>): boolean =>
  node === 'critique' && awaited.kind === 'approval' && awaited.asked === undefined;

const isCarriedOut = ({ open, approvals }: TaskRecord): boolean => !open.steps_failed && approvals.denied === 0;

const isFoundWrong = ({ data: { verdict, criteria } }: Of<'run.judged'>): boolean =>
  verdict !== 'done' && !areSaidToBeMet(criteria.filter(({ holds }) => !holds));

function signsOfSteps(signs: Signs, event: Event, { run, approvals }: TaskRecord): Signs {
  if (event.type === 'run.started') return event.data.parent === run ? { ...signs, steps: event.run } : signs;
  if (event.run !== signs.steps) return signs;
  const isFault = isRefusal(event) || (approvals.denied === 0 && hasFailedByItself(event));
  return isFault ? { ...signs, fault: true } : signs;
}

const isRefusal = ({ type, data }: Event): boolean => type === 'wait.closed' && data.answer.verdict === 'denied';

/** Whether a step has failed for good, and not for a reason from outside (2). */
function hasFailedByItself({ type, data }: Event): boolean {
  if (type === 'node.settled')
    return data.status === 'failed' && !data.reason.startsWith(MODEL_FAILED) && !data.reason.startsWith(PLANNER_FAILED);
  if (type === 'call.ended')
    return data.settles === 'failed' && !(data.status === 'denied' && data.error?.startsWith(BUDGET_SPENT) === true);
  return (type === 'decision.made' || type === 'error.handled') && data.settles === 'failed';
}

type Of<T extends Event['type']> = Extract<Event, { type: T }>;
