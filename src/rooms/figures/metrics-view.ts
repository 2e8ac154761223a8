/**
 * Owns: the fold behind `oka metrics`: a tally a day, and the tasks by the time they started, for a window of time.
 * It reads rows of the view of runs, which therefore comes before it.
 * Does not own: how a task ended (kit/learning/task-record.ts), nor what figures are made of a tally (figures.ts).
 */
import type { Event } from '../../core/schema/event.ts';
import { memoOf, type Rows } from '../../core/schema/rows.ts';
import type { View } from '../../core/schema/view.ts';
import { openRuns, rowKey, type RunRow, seqKey, storedRun } from '../../kit/views/run-rows.ts';
import {
  applyToTask,
  blankTask,
  runServedBy,
  startTask,
  taskEventTypes,
  type TaskRecord,
} from '../../kit/learning/task-record.ts';
import { type DayTally, emptyDay, type Packed, tallyPack, tallyTask, type TaskFigures } from './day-tally.ts';
import { beforeDay } from './calendar-days.ts';
import { type Metrics, metricsOf } from './figures.ts';

const dayPrefix = 'metrics/day/';
const taskPrefix = 'metrics/task/';
const packPrefix = 'metrics/pack/';
/** The task for which an installation, which is a run of its own, was started. */
const servedKey = (run: string): string => `metrics/served/${run}`;
const countKey = 'metrics/count';

export const metricsView: View = {
  name: 'metrics',
  version: 5,
  types: [...taskEventTypes, 'context.packed'],
  take: ({ event }, rows) => {
    if (event.pen !== 'run' || event.run === null) return;
    if (event.type === 'run.started') noteStart(event, event.run, rows);
    else if (event.type === 'context.packed') notePack(event, event.run, rows);
    else noteTaskEvent(event, event.run, rows);
  },
};

/** All tasks, or those that started at `since` or later, and all that belongs to them. */
export function queryMetrics(rows: Rows, since: string | null): Metrics {
  if (since !== null) return windowMetrics(rows, since);
  const days = [...rows.each<DayTally>(dayPrefix)].map(([key, day]) => [key.slice(dayPrefix.length), day] as const);
  return metricsOf(new Map(days), rows.get<number>(countKey) ?? 0);
}

/** The tasks that ended from one date to another, both included, and those that are not over: reads a row a day. */
export function metricsOfDays(rows: Rows, from: string, to: string): Metrics {
  const days = new Map<string, DayTally>();
  for (const [key, day] of rows.each<DayTally>(dayPrefix, {
    before: `${dayPrefix}${to}/`,
    after: dayPrefix + beforeDay(from),
  }))
    days.set(key.slice(dayPrefix.length), day);
  const ended = [...days.values()].reduce((sum, day) => sum + day.ended, 0);
  return metricsOf(days, ended + openTasks(rows));
}

function openTasks(rows: Rows): number {
  const open = openRuns(rows).map((received) => rows.get<RunRow>(rowKey(received)));
  return open.filter((row) => row !== undefined && row.graph === 'oka.task' && row.root === row.run).length;
}

/** How many tasks ended on a date, and how many of them got done. */
export function tasksEndedOn(rows: Rows, date: string): { done: number; not_done: number } {
  const { ended, completion } = rows.get<DayTally>(dayPrefix + date) ?? emptyDay();
  return { done: completion.hits, not_done: ended - completion.hits };
}

