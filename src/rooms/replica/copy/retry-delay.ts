/** How long to wait for a replica that is down: exponential back-off with jitter, up to some minutes. */

export type Random = () => number;

const FIRST_MS = 1000;
const LONGEST_MS = 300_000;

/** After the first failure 0.5 to 1 s, then twice as long, in the end 2.5 to 5 minutes. */
export function retryDelay(failures: number, random: Random): number {
  const most = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(failures - 1, 30));
  return Math.round(most * (0.5 + random() / 2));
}
