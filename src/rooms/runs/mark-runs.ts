/** Owns: archiving and pinning runs, with the pen: what is so already is not recorded again. */
import type { Home } from '../../core/schema/home.ts';
import { type Handled, isSoAlready } from '../../core/schema/room.ts';
import type { RunMarks } from '../../core/schema/run.ts';
import type { LedgerPort } from '../../kit/ports/port-types.ts';
import { withRowsOf } from '../../kit/rows/read-rows.ts';
import { storedRun } from '../../kit/views/run-rows.ts';
import { runView } from '../../kit/views/run-view.ts';

type Marks = Pick<RunMarks, 'archived' | 'pinned'>;

/** A run that the rows do not know is marked, whatever it is. */
export async function markRuns(
  { home, ledger }: { home: Home; ledger: Pick<LedgerPort, 'append'> },
  { runs, ...marks }: RunMarks,
): Promise<Handled> {
  const states = await withRowsOf(home, runView, (rows) =>
    runs.map((run) => ({ run, already: markedAlready(storedRun(rows, run) ?? {}, marks) })),
  );
  const others = states.flatMap(({ run, already }) => (already === null ? [run] : []));
  const [first] = states;
  if (others.length === 0 && first?.already) return isSoAlready(first.already);
  await ledger.append({ type: 'runs.marked', data: { runs: others, ...marks } });
  return null;
}

/** How a run has these marks already; null when it gets one of them. */
export function markedAlready(
  run: { archived?: unknown; pinned?: unknown },
  { archived, pinned }: Marks,
): string | null {
  const isPinned = pinned === undefined || pinned === (run.pinned === true);
  const isArchived = archived === undefined || archived === (run.archived === true);
  if (!isPinned || !isArchived) return null;
  const said = (mark: boolean, word: string): string => `it is ${mark ? `${word} already` : `not ${word}`}`;
  return pinned === undefined ? said(archived === true, 'archived') : said(pinned, 'pinned');
}
