/**
 * Owns: results that were not written when their tasks ended: the process had died, or there was no space.
 *
 * 1. A task that begins leaves a mark, and the mark goes when the result of its end is written. Made before it is
 *    needed, it needs no room on a full disk; and what is owed is known without reading history.
 * 2. What a person has removed since stays away: it has no mark. Only after a death, which a mark may have been lost in,
 *    runs that ended lately are checked, too.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isInside } from '../../core/engine/child-terms.ts';
import { taskGraph } from '../task/task-loop.ts';
import { lstatIfPresent } from '../../core/ledger/disk.ts';
import type { Goal } from '../../core/ledger/goal.ts';
import type { TaskGraph } from '../../core/ledger/task-graph.ts';
import { errnoOf } from '../../core/schema/errors.ts';
import type { Event } from '../../core/schema/event.ts';
import type { LedgerPort } from '../ports/port-types.ts';
import type { PendingResults } from '../ports/results-port.ts';

export function pendingResultsIn(folder: string): PendingResults {
  return {
    watch: (durable) => {
      for (const event of durable)
        if (event.type === 'run.started' && event.run !== null && event.data.graph.id === taskGraph.id)
          mark(folder, event.run);
    },
    remove: (run) => rmSync(join(folder, run), { force: true }),
    runs: () => (lstatIfPresent(folder)?.isDirectory() === true ? readdirSync(folder).toSorted() : []),
  };
}

/** The task goes on without it: whoever could not make one is among those that ended lately. */
function mark(folder: string, run: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(join(folder, run), '', { mode: 0o600 });
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
  }
}

/** Whether the last process with the pen ended in order. Asked before anything else is written. */
export async function endedCleanly(ledger: Pick<LedgerPort, 'read' | 'end'>): Promise<boolean> {
  let last: Event | null = null;
  for await (const event of ledger.read({ from: Math.max(1, ledger.end.seq) })) last = event;
  return last === null || last.type === 'worker.stopped';
}

/** `isHeir` says that the process before this one died. */
export async function writePendingResults(
  outbox: string,
  { goals, ended }: TaskGraph,
  { pending, isHeir }: { pending: PendingResults; isHeir: boolean },
  tell: (run: string) => Promise<void>,
): Promise<void> {
  const open = new Set(goals.map(({ run }) => run));
  const owed = pending.runs().filter((run) => !open.has(run));
  const lately = isHeir
    ? ended.filter((goal) => !isInside(goal) && !isWritten(outbox, goal)).map(({ run }) => run)
    : [];
  for (const run of new Set([...owed, ...lately])) await tell(run);
}

/** A page names the event up to which it was made. */
function isWritten(outbox: string, { run, last }: Goal): boolean {
  const file = join(outbox, run, 'RESULT.md');
  return lstatIfPresent(file)?.isFile() === true && readFileSync(file, 'utf8').includes(` to ${last}: `);
}

const AGAIN_MS = 5000;

/** What could not be written is tried again until it can. */
export function retryLater(
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
