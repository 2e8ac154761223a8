/**
 * Owns: task.plan, from a task to steps that can be run.
 *
 * T1 The plan is made from the task and from memory; output of tools only comes back through the reasons of the critic.
 * T2 Without a model the fences of the task are the plan; prose then waits until there is one.
 * T3 A plan made again has the same criteria, does not repeat finished steps, and gets no tool that changes things and was
 *    not in the first plan.
 * T4 The first plan of a task that a procedure has proven itself for is made from it; every later one by a model.
 */
import { findMark, stringsIn } from '../../guard/masked-text.ts';
import type { Candidate } from '../../memory/recall/context-pack.ts';
import { parseCriterion, EVERY_STEP, type Criterion } from '../../roles/criteria.ts';
import { type Achieved, type Plan, readPlan, plannerRequest, withoutFinished } from '../../roles/planner.ts';
import { readTaskCriteria, type Runbook, parseRunbook } from '../../roles/runbook.ts';
import type { LineProblem } from '../../roles/markdown-blocks.ts';
import { wrapAsData } from '../../roles/prompt-text.ts';
import type { Node } from '../../schema/graph.ts';
import { type Planned, PlanInput, Planned as PlannedShape, type TaskGiven } from '../../schema/task-run.ts';
import type { Outcome, Tool, ToolCall } from '../../schema/tool.ts';
import { ok, defineTool } from '../../tools/builtin/define-tool.ts';
import { askModel } from './ask-model.ts';
import { planByProcedure } from './plan-procedure.ts';
import { storePlanGraph } from './plan-graph.ts';
import { bodyOf, moveTo, type TaskPorts } from './task-ports.ts';

export const NO_MODEL = 'a language model: set OKA_MODEL, such as anthropic:claude-sonnet-4-5 or ollama:llama3.2';

const LONGEST_OUTPUT = 500;
const LOST_ORIGINAL =
  'the task contains a mark such as [redacted:NAME] instead of a secret, so its steps would not do what was meant: either it is a copy of a recorded text, or its original was lost in a restart. Hand it in again with the secret itself';

const MOST_RESULT = 4000;

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
      const past = await pastRounds(ports, call.run);
      if (past.length > 0) await moveTo(ports, call.run, 'REPLAN', past.at(-1)?.reason ?? '');
      const body = await bodyOf(ports, task);
      const written = findMark(body) === null ? body : await ports.originals.unseal(call.run, body);
      const runbook = parseRunbook(written ?? body, inFolder(task), { firstLine: task.first_line });
      if (runbook?.kind === 'problems')
        return { status: 'failed', error: problemsText(runbook.problems), temporary: false };
      if (runbook !== null && written === null) return { status: 'failed', error: LOST_ORIGINAL, temporary: false };
      if (runbook !== null) await sealSteps(ports, runbook, call.run);
      const planned =
        runbook !== null && past.length === 0
          ? ok(await storeRunbook(ports, runbook))
          : past.length === 0
            ? await planFirst(ports, task, body, call)
            : await planByModel(ports, task, body, past, call);
      if (planned.status === 'ok') await moveTo(ports, call.run, 'EXECUTE', 'the plan is made');
      return planned;
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

/** A plan of this run that was executed and judged. */
export type PastRound = { plan: Planned; child: string; reason: string };

/** Each judgement that sent the work back was made by a call that names the plan and the run of its steps. */
export async function pastRounds({ eventsOf }: Pick<TaskPorts, 'eventsOf'>, run: string): Promise<PastRound[]> {
  const asked = new Map<string, Omit<PastRound, 'reason'>>();
  const past: PastRound[] = [];
  for (const event of await eventsOf(run)) {
    if (event.type === 'call.started' && event.data.tool === 'task.critique') {
      const { plan, end } = event.data.input as unknown as { plan: Planned; end: { run: string } };
      asked.set(event.data.call, { plan, child: end.run });
    }
    const judged = event.type === 'call.ended' && event.data.status === 'ok' ? asked.get(event.data.call) : undefined;
    if (judged !== undefined && event.type === 'call.ended')
      past.push({ ...judged, reason: (event.data.output as unknown as { reason: string }).reason });
  }
  return past;
}

/** A procedure that has proven itself plans first, then a model (T4). */
async function planFirst(ports: TaskPorts, task: TaskGiven, body: string, call: ToolCall): Promise<Outcome> {
  const made = await planByProcedure(ports, task, body, call.run);
  return made.kind === 'planned' ? ok(made.plan) : planByModel(ports, task, body, [], call, made.offers);
}

