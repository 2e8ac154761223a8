/** Owns: entries of TODOS.md about schedules: their last three runs failed, or their files cannot be read. */
import type { Rows } from '../../../core/schema/rows.ts';
import type { EventOf, Handlers } from '../event-handlers.ts';
import { removeTodo, storeTodo } from './todo-entry.ts';

const FAILURES_SHOWN = 3;
const MOST = 240;

/** The schedule whose time made a run, until the run has ended; and how many runs of a schedule failed in a row. */
const runKey = (run: string): string => `todo-scheduled/${run}`;
const failuresKey = (schedule: string): string => `todo-schedule/${schedule}`;

export const scheduleTodos: Handlers<[Rows], void> = {
  'slot.came': ({ data: { job, run } }, rows) => {
    const [, schedule] = job.split('/');
    if (run !== undefined && schedule !== undefined) rows.put(runKey(run), schedule);
  },
  'task.rejected': (event, rows) => countEnd(event, 'failed', event.data.reason, rows),
  'schedule.changed': recordChange,
};

/** Called with the end of every run. */
export const countScheduledEnd = (event: EventOf<'run.ended'>, rows: Rows): void =>
  countEnd(event, event.data.status, event.data.reason, rows);

type Ended = { run: string | null; seq: number };

function countEnd({ run, seq }: Ended, status: string, reason: string, rows: Rows): void {
  const schedule = run === null ? undefined : rows.get<string>(runKey(run));
  if (run === null || schedule === undefined) return;
  rows.put(runKey(run), null);
  if (status === 'cancelled') return;
  const failures = status === 'failed' ? (rows.get<number>(failuresKey(schedule)) ?? 0) + 1 : 0;
  rows.put(failuresKey(schedule), failures === 0 ? null : failures);
  if (failures === 0) removeTodo(rows, `schedule:${schedule}`);
  if (failures < FAILURES_SHOWN) return;
  const text = `its last ${failures} runs failed: ${reason.replaceAll(/\s+/g, ' ').trim().slice(0, MOST)}`;
  storeTodo(rows, { kind: 'schedule', of: schedule, seq, run, task: schedule, text, how: 'look' });
}

function recordChange({ data, seq }: EventOf<'schedule.changed'>, rows: Rows): void {
  const { schedule, change, reason, name } = data;
  if (schedule === null) return;
  if (change === 'refused') {
    const text = `its file cannot be read: ${reason.replaceAll(/\s+/g, ' ').trim().slice(0, MOST)}`;
    storeTodo(rows, { kind: 'schedule', of: schedule, seq, run: null, task: name ?? schedule, text, how: 'look' });
  } else if (change !== 'off') {
    removeTodo(rows, `schedule:${schedule}`);
    if (change !== 'changed') rows.put(failuresKey(schedule), null);
  }
}
