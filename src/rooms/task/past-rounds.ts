/** Owns: the earlier plans of a task: their judgements, their steps, and criteria that proved broken. */
import type { BrokenCriterion, FailedStep } from './roles/planner.ts';
import type { Node } from '../../core/schema/graph.ts';
import type { Planned } from '../../core/schema/task-run.ts';
import type { Act } from '../../core/schema/tool.ts';
import { plannedCriterion } from './planned-criteria.ts';
import { reviewCriteria } from './review-criteria.ts';
import type { TaskPorts } from './task-ports.ts';

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

export type RanStep = { node: Node; output: string };

const LONGEST_OUTPUT = 500;
const LONGEST_ERROR = 500;

/** Steps of earlier plans: those that ran to their end, and those that failed. */
export async function pastSteps(
  ports: Pick<TaskPorts, 'stateOf'>,
  past: readonly PastRound[],
): Promise<{ ran: RanStep[]; failed: FailedStep[] }> {
  const ran = new Map<string, RanStep>();
  const failed = new Map<string, FailedStep>();
  for (const { child } of past) {
    const run = await ports.stateOf(child);
    run?.configs.forEach((node, index) => {
      const state = run.nodes[index];
      if (state?.status === 'done')
        ran.set(node.id, { node, output: JSON.stringify(state.output).slice(0, LONGEST_OUTPUT) });
      const reason = run.failure?.node === node.id ? run.failure.reason : '';
      if (state?.status === 'failed')
        failed.set(node.id, { id: node.id, title: node.title ?? node.id, error: reason.slice(0, LONGEST_ERROR) });
    });
  }
  return { ran: [...ran.values()], failed: [...failed.values()].filter(({ id }) => !ran.has(id)) };
}

/** Criteria of the model's that were not met and cannot be met, whatever the steps do. Those of the operator are none. */
export async function brokenCriteria(
  ports: Pick<TaskPorts, 'eventsOf'>,
  past: readonly PastRound[],
  { run, dir, act }: { run: string; dir: string | null; act: Act },
): Promise<BrokenCriterion[]> {
  const last = past.at(-1)?.plan;
  const judged = (await ports.eventsOf(run)).findLast((event) => event.type === 'run.judged');
  const targets = past.flatMap(({ plan }) => plan.targets ?? []);
  const broken: BrokenCriterion[] = [];
  for (const given of last?.criteria ?? []) {
    const found =
      judged?.type === 'run.judged' ? judged.data.criteria.find(({ text }) => text === given.text) : undefined;
    if (given.author !== 'model' || found === undefined || found.holds) continue;
    const missing = /: exit 12[67]\b/.exec(found.evidence) === null ? null : 'its program cannot be run';
    const reviewed =
      missing === null ? await reviewCriteria([plannedCriterion(given)], { targets, dir, act }) : { problem: missing };
    if ('problem' in reviewed) broken.push({ text: given.text, why: reviewed.problem });
  }
  return broken;
}
