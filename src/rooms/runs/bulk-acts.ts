/**
 * Owns: acts on many runs: which runs they would act on, and doing it run by run.
 * Does not own: each act itself; every run gets the same request that a person would submit for it alone.
 *
 * B1 What is done is exactly what was shown: the token stands for the act and the list, and only this process made it.
 * B2 A run that fails stops no other; each run has an outcome.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import {
  type BulkAct,
  type BulkOutcome,
  type BulkPreview,
  type BulkRequest,
  MOST_AT_ONCE,
} from '../../core/schema/bulk.ts';
import { messageOf, OkaError } from '../../core/schema/errors.ts';
import type { Home } from '../../core/schema/home.ts';
import type { Intake } from '../../core/schema/intake.ts';
import type { Rows } from '../../core/schema/rows.ts';
import type { RunsQuery, RunSummary } from '../../core/schema/view-answers.ts';
import { unchangedIn } from '../../core/schema/room.ts';
import { type RunRow, storedRun } from '../../kit/views/run-rows.ts';
import { filterGiven, type GivenRun, listRuns, summaryOf } from '../../kit/views/runs-query.ts';
import { memberName, readGivenRuns } from '../../kit/fleet/given-runs.ts';
import { markedAlready } from './mark-runs.ts';
import { findRepeat, repeatedAs } from './repeat-run.ts';

/** The runs of a filter, or those that were named. */
export type Choice = { filter: RunsQuery; member?: string | undefined } | { runs: readonly string[] };

export async function previewBulk(home: Home, rows: Rows, act: BulkAct, choice: Choice): Promise<BulkPreview> {
  const given = TRAVELLING.has(act) ? await readGivenRuns(home, rows) : [];
  const chosen =
    'runs' in choice ? namedRuns(rows, given, choice.runs) : filteredRuns(home, rows, { act, given }, choice);
  const isComplete = chosen.length <= MOST_AT_ONCE;
  const judged = chosen
    .slice(0, MOST_AT_ONCE)
    .map((each) => ({ each, why: obstacleTo(act, each) ?? repeatOf(home, rows, act, each) }));
  const runs = judged.filter(({ why }) => why === null).map(({ each }) => shown(each));
  return {
    act,
    count: runs.length,
    runs,
    left_out: judged.flatMap(({ each, why }) => {
      const soAlready = alreadySo(act, each) === null ? {} : { so_already: true as const };
      return why === null ? [] : [{ ...shown(each), why, ...soAlready }];
    }),
    complete: isComplete,
    token: tokenFor(
      act,
      runs.map(({ run }) => run),
    ),
  };
}

/** Acts on tasks that another member has, too: the request travels to it, and a task that is done again is a new one. */
const TRAVELLING: ReadonlySet<BulkAct> = new Set(['cancel', 'pause', 'resume', 'again']);

type BulkPorts = {
  /** Submits an intake and resolves to the reply; undefined while there is none. */
  request: (intake: Intake) => Promise<unknown>;
  /** Does a run once more (repeat-run.ts). */
  repeat: (run: string) => Promise<unknown>;
  /** How many requests may wait for their replies at once, where the order does not matter; 1 unless given. */
  atOnce?: number;
};

/** For requests of a worker: one about a task that another member has takes a second or more. */
export const REQUESTS_AT_ONCE = 32;

/** Acts on one run after the other, in the order that was shown. */
export async function* performBulk({ act, runs, token }: BulkRequest, ports: BulkPorts): AsyncGenerator<BulkOutcome> {
  assertShown(act, runs, token);
  if (isMark(act)) return yield* markRuns(act, runs, ports);
  const atOnce = act !== 'again' && TRAVELLING.has(act) ? (ports.atOnce ?? 1) : 1;
  const begun: Promise<BulkOutcome>[] = [];
  for (const at of runs.keys()) {
    for (const run of runs.slice(begun.length, at + atOnce))
      begun.push(outcomeOf(run, () => (act === 'again' ? ports.repeat(run) : ports.request({ kind: act, run }))));
    yield (await begun[at]) as BulkOutcome;
  }
}

type Chosen = Pick<RunSummary, 'run' | 'title' | 'status' | 'kind' | 'cursor' | 'archived' | 'pinned'> & {
  member?: string | null;
};

const shown = ({ run, title, status, member }: Chosen): BulkPreview['runs'][number] => ({
  run,
  title,
  status,
  ...(member === undefined ? {} : { member }),
});

type Given = { act: BulkAct; given: readonly GivenRun[] };

