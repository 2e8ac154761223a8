/**
 * Owns: lists of runs and one run, from the rows of the view of runs. Reads no ledger.
 *
 * Q1 A page of a list reads a limited number of rows, however many runs there are; what it left unread is the next page.
 */
import { isInside } from '../../core/engine/child-terms.ts';
import type { Rows } from '../../core/schema/rows.ts';
import type { RunStatus } from '../../core/schema/run.ts';
import { hasWords, wordsIn } from '../../core/schema/text-words.ts';
import type {
  RunsQuery as Schema,
  RunDetail,
  RunsPage,
  RunsQuery,
  RunSummary,
} from '../../core/schema/view-answers.ts';
import { storedDeskWait } from './desk-wait.ts';
import { type Candidate, candidates, type Filter, foldedRuns, listOf, type Passed } from './run-candidates.ts';
import { cursorAt, foldedCount, pinnedRuns, type Walk } from './run-lists.ts';
import { rowKey, type RunRow, storedRun } from './run-rows.ts';
import { statusForPeople } from './run-status.ts';

/** In the order in which they began, the latest last. */
export function listRuns(rows: Rows, given: RunsQuery = {}): RunSummary[] {
  const { limit, skip: _skip, ...filter } = withDefaults(given);
  const most = limit === 0 ? Number.POSITIVE_INFINITY : limit;
  const walk = walkOf(filter);
  const { found } = readMatches(rows, candidates(rows, filter, walk), filter, {
    walk,
    most,
    read: Number.POSITIVE_INFINITY,
  });
  const runs = found.map(({ row, cursor }) => summaryOf(rows, row, cursor));
  return walk.isNewer ? runs : runs.toReversed();
}

/** Those of the schema RunsQuery, which checks what comes from outside before it gets here. */
const withDefaults = (given: RunsQuery): ReturnType<(typeof Schema)['parse']> => ({
  ...given,
  all: given.all ?? false,
  archived: given.archived ?? 'no',
  limit: given.limit ?? 20,
});

/** How many rows one page may read. */
const MOST_READ = 2000;

/** A page for people who scroll: the latest first, and pinned runs once more at the top. Without a filter, what belongs together is one entry. */
export function pageOfRuns(rows: Rows, given: RunsQuery = {}): RunsPage {
  const { limit, skip = 0, ...asked } = withDefaults(given);
  const isFolded = !asked.all && !hasFilter(asked);
  const start = isFolded && skip > 0 ? cursorAt(rows, skip) : null;
  if (start === undefined) return { runs: [], pinned: [], next: null, previous: null, total: foldedCount(rows) };
  const filter = start === null ? asked : { ...asked, after: start };
  const walk = walkOf(filter);
  const source = isFolded ? foldedRuns(rows, walk) : candidates(rows, filter, walk);
  const most = limit === 0 ? MOST_READ : limit;
  const { found, last, hasMore } = readMatches(rows, source, filter, { walk, most, read: MOST_READ });
  const page = walk.isNewer ? found.toReversed() : found;
  const isFirst = filter.after === undefined && filter.before === undefined;
  const [first, end] = [page[0]?.cursor ?? null, page.at(-1)?.cursor ?? null];
  return {
    runs: page.map(({ row, cursor }) => summaryOf(rows, row, cursor)),
    pinned: isFirst ? pinnedMatches(rows, filter) : [],
    next: walk.isNewer ? (end ?? filter.before ?? null) : hasMore ? last : null,
    previous: walk.isNewer ? (hasMore ? last : null) : isFirst ? null : (first ?? filter.after ?? null),
    total: isFolded ? foldedCount(rows) : null,
  };
}

/** The status of a run; undefined when there is no such run. */
export function runDetail(rows: Rows, run: string): RunDetail | undefined {
  const row = storedRun(rows, run);
  if (row === undefined) return undefined;
  const { steps: _steps, waits: _waits, ...summary } = summaryOf(rows, row);
  return {
    ...summary,
    depth: row.depth,
    graph: row.graph,
    ledger: { first: row.received, last: row.last },
    steps: row.nodes,
    waits: row.waits,
    children: row.children.flatMap((child) => present(storedRun(rows, child)).map((child) => summaryOf(rows, child))),
  };
}