/** The tasks that started at `since` or later, the latest first. */
function* eachTask(rows: Rows, since: string): Generator<TaskFigures> {
  for (const [, task] of rows.each<TaskFigures>(taskPrefix, { reverse: true })) {
    if (task.started < since) return; // tasks start in the order of their events
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
  const known = new Set(tasks.map(({ run }) => run));
  for (const [, pack] of rows.each<Packed>(packPrefix, { after: packPrefix + since }))
    if (known.has(storedRun(rows, pack.run)?.root ?? pack.run)) tallyPack(on(pack.at), pack);
  const inOrder = [...days].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return metricsOf(new Map(inOrder), tasks.length);
}

function noteStart(event: Extract<Event, { type: 'run.started' }>, run: string, rows: Rows): void {
  const row = storedRun(rows, run);
  const served = storedRun(rows, runServedBy(event) ?? '');
  if (served !== undefined && storedRun(rows, served.root)?.ended === null)
    return rows.put(servedKey(run), served.root);
  const task = row?.root === run ? startTask(event, run) : null;
  if (row === undefined || task === null) return;
  const key = taskKey(row);
  memoOf<KnownTask>(rows, 'metrics')?.set(run, { task, key });
  rows.put(key, task);
  rows.put(countKey, (rows.get<number>(countKey) ?? 0) + 1);
}

/** Changes the task that a run belongs to, and with it the tally of its day. */
function noteTaskEvent(event: Event, run: string, rows: Rows): void {
  const row = storedRun(rows, run);
  const root = row === undefined || row.root === run ? servedTask(rows, row) : storedRun(rows, row.root);
  const known = root === undefined ? undefined : knownTask(rows, root);
  if (known === undefined) return;
  const { task, key } = known;
  const before = task.ended === null ? null : figuresOf(task);
  applyToTask(task, event);
  const { ended } = task;
  if (ended === null) return rows.put(key, task);
  const figures = figuresOf(task);
  rows.put(key, figures);
  changeDay(rows, ended, (day) => {
    if (before !== null) tallyTask(day, before, -1);
    tallyTask(day, figures, 1);
  });
}

/** The task that an installation is for; any other run itself. */
function servedTask(rows: Rows, row: RunRow | undefined): RunRow | undefined {
  const served = row?.graph === 'oka.install' ? rows.get<string>(servedKey(row.run)) : undefined;
  return served === undefined ? row : storedRun(rows, served);
}

/** Most tasks are over, and few of those change again: they are stored without what only a task in progress needs. */
function figuresOf(task: TaskRecord): TaskFigures {
  const { run, started, ended, status, rework, corrected, undone, tokens, usd, questions, waited_ms, desk_ms } = task;
  const choice = task.choice === null ? null : { saves: task.choice.saves };
  const plan = task.plan === null ? null : { by: task.plan.by };
  const approvals = { ...task.approvals };
  const installs = [...task.installs];
  return {
    run,
    started,
    ended,
    status,
    rework,
    plan,
    choice,
    corrected,
    undone,
    tokens,
    usd,
    approvals,
    questions,
    installs,
    waited_ms,
    ...(desk_ms === undefined ? {} : { desk_ms }),
  };
}

type KnownTask = { task: TaskRecord; key: string };

function knownTask(rows: Rows, root: RunRow): KnownTask | undefined {
  const memo = memoOf<KnownTask>(rows, 'metrics');
  const remembered = memo?.get(root.run);
  if (remembered !== undefined) return remembered;
  const key = taskKey(root);
  const stored = rows.get<TaskRecord | TaskFigures>(key);
  if (stored === undefined) return undefined;
  const known = { task: 'body' in stored ? stored : toRecord(stored), key };
  memo?.set(root.run, known);
  return known;
}

/** A task that is over and changes again: what is unknown of it counts for nothing any more. */
function toRecord(figures: TaskFigures): TaskRecord {
  const lost = { sha256: '', criteria: [], input: null, tools: [], targets: [], seq: 0 };
  const unknown = { procedure: '', version: 1, arm: 'used', parameters: {}, seq: 0 } as const;
  return {
    ...blankTask(),
    ...figures,
    plan: figures.plan === null ? null : { ...lost, ...figures.plan },
    choice: figures.choice === null ? null : { ...unknown, ...figures.choice },
  };
}

/** In the order of time. */
const taskKey = ({ received }: RunRow): string => taskPrefix + seqKey(received);

function notePack({ at, seq, data }: Extract<Event, { type: 'context.packed' }>, run: string, rows: Rows): void {
  const pack: Packed = { run, at, tokens: data.tokens };
  rows.put(`${packPrefix}${at}/${seq}`, pack);
  changeDay(rows, at, (day) => tallyPack(day, pack));
}

function changeDay(rows: Rows, at: string, change: (day: DayTally) => void): void {
  const key = dayPrefix + at.slice(0, 10);
  const day = rows.get<DayTally>(key) ?? emptyDay();
  change(day);
  rows.put(key, day);
}
