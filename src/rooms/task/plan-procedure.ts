/**
 * Owns: the first plan of a task, when a procedure gives it; else what of procedures a model is shown.
 *
 * 1. What follows from procedures is in the ledger before the plan is.
 * 2. The criteria of the person come first, word for word; those of the procedure come behind them.
 */
import type { FilledProcedure } from '../../kit/ports/procedures-port.ts';
import type { Candidate } from '../../kit/learning/context-pack.ts';
import { EVERY_STEP } from '../../kit/task/criteria.ts';
import { readTaskCriteria } from '../../kit/task/runbook.ts';
import { withoutProse } from '../../kit/task/step-acceptance.ts';
import type { OpenFolder } from '../../core/schema/folder.ts';
import { Graph } from '../../core/schema/graph.ts';
import type { ProcedureChoice } from '../../core/schema/procedure.ts';
import type { Planned, TaskGiven } from '../../core/schema/task-run.ts';
import { storePlanGraph } from '../../kit/task/plan-graph.ts';
import type { TaskPorts } from './task-ports.ts';

type ProcedurePlan = { kind: 'planned'; plan: Planned } | { kind: 'unplanned'; offers: readonly Candidate[] };

export async function planByProcedure(
  ports: TaskPorts,
  { task, body, folders }: { task: TaskGiven; body: string; folders: readonly OpenFolder[] },
  run: string,
): Promise<ProcedurePlan> {
  const { criteria, problems } = readTaskCriteria(body, task.fields);
  if (problems.length > 0) return { kind: 'unplanned', offers: [] };
  const chosen = await ports.procedures({ run, task, body });
  if (chosen.kind !== 'none') await recordChoiceOnce(ports, run, chosen.choice);
  switch (chosen.kind) {
    case 'plan':
      return { kind: 'planned', plan: await storeProcedurePlan(ports, chosen.filled, criteria, folders) };
    case 'offer':
      return { kind: 'unplanned', offers: chosen.offers };
    case 'withheld':
    case 'none':
      return { kind: 'unplanned', offers: [] };
  }
}

/** A plan that is asked for again, as when a model was down, is no further choice. */
async function recordChoiceOnce({ eventsOf, note }: TaskPorts, run: string, choice: ProcedureChoice): Promise<void> {
  const last = (await eventsOf(run)).findLast((event) => event.type === 'procedure.chosen');
  const keyOf = ({ procedure, version, arm }: ProcedureChoice): string => `${procedure} ${version} ${arm}`;
  if (last?.type === 'procedure.chosen' && keyOf(last.data) === keyOf(choice)) return;
  note({ type: 'procedure.chosen', run, data: choice });
}

async function storeProcedurePlan(
  { artifacts }: TaskPorts,
  filled: FilledProcedure,
  given: Planned['criteria'],
  folders: readonly OpenFolder[],
): Promise<Planned> {
  const own = filled.criteria.filter(
    ({ author, text }) => author === 'model' && !given.some((each) => each.text === text),
  );
  const criteria = [...given, ...own].map(({ text, author }) => ({ text, author }));
  return {
    by: 'procedure',
    ...(await storePlanGraph({ ...withoutProse(Graph.parse(filled.graph)), author: 'model' }, artifacts, folders)),
    input: null,
    criteria: criteria.length > 0 ? criteria : [{ text: EVERY_STEP.text, author: EVERY_STEP.author }],
    tools: [...filled.tools],
    targets: filled.targets,
  };
}
