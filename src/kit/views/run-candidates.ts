/**
 * Owns: from where a list of runs is read: the shortest of the lists of run-lists.ts that has all runs of a query.
 * Does not own: whether a run fits the query (runs-query.ts); what is given here is only as short as is cheap.
 */
import type { Range, Rows } from '../../core/schema/rows.ts';
import { hasWords, wordsIn } from '../../core/schema/text-words.ts';
import type { RunsQuery } from '../../core/schema/view-answers.ts';
import type { RunStatus } from '../../core/schema/run.ts';
import { BLOCK } from './event-index.ts';
import {
  archivedPrefix,
  firstEventAfter,
  foldedEntries,
  isWithin,
  kindPrefix,
  schedulePrefix,
  tagPrefix,
  type Walk,
} from './run-lists.ts';
import { endedPrefix, openRuns, rowKey, type RunRow, rowsPrefix, seqKey, storedRun } from './run-rows.ts';
import { blockOfKey, runsOfKey, tailBehindIndex, type TitledRun, titlesPrefix } from './text-view.ts';

/** A run, and its place in the list that it was read from. */
export type Candidate = { cursor: number; row: RunRow };
/** A run that does not fit, as the list itself says; it counts towards what a page may read. */
export type Passed = { cursor: number; row: null; started: string };
export type Filter = Omit<ReturnType<typeof RunsQuery.parse>, 'limit' | 'skip'>;

/** One entry for everything that belongs together. */
export function* foldedRuns(rows: Rows, walk: Walk): Generator<Candidate> {
  for (const [place, received] of foldedEntries(rows, walk)) yield* candidate(rows, received, place);
}

export function* candidates(rows: Rows, filter: Filter, given: Walk): Generator<Candidate | Passed> {
  const words = wordsIn(filter.text ?? '');
  if (words.length > 0 && !isAboutChildren(filter) && rows.texts !== undefined)
    return yield* runsWithWords(rows, words, given);
  const end = filter.until === undefined ? undefined : firstEventAfter(rows, filter.until);
  const walk = { ...given, after: lowest(given.after, end) };
  const statuses = filter.status === undefined ? undefined : listOf(filter.status);
  if (statuses !== undefined && !statuses.includes('done')) return yield* runsByStatus(rows, statuses, walk);
  const prefixes = indexFor(filter);
  if (prefixes !== null)
    return yield* runsIn(
      rows,
      mergeNumbers(
        prefixes.map((each) => readIndex(rows, each, walk)),
        walk,
      ),
    );
  for (const [, row] of rows.each<RunRow>(rowsPrefix, rangeOf(rowsPrefix, walk))) yield { row, cursor: row.received };
}

/** The titles of runs inside others are not indexed. */
const isAboutChildren = ({ all, kind }: Filter): boolean => all || listOf(kind ?? 'task').includes('child');

export const listOf = <T extends string>(given: T | readonly T[]): readonly T[] =>
  typeof given === 'string' ? [given] : given;

function indexFor({ tag, schedule, kind, archived }: Filter): string[] | null {
  if (archived === 'only') return [archivedPrefix];
  if (schedule !== undefined && archived === 'no') return [schedulePrefix(schedule)];
  if (tag !== undefined) return [tagPrefix(tag)];
  const kinds = schedule === undefined ? listOf(kind ?? 'task') : (['schedule'] as const);
  return kinds.includes('task') || kinds.includes('child') ? null : kinds.map(kindPrefix);
}

function* runsByStatus(rows: Rows, statuses: readonly RunStatus[], walk: Walk): Generator<Candidate> {
  const ended = (['failed', 'cancelled'] as const).filter((status) => statuses.includes(status));
  const isOpen = statuses.some((status) => status === 'running' || status === 'blocked' || status === 'paused');
  const open = isOpen ? openRuns(rows).filter((received) => isWithin(received, walk)) : [];
  const sources = [
    walk.isNewer ? open : open.toReversed(),
    ...ended.map((each) => readIndex(rows, endedPrefix(each), walk)),
  ];
  yield* runsIn(rows, mergeNumbers(sources, walk));
}

function* runsIn(rows: Rows, received: Iterable<number>): Generator<Candidate> {
  for (const each of received) yield* candidate(rows, each, each);
}

function* readIndex(rows: Rows, prefix: string, walk: Walk): Generator<number> {
  for (const [key] of rows.each(prefix, rangeOf(prefix, walk))) yield Number(key.slice(prefix.length));
}

function* candidate(rows: Rows, received: number, cursor: number): Generator<Candidate> {
  const row = rows.get<RunRow>(rowKey(received));
  if (row !== undefined) yield { row, cursor };
}

/** Lists that are each in order become one in that order, each number once. */
function* mergeNumbers(sources: readonly Iterable<number>[], { isNewer }: Walk): Generator<number> {
  const iterators = sources.map((source) => source[Symbol.iterator]());
  const heads = iterators.map((iterator) => iterator.next());
  for (;;) {
    const values = heads.flatMap((head) => (head.done === true ? [] : [head.value]));
    if (values.length === 0) return;
    const first = isNewer ? Math.min(...values) : Math.max(...values);
    yield first;
    for (const [at, head] of heads.entries())
      if (head.done !== true && head.value === first) heads[at] = (iterators[at] as Iterator<number>).next();
  }
}

/** In the order in which they started, since their titles are indexed by that; so is the cursor. */
function* runsWithWords(rows: Rows, words: readonly string[], walk: Walk): Generator<Candidate | Passed> {
  const found = startedBlocks(rows, words, walk);
  for (const runs of walk.isNewer ? [...found].toReversed() : found) {
    const within = runs.filter(({ first }) => isWithin(first, walk));
    for (const { run, title, first, started } of walk.isNewer ? within : within.toReversed()) {
      const row = hasWords(`${title} ${run}`, words) ? storedRun(rows, run) : null;
      if (row !== undefined) yield row === null ? { row, cursor: first, started } : { row, cursor: first };
    }
  }
}

/** The runs that started in blocks of events whose titles have the words; the latest block first. */
function* startedBlocks(
  rows: Rows,
  words: readonly string[],
  { after, before = 0 }: Walk,
): Generator<readonly TitledRun[]> {
  yield tailBehindIndex(rows, 'run').runs;
  for (const key of rows.texts?.find(words) ?? []) {
    if (!key.startsWith(titlesPrefix)) continue;
    const start = blockOfKey(key) * BLOCK;
    if (start + BLOCK <= before) return;
    if (after === undefined || start < after) yield runsOfKey(rows, key);
  }
}

const lowest = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);

/** A cursor is behind everything that is newer: `after` it are the smaller numbers. */
const rangeOf = (prefix: string, { after, before, isNewer }: Walk): Range => ({
  reverse: !isNewer,
  ...(after === undefined ? {} : { before: prefix + seqKey(after) }),
  ...(before === undefined ? {} : { after: prefix + seqKey(before) }),
});
