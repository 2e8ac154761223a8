/** The rows of the view of runs: what is stored of a run, and the keys by which lists of runs are answered. */
import type { Goal } from '../../core/ledger/goal.ts';
import { memoOf, type Rows } from '../../core/schema/rows.ts';
import type { RunKind } from '../../core/schema/run.ts';

/** What a run has spent itself; what runs inside it spent is added when they end. */
type Spent = { tokens: number; usd: number; calls: number; failed_calls: number };

export type RunRow = Goal & {
  depth: number;
  graph: string;
  started: string;
  ended: string | null;
  reason: string;
  spent: Spent;
  /** Its first event; a task is received under the name of its run before that starts (`first`). */
  received: number;
  /** The outermost run around it; itself if there is none. */
  root: string;
  /** Runs that it started, and those that continue it, in their order. */
  children: string[];
  kind: RunKind;
  /** Of a task: the words to find it by. */
  tags?: string[];
  /** The schedule that it is a time of. */
  schedule?: string;
  /** The first of the runs that it continues or corrects, under which lists fold it; absent when there is none. */
  folded_under?: string;
  /** Its place in the folded list: the first event of its latest continuation. Absent when it is not in that list. */
  listed?: number;
  archived?: true;
  pinned?: true;
};

/** The first event of a run, by its name; also of one that has not started yet. */
const idKey = (run: string): string => `run/id/${run}`;

/** Large rows have keys that grow with time: new rows are stored together, and a long history costs no memory. */
export const rowKey = (received: number): string => rowsPrefix + seqKey(received);

export function storedRun(rows: Rows, run: string): RunRow | undefined {
  const memo = memoOf<Remembered>(rows, 'run');
  const known = memo?.get(run);
  if (known !== undefined) return known.row;
  const received = firstEventOf(rows, run);
  const key = received === undefined ? '' : rowKey(received);
  const row = received === undefined ? undefined : rows.get<RunRow>(key);
  if (row !== undefined) memo?.set(run, { row, key });
  return row;
}

export function storeRun(rows: Rows, row: RunRow): void {
  const memo = memoOf<Remembered>(rows, 'run');
  const key = memo?.get(row.run)?.key ?? rowKey(row.received);
  memo?.set(row.run, { row, key });
  rows.put(key, row);
}

/** A run that this transaction has changed or read, or one without a row yet; finding it by two keys for every event costs too much. */
type Remembered = { row: RunRow | undefined; key: string };

/** The first event under the name of a run; undefined when there is none. */
export function firstEventOf(rows: Rows, run: string): number | undefined {
  return rows.get<number>(idKey(run));
}

/** Names of runs that begin so, runs inside others among them; in the order of the names, and not more than a thousand. */
export function runNamesWith(rows: Rows, beginning: string): string[] {
  return [...rows.each(idKey(beginning), { limit: 1000 })].map(([key]) => key.slice(idKey('').length));
}

export function storeFirstEvent(rows: Rows, run: string, seq: number): void {
  rows.put(idKey(run), seq);
  memoOf<Remembered>(rows, 'run')?.set(run, { row: undefined, key: rowKey(seq) });
}

/** Names of runs that ended otherwise than done, by how; nearly all are done and need no index. */
export const endedPrefix = (status: 'failed' | 'cancelled'): string => `run/ended/${status}/`;

/** The first events of the runs that are not over, in order: few, however long history is. */
export const openRuns = (rows: Rows): number[] => rows.get<number[]>('run/open') ?? [];

export const storeOpenRuns = (rows: Rows, open: readonly number[]): void => rows.put('run/open', open);

export const rowsPrefix = 'run/row/';

/** Twelve digits, which sort by number. */
export const seqKey = (seq: number): string => String(1_000_000_000_000 + seq).slice(1);
