/**
 * Owns: task.critique, whether what was done is what was asked for.
 *
 * J1 Checks first, each carried out by calls through the chain; then a model for what is prose. Where that fails, a check
 *    that was seen to fail decides by itself.
 * J2 Done means that every criterion is met. A person is asked to confirm what could not be checked.
 * J3 A result that does not meet the criteria is planned again if there is a planner; otherwise the run fails with the
 *    reason. A new plan must not work around what a person has refused, and is not tried again where two workers in a row
 *    have reported that it cannot be done.
 *    A worker whose model cannot be asked has refused nothing: the run fails with what its server answered, as it does
 *    when the planner's cannot, and can be resumed.
 * J6 The steps of a runbook are what its author wants done: it is not done if one of them failed or did not run, whatever
 *    was planned afterwards, and a model plans others only where its author allows that (`repair: true`).
 * J4 Everything that the task has changed is judged, with every plan it had: planning again forgets nothing.
 * J5 A check that a person had to allow is carried out once. The attempt that does so asks about no other: an approval
 *    names the place of a call among those of its attempt, and from the next attempt on this one is not among them.
 */
import { hasModelFailed } from '../../core/engine/step-events.ts';
import { MOST_REPLANS } from '../../kit/task/task-loop.ts';
import { filesAskedFor } from '../../kit/task/asked-files.ts';
import type { Criterion } from '../../kit/task/criteria.ts';
import { idleReason, impliedCriteria, type TaskFacts, withoutWhole } from './roles/implied-criteria.ts';
import { type Breach, findBreaches } from '../../kit/text/safety.ts';
import { pathInDesk } from './roles/findings.ts';
import { unfoundCommands } from './roles/unfound-commands.ts';
import { type Found, type Verdict, decideVerdict } from './roles/verdict.ts';
import type { Event } from '../../core/schema/event.ts';
import { Critique, CritiqueInput, type Planned, type TaskGiven } from '../../core/schema/task-run.ts';
import type { ProcedureChoice, ResultTraits } from '../../core/schema/procedure.ts';
import type { Outcome, Tool, ToolCall } from '../../core/schema/tool.ts';
import { ok, defineTool } from '../../kit/define-tool.ts';
import { pastRounds } from './past-rounds.ts';
import { plannedCriterion } from './planned-criteria.ts';
import type { askCritic } from './ask-critic.ts';
import { bodyOf, moveTo, type TaskPorts } from './task-ports.ts';
import type { Changes } from '../../kit/desk/desk-changes.ts';
import { answerThatStands } from '../../kit/runs/final-answer.ts';
import { judgeAnswer } from './judge-answer.ts';
import { checkContextOf, hasFailed, type Judgement, runChecks, UNJUDGED } from './run-checks.ts';
import { confirmedVerdict, askForConfirmation } from './confirm-verdict.ts';

const LONGEST_REASON = 10_000;

type Given = { task: TaskGiven; plan: Planned; end: { run: string; status: string; reason: string } };

export function critiqueTool(ports: TaskPorts): Tool {
  return defineTool({
    name: 'task.critique',
    internal: true,
    about: 'Compares what was done with what was asked for.',
    input: CritiqueInput,
    output: Critique,
    annotations: { read_only: true, idempotent: true, risk: 'low' },
    targets: [],
    class: 'read',
    act: async (given, call) => {
      const steps = await ports.stateOf(given.end.run);
      if (given.end.status === 'cancelled' || (steps !== null && hasModelFailed(steps)))
        return { status: 'failed', error: given.end.reason, temporary: false };
      await moveTo(ports, call.run, 'CRITIQUE', 'the steps are over');
      return judgeWork(ports, given, call);
    },
  });
}

async function judgeWork(ports: TaskPorts, given: Given, call: ToolCall): Promise<Outcome> {
  const work = await findWork(ports, given, call.run);
  const all = await criteriaOf(ports, given, work, call.run);
  const around = await checkContextOf(ports, given, allPaths(work.changes));
  const checked = await runChecks(ports, all, around, call);
  if ('outcome' in checked) return checked.outcome;
  const criteria = isRefuted(checked.found) ? withoutWhole(all) : all;
  const figures = await figuresAgain(work, call);
  const asked = await judgedByCritic(ports, given, work, { criteria, checked: [...checked.found, ...figures] }, call);
  const judgedByModel = hasFailed(asked) && isRefuted(checked.found) ? withoutJudgement(asked, criteria) : asked;
  if ('outcome' in judgedByModel) return judgedByModel.outcome;
  const breaches = [...(await findAllBreaches(ports, given, work, call)), ...wrongFigures(figures)];
  const verdict = decideVerdict({
    criteria,
    found: [...checked.found, ...judgedByModel.found],
    breaches,
    model: judgedByModel.model,
  });
  const isUnseen = areUnmetUnseen(verdict, [...checked.found, ...judgedByModel.found]);
  const canConfirm = given.end.status === 'done' && breaches.length === 0 && isUnseen;
  const settled = withRounding(withRepair(withRefusals(withStepFailure(verdict, given), work), work), figures);
  const looked = await resultOf(ports, work, call.run);
  const seen = looked === null ? settled : { ...settled, result: { ...looked.result, odd: looked.odd } };
  return settleVerdict(ports, given, call, seen, canConfirm);
}

