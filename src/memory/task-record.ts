/** The outcome and the cost of a task, folded from the events of its run and of the runs inside it. */
import type { Event, EventType } from '../schema/event.ts';
import type { ProcedureChoice } from '../schema/procedure.ts';
import type { Planned, TaskGiven } from '../schema/task-run.ts';
import type { WaitFor } from '../schema/wait.ts';
import type { Part } from '../schema/learning-part.ts';
import type { Rows } from '../schema/rows.ts';

export type TaskRecord = {
  run: string;
  title: string;
  /** Hash of its text. */
  body: string;
  dir: string | null;
  first: number;
  last: number;
  started: string;
  ended: string | null;
  status: 'running' | 'done' | 'failed' | 'cancelled';
  reason: string;
  /** How often the critic sent it back. */
  rework: number;
  /** Its latest plan. */
  plan: (Pick<Planned, 'by' | 'sha256' | 'criteria' | 'input' | 'tools' | 'targets'> & { seq: number }) | null;
  plans: number;
  choice: (Pick<ProcedureChoice, 'procedure' | 'version' | 'arm' | 'parameters'> & { seq: number }) | null;
  /** The finished run that it corrects, and the run that corrects it. */
  corrects: string | null;
  corrected: string | null;
  /** The failed run that it continues. */
  continues: string | null;
  undone: boolean;
  tokens: number;
  usd: number;
  /** Completions that were asked for. */
  thoughts: number;
  calls: number;
  failed_calls: number;
  approvals: { asked: number; approved: number; denied: number };
  questions: number;
  installs: string[];
  /** Calls that tried more than their class allows. */
  overstepped: number;
  /** Time in which it was not at work: it waited for people, the machine slept, or no worker ran. */
  waited_ms: number;
};

const keyOf = (run: string): string => `task/${run}`;

export const taskRecordOf = (rows: Rows, run: string): TaskRecord | undefined => rows.get<TaskRecord>(keyOf(run));

/** The task that a run belongs to, itself or as one of the runs inside it. */
export function rootOf(rows: Rows, run: string): string {
  return rows.get<string>(`root/${run}`) ?? run;
}

/** Time at work, without waiting for people. */
export const secondsOf = ({
  started,
  ended,
  waited_ms,
}: Pick<TaskRecord, 'started' | 'ended' | 'waited_ms'>): number | null =>
  ended === null ? null : Math.max(0, Date.parse(ended) - Date.parse(started) - waited_ms) / 1000;

/** Done at the first attempt, and neither corrected nor undone. */
export const wasFine = ({
  status,
  rework,
  corrected,
  undone,
}: Pick<TaskRecord, 'status' | 'rework' | 'corrected' | 'undone'>): boolean =>
  status === 'done' && rework === 0 && corrected === null && !undone;

/** Has to be the first part: others read its rows. */
export const taskRecords: Part = { name: 'tasks', take: ({ event }, rows) => applyToRows(event, rows) };

function applyToRows(event: Event, rows: Rows): void {
  if (event.pen !== 'run' || event.run === null) return;
  if (event.type === 'run.started') return startRecord(event, event.run, rows);
  const root = rootOf(rows, event.run);
  const task = taskRecordOf(rows, root);
  if (task === undefined) return;
  applyToTask(task, event, rows);
  rows.put(keyOf(root), task);
}

/** Changes the given task. `open` has the open plans and questions of all tasks. */
export function applyToTask(task: TaskRecord, event: Event, open: Pick<Rows, 'get' | 'put'>): void {
  (CHANGES[event.type] as Change<Event['type']> | undefined)?.(task, event, open);
  task.last = Math.max(task.last, event.seq);
}

function startRecord(event: Of<'run.started'>, run: string, rows: Rows): void {
  const { parent, depth } = event.data;
  if (parent !== null && depth > 0) return rows.put(`root/${run}`, rootOf(rows, parent));
  const task = startTask(event, run);
  if (task !== null) rows.put(keyOf(run), task);
}

/** Null when the run is no task, whatever its graph is called: anybody may name a graph, and no ledger stops a fold. */
export function startTask(event: Of<'run.started'>, run: string): TaskRecord | null {
  const { parent, graph, title, input } = event.data;
  if (graph.id !== 'oka.task') return null;
  const given = input as Partial<TaskGiven> | null;
  if (typeof given?.body !== 'string') return null;
  return {
    run,
    title,
    body: given.body,
    dir: given.dir ?? null,
    first: event.seq,
    last: event.seq,
    started: event.at,
    corrects: given.fields?.corrects ?? null,
    continues: parent,
    ...initialCounts(),
  };
}

/** A record of which nothing is known. */
export function blankTask(): TaskRecord {
  const unknown = { run: '', title: '', body: '', dir: null, first: 0, last: 0, started: '' };
  return { ...unknown, corrects: null, continues: null, ...initialCounts() };
}

