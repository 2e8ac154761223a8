/**
 * Owns: the rows by which lists of runs are read without reading the runs that are not in them, and the folded list.
 * Does not own: what is stored of a run (run-rows.ts), nor the queries (runs-query.ts).
 *
 * The folded list has one entry for everything that belongs together: a run with the runs that continue or correct it,
 * and a schedule, represented by its latest run. An entry moves to the front when another run joins it.
 *
 * L1 A change of a list costs the same however many runs there are.
 * L2 Archived runs are in no list but that of archived runs; pinned runs stay where they are.
 */
import type { Rows } from '../../core/schema/rows.ts';
import type { RunKind } from '../../core/schema/run.ts';
import { rowKey, type RunRow, seqKey, storedRun, storeRun } from './run-rows.ts';

/** Nearly all runs are tasks or inside others, and need no index. */
export const kindPrefix = (kind: RunKind): string => `run/kind/${kind}/`;
export const tagPrefix = (tag: string): string => `run/tag/${encodeURIComponent(tag.toLowerCase())}/`;
/** The runs of a schedule that are not archived. */
export const schedulePrefix = (schedule: string): string => `run/schedule/${schedule}/`;
export const archivedPrefix = 'run/archived/';
/** For each hour in which runs began, the first event of the first of them. */
const hoursPrefix = 'run/hour/';
const hourKey = (instant: string): string => hoursPrefix + instant.slice(0, 13);

/** An entry of the folded list: its place, and the first event of the run that is shown there. */
type FoldedEntry = [place: number, received: number];

/** The entries with places before `after` and behind `before`, the latest first unless `isNewer`. */
export function* foldedEntries(rows: Rows, { after, before, isNewer }: Walk): Generator<FoldedEntry> {
  const range = {
    reverse: !isNewer,
    ...(after === undefined ? {} : { before: chunkKey(after + CHUNK_LENGTH) }),
    ...(before === undefined || before < CHUNK_LENGTH ? {} : { after: chunkKey(before - CHUNK_LENGTH) }),
  };
  for (const [, chunk] of rows.each<FoldedEntry[]>(chunksPrefix, range)) {
    const within = chunk.filter(([place]) => isWithin(place, { after, before }));
    yield* isNewer ? within : within.toReversed();
  }
}

/** The part of a list behind or before a cursor; `newer` reads from there to the latest, else from the latest back. */
export type Walk = { after?: number | undefined; before?: number | undefined; isNewer: boolean };

/** A cursor is behind everything that is newer: `after` it are the smaller numbers. */
export const isWithin = (seq: number, { after, before }: Omit<Walk, 'isNewer'>): boolean =>
  (after === undefined || seq < after) && (before === undefined || seq > before);

/** Entries are stored together in chunks: a row for each would cost every task one more row. */
const chunksPrefix = 'run/folded/';
const CHUNK_LENGTH = 1024;
const chunkKey = (place: number): string => chunksPrefix + seqKey(Math.floor(place / CHUNK_LENGTH));

/** How many entries the folded list has. */
export const foldedCount = (rows: Rows): number => rows.get<number>(COUNT) ?? 0;

/** First events of the pinned runs; there are few. */
export const pinnedRuns = (rows: Rows): number[] => rows.get<number[]>(PINNED) ?? [];

/**
 * The cursor behind which the entries follow that have so many newer ones; null for the beginning, undefined when there
 * are fewer. It reads a row for each 4,096 events, and the entries of one such block.
 */
export function cursorAt(rows: Rows, skip: number): number | null | undefined {
  if (skip === 0) return null;
  let left = skip;
  for (const [key, entries] of rows.each<number>(blocksPrefix, { reverse: true })) {
    if (left > entries) {
      left -= entries;
      continue;
    }
    const end = (Number(key.slice(blocksPrefix.length)) + 1) * BLOCK_LENGTH;
    for (const [place] of foldedEntries(rows, { after: end, isNewer: false })) if (--left === 0) return place;
  }
  return undefined;
}

const COUNT = 'run/folded-count';
/** How many entries of the folded list are in each block of events, so that a place in the middle is found. */
const blocksPrefix = 'run/folded-block/';
const BLOCK_LENGTH = 4096;
const PINNED = 'run/pinned';
const headKey = (schedule: string): string => `run/schedule-head/${schedule}`;
const isIndexed = (kind: RunKind): boolean => kind !== 'task' && kind !== 'child';

