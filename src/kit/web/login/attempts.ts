/**
 * Owns: slowing down whoever guesses. An attempt counts when it begins, so that many at once are not more than a few.
 *
 * 1. Each source has a counter of its own: a stranger makes nobody else wait.
 * 2. All sources together have one that allows more, for whoever comes from many.
 */

type Attempts = {
  /** Counts an attempt: 0 when it may be made now, else the seconds until the next one may be. */
  begin: (source: string) => number;
  /** It was right: the source starts afresh. */
  succeeded: (source: string) => void;
};

type Count = { attempts: number; until: number };

const FREE = 5;
const FREE_TOGETHER = 100;
const LONGEST_MS = 15 * 60_000;
const MOST_SOURCES = 1000;

export function countAttempts(now: () => number = () => performance.now()): Attempts {
  const sources = new Map<string, Count>();
  const together: Count = { attempts: 0, until: 0 };
  const waitOf = ({ until }: Count): number => Math.max(0, Math.ceil((until - now()) / 1000));
  const count = (counted: Count, free: number): void => {
    if (now() - counted.until > LONGEST_MS && counted.until > 0) counted.attempts = 0; // it was quiet for long
    counted.attempts += 1;
    if (counted.attempts >= free)
      counted.until = now() + Math.min(LONGEST_MS, 1000 * 2 ** Math.min(20, counted.attempts - free));
  };
  return {
    begin: (source) => {
      const own = sources.get(source) ?? { attempts: 0, until: 0 };
      const wait = Math.max(waitOf(own), waitOf(together));
      if (wait > 0) return wait;
      sources.delete(source);
      if (sources.size >= MOST_SOURCES) sources.delete(sources.keys().next().value ?? '');
      sources.set(source, own);
      count(own, FREE);
      count(together, FREE_TOGETHER);
      return 0;
    },
    succeeded: (source) => {
      sources.delete(source);
      together.attempts = 0;
      together.until = 0;
    },
  };
}
