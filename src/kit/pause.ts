/** Waiting that whoever gives the signal can end. */
import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves after so long, or as soon as the signal is aborted. With `ref: false` the process may end meanwhile. */
export const pause = (ms: number, signal: AbortSignal, { ref = true } = {}): Promise<void> =>
  sleep(ms, undefined, { signal, ref }).catch(() => undefined); // it was aborted
