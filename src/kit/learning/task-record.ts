/** The outcome and the cost of a task, folded from the events of its run and of the runs inside it. */
import type { Event, EventType } from '../../core/schema/event.ts';
import type { InstallInput } from '../../core/schema/dependency.ts';
import type { ProcedureChoice, ResultTraits } from '../../core/schema/procedure.ts';
import { areSaidToBeMet } from '../../core/schema/unproven-claim.ts';
import type { Planned, TaskGiven } from '../../core/schema/task-run.ts';
import type { WaitFor } from '../../core/schema/wait.ts';
import type { Part } from '../../core/schema/learning-part.ts';
import type { Rows } from '../../core/schema/rows.ts';

/** Whether an agent has started the task, so that its text is no statement of a person. */
export const isByAgent = (by: string): boolean => by.startsWith('agent:');

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
  /** How often it was planned again because the critic had sent it back. */
  rework: number;
  /** The plan of a procedure with a result that was sent back for a mistake that none of its checks saw. */
  rejected: string | null;
  /** Its latest plan. */
  plan: (Pick<Planned, 'by' | 'sha256' | 'criteria' | 'input' | 'tools' | 'targets'> & { seq: number }) | null;
  plans: number;
  choice:
    | (Pick<ProcedureChoice, 'procedure' | 'version' | 'arm' | 'parameters' | 'saves' | 'inputs'> & { seq: number })
    | null;
  /** What its result was like, where a procedure is for such tasks. */
  result?: ResultTraits;
  /** The finished run that it corrects, and the run that corrects it. */
  corrects: string | null;
  corrected: string | null;
  /** The failed run that it continues. */
  continues: string | null;
  undone: boolean;
  tokens: number;
  usd: number;
  /** Those of the tokens that the critic took. */
  critic_tokens: number;
  /** Completions that were asked for. */
  thoughts: number;
  /** Calls of its steps that failed, also those that were repeated. */
  failed_calls: number;
  approvals: { asked: number; approved: number; denied: number };
  questions: number;
  /** Missing tools that were installed for it while it ran. */
  installs: string[];
  /** Calls that tried more than their class allows. */
  overstepped: number;
  /** Time in which it was not at work: it waited for people, the machine slept, or no worker ran. */
  waited_ms: number;
  /** How much of that it waited for its turn on the desk; absent when it did not. */
  desk_ms?: number;
  open: OpenEntries;
};

/** What is in progress, so that its end can be understood. */
type OpenEntries = {
  /** The calls that the engine makes itself. */
  calls: Record<string, 'plan' | 'critic' | 'inner'>;
  /** The waits for people, and since when at least one of them is open. */
  waits: Record<string, PersonWait>;
  since: string | null;
  /** Whether the critic has sent it back and it is not planned again yet. */
  sent_back: boolean;
  /** Whether the steps that are judged did not get done. */
  steps_failed: boolean;
};
type PersonWait = Extract<WaitFor['kind'], 'approval' | 'question' | 'requirement'>;

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
  applyToTask(task, event);
  rows.put(keyOf(root), task);
}

/** Changes the given task. */
export function applyToTask(task: TaskRecord, event: Event): void {
  (CHANGES[event.type] as Change<Event['type']> | undefined)?.(task, event);
  task.last = Math.max(task.last, event.seq);
}

function startRecord(event: Of<'run.started'>, run: string, rows: Rows): void {
  const { parent, depth } = event.data;
  if (parent !== null && depth > 0) return rows.put(`root/${run}`, rootOf(rows, parent));
  const served = runServedBy(event);
  if (served !== null && isOpen(taskRecordOf(rows, rootOf(rows, served))))
    return rows.put(`root/${run}`, rootOf(rows, served));
  const task = startTask(event, run);
  if (task !== null) rows.put(keyOf(run), task);
}

const isOpen = (task: TaskRecord | undefined): boolean => task !== undefined && task.ended === null;

/** The run for which an installation, which is a run of its own, was started; null for every other run. */
export function runServedBy({ data: { graph, input } }: Of<'run.started'>): string | null {
  if (graph.id !== 'oka.install') return null;
  const run = (input as Partial<InstallInput> | null)?.for_run;
  return typeof run === 'string' ? run : null;
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
  rejected: null,
  plan: null,
  plans: 0,
  choice: null,
  corrected: null,
  undone: false,
  tokens: 0,
  usd: 0,
  critic_tokens: 0,
  thoughts: 0,
  failed_calls: 0,
  approvals: { asked: 0, approved: 0, denied: 0 },
  questions: 0,
  installs: [],
  overstepped: 0,
  waited_ms: 0,
  open: { calls: {}, waits: {}, since: null, sent_back: false, steps_failed: false },
});

/** Calls that the engine makes itself: they are not work of the task. */
const INNER = new Set(['task.plan', 'task.critique', 'step.check', 'run.start', 'model.complete']);
export const isWorkOfTask = (tool: string): boolean => !INNER.has(tool);

type Of<T extends Event['type']> = Extract<Event, { type: T }>;
type Change<T extends Event['type']> = (task: TaskRecord, event: Of<T>) => void;

