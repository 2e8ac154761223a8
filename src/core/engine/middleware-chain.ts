/** One chain out of many middlewares, outermost first, for calls, planner output and transitions alike. */
import type { Decision } from '../schema/decision.ts';
import type { SideEffectClass } from '../schema/effect.ts';
import type { Middleware, PlannerInput, ToolRegistry } from '../schema/ports.ts';
import type { Outcome, Tool, ToolCall } from '../schema/tool.ts';

export type Invoke = (call: ToolCall) => Promise<Outcome>;

/**
 * The chain of a tool and a class is composed at their first call, of the middlewares that apply to them. A tool that
 * is not there, and a chain without tools, have them all.
 */
export function callChain(
  middleware: readonly Middleware[],
  innermost: Invoke,
  tools: Pick<ToolRegistry, 'get'> = { get: () => undefined },
): Invoke {
  const all = compose(middleware, innermost);
  const composed = new WeakMap<Tool, Partial<Record<SideEffectClass, Invoke>>>();
  return (call) => {
    const tool = tools.get(call.tool);
    return tool === undefined ? all(call) : chainFor(tool, call.class)(call);
  };

  function chainFor(tool: Tool, effect: SideEffectClass): Invoke {
    let chains = composed.get(tool);
    if (chains === undefined) composed.set(tool, (chains = {}));
    return (chains[effect] ??= compose(
      middleware.filter((layer) => layer.appliesTo?.(tool, effect) ?? true),
      innermost,
    ));
  }
}

function compose(middleware: readonly Middleware[], innermost: Invoke): Invoke {
  return middleware.reduceRight<Invoke>(
    (next, layer) => (layer.call === undefined ? next : (call) => layer.call?.(call, next) ?? next(call)),
    innermost,
  );
}

export function decisionChain(
  middleware: readonly Middleware[],
  ask: (input: PlannerInput) => Promise<Decision>,
): (input: PlannerInput) => Promise<Decision> {
  return middleware.reduceRight(
    (next, layer) =>
      layer.decision === undefined ? next : (input) => layer.decision?.(input, () => next(input)) ?? next(input),
    ask,
  );
}

export type Move = { run: string; node: string; from: string; to: string };

export function transitionChain(
  middleware: readonly Middleware[],
  allowed: (move: Move) => string | null,
): (move: Move) => string | null {
  return middleware.reduceRight(
    (next, layer) =>
      layer.transition === undefined ? next : (move) => layer.transition?.(move, () => next(move)) ?? null,
    allowed,
  );
}
