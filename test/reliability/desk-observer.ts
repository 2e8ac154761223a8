/**
 * Watches from outside, in /proc, whose steps run at the same time. A step is recognised by the words `step of NAME` in the
 * text of its shell. Oka's events play no part in this.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { folderOf, isLauncher, runningProcesses, startOf } from './processes.ts';

export type DeskObserver = {
  /** How often was it checked who is running; how often somebody was. */
  samples: () => { taken: number; busy: number };
  /** Pairs of tasks that ran at the same time. */
  overlaps: () => string[];
  stop: () => Promise<void>;
};

const EVERY_MS = 8;
const STEP = /step of (\w+)/;

/** Only what runs on this desk counts, so that several trials can run on one machine. */
export function observeDesk(desk: string): DeskObserver {
  const overlaps = new Set<string>();
  const counted = { taken: 0, busy: 0 };
  const stopping = new AbortController();
  const watching = (async () => {
    while (!stopping.signal.aborted) {
      const alive = tasksAtOnce(desk);
      counted.taken += 1;
      if (alive.length > 0) counted.busy += 1;
      if (alive.length > 1) overlaps.add(alive.join(' and '));
      await sleep(EVERY_MS);
    }
  })();
  return {
    samples: () => ({ ...counted }),
    overlaps: () => [...overlaps],
    stop: async () => {
      stopping.abort();
      await watching;
    },
  };
}

/** Of all that were there in a first pass, those that still are: between the passes they all ran at the same time. */
function tasksAtOnce(desk: string): string[] {
  const seen = runningProcesses().flatMap((each) => {
    const task = isLauncher(each) ? undefined : STEP.exec(each.argv.join(' '))?.[1];
    return task !== undefined && folderOf(each.pid).startsWith(desk) ? [{ ...each, task }] : [];
  });
  const alive = seen.filter(({ pid, started }) => startOf(pid) === started);
  return [...new Set(alive.map(({ task }) => task))].toSorted();
}
