/**
 * Owns: the fold of runs for people: status, steps, waits, cost, and the indexes by which runs are listed.
 * Does not own: what an event means for status, steps and waits (core/ledger/goal.ts, shared with active_task_graph.json).
 *
 * R1 The cost of an event does not depend on how many runs there are.
 */
import { isInside } from '../../core/engine/child-terms.ts';
import { applyToGoal, startGoal } from '../../core/ledger/goal.ts';
import type { Event } from '../../core/schema/event.ts';
import type { Rows } from '../../core/schema/rows.ts';
import type { Usage } from '../../core/schema/effect.ts';
import type { RunKind, RunMarks } from '../../core/schema/run.ts';
import type { TaskFile } from '../../core/schema/task-file.ts';
import type { View } from '../../core/schema/view.ts';
import { archiveRow, listNewRun, pinRow, unarchiveRow } from './run-lists.ts';
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
  version: 4,
  take: ({ event }, rows) => {
    if (event.type === 'slot.came') noteSlot(event, rows);
    else if (event.type === 'runs.marked') markRuns(event.data, rows);
    if (event.pen !== 'run' || event.run === null) return;
    const row = storedRun(rows, event.run);
    if (row === undefined && firstEventOf(rows, event.run) === undefined) storeFirstEvent(rows, event.run, event.seq);
    if (event.type === 'run.started') startRun(event.run, event, row, rows);
    else if (row !== undefined) applyEvent(row, event, rows);
  },
};

type Started = Extract<Event, { type: 'run.started' }>;

function startRun(run: string, event: Started, before: RunRow | undefined, rows: Rows): void {
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
    ...(before === undefined ? originOf(run, event, rows) : storedOrigin(before)),
  };
  if (before === undefined) listNewRun(rows, row);
  storeRun(rows, row);
  for (const name of new Set([parentName, correctedBy(event)])) addChild(rows, name, run);
  storeOpenRuns(rows, [...openRuns(rows).filter((other) => other !== received), received]);
}

function addChild(rows: Rows, parentName: string | null | undefined, run: string): void {
  const parent = parentName == null ? undefined : storedRun(rows, parentName);
  if (parent === undefined || parent.children.includes(run)) return;
  parent.children.push(run);
  storeRun(rows, parent);
}

type Origin = Pick<RunRow, 'kind' | 'tags' | 'schedule' | 'folded_under' | 'listed' | 'archived' | 'pinned'>;

/** What a run came from, and where lists show it. */
function originOf(run: string, event: Started, rows: Rows): Origin {
  const { parent, depth, link } = event.data;
  if (depth > 0 || isInside({ run, parent })) return { kind: 'child' };
  const schedule = popSlot(rows, run);
  const corrected = correctedBy(event);
  const tags = taskFields(event)?.tags;
  const earlier = corrected ?? link?.run ?? parent;
  const first = earlier == null ? undefined : storedRun(rows, earlier);
  const kind = kindOf({ schedule, corrected, isLinked: first !== undefined }, event.data.graph.id);
  return {
    kind,
    ...(tags === undefined || tags.length === 0 ? {} : { tags: [...new Set(tags)] }),
    ...(schedule === undefined ? {} : { schedule }),
    ...(first === undefined || first.kind === 'child' ? {} : { folded_under: first.folded_under ?? first.run }),
  };
}

function kindOf(
  { schedule, corrected, isLinked }: { schedule: string | undefined; corrected: string | undefined; isLinked: boolean },
  graph: string,
): RunKind {
  if (schedule !== undefined) return 'schedule';
  if (corrected !== undefined) return 'correction';
  if (isLinked) return 'rerun';
  return graph === 'oka.task' ? 'task' : graph === 'oka.install' ? 'install' : 'graph';
}

function storedOrigin({ kind, tags, schedule, folded_under, listed, archived, pinned }: RunRow): Origin {
  return JSON.parse(JSON.stringify({ kind, tags, schedule, folded_under, listed, archived, pinned })) as Origin;
}

/** The front matter of the task that a run is for. */
function taskFields({ data: { graph, input } }: Started): TaskFile | undefined {
  if (graph.id !== 'oka.task' || input === null || typeof input !== 'object' || Array.isArray(input)) return undefined;
  return input['fields'] as TaskFile | undefined;
}

const correctedBy = (event: Started): string | undefined => taskFields(event)?.corrects;

/** The schedule whose time a run is, until the run starts. */
const slotKey = (run: string): string => `run/slot/${run}`;
/** How many such rows there are: usually none, and then a run that starts reads none. */
const SLOTS = 'run/slots';

function noteSlot({ data: { job, run } }: Extract<Event, { type: 'slot.came' }>, rows: Rows): void {
  const [, schedule] = /^(?:schedule|backfill|trigger)\/(.+)$/.exec(job) ?? [];
  if (run === undefined || schedule === undefined) return;
  if (rows.get(slotKey(run)) === undefined) rows.put(SLOTS, slotCount(rows) + 1);
  rows.put(slotKey(run), schedule);
}

function popSlot(rows: Rows, run: string): string | undefined {
  const schedule = slotCount(rows) === 0 ? undefined : rows.get<string>(slotKey(run));
  if (schedule === undefined) return undefined;
  rows.put(slotKey(run), null);
  rows.put(SLOTS, slotCount(rows) - 1);
  return schedule;
}

const slotCount = (rows: Rows): number => rows.get<number>(SLOTS) ?? 0;

/** What is marked already stays as it is; a name that no run has is ignored. */
function markRuns({ runs, archived, pinned }: RunMarks, rows: Rows): void {
  for (const row of runs.flatMap((run) => storedRun(rows, run) ?? [])) {
    if (archived === true && row.archived !== true) archiveRow(rows, row);
    if (archived === false && row.archived === true) unarchiveRow(rows, row);
    if (pinned !== undefined && pinned !== (row.pinned === true)) pinRow(rows, row, pinned);
    storeRun(rows, row);
  }
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
