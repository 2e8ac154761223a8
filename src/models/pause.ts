/** Providers that asked to be left alone, and until when. */
import { setTimeout as sleepFor } from 'node:timers/promises';
import type { Clock } from '../schema/ports.ts';
import { errorOf, ModelError, problem } from './errors.ts';

export type PausePorts = { clock?: Clock; sleep?: (ms: number, signal: AbortSignal) => Promise<void> };

/** Longer than this a turn does not wait. */
const LONGEST_WAIT_MS = 60_000;

export type Pauses = {
  /** Makes a request once its model may be asked again; throws at once when that is too far off. */
  after<T>(model: string, signal: AbortSignal, request: () => Promise<T>): Promise<T>;
};

export function openPauses({ clock = Date.now, sleep = sleeping }: PausePorts): Pauses {
  const until = new Map<string, number>();
  return {
    after: async (model, signal, request) => {
      const wait = (until.get(model) ?? 0) - clock();
      if (wait > LONGEST_WAIT_MS) throw tooLong(model, wait);
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

function tooLong(model: string, ms: number): ModelError {
  const seconds = Math.ceil(ms / 1000);
  return new ModelError({
    ...problem('rate-limited', `${model} asked to be left alone for ${seconds} s more`),
    retryAfterMs: ms,
  });
}

async function sleeping(ms: number, signal: AbortSignal): Promise<void> {
  await sleepFor(ms, undefined, { signal });
}
