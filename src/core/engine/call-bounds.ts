/** What a call may do: the bounds of its node, or none for calls outside the graph. */
import type { Node } from '../schema/graph.ts';
import type { Attempt, CallBounds, Left, ToolCall } from '../schema/tool.ts';
import { foundTools } from './found-tools.ts';
import { nodeNamed, type RunState } from './run-state.ts';

/** With `on_error: retry` and no number. */
const USUAL_RETRIES = 2;

/** What the node, and the state of an agent, allow for a call. */
export function boundsOf(run: RunState, name: string, ask = false): CallBounds {
  const index = nodeNamed(run, name) ?? -1;
  const config = run.configs[index];
  const agent = run.nodes[index]?.agent;
  const rule = agent === null || agent === undefined ? undefined : run.plan.states.states[agent.state];
  const handled = run.nodes[index]?.handled ?? null;
  return {
    timeoutMs:
      config?.timeout_seconds === undefined ? null : config.timeout_seconds * 1000 * (handled?.timeoutFactor ?? 1),
    retries: handled === null ? Math.max(0, retriesOf(config) - (run.nodes[index]?.redone ?? 0)) : 0,
    ...(config?.retry === undefined ? {} : { retry: config.retry }),
    tools: intersect(config?.tools && [...config.tools, ...foundTools(agent?.evidence ?? [])], rule?.tools),
    classes: intersect(config?.kind === 'agent' ? config.classes : undefined, rule?.classes),
    ask: ask || (rule?.ask ?? false),
  };
}

/** Attempts after the first. */
export function retriesOf(config: Node | undefined): number {
  return config?.retry?.times ?? config?.max_retries ?? (config?.on_error === 'retry' ? USUAL_RETRIES : 0);
}

/** For a check of the node: its own limits are for its calls; those of the tools apply. */
export const checkBounds: CallBounds = { timeoutMs: null, retries: 0, tools: null, classes: null, ask: false };

/** For a call within a call: as long as the outer one, with whatever tool it needs, and once: whoever made it asks again. */
export function innerBounds({ timeoutMs }: CallBounds): CallBounds {
  return { timeoutMs, retries: 0, tools: null, classes: null, ask: false };
}

function intersect<T>(a: readonly T[] | undefined, b: readonly T[] | undefined): readonly T[] | null {
  if (a === undefined || b === undefined) return a ?? b ?? null;
  return a.filter((name) => b.includes(name));
}

const all = Number.POSITIVE_INFINITY;
const unlimited: Left = { tokens: all, usd: all, tool_calls: all, retries: all, output_bytes: all, seconds: all };

type CallRequest = Attempt & Pick<ToolCall, 'run' | 'node' | 'signal'>;

/** A call of no node: a hook, or one that is replayed. It is tried once, and nothing is taken off a budget for it. */
export function unboundCall(said: CallRequest, timeoutMs: number | null): ToolCall {
  return {
    ...said,
    author: 'operator',
    origins: () => ({}),
    bounds: { timeoutMs, retries: 0, tools: null, classes: null, ask: false },
    left: () => unlimited,
    approval: null,
    previous: null,
    intend: () => Promise.resolve(),
    act: () => Promise.resolve({ status: 'failed', error: 'no call can be made from here' }),
  };
}
