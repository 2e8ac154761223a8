/**
 * Tries a failed call again, as often as its node and the run allow. What changes the world outside is never retried, a
 * local write only if it is idempotent (repeat-rule.ts), and nothing that a person has allowed: that was for one attempt.
 * The exit status of a command is its answer: only a node that names it (`retry.on`) has a read repeated for it.
 */
import type { Middleware, ToolRegistry } from '../../schema/ports.ts';
import type { Usage } from '../../schema/effect.ts';
import type { Outcome, Tool, ToolCall } from '../../schema/tool.ts';
import { isRetriedError } from '../../schema/retry-rule.ts';
import { mayBeRepeated } from '../../engine/repeat-rule.ts';
import { findExhausted } from './check-budget.ts';

const USUAL_BACKOFF = { seconds: 0.1, factor: 2, most_seconds: 10 };

export function retry(
  tools: Pick<ToolRegistry, 'get'>,
  sleep: (ms: number, signal?: AbortSignal) => Promise<void>,
): Middleware {
  return {
    name: 'retry',
    call: async (first, next) => {
      let call = first;
      let outcome = await next(call);
      for (let done = 0; isRetryable(outcome, first) && mayTryAgain(first, tools.get(first.tool), done); done += 1) {
        await sleep(pauseMs(first, done), call.signal).catch(() => undefined); // aborted: the next line says so
        if (call.signal.aborted) return cancelledBeforeRetry(outcome);
        if (!canPay(first, outcome.usage ?? {}, tools.get(first.tool))) break;
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

/** Another attempt was due and has not started. */
function cancelledBeforeRetry(last: Outcome): Outcome {
  const error = 'error' in last ? last.error : last.status;
  return { status: 'cancelled', error: `stopped before another attempt; the last one: ${error}`, begun: false };
}

/** What failed for good, or tried more than it may, would fail again; a node may also name the failures it is to repeat. */
function isRetryable(outcome: Outcome, { bounds }: ToolCall): outcome is Extract<Outcome, { status: 'failed' }> {
  if (outcome.status !== 'failed' || outcome.overstepped !== undefined) return false;
  const { on } = bounds.retry ?? {};
  const mayPass = outcome.temporary !== false || outcome.isAnswer === true;
  return on === undefined ? outcome.temporary !== false : mayPass && isRetriedError(on, outcome.error);
}

function pauseMs({ bounds }: ToolCall, done: number): number {
  const { seconds, factor, most_seconds: most } = bounds.retry?.backoff ?? USUAL_BACKOFF;
  return Math.round(Math.min(most, seconds * factor ** done) * 1000);
}

function mayTryAgain(call: ToolCall, tool: Tool | undefined, done: number): boolean {
  const { approval, bounds, signal } = call;
  return mayBeRepeated(call, tool) && approval === null && done < bounds.retries && !signal.aborted;
}

/** Asked right before the attempt is written down: other calls spend too. What the last attempt cost is not yet taken off. */
function canPay({ left: now, input }: ToolCall, used: Usage, tool: Tool | undefined): boolean {
  const left = now();
  if (left.retries < 1) return false;
  const after = {
    ...left,
    tokens: left.tokens - (used.tokens_in ?? 0) - (used.tokens_out ?? 0),
    usd: left.usd - (used.usd ?? 0),
    output_bytes: left.output_bytes - (used.output_bytes ?? 0),
  };
  return findExhausted(after, input, tool) === null;
}