/** The latest first: what was done last is undone first. */
function filteredRuns(home: Home, rows: Rows, { act, given }: Given, { filter, member }: FilterChoice): Chosen[] {
  const archived = act === 'unarchive' ? 'only' : (filter.archived ?? 'no');
  const away = new Set(given.map(({ run }) => run));
  const isOwn = member === undefined || member === memberName(home);
  const own = isOwn ? listRuns(rows, { ...filter, archived, limit: MOST_AT_ONCE + 1 }) : [];
  const others = filterGiven(given, filter).filter((each) => member === undefined || each.member === member);
  return latestFirst([...own.filter(({ run }) => !away.has(run)), ...others]);
}

type FilterChoice = Extract<Choice, { filter: RunsQuery }>;

const latestFirst = (runs: readonly Chosen[]): Chosen[] => runs.toSorted((a, b) => b.cursor - a.cursor);

function namedRuns(rows: Rows, given: readonly GivenRun[], names: readonly string[]): Chosen[] {
  return latestFirst(
    [...new Set(names)].map((name) => {
      const away = given.find(({ run }) => run === name);
      const row = storedRun(rows, name);
      if (away === undefined && row === undefined)
        throw new OkaError('no-such-run', `there is no run "${name}"`, { fix: 'List the runs: oka runs' });
      return away ?? summaryOf(rows, row as RunRow);
    }),
  );
}

function repeatOf(home: Home, rows: Rows, act: BulkAct, { run }: Chosen): string | null {
  const id = act === 'again' ? findRepeat(home, rows, run) : null;
  return id === null ? null : repeatedAs(id);
}

/** How what an act makes of a run is so already. */
function alreadySo(act: BulkAct, run: Chosen): string | null {
  if (act === 'pause') return run.status === 'paused' ? 'it is paused already' : null;
  return isMark(act) ? markedAlready(run, MARKS[act]) : null;
}

/** Why an act makes no sense for a run; the worker decides again when it is asked. */
function obstacleTo(act: BulkAct, run: Chosen): string | null {
  const { status, kind } = run;
  const isOver = status === 'done' || status === 'failed' || status === 'cancelled';
  switch (act) {
    case 'cancel':
      return isOver ? `it is ${status} already` : null;
    case 'pause':
      return isOver ? `it is ${status} already` : alreadySo(act, run);
    case 'resume':
      return status === 'paused' || status === 'failed' || status === 'blocked' ? null : `it is ${status}`;
    case 'again':
      return kind === 'child' || kind === 'install' ? 'it belongs to another run' : isOver ? null : 'it is not over';
    case 'undo':
      return isOver ? null : 'it is not over';
    case 'archive':
      return alreadySo(act, run) ?? (isOver ? null : 'it is not over');
    case 'unarchive':
    case 'pin':
    case 'unpin':
      return alreadySo(act, run);
  }
}

type Mark = 'archive' | 'unarchive' | 'pin' | 'unpin';

const isMark = (act: BulkAct): act is Mark =>
  act === 'archive' || act === 'unarchive' || act === 'pin' || act === 'unpin';

const MARKS = {
  archive: { archived: true },
  unarchive: { archived: false },
  pin: { pinned: true },
  unpin: { pinned: false },
} as const;

/** Marks of many runs are one request. */
async function* markRuns(
  act: Mark,
  runs: readonly string[],
  { request }: Pick<BulkPorts, 'request'>,
): AsyncGenerator<BulkOutcome> {
  const intake: Intake = { kind: 'mark_runs', runs: [...runs], ...MARKS[act] };
  const first = await outcomeOf(runs[0] ?? '', () => request(intake));
  for (const run of runs) yield { ...first, run };
}

async function outcomeOf(run: string, act: () => Promise<unknown>): Promise<BulkOutcome> {
  try {
    const answer = await act();
    const unchanged = unchangedIn(answer);
    return {
      run,
      outcome: answer === undefined ? 'queued' : 'done',
      ...(unchanged !== null && { message: unchanged }),
    };
  } catch (error) {
    const fix = error instanceof OkaError ? error.fix : undefined;
    return { run, outcome: 'failed', message: messageOf(error), ...(fix === undefined ? {} : { fix }) };
  }
}

/** A token of another process is refused: what it showed may be long ago. */
const key = randomBytes(32);

const tokenFor = (act: BulkAct, runs: readonly string[]): string =>
  createHmac('sha256', key)
    .update(JSON.stringify([act, runs]))
    .digest('base64url');

function assertShown(act: BulkAct, runs: readonly string[], token: string): void {
  const [expected, given] = [Buffer.from(tokenFor(act, runs)), Buffer.from(token)];
  if (given.length === expected.length && timingSafeEqual(given, expected)) return;
  throw new OkaError('refused', 'these are not the runs that were shown', { fix: 'Check the list again first.' });
}
