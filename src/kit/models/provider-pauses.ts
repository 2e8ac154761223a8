/** Owns: rate limits: until when a provider asked not to be called. */
import { setTimeout as sleepFor } from 'node:timers/promises';
import type { Clock } from '../../core/schema/ports.ts';
import { errorOf, ModelError, problem } from './model-errors.ts';

export type PausePorts = { clock?: Clock; sleep?: (ms: number, signal: AbortSignal) => Promise<void> };

/** A turn waits at most this long. */
const LONGEST_WAIT_MS = 60_000;

type Pauses = {
  /** Makes a request once its model may be called again; throws at once if that is too far off. */
  after<T>(model: string, signal: AbortSignal, request: () => Promise<T>): Promise<T>;
};

export function openPauses({ clock = () => performance.now(), sleep = sleepUntilAborted }: PausePorts): Pauses {
  const until = new Map<string, number>();
  return {
    after: async (model, signal, request) => {
      const wait = (until.get(model) ?? 0) - clock();
      if (wait > LONGEST_WAIT_MS) throw rateLimitError(model, wait);
      if (wait > 0) await sleep(wait, signal);
      try {
        return await request();
      } catch (error) {
        const { retryAfterMs } = errorOf(error);
        if (retryAfterMs !== undefined) until.set(model, clock() + retryAfterMs);
        throw error;
      }
    },
  };
}

function rateLimitError(model: string, ms: number): ModelError {
  const seconds = Math.ceil(ms / 1000);
  return new ModelError({
    ...problem('rate-limited', `${model} asked for a pause, which lasts another ${seconds} s`),
    retryAfterMs: ms,
  });
}

async function sleepUntilAborted(ms: number, signal: AbortSignal): Promise<void> {
  await sleepFor(ms, undefined, { signal });
}