type Later = Exclude<
  keyof TaskRecord,
  'run' | 'title' | 'body' | 'dir' | 'first' | 'last' | 'started' | 'corrects' | 'continues'
>;

const initialCounts = (): Pick<TaskRecord, Later> => ({
  ended: null,
  status: 'running',
  reason: '',
  rework: 0,
  plan: null,
  plans: 0,
  choice: null,
  corrected: null,
  undone: false,
  tokens: 0,
  usd: 0,
  thoughts: 0,
  calls: 0,
  failed_calls: 0,
  approvals: { asked: 0, approved: 0, denied: 0 },
  questions: 0,
  installs: [],
  overstepped: 0,
  waited_ms: 0,
});

/** Calls that the engine makes itself: they are not work of the task. */
const INNER = new Set(['task.plan', 'task.critique', 'step.check', 'run.start', 'model.complete']);

type Of<T extends Event['type']> = Extract<Event, { type: T }>;
type Change<T extends Event['type']> = (task: TaskRecord, event: Of<T>, open: Pick<Rows, 'get' | 'put'>) => void;

/** Events of other types do not change the record. */
const CHANGES: { readonly [T in Event['type']]?: Change<T> } = {
  'call.started': (task, { data }, rows) => {
    if (data.tool === 'task.plan') rows.put(`planning/${data.call}`, true);
    if (!INNER.has(data.tool)) task.calls += 1;
  },
  'call.ended': noteOutcome,
  'run.judged': (task, { run, data }) => {
    if (run === task.run && data.verdict === 'rework') task.rework += 1;
  },
  'procedure.chosen': (task, { data: { procedure, version, arm, parameters }, seq }) => {
    task.choice = { procedure, version, arm, parameters, seq };
  },
  'run.corrected': (task, { run, data }) => {
    if (run === task.run) task.corrected = data.by;
  },
  'run.undone': (task, { run }) => {
    if (run === task.run) task.undone = true;
  },
  'dependency.installed': (task, { data: { by, name, version } }) => {
    task.installs.push(`${by}:${name}@${version}`);
  },
  'call.misclassified': (task) => {
    task.overstepped += 1;
  },
  'run.time_skipped': (task, { data }) => {
    task.waited_ms += data.ms;
  },
  'wait.opened': noteQuestion,
  'wait.closed': noteAnswer,
  'run.ended': (task, { run, at, data: { status, reason } }) => {
    if (run === task.run) Object.assign(task, { ended: at, status, reason: reason.slice(0, 2000) });
  },
};

/** The events that change a task beyond its `last`. */
export const taskEventTypes: readonly EventType[] = ['run.started', ...(Object.keys(CHANGES) as EventType[])];

function noteOutcome(task: TaskRecord, event: Of<'call.ended'>, rows: Pick<Rows, 'get' | 'put'>): void {
  const { call, usage, status, output } = event.data;
  const used = (usage?.tokens_in ?? 0) + (usage?.tokens_out ?? 0);
  // The call that waited for an inner run repeats its usage.
  if (usage?.tool_calls === undefined) {
    task.tokens += used;
    task.usd += usage?.usd ?? 0;
    if (used > 0) task.thoughts += 1;
  }
  if (status === 'failed') task.failed_calls += 1;
  if (rows.get(`planning/${call}`) === undefined || status === 'waiting') return;
  rows.put(`planning/${call}`, null);
  if (status !== 'ok') return;
  const { by, sha256, criteria, input, tools, targets } = output as unknown as Planned;
  task.plan = { by, sha256, criteria, input, tools, targets, seq: event.seq };
  task.plans += 1;
}

type Asked = { at: string; kind: WaitFor['kind'] };

function noteQuestion(task: TaskRecord, { at, data }: Of<'wait.opened'>, rows: Pick<Rows, 'get' | 'put'>): void {
  const { kind } = data.for;
  if (kind !== 'approval' && kind !== 'question' && kind !== 'requirement') return;
  rows.put(`wait/${data.wait}`, { at, kind } satisfies Asked);
  if (kind === 'approval') task.approvals.asked += 1;
  if (kind === 'question') task.questions += 1;
}

function noteAnswer(task: TaskRecord, { at, data }: Of<'wait.closed'>, rows: Pick<Rows, 'get' | 'put'>): void {
  const asked = rows.get<Asked>(`wait/${data.wait}`);
  if (asked === undefined) return;
  rows.put(`wait/${data.wait}`, null);
  task.waited_ms += Math.max(0, Date.parse(at) - Date.parse(asked.at));
  if (asked.kind !== 'approval') return;
  if (data.answer.verdict === 'approved') task.approvals.approved += 1;
  else task.approvals.denied += 1;
}