/** What only the work of a model needs is loaded when the first of it is judged. */
async function figuresAgain({ attempts, changes }: Work, { act }: ToolCall): Promise<Found[]> {
  const events = attempts.at(-1) ?? [];
  const hasWorked = events.some(({ type }) => type === 'decision.made');
  return hasWorked ? (await import('./recompute.ts')).recomputeFigures(events, changes.created, act) : [];
}

const judgedByCritic: typeof askCritic = async (ports, given, work, terms, call) =>
  terms.criteria.every(({ check }) => check !== null)
    ? UNJUDGED
    : (await import('./ask-critic.ts')).askCritic(ports, given, work, terms, call);

/** What is known of prose where the answers of the critic could not be used: not that there was nobody to ask. */
function withoutJudgement(asked: Judgement, criteria: readonly Criterion[]): Judgement {
  const error = 'outcome' in asked && 'error' in asked.outcome ? asked.outcome.error : '';
  const evidence = `it was not judged: ${error}`;
  const prose = criteria.filter(({ check }) => check === null);
  return { found: prose.map(({ text }) => ({ text, holds: false, evidence, by: 'model', seen: false })), model: null };
}

const isRefuted = (found: readonly Found[]): boolean => found.some(({ holds, seen }) => seen && !holds);

const wrongFigures = (figures: readonly Found[]): Breach[] =>
  figures
    .filter(({ holds }) => !holds)
    .map(({ text, evidence }) => ({
      verdict: 'rework',
      reason: `${text} is not what was computed again: ${evidence}`,
    }));

/** What the task has done with all plans it had (J4). */
type Work = {
  /** The run of each plan, the latest last. */
  runs: string[];
  changes: Changes;
  /** What was changed by plans that declare what they may change, and what they declared. A person's own steps do not. */
  declared: { changed: string[]; targets: string[] };
  /** The events of the steps of each plan, the latest last. */
  attempts: (readonly Event[])[];
  /** What the steps answered, those of an earlier plan if nobody objected; null when no model worked. */
  answer: string | null;
  /** Why the steps of the text were not all done, where these were a runbook and a model has planned others since. */
  unwritten: string | null;
};

async function findWork(ports: TaskPorts, { plan, end }: Given, run: string): Promise<Work> {
  const past = await pastRounds(ports, run);
  const rounds = [...past, { plan, child: end.run }];
  const children = rounds.map(({ child }) => child);
  const bound = rounds.filter((round) => round.plan.targets !== null);
  const attempts = await Promise.all(rounds.map(({ child }) => ports.eventsOf(child)));
  return {
    runs: children,
    changes: await ports.changesBy(children),
    declared: {
      changed: await ports.changedBy(bound.map(({ child }) => child)),
      targets: bound.flatMap((round) => round.plan.targets ?? []),
    },
    attempts,
    answer:
      plan.by === 'runbook'
        ? null
        : answerThatStands(
            attempts,
            past.map(({ reason }) => reason),
          ),
    unwritten: await unwrittenSteps(ports, rounds),
  };
}

/** J6. A plan of a model that followed a runbook is other work than what was written. */
async function unwrittenSteps(
  ports: TaskPorts,
  rounds: readonly { plan: Planned; child: string }[],
): Promise<string | null> {
  const [first] = rounds;
  if (first?.plan.by !== 'runbook' || rounds.length === 1) return null;
  const state = await ports.stateOf(first.child);
  const open = state?.configs.filter((_, index) => state.nodes[index]?.status !== 'done') ?? [];
  const failed = state?.failure ?? null;
  if (open.length === 0 && failed === null) return null;
  const names = open.map(({ id, title }) => title ?? id).join(', ');
  return `of the steps as they were written these failed or did not run: ${names}${failed === null ? '' : ` (${failed.node}: ${failed.reason})`}`;
}

