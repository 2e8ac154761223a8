/** Tries a failed call again, as often as its node and the run allow. What changes the world outside is never retried. */
import type { Middleware } from '../../schema/ports.ts';
import type { ToolCall } from '../../schema/tool.ts';

const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 10_000;

export function retry(sleep: (ms: number, signal?: AbortSignal) => Promise<void>): Middleware {
  return {
    name: 'retry',
    call: async (first, next) => {
      let call = first;
      let outcome = await next(call);
      for (let done = 0; outcome.status === 'failed' && mayTryAgain(first, done); done += 1) {
        await sleep(Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** done), call.signal).catch(() => undefined);
        if (call.signal.aborted) break;
        call = {
          ...call,
          attempt: call.attempt + 1,
          call: call.call.replace(/\d+$/, String(call.attempt + 1)),
          previous: outcome,
        };
        outcome = await next(call);
      }
      return outcome;
    },
  };
}

function mayTryAgain({ class: effect, bounds, left, signal }: ToolCall, done: number): boolean {
  return (
    effect !== 'external_mutation' && done < Math.min(bounds.retries, left.retries, left.tool_calls) && !signal.aborted
  );
}
