/**
 * Owns: the fold behind `oka metrics`: a tally a day, and the tasks by the time they started, for a window of time.
 * It reads rows of the view of runs, which therefore comes before it.
 * Does not own: what became of a task (memory/task-record.ts), nor what figures are made of a tally (figures.ts).
 */
import type { Event } from '../../schema/event.ts';
import type { Rows } from '../../schema/rows.ts';
import type { View } from '../../schema/view.ts';
import { firstEventOf, seqKey, storedRun } from '../../views/run-rows.ts';
import { rootOf, type TaskRecord, taskRecordOf, taskRecords } from '../../memory/task-record.ts';
import {
  type DayTally,
  emptyDay,
  mergeDays,
  type Packed,
  type Saved,
  tallyPack,
  tallySaved,
  tallyTask,
} from './day-tally.ts';
import { type Metrics, metricsOf } from './figures.ts';

const dayPrefix = 'metrics/day/';
const taskPrefix = 'metrics/task/';
const packPrefix = 'metrics/pack/';
const savedPrefix = 'metrics/saved/';
const countKey = 'metrics/count';
const openKey = 'metrics/open';

export const metricsView: View = {
  name: 'metrics',
  version: 1,
  take: (read, rows) => {
    const { event } = read;
    if (event.pen !== 'run' || event.run === null) return;
    takeTask(event.run, rows, () => taskRecords.take(read, taskRows(rows)));
    if (event.type === 'context.packed') notePack(event, event.run, rows);
    else if (event.type === 'procedure.chosen') noteSaved(event, event.run, rows);
  },
};

/** All tasks, or those that started at `since` or later, and all that belongs to them. */
export function queryMetrics(rows: Rows, since: string | null): Metrics {
  if (since !== null) return windowMetrics(rows, since);
  const days = [...rows.each<DayTally>(dayPrefix)].map(([key, day]) => [key.slice(dayPrefix.length), day] as const);
  return metricsOf(new Map(days), rows.get<number>(countKey) ?? 0);
}

/** The records of the tasks that started at `since` or later, the latest first. */
export function* eachTask(rows: Rows, since: string | null = null): Generator<TaskRecord> {
  for (const [, task] of rows.each<TaskRecord>(taskPrefix, { reverse: true })) {
    if (since !== null && task.started < since) return; // tasks start in the order of their events
    yield task;
  }
}

function windowMetrics(rows: Rows, since: string): Metrics {
  const days = new Map<string, DayTally>();
  const on = (at: string): DayTally => {
    const date = at.slice(0, 10);
    const day = days.get(date) ?? emptyDay();
    days.set(date, day);
    return day;
  };
  const tasks = [...eachTask(rows, since)].toReversed();
  for (const task of tasks) if (task.ended !== null) tallyTask(on(task.ended), task, 1);
  for (const [, pack] of rows.each<Packed>(packPrefix, { after: packPrefix + since })) tallyPack(on(pack.at), pack);
  for (const [, saved] of rows.each<Saved>(savedPrefix, { after: savedPrefix + since }))
    tallySaved(on(saved.at), saved);
  const inOrder = [...days].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return metricsOf(new Map(inOrder), tasks.length);
}

/** Lets `take` change the task of an event, and keeps the tally of its day up to date. */
function takeTask(run: string, rows: Rows, take: () => void): void {
  const root = rootOf(taskRows(rows), run);
  const known = taskRecordOf(taskRows(rows), root);
  const before = known?.ended == null ? null : structuredClone(known);
  take();
  const task = taskRecordOf(taskRows(rows), root);
  if (task === undefined) return;
  if (known === undefined) rows.put(countKey, (rows.get<number>(countKey) ?? 0) + 1);
  if (task.ended === null) return;
  changeDay(rows, task.ended, (day) => {
    if (before !== null) tallyTask(day, before, -1);
    tallyTask(day, task, 1);
  });
}

function notePack({ at, seq, data }: Extract<Event, { type: 'context.packed' }>, run: string, rows: Rows): void {
  const pack: Packed = { run, at, tokens: data.tokens };
  rows.put(`${packPrefix}${at}/${seq}`, pack);
  changeDay(rows, at, (day) => tallyPack(day, pack));
}

function noteSaved({ at, seq, data }: Extract<Event, { type: 'procedure.chosen' }>, run: string, rows: Rows): void {
  if (data.saves === null) return;
  const saved: Saved = { run, at, tokens: data.saves.tokens ?? 0, seconds: data.saves.seconds ?? 0 };
  rows.put(`${savedPrefix}${at}/${seq}`, saved);
  changeDay(rows, at, (day) => tallySaved(day, saved));
}

function changeDay(rows: Rows, at: string, change: (day: DayTally) => void): void {
  const key = dayPrefix + at.slice(0, 10);
  const day = rows.get<DayTally>(key) ?? mergeDays([]);
  change(day);
  rows.put(key, day);
}

/**
 * The rows of task records, below ours: the records in the order of time, the few plannings and waits that are open in
 * one row. Which task a run belongs to is known from the view of runs.
 */
const rowsOfTasks = new WeakMap<Rows, Rows>();

function taskRows(rows: Rows): Rows {
  const known = rowsOfTasks.get(rows);
  if (known !== undefined) return known;
  const taskKey = (run: string): string => taskPrefix + seqKey(firstEventOf(rows, run) ?? 0);
  const open = (): Record<string, unknown> => rows.get<Record<string, unknown>>(openKey) ?? {};
  const tasks: Rows = {
    // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- as in Rows
    get: <T>(key: string) => {
      if (key.startsWith('task/')) return rows.get<T>(taskKey(key.slice('task/'.length)));
      const isRoot = key.startsWith('root/');
      return (isRoot ? storedRun(rows, key.slice('root/'.length))?.root : open()[key]) as T | undefined;
    },
    put: (key, value) => {
      if (key.startsWith('task/')) rows.put(taskKey(key.slice('task/'.length)), value);
      else if (!key.startsWith('root/')) rows.put(openKey, withEntry(open(), key, value));
    },
    each: () => {
      throw new Error('task records are listed by eachTask');
    },
  };
  rowsOfTasks.set(rows, tasks);
  return tasks;
}

function withEntry(open: Record<string, unknown>, key: string, value: unknown): Record<string, unknown> {
  const { [key]: _, ...others } = open;
  return value === null ? others : { ...others, [key]: value };
}
