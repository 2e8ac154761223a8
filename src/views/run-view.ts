/**
 * Owns: the fold of runs for people: status, steps, waits, cost, and the indexes by which runs are listed.
 * Does not own: what an event means for status, steps and waits (ledger/goal.ts, shared with active_task_graph.json).
 *
 * R1 The cost of an event does not depend on how many runs there are.
 */
import { applyToGoal, startGoal } from '../ledger/goal.ts';
import type { Event } from '../schema/event.ts';
import type { Rows } from '../schema/rows.ts';
import type { Usage } from '../schema/effect.ts';
import type { View } from '../schema/view.ts';
import {
  endedPrefix,
  firstEventOf,
  openRuns,
  type RunRow,
  seqKey,
  storedRun,
  storeFirstEvent,
  storeOpenRuns,
  storeRun,
} from './run-rows.ts';

export const runView: View = {
  name: 'run',
  version: 1,
  take: ({ event }, rows) => {
    if (event.pen !== 'run' || event.run === null) return;
    const row = storedRun(rows, event.run);
    if (row === undefined && firstEventOf(rows, event.run) === undefined) storeFirstEvent(rows, event.run, event.seq);
    if (event.type === 'run.started') startRun(event.run, event, row, rows);
    else if (row !== undefined) applyEvent(row, event, rows);
  },
};

function startRun(
  run: string,
  event: Extract<Event, { type: 'run.started' }>,
  before: RunRow | undefined,
  rows: Rows,
): void {
  const { parent: parentName, depth, graph } = event.data;
  const parent = parentName === null ? undefined : storedRun(rows, parentName);
  const received = firstEventOf(rows, run) ?? event.seq;
  const row: RunRow = {
    ...startGoal(run, event),
    depth,
    graph: graph.id,
    started: event.at,
    ended: null,
    reason: '',
    spent: { tokens: 0, usd: 0, calls: 0, failed_calls: 0 },
    received,
    root: depth > 0 ? (parent?.root ?? parentName ?? run) : run,
    children: before?.children ?? [],
  };
  storeRun(rows, row);
  if (parent?.children.includes(run) === false) {
    parent.children.push(run);
    storeRun(rows, parent);
  }
  storeOpenRuns(rows, [...openRuns(rows).filter((other) => other !== received), received]);
}

/** What happens to a run after its end, such as a correction, changes nothing but where its events end. */
function applyEvent(row: RunRow, event: Event, rows: Rows): void {
  if (row.ended === null) {
    applyToGoal(row, event);
    spend(row, event);
    if (event.type === 'run.ended') endRun(row, event, rows);
  }
  row.last = event.seq;
  storeRun(rows, row);
}

function endRun(
  row: RunRow,
  { at, data: { status, reason } }: Extract<Event, { type: 'run.ended' }>,
  rows: Rows,
): void {
  Object.assign(row, { ended: at, reason, waits: [] });
  storeOpenRuns(
    rows,
    openRuns(rows).filter((other) => other !== row.received),
  );
  if (status !== 'done') rows.put(endedPrefix(status) + seqKey(row.received), row.run);
}

function spend({ spent }: RunRow, event: Event): void {
  if (event.type === 'call.started') spent.calls += 1;
  else if (event.type === 'call.ended') {
    if (event.data.for?.kind === 'approval') spent.calls -= 1; // asked about, and not made yet
    if (event.data.status === 'failed') spent.failed_calls += 1;
    addUsage(spent, event.data.usage);
  } else if (event.type === 'wait.closed') addUsage(spent, event.data.answer.usage);
}

function addUsage(spent: RunRow['spent'], usage: Usage = {}): void {
  spent.tokens += (usage.tokens_in ?? 0) + (usage.tokens_out ?? 0);
  spent.usd += usage.usd ?? 0;
  spent.calls += usage.tool_calls ?? 0;
}
