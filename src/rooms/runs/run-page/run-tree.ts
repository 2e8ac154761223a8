/** A run as its page shows it: its own events and, for a task, those of the runs that carried out its plans. */
import { childrenIn } from '../../../kit/runs/run-family.ts';
import { taskGraph } from '../../../kit/task/task-loop.ts';
import type { Line } from '../../../core/schema/event.ts';
import type { QueryRequest } from '../../../kit/web/page.ts';
import { type RunRow, storedRun } from '../../../kit/views/run-rows.ts';
import { rangeIn, readRunEvents } from './cached-events.ts';

export type RunTree = {
  run: string;
  /** Null for a task that was received and has not started. */
  row: RunRow | null;
  own: readonly Line[];
  /** One list for each plan of a task, the latest last. */
  plans: readonly (readonly Line[])[];
  /** All of these events in the order of the ledger. */
  all: readonly Line[];
  isTask: boolean;
};

export async function readRunTree(
  { home, views }: Pick<QueryRequest<unknown>, 'home' | 'views'>,
  run: string,
): Promise<RunTree> {
  const found = await views((rows) => ({ range: rangeIn(rows, run), row: storedRun(rows, run) ?? null }));
  const own = await readRunEvents(home, run, found.range);
  const isTask = found.row?.graph === taskGraph.id;
  const names = isTask ? childrenIn(own) : [];
  const ranges = names.length === 0 ? [] : await views((rows) => names.flatMap((name) => rangeOrNone(name, rows)));
  const plans: (readonly Line[])[] = [];
  for (const { name, range } of ranges) plans.push(await readRunEvents(home, name, range));
  const all = plans.length === 0 ? own : [...own, ...plans.flat()].toSorted((a, b) => a.seq - b.seq);
  return { run, row: found.row, own, plans, all, isTask };
}

/** A run that is awaited may not have started yet. */
function rangeOrNone(
  name: string,
  rows: Parameters<typeof rangeIn>[0],
): { name: string; range: ReturnType<typeof rangeIn> }[] {
  return storedRun(rows, name) === undefined ? [] : [{ name, range: rangeIn(rows, name) }];
}