/** Those that were fixed with the plan, and what the task demands besides where a person did not write the steps. */
async function criteriaOf(ports: TaskPorts, { task, plan, end }: Given, work: Work, run: string): Promise<Criterion[]> {
  const criteria = plan.criteria.map(plannedCriterion);
  if (plan.by === 'runbook' || end.status !== 'done') return criteria;
  const { answer, declared } = work;
  const canAsk = ports.model('critic', task.fields.model) !== null;
  const judge = plan.by === 'procedure' ? await judgeOf(ports, canAsk, work, run) : {};
  return [
    ...criteria,
    ...impliedCriteria({ text: await bodyOf(ports, task), criteria, answer, ...declared, ...judge, canAsk }),
  ];
}

/**
 * Who judges what a procedure did. Without a model for the critic its checks decide where they could have failed, but not
 * of a result that is not like those before: then a person is asked.
 */
async function judgeOf(ports: TaskPorts, canAsk: boolean, work: Work, run: string): Promise<Pick<TaskFacts, 'judge'>> {
  const { judge, odd = [] } = (await resultOf(ports, work, run)) ?? {};
  if (odd.length > 0) return { judge: 'critic' };
  return judge === undefined || (judge === 'critic' && !canAsk) ? {} : { judge };
}

/** What the result of a task is like that a procedure is for, and what is odd about it; null for other tasks. */
async function resultOf(
  ports: TaskPorts,
  { changes }: Pick<Work, 'changes'>,
  run: string,
): Promise<{ result: ResultTraits; odd: string[]; judge: ProcedureChoice['judge'] } | null> {
  const chosen = (await ports.eventsOf(run)).findLast((event) => event.type === 'procedure.chosen');
  if (chosen?.type !== 'procedure.chosen') return null;
  const { inputs = {}, expects, judge } = chosen.data;
  const { oddities, traitsOf } = await import('../../kit/learning/result-traits.ts');
  const result = traitsOf(ports.contentsOf([...changes.created, ...changes.changed]), inputs);
  return { result, odd: expects === undefined ? [] : oddities(result, expects), judge };
}

const allPaths = ({ created, changed, removed }: Changes): string[] => [...created, ...changed, ...removed];

async function findAllBreaches(ports: TaskPorts, given: Given, work: Work, call: ToolCall): Promise<Breach[]> {
  const { task, plan } = given;
  const changed = allPaths(work.changes);
  const { answer, attempts, declared } = work;
  const { removed } = work.changes;
  const facts = { events: attempts.flat(), changed, removed, targets: declared.targets, dir: task.dir };
  const idle = answer === null ? null : idleReason({ answer, ...declared });
  return [
    ...findBreaches({ secrets: ports.secretsIn(changed), ...declared }),
    ...(work.unwritten === null || task.fields.repair === true
      ? []
      : [{ verdict: 'rework' as const, reason: work.unwritten }]),
    ...(await unwrittenFiles(ports, given, work)).map((reason) => ({ verdict: 'rework' as const, reason })),
    ...unfoundCommands(attempts.at(-1) ?? []).map((reason) => ({ verdict: 'rework' as const, reason })),
    ...(idle === null ? [] : [{ verdict: 'rework' as const, reason: idle }]),
    ...(answer === null && isEmptyPlan(plan, facts) ? [{ verdict: 'rework' as const, reason: NOTHING_DELIVERED }] : []),
    ...(answer === null ? [] : await judgeAnswer({ ...facts, answer }, call.act)),
  ];
}

/** By so much the clock of a disk may be behind. */
const CLOCK_MS = 1000;

/**
 * Files that the text of a runbook asks for, that were there before, and that no step has written, not even as they were.
 * A run that continues another one may have them from that.
 */
async function unwrittenFiles(ports: TaskPorts, { task, plan }: Given, { attempts, changes }: Work): Promise<string[]> {
  const started = attempts[0]?.find(({ type }) => type === 'run.started');
  if (plan.by !== 'runbook' || started?.type !== 'run.started' || started.data.link !== undefined) return [];
  const since = Date.parse(started.at) - CLOCK_MS;
  const wanted = filesAskedFor(await bodyOf(ports, task)).map((path) => pathInDesk(task.dir ?? '.', path));
  return wanted
    .filter((path) => !allPaths(changes).includes(path) && (ports.writtenAt(path) ?? since) < since)
    .map((path) => `${path}, which the text asks for, was there before, and no step has written it`);
}

const NOTHING_DELIVERED = 'nothing was delivered: no step changed anything, and no worker answered';

