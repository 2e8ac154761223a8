/** One chain out of many middlewares, outermost first, for calls, planner output and transitions alike. */
import type { Decision } from '../schema/decision.ts';
import type { Middleware, PlannerInput } from '../schema/ports.ts';
import type { Outcome, ToolCall } from '../schema/tool.ts';

export type Invoke = (call: ToolCall) => Promise<Outcome>;

export function callChain(middleware: readonly Middleware[], innermost: Invoke): Invoke {
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
