/**
 * Owns: step.check, whether the acceptance of a step is met. The engine calls it (core/engine/node-acceptance.ts).
 *
 * 1. Every check is carried out by calls through the chain, as the criteria of a task are.
 * 2. Before a call only files are read: nothing is run, nobody is asked, and one check that fails is enough to know.
 * 3. A call in doubt is settled by what can be seen without asking anybody.
 * 4. A check that a person had to allow is carried out once for each time the step was done.
 */
import { type CheckContext, nextCheckCalls, type Finding, judgeCheck } from './roles/check-calls.ts';
import type { Check } from '../../kit/task/checks.ts';
import { readStepCheck } from '../../kit/task/step-acceptance.ts';
import { toOneLine } from '../../core/schema/one-line.ts';
import { STEP_CHECK, StepCheckInput, StepCheckOutput } from '../../core/schema/acceptance.ts';
import type { Event } from '../../core/schema/event.ts';
import type { TaskGiven } from '../../core/schema/task-run.ts';
import type { Outcome, Tool, ToolCall } from '../../core/schema/tool.ts';
import { ok, defineTool } from '../../kit/define-tool.ts';
import { openCheckCalls } from './check-approvals.ts';
import type { TaskPorts } from './task-ports.ts';
import { taskOf } from '../../kit/runs/run-family.ts';

type Ports = Pick<TaskPorts, 'artifacts' | 'changedBy' | 'clock' | 'eventsOf' | 'stateOf'>;
type MakeCall = (tool: string, input: Parameters<ToolCall['act']>[1]) => Promise<Outcome>;
type Found = { text: string } & Finding;

/** Checks that read files and nothing else. */
const READS_FILES: ReadonlySet<Check['kind']> = new Set(['file', 'folder', 'contains', 'matches', 'json', 'rows']);
const LONGEST_REASON = 8000;

export function stepCheckTool(ports: Ports): Tool {
  return defineTool({
    name: STEP_CHECK,
    about: 'Checks whether the acceptance of a step is met.',
    input: StepCheckInput,
    output: StepCheckOutput,
    annotations: { read_only: true, idempotent: true, risk: 'low' },
    targets: [],
    class: 'read',
    act: (given, call) => (given.when === 'before' ? checkBefore(ports, given, call) : checkAfter(ports, given, call)),
  });
}

/** Reads files only, and stops at the first check that fails (2). */
async function checkBefore(ports: Ports, { checks }: StepCheckInput, call: ToolCall): Promise<Outcome> {
  const context = await folderOf(ports, call.run);
  const found: Found[] = [];
  for (const text of checks) {
    const check = readStepCheck(text);
    if (check.kind === 'problem' || !READS_FILES.has(check.kind)) continue;
    const finding = judgeCheck(check, await outcomesOf(check, context, call.act), context);
    found.push({ text, ...finding });
    if (finding.seen && !finding.holds) return report(false, found);
  }
  const areAllSeen = found.length === checks.length && found.every(({ seen }) => seen);
  return report(areAllSeen ? true : null, found);
}

async function checkAfter(ports: Ports, given: StepCheckInput, call: ToolCall): Promise<Outcome> {
  const calls = await openCheckCalls(ports, call, (events) => sinceLastCall(events, given.node));
  const around = await aroundStep(ports, given, call.run);
  const found: Found[] = [];
  for (const text of given.checks) {
    const check = readStepCheck(text);
    if (check.kind === 'problem') {
      found.push({ text, holds: false, evidence: check.problem, seen: false });
      continue;
    }
    const outcomes = await outcomesOf(check, around, calls.call);
    const asking = outcomes.find((outcome) => outcome.status === 'waiting');
    if (asking !== undefined && given.when === 'after')
      return calls.hasUsedApproval() ? { status: 'waiting', for: rightNow(ports) } : asking;
    found.push({ text, ...judgeCheck(check, outcomes, around) });
  }
  return report(
    found.every(({ holds }) => holds),
    found,
  );
}

async function outcomesOf(check: Check, around: CheckContext, makeCall: MakeCall): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (let next = nextCheckCalls(check, around); next.length > 0; next = nextCheckCalls(check, around, outcomes))
    for (const { tool, input } of next) {
      const outcome = await makeCall(tool, input);
      outcomes.push(outcome);
      if (outcome.status === 'waiting') return outcomes;
    }
  return outcomes;
}

function report(holds: boolean | null, found: readonly Found[]): Outcome {
  const failing = found.filter((each) => !each.holds).map(({ text, evidence }) => `${text} (${evidence})`);
  return ok({
    holds,
    reason: failing.join('; ').slice(0, LONGEST_REASON),
    found: found.map((each) => ({
      text: toOneLine(each.text, 200).slice(0, 200),
      holds: each.holds,
      evidence: toOneLine(each.evidence, 300).slice(0, 300),
    })),
  } satisfies StepCheckOutput);
}

/** A check from before the step was repeated proves nothing about its latest result (4). */
function sinceLastCall(events: readonly Event[], node: string): readonly Event[] {
  const last = events.findLastIndex((event) => event.type === 'call.started' && event.data.node === node);
  return events.slice(last + 1);
}

/** An approval is for one attempt: the next check is carried out in the next one. */
const rightNow = ({ clock }: Ports): Extract<Outcome, { status: 'waiting' }>['for'] => ({
  kind: 'timer',
  until: new Date(clock()).toISOString(),
  ms: 0,
});

/** Paths of a runbook start at the folder of its task, those of a graph and of a model's plan at the desk. */
async function folderOf({ stateOf }: Ports, run: string): Promise<CheckContext> {
  const state = await stateOf(run);
  const task = state === null ? null : await taskOf(state, { stateOf });
  const dir = (task?.input as unknown as TaskGiven | undefined)?.dir ?? null;
  const author = state?.plan.graph.author;
  return { ...(dir === null ? {} : { dir }), ...(author === undefined ? {} : { author }) };
}

async function aroundStep(ports: Ports, { checks }: StepCheckInput, run: string): Promise<CheckContext> {
  const asksForChanges = checks.some((text) => readStepCheck(text).kind === 'unchanged');
  return { ...(await folderOf(ports, run)), changed: asksForChanges ? await ports.changedBy([run]) : null };
}