/** Adds a run that has just begun to its lists. Whoever calls this stores the row. */
export function listNewRun(rows: Rows, row: RunRow): void {
  if (row.kind === 'child') return;
  const hour = hourKey(row.started);
  if (rows.get(hour) === undefined) rows.put(hour, row.received);
  if (isIndexed(row.kind)) rows.put(kindPrefix(row.kind) + seqKey(row.received), 1);
  for (const tag of row.tags ?? []) rows.put(tagPrefix(tag) + seqKey(row.received), 1);
  addToFoldedList(rows, row);
}

/** An event behind all runs that began before a moment: the first of the next hour that has any; undefined when none has. */
export function firstEventAfter(rows: Rows, moment: string): number | undefined {
  const [next] = rows.each<number>(hoursPrefix, { after: hourKey(moment), limit: 1 });
  return next?.[1];
}

/** Whoever calls this stores the row. */
export function archiveRow(rows: Rows, row: RunRow): void {
  row.archived = true;
  rows.put(archivedPrefix + seqKey(row.received), 1);
  removeEntry(rows, row);
  if (row.schedule === undefined) return;
  rows.put(schedulePrefix(row.schedule) + seqKey(row.received), null);
  if (rows.get<number>(headKey(row.schedule)) === row.received) showLatestOf(rows, row.schedule);
}

/** Whoever calls this stores the row. */
export function unarchiveRow(rows: Rows, row: RunRow): void {
  delete row.archived;
  rows.put(archivedPrefix + seqKey(row.received), null);
  if (row.kind !== 'child') addToFoldedList(rows, row);
}

/** Whoever calls this stores the row. */
export function pinRow(rows: Rows, row: RunRow, isPinned: boolean): void {
  if (isPinned) row.pinned = true;
  else delete row.pinned;
  const others = pinnedRuns(rows).filter((received) => received !== row.received);
  rows.put(PINNED, isPinned ? [...others, row.received] : others);
}

function addToFoldedList(rows: Rows, row: RunRow): void {
  if (row.schedule !== undefined) return addToSchedule(rows, row, row.schedule);
  const head = row.folded_under === undefined ? undefined : storedRun(rows, row.folded_under);
  if (head?.listed === undefined) return addEntry(rows, row, row.received);
  if (head.listed > row.received) return;
  removeEntry(rows, head);
  addEntry(rows, head, row.received);
  storeRun(rows, head);
}

/** The latest run of a schedule takes the place of the one before it. */
function addToSchedule(rows: Rows, row: RunRow, schedule: string): void {
  rows.put(schedulePrefix(schedule) + seqKey(row.received), 1);
  const shown = rows.get<number>(headKey(schedule));
  if (shown !== undefined && shown > row.received) return;
  const before = shown === undefined ? undefined : rows.get<RunRow>(rowKey(shown));
  const head = before === undefined ? undefined : storedRun(rows, before.run);
  if (head !== undefined && head.run !== row.run) {
    removeEntry(rows, head);
    storeRun(rows, head);
  }
  rows.put(headKey(schedule), row.received);
  addEntry(rows, row, row.received);
}

function showLatestOf(rows: Rows, schedule: string): void {
  const [latest] = rows.each(schedulePrefix(schedule), { reverse: true, limit: 1 });
  if (latest === undefined) return rows.put(headKey(schedule), null);
  const received = Number(latest[0].slice(schedulePrefix(schedule).length));
  const name = rows.get<RunRow>(rowKey(received))?.run;
  const row = name === undefined ? undefined : storedRun(rows, name);
  if (row === undefined) return;
  rows.put(headKey(schedule), received);
  addEntry(rows, row, received);
  storeRun(rows, row);
}

function addEntry(rows: Rows, row: RunRow, place: number): void {
  if (row.listed === place) return;
  removeEntry(rows, row);
  row.listed = place;
  putEntry(rows, place, row.received);
  changeCount(rows, place, 1);
}

function removeEntry(rows: Rows, row: RunRow): void {
  if (row.listed === undefined) return;
  putEntry(rows, row.listed, null);
  changeCount(rows, row.listed, -1);
  delete row.listed;
}

/** Null removes the entry. New places are nearly always behind all others. */
function putEntry(rows: Rows, place: number, received: number | null): void {
  const key = chunkKey(place);
  const chunk = (rows.get<FoldedEntry[]>(key) ?? []).filter(([other]) => other !== place);
  if (received !== null) chunk.splice(chunk.findLastIndex(([other]) => other < place) + 1, 0, [place, received]);
  rows.put(key, chunk.length === 0 ? null : chunk);
}

function changeCount(rows: Rows, place: number, by: 1 | -1): void {
  rows.put(COUNT, foldedCount(rows) + by);
  const block = blocksPrefix + seqKey(Math.floor(place / BLOCK_LENGTH));
  const entries = (rows.get<number>(block) ?? 0) + by;
  rows.put(block, entries === 0 ? null : entries);
}
