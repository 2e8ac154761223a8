/** Owns: noticing that this process stood still, such as one that was stopped by a signal, while what it started went on. */
import { monotonicMs } from '../ledger/machine-time.ts';

type FrozenTime = {
  /** The longest time so far in which this process did nothing at all. */
  longestMs: () => number;
  [Symbol.dispose](): void;
};

const BEAT_MS = 250;

export function watchFrozenTime(): FrozenTime {
  let last = monotonicMs();
  let longest = 0;
  const beat = (): void => {
    const now = monotonicMs();
    longest = Math.max(longest, now - last - BEAT_MS);
    last = now;
  };
  const timer = setInterval(beat, BEAT_MS).unref();
  return {
    longestMs: () => {
      beat();
      return longest;
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
