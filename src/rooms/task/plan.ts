/**
 * Owns: task.plan, from a task to steps that can be run.
 *
 * T1 The plan is made from the task and from memory; output of tools only comes back through the reasons of the critic.
 * T2 The fences of a runbook are the plan, and need no model. Prose waits until there is one; a task that could be both is
 *    prose for a model, and is refused where there is none.
 * T3 A plan made again has the criteria of the operator, adds to those of the model or replaces what is provably broken,
 *    and gets a further tool that changes things only within what the operator named, or if a person allows it
 *    (widened-plan.ts).
 * T4 The first plan of a task that a procedure has proven itself for is made from it; every later one by a model.
 * T5 Where a plan has failed, the planner may say instead of a new plan that none can do the task; then it ends at once.
 */
import { findMark, stringsIn } from '../../core/guard/masked-text.ts';
import type { Candidate } from '../../kit/learning/context-pack.ts';
import type { PlannedCriterion } from './roles/implied-criteria.ts';
import { hasOwnPlace } from '../../kit/desk/reach.ts';
import { baseName } from '../../kit/text/file-names.ts';
import type { Problem } from '../../kit/text/model-call.ts';
import { readImpossible } from './roles/no-plan.ts';
import {
  type Achieved,
  type BrokenCriterion,
  type FailedStep,
  type Plan,
  type PlanFrame,
  readPlan,
  plannerRequest,
  withoutFinished,
} from './roles/planner.ts';
import { readTaskCriteria, type Runbook, parseRunbook } from '../../kit/task/runbook.ts';
import { unclearNote, unclearProblem } from '../../kit/task/task-kind.ts';
import type { LineProblem } from '../../kit/text/markdown-blocks.ts';
import { wrapAsData } from '../../kit/text/prompt-text.ts';
import { type Planned, PlanInput, Planned as PlannedShape, type TaskGiven } from '../../core/schema/task-run.ts';
import type { OpenFolder } from '../../core/schema/folder.ts';
import type { Outcome, Tool, ToolCall } from '../../core/schema/tool.ts';
import { ok, defineTool } from '../../kit/define-tool.ts';
import { askModel } from '../../kit/models/ask-model.ts';
import { NO_MODEL } from '../../kit/models/model-requirement.ts';
import { brokenCriteria, pastRounds, pastSteps, type PastRound, type RanStep } from './past-rounds.ts';
import { plannedCriterion, recordedCriterion } from './planned-criteria.ts';
import { reviewCriteria } from './review-criteria.ts';
import { planByProcedure } from './plan-procedure.ts';
import { storePlanGraph } from '../../kit/task/plan-graph.ts';
import { bodyOf, moveTo, notesOf, type TaskPorts } from './task-ports.ts';
import { approvedPlan, askToWiden, findWidening } from './widened-plan.ts';

const LOST_ORIGINAL =
  'the task contains a mark such as [redacted:NAME] instead of a secret, so its steps would not do what was meant: either it is a copy of a recorded text, or its original was lost in a restart. Hand it in again with the secret itself';

const MOST_RESULT = 4000;
const MOST_TASK = 8000;

export function planTool(ports: TaskPorts): Tool {
  return defineTool({
    name: 'task.plan',
    internal: true,
    about: 'Turns a task into steps.',
    input: PlanInput,
    output: PlannedShape,
    annotations: { read_only: true, idempotent: true, risk: 'low' },
    targets: [],
    class: 'read',
    act: async ({ task }, call) => {
      const { deadline } = task.fields;
      if (deadline !== undefined && Date.parse(deadline) < ports.clock())
        return { status: 'failed', error: `its deadline, ${deadline}, has passed`, temporary: false };
      const lacking = await ports.lacking(task.fields.requires ?? []);
      if (lacking !== null) return lacking;
      const granted = await ports.folders(call.run);
      if ('outcome' in granted) return granted.outcome;
      const { folders } = granted;
      const past = await pastRounds(ports, call.run);
      if (past.length > 0) await moveTo(ports, call.run, 'REPLAN', past.at(-1)?.reason ?? '');
      const body = await bodyOf(ports, task);
      const written = findMark(body) === null ? body : await ports.originals.unseal(call.run, body);
      const runbook = parseRunbook(written ?? body, inFolder(task), { firstLine: task.first_line });
      if (runbook?.kind === 'problems')
        return { status: 'failed', error: problemsText(runbook.problems), temporary: false };
      if (runbook?.kind === 'unclear' && past.length === 0 && ports.model('planner', task.fields.model) === null)
        return { status: 'failed', error: unclearProblem(runbook.why), temporary: false };
      const ownSteps = runbook?.kind === 'runbook' ? runbook : null;
      if (ownSteps !== null && written === null) return { status: 'failed', error: LOST_ORIGINAL, temporary: false };
      if (ownSteps !== null) await sealSteps(ports, ownSteps, call.run);
      const planned =
        ownSteps !== null && past.length === 0
          ? ok(await storeRunbook(ports, ownSteps, folders))
          : past.length === 0
            ? await planFirst(ports, { task, body, folders }, call)
            : await planByModel(ports, { task, body, folders }, past, call);
      if (planned.status !== 'ok') return planned;
      await moveTo(ports, call.run, 'EXECUTE', 'the plan is made');
      if (runbook?.kind !== 'unclear' || past.length > 0) return planned;
      return ok({ ...(planned.output as Planned), note: unclearNote(runbook.why) });
    },
  });
}

