/**
 * Owns: many deadlines over one timer. Nearly all are lifted long before they come, and a timer that is set and cleared
 * for each would cost more than a short call.
 */

/** No timer of Node reaches further. */
const MAX_TIMER_MS = 2 ** 31 - 1;

type Deadline = { at: number; pass: () => void };

/** Calls `pass` when the time is over, unless the function that is given back was called before. */
type SetDeadline = (ms: number, pass: () => void) => () => void;

export function createDeadlines(): SetDeadline {
  const open = new Set<Deadline>();
  let timer: NodeJS.Timeout | null = null;
  let wakesAt = Number.POSITIVE_INFINITY;

  return (ms, pass) => {
    const deadline = { at: performance.now() + ms, pass };
    open.add(deadline);
    if (deadline.at < wakesAt) wakeAt(deadline.at);
    else if (open.size === 1) timer?.ref();
    return () => {
      if (open.delete(deadline) && open.size === 0) timer?.unref(); // a deadline must not keep the process alive
    };
  };

  function wakeAt(at: number): void {
    if (timer !== null) clearTimeout(timer);
    wakesAt = at;
    timer = setTimeout(passOver, Math.min(Math.ceil(at - performance.now()), MAX_TIMER_MS));
  }

  function passOver(): void {
    timer = null;
    wakesAt = Number.POSITIVE_INFINITY;
    const now = performance.now();
    const over = [...open].filter(({ at }) => at <= now).toSorted((a, b) => a.at - b.at);
    for (const deadline of over) if (open.delete(deadline)) deadline.pass(); // one of them may lift another
    const next = open.values().reduce((soonest, { at }) => Math.min(soonest, at), Number.POSITIVE_INFINITY);
    if (next < wakesAt) wakeAt(next);
  }
}
