/**
 * Ends an attempt that takes longer than its node allows, not counting what it waits for its turn on the desk. What it was
 * sending to the outside may have arrived.
 */
import type { Middleware } from '../../schema/ports.ts';
import type { Act, Outcome, ToolCall } from '../../schema/tool.ts';
import { effectOf } from '../../engine/repeat-rule.ts';
import { createDeadlines } from '../deadlines.ts';

export function timeout(): Middleware {
  const stopping = stopTogether();
  const setDeadline = createDeadlines();
  return {
    name: 'timeout',
    call: (call, next) => {
      const limit = Math.min(call.bounds.timeoutMs ?? Number.POSITIVE_INFINITY, call.left().seconds * 1000);
      if (!Number.isFinite(limit)) return next(call);
      const attempt = new AbortController();
      const forget = stopping(call.signal, attempt);
      return new Promise<Outcome>((resolve, reject) => {
        const pass = (): void => {
          forget();
          resolve(timedOut(limit, call));
          attempt.abort();
        };
        const begun = performance.now();
        let waitedMs = 0;
        let lift = setDeadline(limit, pass);
        const pauseClock = (): (() => void) => {
          lift();
          const paused = performance.now();
          const resume = call.pauseClock?.();
          return () => {
            resume?.();
            waitedMs += performance.now() - paused;
            lift = setDeadline(Math.max(0, limit - (performance.now() - begun - waitedMs)), pass);
          };
        };
        const act: Act = (tool, input, by) => call.act(tool, input, { ...by, pauseClock });
        next({ ...call, signal: attempt.signal, pauseClock, act }).then(
          (outcome) => {
            lift();
            forget();
            resolve(outcome);
          },
          (error: unknown) => {
            lift();
            forget();
            reject(error);
          },
        );
      });
    },
  };
}

function timedOut(limit: number, call: ToolCall): Outcome {
  const error = `it did not end within ${limit / 1000} s and was stopped`;
  return {
    status: 'failed',
    error,
    temporary: true,
    ...(effectOf(call) === 'external_mutation' ? { unseen: true } : {}),
  };
}

/** All attempts of a run share one abort listener; one for each would cost more than the rest of this layer. */
function stopTogether(): (outer: AbortSignal, attempt: AbortController) => () => void {
  const underWay = new WeakMap<AbortSignal, Set<AbortController>>();
  return (outer, attempt) => {
    if (outer.aborted) attempt.abort();
    let attempts = underWay.get(outer);
    if (attempts === undefined) {
      const all = new Set<AbortController>();
      underWay.set(outer, all);
      outer.addEventListener('abort', () => all.forEach((each) => each.abort()), { once: true });
      attempts = all;
    }
    attempts.add(attempt);
    return () => void attempts.delete(attempt);
  };
}
