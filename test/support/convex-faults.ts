/** What goes wrong between a client and a deployment, drawn from a seed so that a test can be run again. */

/**
 * `failBefore` and `dropBefore`: the function did not run. `failAfter` and `dropAfter`: it ran and the answer is lost.
 * `duplicate`: it ran twice at once. `late`: it runs again after the request that follows.
 */
export type Fault = 'failBefore' | 'failAfter' | 'dropBefore' | 'dropAfter' | 'duplicate' | 'late';

/** The share of requests that meet each fault, and how long a request takes at least and at most. */
export type Faults = Record<Fault, number> & { latencyMs: readonly [least: number, most: number] };

const NONE: Faults = {
  failBefore: 0,
  failAfter: 0,
  dropBefore: 0,
  dropAfter: 0,
  duplicate: 0,
  late: 0,
  latencyMs: [0, 0],
};
const KINDS = ['failBefore', 'failAfter', 'dropBefore', 'dropAfter', 'duplicate', 'late'] as const satisfies Fault[];

/** Every fault with the same share. */
export const everyFault = (share: number): Partial<Faults> => Object.fromEntries(KINDS.map((kind) => [kind, share]));

export function faultsFrom(seed: number, first: Partial<Faults>) {
  let faults: Faults = { ...NONE, ...first };
  const random = mulberry(seed);
  return {
    set: (next: Partial<Faults>): void => {
      faults = { ...NONE, ...next };
    },
    next: (): Fault | null => {
      let draw = random();
      for (const kind of KINDS) {
        if (draw < faults[kind]) return kind;
        draw -= faults[kind];
      }
      return null;
    },
    latencyMs: (): number => {
      const [least, most] = faults.latencyMs;
      return least + random() * (most - least);
    },
  };
}

/** Numbers from 0 to 1 that look random and are the same for the same seed. */
function mulberry(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