/** Steps are recorded masked and run as the operator wrote them. */
async function sealSteps({ originals }: TaskPorts, { graph, input }: Runbook, run: string): Promise<void> {
  const ofNodes = graph.nodes.flatMap(({ id, input: own }) =>
    Array.from(stringsIn(own ?? null), (text) => ({ text, node: id })),
  );
  await originals.seal(run, [...ofNodes, ...Array.from(stringsIn(input), (text) => ({ text }))]);
}

function inFolder({ fields, dir }: TaskGiven): TaskGiven['fields'] {
  return dir === null ? fields : { ...fields, dir };
}

/** A task, its text, and the folders outside the desk that it may use. */
type ToPlan = { task: TaskGiven; body: string; folders: readonly OpenFolder[] };

/** A procedure that has proven itself plans first, then a model (T4). */
async function planFirst(ports: TaskPorts, what: ToPlan, call: ToolCall): Promise<Outcome> {
  const made = await planByProcedure(ports, what, call.run);
  return made.kind === 'planned' ? ok(made.plan) : planByModel(ports, what, [], call, made.offers);
}

async function planByModel(
  ports: TaskPorts,
  { task, body, folders }: ToPlan,
  past: readonly PastRound[],
  call: ToolCall,
  offers: readonly Candidate[] = [],
): Promise<Outcome> {
  const override = task.fields.model;
  const model = ports.model('planner', override);
  if (model === null) return { status: 'waiting', for: { kind: 'requirement', name: NO_MODEL } };
  const { criteria: given, problems } = readTaskCriteria(body, task.fields);
  if (problems.length > 0) return { status: 'failed', error: problemsText(problems), temporary: false };
  const approved = past.length === 0 ? null : await approvedPlan(ports, await ports.eventsOf(call.run));
  if (approved !== null) return ok(approved);
  const context = await replanContext(ports, task, past, call);
  const last = past.at(-1);
  const fixed = new Map(last?.plan.criteria.map((each) => [each.text, plannedCriterion(each)]));
  const criteria = last === undefined ? given : [...fixed.values()];
  const tools = ports.tools();
  const { tools: shown, ...choice } = ports.offers(call.run, `${task.title}\n${body}`);
  const folder = hasOwnPlace(task) ? { own: call.run } : task.dir === null ? {} : { dir: task.dir };
  const request = plannerRequest({
    task: {
      title: task.title,
      text: `${body}${await describeCorrected(ports, task)}`,
      criteria,
      ...folder,
      ...(task.fields.mode === undefined ? {} : { mode: task.fields.mode }),
    },
    pack: await ports.pack('planner', call, task, body, offers),
    situation: ports.situation(task.dir, await ports.foldersForModel(call.run)),
    tools: shown,
    offers: { ...choice, instructions: ports.instructions(task.dir) },
    notes: await notesOf(ports, call.run),
    reasons: past.map(({ reason }) => reason),
    achieved: context.ran.map(toAchieved),
    failed: context.failed,
    broken: context.broken,
  });
  const frame: PlanFrame = {
    id: 'plan',
    tools,
    shown: [...shown, ...choice.servers].map(({ name }) => name),
    criteria,
    broken: context.broken,
    ...folder,
    ...(task.fields.mode === undefined ? {} : { mode: task.fields.mode }),
    ...(last === undefined ? {} : { finished: context.ran.map(({ node }) => node) }),
  };
  const { clock, askAgainMs } = ports;
  const about = { model: override, later: { clock, askAgainMs, attempt: call.attempt } };
  const asked = await askModel(call.act, request, about, async (answer) => {
    const plan = (last === undefined ? null : readImpossible(answer)) ?? readPlan(answer, frame);
    return 'problem' in plan || 'impossible' in plan ? plan : tryCriteria(plan, { fixed, context, task, call });
  });
  if (asked.kind === 'outcome') return asked.outcome;
  if ('impossible' in asked.answer) return endAsImpossible(ports, call.run, asked.answer.impossible);
  const planned = await storeModelPlan(ports, asked.answer, folders);
  const widening = last === undefined ? null : await findWidening(ports, planned, past, { run: call.run, task, body });
  return widening === null ? ok(planned) : askToWiden(ports, planned, widening);
}

