/**
 * Owns: acts on many runs: which runs they would act on, and doing it run by run.
 * Does not own: each act itself; every run gets the same request that a person would submit for it alone.
 *
 * B1 What is done is exactly what was shown: the token stands for the act and the list, and only this process made it.
 * B2 A run that fails stops no other; each run has an outcome.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { type BulkAct, type BulkOutcome, type BulkPreview, type BulkRequest, MOST_AT_ONCE } from '../../schema/bulk.ts';
import { messageOf, OkaError } from '../../schema/errors.ts';
import type { Intake } from '../../schema/intake.ts';
import type { Rows } from '../../schema/rows.ts';
import type { RunsQuery, RunSummary } from '../../schema/view-answers.ts';
import { storedRun } from '../../views/run-rows.ts';
import { listRuns, summaryOf } from '../../views/runs-query.ts';

/** The runs of a filter, or those that were named. */
export type Choice = { filter: RunsQuery } | { runs: readonly string[] };

export function previewBulk(rows: Rows, act: BulkAct, choice: Choice): BulkPreview {
  const chosen = 'runs' in choice ? namedRuns(rows, choice.runs) : filteredRuns(rows, act, choice.filter);
  const isComplete = chosen.length <= MOST_AT_ONCE;
  const latestFirst = chosen.slice(0, MOST_AT_ONCE);
  const judged = latestFirst.map((each) => ({ each, why: obstacleTo(act, each) }));
  const runs = judged.filter(({ why }) => why === null).map(({ each }) => shown(each));
  return {
    act,
    count: runs.length,
    runs,
    left_out: judged.flatMap(({ each, why }) => (why === null ? [] : [{ ...shown(each), why }])),
    complete: isComplete,
    token: tokenFor(
      act,
      runs.map(({ run }) => run),
    ),
  };
}

export type BulkPorts = {
  /** Submits an intake and resolves to the reply; undefined while there is none. */
  request: (intake: Intake) => Promise<unknown>;
  /** Does a run once more (repeat-run.ts). */
  repeat: (run: string) => Promise<unknown>;
};

/** Acts on one run after the other. */
export async function* performBulk({ act, runs, token }: BulkRequest, ports: BulkPorts): AsyncGenerator<BulkOutcome> {
  assertShown(act, runs, token);
  if (isMark(act)) return yield* markRuns(act, runs, ports);
  for (const run of runs)
    yield await outcomeOf(run, () => (act === 'again' ? ports.repeat(run) : ports.request({ kind: act, run })));
}

const shown = ({ run, title, status }: RunSummary): BulkPreview['runs'][number] => ({ run, title, status });

/** The latest first: what was done last is undone first. */
function filteredRuns(rows: Rows, act: BulkAct, filter: RunsQuery): RunSummary[] {
  const archived = act === 'unarchive' ? 'only' : (filter.archived ?? 'no');
  return listRuns(rows, { ...filter, archived, limit: MOST_AT_ONCE + 1 }).toReversed();
}

function namedRuns(rows: Rows, names: readonly string[]): RunSummary[] {
  const found = [...new Set(names)].map((name) => {
    const row = storedRun(rows, name);
    if (row === undefined)
      throw new OkaError('no-such-run', `there is no run "${name}"`, { fix: 'List the runs: oka runs' });
    return summaryOf(rows, row);
  });
  return found.toSorted((a, b) => b.cursor - a.cursor);
}

/** Why an act makes no sense for a run; the worker decides again when it is asked. */
function obstacleTo(act: BulkAct, { status, kind, archived, pinned }: RunSummary): string | null {
  const isOver = status === 'done' || status === 'failed' || status === 'cancelled';
  switch (act) {
    case 'cancel':
      return isOver ? `it is ${status} already` : null;
    case 'pause':
      return isOver || status === 'paused' ? `it is ${status} already` : null;
    case 'resume':
      return status === 'paused' || status === 'failed' || status === 'blocked' ? null : `it is ${status}`;
    case 'again':
      return kind === 'child' || kind === 'install' ? 'it belongs to another run' : isOver ? null : 'it is not over';
    case 'undo':
      return isOver ? null : 'it is not over';
    case 'archive':
      return archived === true ? 'it is archived already' : isOver ? null : 'it is not over';
    case 'unarchive':
      return archived === true ? null : 'it is not archived';
    case 'pin':
      return pinned === true ? 'it is pinned already' : null;
    case 'unpin':
      return pinned === true ? null : 'it is not pinned';
  }
}

type Mark = 'archive' | 'unarchive' | 'pin' | 'unpin';

const isMark = (act: BulkAct): act is Mark =>
  act === 'archive' || act === 'unarchive' || act === 'pin' || act === 'unpin';

/** Marks of many runs are one request. */
async function* markRuns(
  act: Mark,
  runs: readonly string[],
  { request }: Pick<BulkPorts, 'request'>,
): AsyncGenerator<BulkOutcome> {
  const marks = {
    archive: { archived: true },
    unarchive: { archived: false },
    pin: { pinned: true },
    unpin: { pinned: false },
  };
  const intake: Intake = { kind: 'mark_runs', runs: [...runs], ...marks[act] };
  const first = await outcomeOf(runs[0] ?? '', () => request(intake));
  for (const run of runs) yield { ...first, run };
}

async function outcomeOf(run: string, act: () => Promise<unknown>): Promise<BulkOutcome> {
  try {
    return { run, outcome: (await act()) === undefined ? 'queued' : 'done' };
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
