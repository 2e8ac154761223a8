/**
 * Owns: the live status of each run, from the events of the run ledger.
 *
 * R1 A run is read once and written once a batch, however many of its events the batch contains.
 * R2 What follows from the types alone is shown even where no data can be read: that a run began, is settled, waits, is over. Its
 *    title, its state and how it ended then stay unknown.
 * R3 What is over stays over.
 */
import type { Row, Writing } from '../typed.ts';
import { type ProjectedEvent, textIn } from './projected.ts';

type Run = Omit<Row<'runs'>, '_id' | '_creationTime'>;

const MOST_CALLS = 500;

export async function projectRuns(ctx: Writing, events: readonly ProjectedEvent[]): Promise<void> {
  const byRun = Map.groupBy(
    events.filter(({ pen, run }) => pen === 'run' && run !== null),
    ({ run }) => run ?? '',
  );
  for (const [run, own] of byRun) {
    const known = await ctx.db
      .query('runs')
      .withIndex('by_run', (row) => row.eq('ledger', own[0]?.ledger ?? '').eq('run', run))
      .unique();
    if (known === null) await ctx.db.insert('runs', own.reduce(applyEvent, freshRun(run, own)));
    else {
      const { _id, _creationTime, ...before } = known;
      await ctx.db.replace(_id, own.reduce(applyEvent, before));
    }
  }
}

function freshRun(run: string, [first]: readonly ProjectedEvent[]): Run {
  return {
    ledger: first?.ledger ?? '',
    run,
    title: null,
    status: 'running',
    over: false,
    state: null,
    parent: null,
    started: null,
    ended: null,
    reason: null,
    first: first?.seq ?? 0,
    last: 0,
    at: '',
    waits: 0,
    calls: [],
  };
}

function applyEvent(before: Run, event: ProjectedEvent): Run {
  const run = { ...before, ...changeBy(before, event), last: event.seq, at: event.at };
  if (run.over || run.status === 'paused') return run;
  return { ...run, status: run.waits > 0 && run.calls.length === 0 ? 'blocked' : 'running' };
}

function changeBy(run: Run, { type, at, data }: ProjectedEvent): Partial<Run> {
  const call = textIn(data, 'call', 300);
  switch (type) {
    case 'run.started':
      return {
        title: textIn(data, 'title', 500),
        state: textIn(data, 'state', 80),
        parent: textIn(data, 'parent', 120),
        started: at,
      };
    case 'run.moved':
      return { state: textIn(data, 'to', 80) };
    case 'run.paused':
      return run.over ? {} : { status: 'paused' };
    case 'run.resumed':
      return run.over ? {} : { status: 'running' };
    case 'run.ended':
      return {
        status: endOf(textIn(data, 'status')),
        over: true,
        ended: at,
        reason: textIn(data, 'reason'),
        calls: [],
      };
    case 'wait.opened':
      return { waits: run.waits + 1 };
    case 'wait.closed':
      return { waits: Math.max(0, run.waits - 1) };
    case 'call.started':
      return call === null ? {} : { calls: [...run.calls.filter((open) => open !== call), call].slice(-MOST_CALLS) };
    case 'call.ended':
      return call === null ? {} : { calls: run.calls.filter((open) => open !== call) };
    default:
      return {};
  }
}

function endOf(status: string | null): Run['status'] {
  return status === 'done' || status === 'failed' || status === 'cancelled' ? status : 'over';
}
