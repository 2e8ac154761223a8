/** Owns: waiting for message servers that do not answer, for as long as nobody stops it. */
import { OkaError } from '../../core/schema/errors.ts';
import { pause } from '../../kit/pause.ts';

const RETRY_MS = 500;

/** Null when it was stopped before there was an answer. */
export async function untilAnswered<T>(signal: AbortSignal, ask: () => Promise<T>): Promise<T | null> {
  while (!signal.aborted)
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof OkaError) || error.code !== 'fleet-down') throw error;
      await pause(RETRY_MS, signal);
    }
  return null;
}
