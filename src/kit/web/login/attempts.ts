/** Owns: slowing down whoever guesses: after a few wrong attempts, everyone waits, longer each time. */

export type Attempts = {
  /** Seconds to wait before the next attempt; 0 when one may be made now. */
  waitSeconds: () => number;
  failed: () => void;
  succeeded: () => void;
};

const FREE = 5;
const LONGEST_MS = 15 * 60_000;

export function countAttempts(now: () => number = () => performance.now()): Attempts {
  let failures = 0;
  let until = 0;
  return {
    waitSeconds: () => Math.max(0, Math.ceil((until - now()) / 1000)),
    failed: () => {
      failures += 1;
      if (failures >= FREE) until = now() + Math.min(LONGEST_MS, 1000 * 2 ** (failures - FREE));
    },
    succeeded: () => {
      failures = 0;
      until = 0;
    },
  };
}
