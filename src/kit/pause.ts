/** Waiting that whoever gives the signal can end. */
import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves after so long, or as soon as the signal is aborted. With `ref: false` the process may end meanwhile. */
export const pause = (ms: number, signal: AbortSignal, { ref = true } = {}): Promise<void> =>
  sleep(ms, undefined, { signal, ref }).catch(() => undefined); // it was aborted

/** Does one piece of work after the other, whoever asks. */
export function oneAtATime(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = last.then(work);
    last = done.catch(() => undefined); // whoever asked for it is told; the next has its turn all the same
    return done;
  };
}
