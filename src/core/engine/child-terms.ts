/** Runs inside runs: their names, what they may spend, and what their end means for those who wait for it. */
import { hash } from 'node:crypto';
import type { Graph } from '../schema/graph.ts';
import type { Json } from '../schema/json.ts';
import type { Budgets } from '../schema/run.ts';
import type { Left, ToolCall } from '../schema/tool.ts';
import type { WaitAnswer } from '../schema/wait.ts';
import { nodeNamed, type RunState } from './run-state.ts';

/** Derives from node, visit and turn, so that repeating the call finds the same run. */
export function childIdOf(call: ToolCall, parent: RunState | undefined): string {
  const node = parent?.nodes[nodeNamed(parent, call.node) ?? -1];
  const name = `${call.run}.${call.node}.${node?.visit ?? 0}.${node?.agent?.turn ?? 0}`;
  return `${name.slice(0, 80)}-${hash('sha256', name).slice(0, 8)}`;
}

/** Whether a person wrote all that a run inside is started with. Oka itself starts a plan, with what its task says. */
export function isInputGiven(
  parent: RunState | undefined,
  { author }: Pick<ToolCall, 'author'>,
  graph: string,
): boolean {
  const isPlan = parent?.plan.graph.id === 'oka.task' && graph.startsWith('plan-');
  return author === 'operator' || isPlan;
}

/** Whether a run is nested inside another; one that continues a failed run names it as its parent, too, and does not. */
export function isInside({ run, parent }: { run: string; parent: string | null }): boolean {
  return parent !== null && run.startsWith(`${parent}.`.slice(0, 80));
}

/** The run that a step has started before, in the run that is continued, and that did not get done; null when there is none. */
export function failedChildOf(before: RunState | null, node: string | null): string | null {
  const index = before === null ? undefined : nodeNamed(before, node);
  const output = index === undefined ? null : (before?.nodes[index]?.output ?? null);
  return before?.status === 'failed' && isFailedEnd(output) ? output.run : null;
}

/** What a step gave that waited for any end of a run. */
export function isFailedEnd(output: Json): output is { run: string; status: 'failed' } {
  if (output === null || typeof output !== 'object' || Array.isArray(output)) return false;
  return output['status'] === 'failed' && typeof output['run'] === 'string';
}

/** A child may not spend more than its parent has left. */
export function shareOfBudget(left: Left, { budgets }: Graph): Budgets {
  const names = ['tokens', 'usd', 'tool_calls', 'retries', 'output_bytes', 'seconds'] as const;
  const least = names.map((name) => [name, Math.min(left[name], budgets[name] ?? Number.POSITIVE_INFINITY)] as const);
  return Object.fromEntries(
    least.filter(([, most]) => Number.isFinite(most)).map(([name, most]) => [name, Math.max(0, most)]),
  );
}

/** Its spending is its parent's, too. */
export function answerFromChild(child: RunState, isAnyEnd = false): WaitAnswer {
  const { id, status, reason, output, spent, activeMs } = child;
  const { tokens, usd, tool_calls, output_bytes } = spent;
  const by = { by: id, usage: { tokens_in: tokens, usd, tool_calls, output_bytes, ms: activeMs } };
  if (isAnyEnd) return { verdict: 'arrived', output: { run: id, status, reason, output }, ...by };
  return status === 'done'
    ? { verdict: 'arrived', output, ...by }
    : { verdict: 'cancelled', text: `run ${id} ${status}: ${reason}`, ...by };
}
