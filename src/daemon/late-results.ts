/** Owns: results that were not told when their tasks ended: the process had died, or there was no space. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isInside } from '../engine/child.ts';
import { lookAt } from '../ledger/disk.ts';
import type { Goal } from '../ledger/task-graph.ts';
import type { Event } from '../schema/event.ts';
import type { Stores } from './stores.ts';

/** Whether the last process that held the pen came to its end. Asked before anything else is written. */
export async function hasEndedWell({ ledger }: Pick<Stores, 'ledger'>): Promise<boolean> {
  let last: Event | null = null;
  for await (const event of ledger.read({ from: Math.max(1, ledger.end.seq) })) last = event;
  return last === null || last.type === 'worker.stopped';
}

/** What a person has removed since stays away: only what ended lately is looked at, and only after a death. */
export async function tellLate(
  outbox: string,
  { ended }: { ended: readonly Goal[] },
  tell: (run: string) => Promise<void>,
): Promise<void> {
  for (const goal of ended) if (!isInside(goal) && !isTold(outbox, goal)) await tell(goal.run);
}

/** A page tells up to which event it was made. */
function isTold(outbox: string, { run, last }: Goal): boolean {
  const file = join(outbox, run, 'RESULT.md');
  return lookAt(file)?.isFile() === true && readFileSync(file, 'utf8').includes(` to ${last}: `);
}

const AGAIN_MS = 5000;

/** What could not be written is tried again until it can. */
export function tellingLater(
  tell: (run: string) => Promise<void>,
  againMs = AGAIN_MS,
): { add: (run: string) => void; end: () => void } {
  const late = new Set<string>();
  let timer: NodeJS.Timeout | null = null;
  const wait = (): void => void (timer = setTimeout(() => void again(), againMs).unref());
  const again = async (): Promise<void> => {
    for (const run of late)
      await tell(run).then(
        () => late.delete(run),
        () => false,
      );
    if (late.size > 0 && timer !== null) wait();
    else timer = null;
  };
  return {
    add(run) {
      late.add(run);
      if (timer === null) wait();
    },
    end() {
      if (timer !== null) clearTimeout(timer);
      timer = null;
    },
  };
}