/** Whether a model planned steps that only read, for a task whose operator gave no criterion. */
function isEmptyPlan(
  { by, criteria }: Planned,
  { events, changed }: { events: readonly Event[]; changed: readonly string[] },
): boolean {
  const hasActed = events.some(
    ({ type, data }) => type === 'call.started' && data.class !== 'read' && data.tool !== 'model.complete',
  );
  return by === 'model' && changed.length === 0 && !hasActed && !criteria.some(({ author }) => author === 'operator');
}

/** Whether every criterion that is not met is one that could not be checked. */
function areUnmetUnseen({ criteria }: Verdict, found: readonly Found[]): boolean {
  return criteria.every(({ text, holds }) => holds || !found.some((each) => each.text === text && each.seen));
}

/** Failed steps are a reason for rework, even if the criteria happen to be met. */
function withStepFailure(verdict: Verdict, { end }: Given): Verdict {
  if (end.status === 'done') return verdict;
  const holds = verdict.verdict === 'done';
  const reason = `the steps failed: ${end.reason}${holds ? '' : `\n${verdict.reason}`}`;
  return { ...verdict, verdict: holds ? 'rework' : verdict.verdict, reason: reason.slice(0, LONGEST_REASON) };
}

/** A repaired runbook names both: what was written and not done, and that what a model planned meets the criteria. */
function withRepair(verdict: Verdict, { unwritten }: Work): Verdict {
  if (verdict.verdict !== 'done' || unwritten === null) return verdict;
  return {
    ...verdict,
    reason: `every criterion is met by what a model planned; ${unwritten}`.slice(0, LONGEST_REASON),
  };
}

/** Where the way of rounding decides the last digit of a figure, the page says so below the answer. */
function withRounding(verdict: Verdict, figures: readonly Found[]): Verdict {
  const rounded = figures.flatMap(
    ({ text, evidence }) => /; (rounding decides: .*)$/.exec(evidence)?.[1]?.replace(/^/, `${text}: `) ?? [],
  );
  if (verdict.verdict !== 'done' || rounded.length === 0) return verdict;
  return { ...verdict, reason: [verdict.reason, ...rounded].join('\n').slice(0, LONGEST_REASON) };
}

/** Where the workers of two plans in a row report that it cannot be done, and nothing was changed, a third would, too. */
function withRefusals(verdict: Verdict, { attempts, changes }: Work): Verdict {
  const hasRefused = (events: readonly Event[] | undefined): boolean =>
    events?.some(({ type, data }) => type === 'decision.made' && data.decision.kind === 'Fail') ?? false;
  const isSettled = verdict.verdict !== 'rework' || allPaths(changes).length > 0;
  if (isSettled || !hasRefused(attempts.at(-1)) || !hasRefused(attempts.at(-2))) return verdict;
  return { ...verdict, verdict: 'impossible' };
}

async function settleVerdict(
  ports: TaskPorts,
  given: Given,
  call: ToolCall,
  verdict: Verdict & { result?: ResultTraits },
  mayVouch: boolean,
): Promise<Outcome> {
  const isOpen = mayVouch && verdict.verdict === 'blocked';
  const final = isOpen ? confirmedVerdict(verdict, given.end.run, await ports.eventsOf(call.run)) : verdict;
  if (final === null) return askForConfirmation(verdict, given.end.run);
  const { result } = verdict;
  ports.note({ type: 'run.judged', run: call.run, data: result === undefined ? final : { ...final, result } });
  const { verdict: name, reason } = final;
  if (name === 'done') return ok({ verdict: name, reason });
  const { repair, model } = given.task.fields;
  const isOwn = given.plan.by === 'runbook' && repair !== true;
  const canPlan = name === 'rework' && !isOwn && ports.model('planner', model) !== null;
  if (!canPlan || (await isRefused(ports, given.end.run))) return { status: 'failed', error: reason, temporary: false };
  if (await canReplan(ports, call.run)) return ok({ verdict: 'rework', reason });
  return { status: 'failed', error: `${reason}\nIt may not be planned again.`, temporary: false };
}

async function canReplan(ports: TaskPorts, run: string): Promise<boolean> {
  const state = await ports.stateOf(run);
  return state !== null && state.spent.replans < Math.min(MOST_REPLANS, state.budgets.replans ?? MOST_REPLANS);
}

/** Whether the step that failed is one that a person refused (J3). */
async function isRefused(ports: TaskPorts, run: string): Promise<boolean> {
  const failed = (await ports.stateOf(run))?.failure?.node;
  return (await ports.eventsOf(run)).some(
    (event) => event.type === 'wait.closed' && event.data.node === failed && event.data.answer.verdict === 'denied',
  );
}
