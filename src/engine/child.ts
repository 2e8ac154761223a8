/** Runs inside runs: their names, what they may spend, and what their end means for those who wait for it. */
import { hash } from 'node:crypto';
import type { Graph } from '../schema/graph.ts';
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

/** A child may not spend more than its parent has left. */
export function shareOf(left: Left, { budgets }: Graph): Budgets {
  const names = ['tokens', 'usd', 'tool_calls', 'retries', 'output_bytes', 'seconds'] as const;
  const least = names.map((name) => [name, Math.min(left[name], budgets[name] ?? Number.POSITIVE_INFINITY)] as const);
  return Object.fromEntries(
    least.filter(([, most]) => Number.isFinite(most)).map(([name, most]) => [name, Math.max(0, most)]),
  );
}

/** Its spending is its parent's, too. */
export function answerOf(child: RunState, isAnyEnd = false): WaitAnswer {
  const { id, status, reason, output, spent, activeMs } = child;
  const { tokens, usd, tool_calls, output_bytes } = spent;
  const said = { by: id, usage: { tokens_in: tokens, usd, tool_calls, output_bytes, ms: activeMs } };
  if (isAnyEnd) return { verdict: 'arrived', output: { run: id, status, reason, output }, ...said };
  return status === 'done'
    ? { verdict: 'arrived', output, ...said }
    : { verdict: 'cancelled', text: `run ${id} ${status}: ${reason}`, ...said };
}
