import type { Reach } from '../desk/reach.ts';

export type Turn<T> = {
  /** What it may change; the whole desk when left out. */
  reach?: Reach;
  /** Whoever is stopped before it is their turn gets `value` at once. */
  stop?: { signal: AbortSignal; value: T };
  /** Whose turn it is: a run, for those who wait for it. */
  run?: string;
  /** Called at once if it has to wait, with the run whose turn is before its own, as far as it has one; again when that changes. */
  onWait?: (behind: string | null) => void;
};

/** Work that waits for its turn to write to the desk. */
export type InTurn = <T>(work: () => Promise<T>, turn?: Turn<T>) => Promise<T>;
