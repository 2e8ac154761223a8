/**
 * Owns: the fold of open waits of all runs, so that whoever is asked something finds it without reading history.
 * It reads rows of the view of runs as they were before the event, and therefore comes before it.
 */
import type { Event } from '../../core/schema/event.ts';
import type { Rows } from '../../core/schema/rows.ts';
import type { View } from '../../core/schema/view.ts';
import type { WaitFor } from '../../core/schema/wait.ts';
import { storedRun } from './run-rows.ts';

type WaitRow = {
  wait: string;
  run: string;
  node: string | null;
  for: WaitFor;
  opened: string;
  seq: number;
  /** Of a task that another member of the fleet works on: what it is about. */
  title?: string;
};

/** The open waits of one run. */
const keyOf = (run: string): string => `wait/run/${run}`;

export const waitView: View = {
  name: 'wait',
  version: 3,
  types: ['wait.opened', 'wait.closed', 'run.ended', 'task.asked', 'task.returned', 'run.claimed'],
  take: ({ event }, rows) => {
    if (event.pen !== 'run' || event.run === null) return;
    if (event.type === 'wait.opened') change(rows, event.run, (open) => [...open, rowOf(event)]);
    else if (event.type === 'wait.closed')
      change(rows, event.run, (open) => open.filter(({ wait }) => wait !== event.data.wait));
    else if (event.type === 'task.asked') change(rows, event.run, (open) => askedRows(event, open));
    else if (event.type === 'task.returned' || event.type === 'run.claimed')
      change(rows, event.run, (open) => open.filter(({ title }) => title === undefined));
    else if (event.type === 'run.ended' && storedRun(rows, event.run)?.waits.length !== 0)
      change(rows, event.run, () => []); // nobody awaits the rest any more
  },
};

/** In the order in which they were opened. */
export function openWaits(rows: Rows): WaitRow[] {
  return [...rows.each<WaitRow[]>('wait/run/')].flatMap(([, open]) => open).toSorted((a, b) => a.seq - b.seq);
}

function rowOf({ at, seq, run, data }: Extract<Event, { type: 'wait.opened' }>): WaitRow {
  return { wait: data.wait, run: run ?? '', node: data.node, for: data.for, opened: at, seq };
}

/** All that the task asks now; what was open before has its place and its time. */
function askedRows({ at, seq, run, data }: Extract<Event, { type: 'task.asked' }>, before: WaitRow[]): WaitRow[] {
  const { title, waits } = data;
  return waits.map((each) => {
    const known = before.find(({ wait }) => wait === each.wait);
    return known ?? { ...each, run: run ?? '', opened: at, seq, title };
  });
}

function change(rows: Rows, run: string, changed: (open: WaitRow[]) => WaitRow[]): void {
  const before = rows.get<WaitRow[]>(keyOf(run)) ?? [];
  const open = changed(before);
  if (open.length > 0) rows.put(keyOf(run), open);
  else if (before.length > 0) rows.put(keyOf(run), null);
}
