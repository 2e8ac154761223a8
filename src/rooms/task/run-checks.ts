/** Carrying out the checks among the criteria of a task (J1 and J5 in critique.ts). */
import { type CheckContext, judgeCheck, nextCheckCalls, type StepEnd } from './roles/check-calls.ts';
import type { Criterion } from '../../kit/task/criteria.ts';
import { type Found, foundByCheck, type Judged } from './roles/verdict.ts';
import type { Event } from '../../core/schema/event.ts';
import type { TaskGiven } from '../../core/schema/task-run.ts';
import type { Outcome, ToolCall } from '../../core/schema/tool.ts';
import { openCheckCalls } from './check-approvals.ts';
import { bodyOf, type TaskPorts } from './task-ports.ts';

/** What was found about criteria, or why the task has to wait. */
export type Judgement = { found: Found[]; model: Judged['model'] } | { outcome: Outcome };

export const UNJUDGED: Judgement = { found: [], model: null };

export const hasFailed = (judgement: Judgement): boolean =>
  'outcome' in judgement && judgement.outcome.status === 'failed' && judgement.outcome.temporary !== true;

type Judgable = { task: TaskGiven; end: { run: string } };

/** What a check may depend on besides files: what was changed, and how each step ended. */
export async function checkContextOf(
  ports: TaskPorts,
  { task, end }: Judgable,
  changed: string[],
): Promise<CheckContext> {
  const run = await ports.stateOf(end.run);
  const fellBack = fallbacksIn(await ports.eventsOf(end.run));
  const steps = (run?.plan.graph.nodes ?? []).map((node, index): StepEnd => {
    const status = run?.nodes[index]?.status ?? 'pending';
    const failed = run?.failure?.node === node.id ? run.failure.reason : '';
    return { id: node.id, status, reason: failed, fallback: fellBack.has(node.id) };
  });
  const mayBeEmpty = /\b(?:empty|blank|touch)\b|\bzero bytes\b/i.test(await bodyOf(ports, task));
  return { ...(task.dir === null ? {} : { dir: task.dir }), changed, steps, mayBeEmpty };
}

/** Steps that failed and went on with what their author gave for that case. */
function fallbacksIn(events: readonly Event[]): Set<string | null> {
  return new Set(
    events.flatMap((event) => {
      if (event.type === 'node.settled')
        return /^(?:fallback|continued) after/.test(event.data.reason) ? [event.data.node] : [];
      const isReplaced = event.type === 'call.ended' && event.data.settles === 'done' && event.data.status !== 'ok';
      return isReplaced ? [event.data.node] : [];
    }),
  );
}

/** Carries out the checks; stops at the first that waits for an approval (J1, J5). */
export async function runChecks(
  ports: TaskPorts,
  criteria: readonly Criterion[],
  around: CheckContext,
  call: ToolCall,
): Promise<Judgement> {
  const calls = await openCheckCalls(ports, call);
  const found: Found[] = [];
  for (const { text, check, author } of criteria) {
    if (check === null) continue;
    const outcomes: Outcome[] = [];
    const context = { ...around, author };
    for (let next = nextCheckCalls(check, context); next.length > 0; next = nextCheckCalls(check, context, outcomes)) {
      for (const { tool, input } of next) outcomes.push(await calls.call(tool, input, author));
      const asking = outcomes.find((outcome) => outcome.status === 'waiting');
      if (asking !== undefined) return { outcome: calls.hasUsedApproval() ? retryAtOnce(ports) : asking };
    }
    found.push(foundByCheck(text, judgeCheck(check, outcomes, context)));
  }
  return { found, model: null };
}

/** The next check is carried out in the next attempt, which begins at once (J5). */
function retryAtOnce({ clock }: TaskPorts): Outcome {
  return { status: 'waiting', for: { kind: 'timer', until: new Date(clock()).toISOString(), ms: 0 } };
}