export function summaryOf(rows: Rows, row: RunRow, cursor = row.received): RunSummary {
  const { run, title, started, ended, parent, link, state, reason, nodes, waits, spent } = row;
  const done = nodes.filter((node) => node.status === 'done').length;
  const steps = { done, all: nodes.length };
  const desk = storedDeskWait(rows, row);
  return {
    run,
    title,
    status: statusForPeople(rows, row),
    started,
    ended,
    parent,
    ...(link === undefined ? {} : { link }),
    state,
    reason,
    steps,
    waits: waits.length,
    ...(desk === null ? {} : { desk }),
    cost: spent,
    cursor,
    kind: row.kind,
    ...(row.tags === undefined ? {} : { tags: row.tags }),
    ...(row.schedule === undefined ? {} : { schedule: row.schedule }),
    ...(row.archived === undefined ? {} : { archived: row.archived }),
    ...(row.pinned === undefined ? {} : { pinned: row.pinned }),
    related: row.children.length,
  };
}

const present = (row: RunRow | undefined): RunRow[] => (row === undefined ? [] : [row]);

const walkOf = ({ after, before }: Filter): Walk => ({ after, before, isNewer: before !== undefined });

function hasFilter({ all: _all, after: _after, before: _before, archived, ...fields }: Filter): boolean {
  return archived !== 'no' || Object.values(fields).some((value) => value !== undefined);
}

type Bounds = { walk: Walk; most: number; read: number };
type Matches = { found: Candidate[]; last: number | null; hasMore: boolean };

/** `last` is where to go on: behind the last match when there are enough, else behind the last row that was read. */
function readMatches(
  rows: Rows,
  source: Iterable<Candidate | Passed>,
  filter: Filter,
  { walk, most, read }: Bounds,
): Matches {
  const found: Candidate[] = [];
  let [count, last]: [number, number | null] = [0, null];
  for (const each of source) {
    const { row, cursor } = each;
    if (isPast(each.row ?? each, filter, walk)) break;
    const isWanted = row !== null && matches(rows, row, filter);
    if ((isWanted && found.length >= most) || count >= read) return { found, last, hasMore: true };
    if (isWanted) found.push({ row, cursor });
    count += 1;
    last = cursor;
  }
  return { found, last, hasMore: false };
}

/** Runs begin in the order of their first events, so nothing that follows is in the range. */
function isPast({ started }: Pick<RunRow, 'started'>, { since, until }: Filter, { isNewer }: Walk): boolean {
  return isNewer ? until !== undefined && started >= until : since !== undefined && started < since;
}

const pinnedMatches = (rows: Rows, filter: Filter): RunSummary[] =>
  pinnedRuns(rows)
    .toSorted((a, b) => b - a)
    .flatMap((received) => present(rows.get<RunRow>(rowKey(received))))
    .filter((row) => matches(rows, row, filter))
    .map((row) => summaryOf(rows, row));

/** Whether a run is one that is asked for; pages and acts on many runs use it alike. */
function matches(rows: Rows, row: RunRow, filter: Filter): boolean {
  const { kind, all } = filter;
  if (!all && isInside(row) && (kind === undefined || !listOf(kind).includes('child'))) return false;
  return fits({ ...row, usd: row.spent.usd, status: () => statusForPeople(rows, row) }, filter);
}

/** What lists know of a task that another member of the fleet has. */
export type GivenRun = Pick<RunSummary, 'run' | 'title' | 'status' | 'started' | 'cursor' | 'kind' | 'tags'> & {
  /** Who works on it, or did; null while it is in the queue. */
  member: string | null;
};

/** Those that are asked for. What they cost is not known here. */
export function filterGiven(given: readonly GivenRun[], query: RunsQuery): GivenRun[] {
  const filter = withDefaults(query);
  return given.filter((each) => fits({ ...each, usd: 0, status: () => each.status }, filter));
}

type Fitting = Pick<RunRow, 'run' | 'title' | 'kind' | 'started' | 'schedule' | 'archived'> & {
  tags?: readonly string[] | undefined;
  usd: number;
  status: () => RunStatus;
};

function fits(run: Fitting, filter: Filter): boolean {
  const { status, kind, tag, schedule, since, until, min_cost, max_cost, text, archived } = filter;
  if (status !== undefined && !listOf(status).includes(run.status())) return false;
  if (kind !== undefined && !listOf(kind).includes(run.kind)) return false;
  if (archived !== 'also' && (run.archived === true) !== (archived === 'only')) return false;
  if (tag !== undefined && run.tags?.some((each) => each.toLowerCase() === tag.toLowerCase()) !== true) return false;
  if (schedule !== undefined && run.schedule !== schedule) return false;
  if ((since !== undefined && run.started < since) || (until !== undefined && run.started >= until)) return false;
  if (run.usd < (min_cost ?? 0) || run.usd > (max_cost ?? Number.POSITIVE_INFINITY)) return false;
  return text === undefined || hasWords(`${run.title} ${run.run}`, wordsIn(text));
}