async function planByModel(
  ports: TaskPorts,
  task: TaskGiven,
  body: string,
  past: readonly PastRound[],
  call: ToolCall,
  offers: readonly Candidate[] = [],
): Promise<Outcome> {
  const override = task.fields.model;
  const model = ports.model('planner', override);
  if (model === null) return { status: 'waiting', for: { kind: 'requirement', name: NO_MODEL } };
  const { criteria: given, problems } = readTaskCriteria(body, task.fields);
  if (problems.length > 0) return { status: 'failed', error: problemsText(problems), temporary: false };
  const last = past.at(-1);
  const tools = ports.tools().filter((tool) => last === undefined || mayUseAgain(tool, past));
  const criteria = last === undefined ? given : last.plan.criteria.map(criterionIn);
  const done = last === undefined ? [] : await finishedSteps(ports, past);
  const request = plannerRequest({
    task: {
      title: task.title,
      text: `${body}${await correctedResult(ports, task)}`,
      criteria,
      ...(task.dir === null ? {} : { dir: task.dir }),
    },
    pack: await ports.pack('planner', call, task, body, offers),
    situation: ports.situation(task.dir),
    tools,
    reasons: past.map(({ reason }) => reason),
    achieved: done.map(toAchieved),
  });
  const frame = {
    id: 'plan',
    tools,
    criteria,
    ...(task.dir === null ? {} : { dir: task.dir }),
    ...(task.fields.mode === undefined ? {} : { mode: task.fields.mode }),
    ...(last === undefined ? {} : { finished: done.map(({ node }) => node) }),
  };
  const { clock, askAgainMs } = ports;
  const about = { model: override, clock, askAgainMs, attempt: call.attempt };
  const asked = await askModel(call.act, request, about, (answer) => readPlan(answer, frame));
  return asked.kind === 'outcome' ? asked.outcome : ok(await storeModelPlan(ports, asked.answer));
}

/** The result of the run that this task corrects, as data and not as an instruction. */
async function correctedResult({ resultOf }: TaskPorts, { fields: { corrects } }: TaskGiven): Promise<string> {
  const result = corrects === undefined ? null : await resultOf(corrects);
  return result === null ? '' : `\n\nThis corrects an earlier run:\n${wrapAsData('its result', result, MOST_RESULT)}`;
}

/** A new plan gets no further tools that change things (T3). */
function mayUseAgain(tool: Tool, past: readonly PastRound[]): boolean {
  return tool.annotations.read_only || past.some(({ plan }) => plan.tools.includes(tool.name));
}

type Done = { node: Node; output: string };

/** Steps that are done from earlier plans. */
async function finishedSteps(ports: TaskPorts, past: readonly PastRound[]): Promise<Done[]> {
  const done = new Map<string, Done>();
  for (const { child } of past) {
    const run = await ports.stateOf(child);
    run?.configs.forEach((node, index) => {
      const state = run.nodes[index];
      if (state?.status === 'done')
        done.set(node.id, { node, output: JSON.stringify(state.output).slice(0, LONGEST_OUTPUT) });
    });
  }
  return [...done.values()];
}

const toAchieved = ({ node, output }: Done): Achieved => ({ id: node.id, title: node.title ?? node.id, gave: output });

export function criterionIn({ text, author }: Planned['criteria'][number]): Criterion {
  if (text === EVERY_STEP.text) return EVERY_STEP;
  const read = parseCriterion(text, author);
  return 'problem' in read ? { text, check: null, author } : read;
}

async function storeRunbook(ports: TaskPorts, { graph, input, criteria }: Runbook): Promise<Planned> {
  return {
    by: 'runbook',
    ...(await storePlanGraph(graph, ports.artifacts)),
    input,
    criteria: criteria.map(({ text, author }) => ({ text, author })),
    tools: ['shell'],
    targets: null,
  };
}

async function storeModelPlan(ports: TaskPorts, plan: Plan): Promise<Planned> {
  return {
    by: 'model',
    ...(await storePlanGraph({ ...withoutFinished(plan), author: 'model' }, ports.artifacts)),
    input: plan.input,
    criteria: plan.criteria.map(({ text, author }) => ({ text, author })),
    tools: plan.tools,
    targets: plan.targets,
  };
}

function problemsText(problems: readonly LineProblem[]): string {
  return `the task cannot be read as a runbook:\n${problems.map(({ line, problem }) => `  line ${line}: ${problem}`).join('\n')}`;
}