/** The task ends here; its last judgement stays, with the reason of the planner (T5). */
async function endAsImpossible(ports: TaskPorts, run: string, why: string): Promise<Outcome> {
  const judged = (await ports.eventsOf(run)).findLast((event) => event.type === 'run.judged');
  const reason = `no plan can do it: ${why}`;
  const criteria = judged?.type === 'run.judged' ? judged.data.criteria : [];
  ports.note({ type: 'run.judged', run, data: { verdict: 'impossible', criteria, reason } });
  return { status: 'failed', error: reason, temporary: false };
}

/** What a new plan has to know of those before it; empty for the first. */
type ReplanContext = {
  ran: RanStep[];
  failed: FailedStep[];
  broken: BrokenCriterion[];
  /** What earlier plans could change, and what they did change. */
  targets: string[];
  changed: string[];
};

async function replanContext(
  ports: TaskPorts,
  { dir }: TaskGiven,
  past: readonly PastRound[],
  { run, act }: ToolCall,
): Promise<ReplanContext> {
  return {
    ...(await pastSteps(ports, past)),
    broken: await brokenCriteria(ports, past, { run, dir, act }),
    targets: past.flatMap(({ plan }) => plan.targets ?? []),
    changed: past.length === 0 ? [] : await ports.changedBy(past.map(({ child }) => child)),
  };
}

type Trial = {
  fixed: ReadonlyMap<string, PlannedCriterion>;
  context: ReplanContext;
  task: TaskGiven;
  call: ToolCall;
};

/** Tries the new criteria against the desk. One about a file that the task has changed already proves its work. */
async function tryCriteria(plan: Plan, { fixed, context, task, call }: Trial): Promise<ReviewedPlan | Problem> {
  const added = plan.criteria.filter(({ text }) => !fixed.has(text));
  const targets = [...plan.targets, ...context.targets];
  const reviewed = await reviewCriteria(added, { targets, dir: task.dir, act: call.act });
  if ('problem' in reviewed) return reviewed;
  const isAboutWork = (text: string): boolean => context.changed.some((path) => text.includes(baseName(path)));
  const tried = new Map(
    reviewed.criteria.map((each) => [each.text, isAboutWork(each.text) ? { ...each, before: false } : each]),
  );
  return { ...plan, criteria: plan.criteria.map((each) => fixed.get(each.text) ?? tried.get(each.text) ?? each) };
}

/** The task and the result of the run that this task corrects, as data and not as instructions. */
async function describeCorrected(ports: TaskPorts, { fields: { corrects } }: TaskGiven): Promise<string> {
  if (corrects === undefined) return '';
  const [task, result] = [await textOfTask(ports, corrects), await ports.resultOf(corrects)];
  const parts = [
    ...(task === null ? [] : [wrapAsData('its task', task, MOST_TASK)]),
    ...(result === null ? [] : [wrapAsData('its result', result, MOST_RESULT)]),
  ];
  if (parts.length === 0) return '';
  return `\n\nThis corrects an earlier run. Plan its task again, with this correction:\n${parts.join('\n')}`;
}

/** The text that a run was given, front matter included; null if it is not the run of a task, or no longer stored. */
async function textOfTask({ eventsOf, artifacts }: TaskPorts, run: string): Promise<string | null> {
  const started = (await eventsOf(run)).find((event) => event.type === 'run.started');
  const sha256 = started?.type === 'run.started' ? (started.data.input as Partial<TaskGiven> | null)?.text : undefined;
  if (sha256 === undefined) return null;
  return artifacts.get({ sha256 }).then(
    (bytes) => bytes.toString('utf8'),
    () => null,
  );
}

const toAchieved = ({ node, output }: RanStep): Achieved => ({
  id: node.id,
  title: node.title ?? node.id,
  gave: output,
});

async function storeRunbook(
  ports: TaskPorts,
  { graph, input, criteria }: Runbook,
  folders: readonly OpenFolder[],
): Promise<Planned> {
  return {
    by: 'runbook',
    ...(await storePlanGraph(graph, ports.artifacts, folders)),
    input,
    criteria: criteria.map(({ text, author }) => ({ text, author })),
    tools: [...new Set(['shell', ...graph.nodes.flatMap((node) => (node.kind === 'tool' ? node.tool : []))])],
    targets: null,
  };
}

type ReviewedPlan = Omit<Plan, 'criteria'> & { criteria: PlannedCriterion[] };

async function storeModelPlan(ports: TaskPorts, plan: ReviewedPlan, folders: readonly OpenFolder[]): Promise<Planned> {
  return {
    by: 'model',
    ...(await storePlanGraph({ ...withoutFinished(plan), author: 'model' }, ports.artifacts, folders)),
    input: plan.input,
    criteria: plan.criteria.map(recordedCriterion),
    ...(plan.replaced.length === 0 ? {} : { replaced: plan.replaced }),
    tools: plan.tools,
    targets: plan.targets,
  };
}

function problemsText(problems: readonly LineProblem[]): string {
  return `the task cannot be read as a runbook:\n${problems.map(({ line, problem }) => `  line ${line}: ${problem}`).join('\n')}`;
}
