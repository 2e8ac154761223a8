/** Owns: what the policy says to each call of a simulation, and letting calls through that a person would have to allow. */
import { STEP_CHECK } from '../schema/acceptance.ts';
import type { SideEffectClass } from '../schema/effect.ts';
import type { Json } from '../schema/json.ts';
import type { Middleware, ToolRegistry } from '../schema/ports.ts';
import type { Outcome, Tool, ToolCall } from '../schema/tool.ts';
import { unknownsIn } from './unknown-value.ts';

export type SimulatedCall = {
  node: string | null;
  tool: string;
  class: SideEffectClass;
  input: Json;
  /** `unclear`: the input is not known before. */
  verdict: 'allow' | 'ask' | 'deny' | 'unclear';
  why: string;
};

/** Middlewares that only judge; the others act or wait and are left out. */
const JUDGES = new Set(['validate', 'eligible', 'authorize', 'budget']);

/** Sees the verdict on every call. A call that a person would have to allow goes on as if they had. */
export function recordVerdicts(
  calls: SimulatedCall[],
  tools: ToolRegistry,
  invoke: (call: ToolCall) => Promise<Outcome>,
): Middleware {
  return {
    name: 'observer',
    call: async (call, next) => {
      const { node, tool, input } = call;
      if (tool === STEP_CHECK) return invoke(call);
      const deciding = unknownsIn(targetsOf(tools.get(tool), input));
      const seen: SimulatedCall = { node, tool, class: call.class, input, verdict: 'allow', why: '' };
      calls.push(seen);
      const outcome = await next(call);
      Object.assign(seen, verdictOf(outcome, deciding));
      const isAsked = outcome.status === 'waiting' && outcome.for.kind !== 'child';
      return isAsked || (deciding.length > 0 && outcome.status === 'denied') ? invoke(call) : outcome;
    },
  };
}

/** The fields of an input that decide what the policy says; all of it where a tool names none of them. */
function targetsOf(tool: Tool | undefined, input: Json): Json {
  if (
    tool === undefined ||
    tool.targets.length === 0 ||
    input === null ||
    typeof input !== 'object' ||
    Array.isArray(input)
  )
    return input;
  return tool.targets.map((field) => input[field] ?? null);
}

function verdictOf(outcome: Outcome, unknown: readonly string[]): Pick<SimulatedCall, 'verdict' | 'why'> {
  if (unknown.length > 0) return { verdict: 'unclear', why: `its input depends on ${unknown.join(', ')}` };
  if (outcome.status === 'waiting' && outcome.for.kind === 'approval') return { verdict: 'ask', why: outcome.for.text };
  if (outcome.status === 'denied') return { verdict: 'deny', why: outcome.error };
  return { verdict: 'allow', why: outcome.status === 'failed' ? outcome.error : '' };
}

/** An input that is not known yet cannot be checked. */
export function judgesIn(middleware: readonly Middleware[]): Middleware[] {
  return middleware
    .filter(({ name }) => JUDGES.has(name))
    .map((layer) =>
      layer.name === 'validate' ? { name: 'validate', call: (call, next) => unlessUnknown(layer, call, next) } : layer,
    );
}

async function unlessUnknown(
  layer: Middleware,
  call: ToolCall,
  next: (call: ToolCall) => Promise<Outcome>,
): Promise<Outcome> {
  if (unknownsIn(call.input).length > 0) return next(call);
  let made: Outcome | null = null;
  const checked = await layer.call?.(call, async (inner) => (made = await next(inner)));
  return made ?? checked ?? next(call); // an unknown output has no shape
}