/** Events of other types do not change the record. */
const CHANGES: { readonly [T in Event['type']]?: Change<T> } = {
  'call.started': noteCall,
  'call.ended': noteOutcome,
  'run.judged': (task, { run, data }) => {
    if (run !== task.run) return;
    task.open.sent_back = data.verdict === 'rework';
    if (data.result !== undefined) task.result = data.result;
    const unmet = data.criteria.filter(({ holds }) => !holds);
    const isSeen = task.open.sent_back && !task.open.steps_failed && isMistake(unmet);
    if (isSeen && task.plan?.by === 'procedure') task.rejected ??= task.plan.sha256;
  },
  'procedure.chosen': (task, { data: { procedure, version, arm, parameters, saves, inputs }, seq }) => {
    task.choice = { procedure, version, arm, parameters, saves, seq, ...(inputs === undefined ? {} : { inputs }) };
  },
  'run.corrected': (task, { run, data }) => {
    if (run === task.run) task.corrected = data.by;
  },
  'run.undone': (task, { run }) => {
    if (run === task.run) task.undone = true;
  },
  'dependency.installed': (task, { data: { by, name, version } }) => {
    if (task.ended === null) task.installs.push(`${by}:${name}@${version}`);
  },
  'call.misclassified': (task) => {
    task.overstepped += 1;
  },
  // While a person is waited for, the wait covers the time that was skipped.
  'run.time_skipped': (task, { data }) => {
    if (task.open.since === null) task.waited_ms += data.ms;
    if (data.why === 'desk') task.desk_ms = (task.desk_ms ?? 0) + data.ms;
  },
  'wait.opened': noteQuestion,
  'wait.closed': noteAnswer,
  'run.ended': (task, { run, at, data: { status, reason } }) => {
    if (run !== task.run) return;
    endWaiting(task, at);
    Object.assign(task, { ended: at, status, reason: reason.slice(0, 2000) });
    task.open = { ...task.open, waits: {}, since: null, sent_back: false };
  },
};

/** Whether somebody saw a mistake and no check did. A critic that says "met" and cannot show it has seen none. */
const isMistake = (unmet: readonly { by: string; evidence: string }[]): boolean =>
  unmet.length > 0 && unmet.every(({ by }) => by !== 'check') && !areSaidToBeMet(unmet);

/** The events that change a task beyond its `last`. */
export const taskEventTypes: readonly EventType[] = ['run.started', ...(Object.keys(CHANGES) as EventType[])];

function noteCall(task: TaskRecord, { run, data: { call, tool, input } }: Of<'call.started'>): void {
  const { role, end } = (input ?? {}) as { role?: unknown; end?: { status?: unknown } };
  const isCritic = tool === 'model.complete' && role === 'critic';
  if (tool === 'task.critique') task.open.steps_failed = end?.status !== 'done';
  if (INNER.has(tool)) task.open.calls[call] = tool === 'task.plan' ? 'plan' : isCritic ? 'critic' : 'inner';
  if (tool !== 'task.plan' || run !== task.run || !task.open.sent_back) return;
  task.open.sent_back = false;
  task.rework += 1;
}

function noteOutcome(task: TaskRecord, event: Of<'call.ended'>): void {
  const { call, usage, status, output, retried } = event.data;
  const used = (usage?.tokens_in ?? 0) + (usage?.tokens_out ?? 0);
  const inner = task.open.calls[call];
  // The call that waited for an inner run repeats its usage.
  if (usage?.tool_calls === undefined) {
    task.tokens += used;
    if (inner === 'critic') task.critic_tokens += used;
    task.usd += usage?.usd ?? 0;
    if (used > 0) task.thoughts += 1;
  }
  if (inner === undefined && status === 'failed') task.failed_calls += 1;
  if (inner === undefined || status === 'waiting' || retried === true) return;
  delete task.open.calls[call];
  if (inner !== 'plan' || status !== 'ok') return;
  const { by, sha256, criteria, input, tools, targets } = output as unknown as Planned;
  task.plan = { by, sha256, criteria, input, tools, targets, seq: event.seq };
  task.plans += 1;
}

function noteQuestion(task: TaskRecord, { at, data }: Of<'wait.opened'>): void {
  const { kind } = data.for;
  if (task.ended !== null || (kind !== 'approval' && kind !== 'question' && kind !== 'requirement')) return;
  task.open.waits[data.wait] = kind;
  task.open.since ??= at;
  if (kind === 'approval') task.approvals.asked += 1;
  if (kind === 'question') task.questions += 1;
}

function noteAnswer(task: TaskRecord, { at, data }: Of<'wait.closed'>): void {
  const kind = task.open.waits[data.wait];
  if (kind === undefined) return;
  delete task.open.waits[data.wait];
  if (Object.keys(task.open.waits).length === 0) endWaiting(task, at);
  if (kind === 'approval') task.approvals[data.answer.verdict === 'approved' ? 'approved' : 'denied'] += 1;
}

/** Several waits at a time are one span of time. */
function endWaiting(task: TaskRecord, at: string): void {
  const { since } = task.open;
  if (since === null) return;
  task.waited_ms += Math.max(0, Date.parse(at) - Date.parse(since));
  task.open.since = null;
}
