/** Owns: the latest events of a run, of a type, or of all; reads of the ledger only where they are. */
import { type Filter, readEvents } from '../../core/ledger/read-events.ts';
import { lastSeqOf } from '../../core/ledger/seek.ts';
import type { Line, Pen } from '../../core/schema/event.ts';
import type { Rows } from '../../core/schema/rows.ts';
import type { EventsQuery } from '../../core/schema/view-answers.ts';
import { BLOCK, blocksOfType, maintenanceBlocksOfRun, typesOfKind } from './event-index.ts';
import { firstEventOf, storedRun } from './run-rows.ts';

export type Span = { from: number; to: number };
type Query = EventsQuery & { pen: Pen; after: number; limit: number };

/** In their order, the latest last. */
export async function listEvents(
  rows: Rows,
  ledgers: Readonly<Record<Pen, string>>,
  given: EventsQuery,
  signal?: AbortSignal,
): Promise<Line[]> {
  const query = withDefaults(given);
  const file = ledgers[query.pen];
  const all: Span = { from: query.after + 1, to: lastSeqOf(file) };
  const within = intersect(all, query.pen === 'run' && query.run !== undefined ? spanOfRun(rows, query.run) : all);
  const most = query.limit === 0 ? Number.POSITIVE_INFINITY : query.limit;
  const found: Line[][] = [];
  let count = 0;
  for (const span of spansFromEnd(rows, query, within)) {
    const events: Line[] = [];
    for await (const event of readEvents(file, { ...filterOf(query), ...span })) {
      events.push(event);
      if (signal?.aborted === true) break;
    }
    found.push(events);
    count += events.length;
    if (count >= most || signal?.aborted === true) break;
  }
  const inOrder = found.toReversed().flat();
  return most === Number.POSITIVE_INFINITY ? inOrder : inOrder.slice(-most);
}

/** Those of the schema EventsQuery, which checks what comes from outside before it gets here. */
const withDefaults = (given: EventsQuery): Query => ({
  ...given,
  pen: given.pen ?? 'run',
  after: given.after ?? 0,
  limit: given.limit ?? 20,
});

/** Where to read, from the end to the beginning. */
function* spansFromEnd(rows: Rows, query: Query, within: Span): Generator<Span> {
  if (query.limit === 0 && query.type === undefined && !isAboutRunInMaintenance(query)) {
    yield within;
    return;
  }
  for (const block of blocksFromEnd(rows, query, within)) {
    const span = intersect(within, { from: block * BLOCK, to: block * BLOCK + BLOCK - 1 });
    if (span.to < within.from) return;
    if (span.from <= span.to) yield span;
  }
}

/** Blocks in which the events are, from the last to the first; some may be outside of the span. */
export function* blocksFromEnd(
  rows: Rows,
  query: Pick<Query, 'pen' | 'type' | 'run'>,
  { from, to }: Span,
): Generator<number> {
  const { pen, type, run } = query;
  if (run !== undefined && isAboutRunInMaintenance(query)) {
    yield* maintenanceBlocksOfRun(rows, run);
    return;
  }
  if (type === undefined || isUnindexed(pen, type)) {
    for (let block = Math.floor(to / BLOCK); block >= Math.floor(from / BLOCK); block -= 1) yield block;
    return;
  }
  const types = type.endsWith('.*') ? [...typesOfKind(rows, pen, type.slice(0, -1))] : [type];
  const lists = types.map((each) => blocksOfType(rows, pen, each)).map((list) => ({ list, head: list.next() }));
  for (;;) {
    const block = Math.max(...lists.map(({ head }) => (head.done === true ? -1 : head.value)), -1);
    if (block < 0) return;
    yield block;
    for (const each of lists) if (each.head.done !== true && each.head.value === block) each.head = each.list.next();
  }
}

const isAboutRunInMaintenance = ({ pen, run }: Pick<Query, 'pen' | 'run'>): boolean =>
  pen === 'maintenance' && run !== undefined;

/** What the maintenance ledger says about itself is folded by nobody (one-order.ts). */
const isUnindexed = (pen: Pen, type: string): boolean => pen === 'maintenance' && type.startsWith('ledger.');

/** Where the events of a run are in the run ledger; empty when there is no such run. */
export function spanOfRun(rows: Rows, run: string): Span {
  const from = firstEventOf(rows, run);
  if (from === undefined) return { from: 1, to: 0 };
  return { from, to: storedRun(rows, run)?.last ?? Number.POSITIVE_INFINITY };
}

export const intersect = (a: Span, b: Span): Span => ({ from: Math.max(a.from, b.from), to: Math.min(a.to, b.to) });

function filterOf({ run, type }: Query): Filter {
  return {
    ...(run === undefined ? {} : { run }),
    ...(type === undefined ? {} : { type: type as NonNullable<Filter['type']> }),
  };
}
