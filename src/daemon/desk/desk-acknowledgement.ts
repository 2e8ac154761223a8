/**
 * Owns: how long a call of a fleet has its turn while the servers do not store that it begins. Others may write meanwhile: the
 * state of the desk before it is recorded again when its turn comes again.
 */
import { setTimeout as sleep } from 'node:timers/promises';

/** The call has not begun, since what has to be known of it before is not stored yet. */
export type Unstored = { stored: Promise<unknown> };

/** Servers answer within milliseconds, and within seconds after the loss of a leader. */
const PATIENCE_MS = 3000;

export const isStoredSoon = (stored: Promise<unknown>): Promise<boolean> =>
  Promise.race([stored.then(() => true), sleep(PATIENCE_MS, false, { ref: false })]);

/** Rejects when another member has the run by now. */
export async function whenStored({ stored }: Unstored, signal: AbortSignal): Promise<void> {
  const stopped = Promise.withResolvers<void>();
  const stop = (): void => stopped.resolve();
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  await Promise.race([stored, stopped.promise]).finally(() => signal.removeEventListener('abort', stop));
}
