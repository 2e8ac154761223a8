/**
 * Owns: what maintenance knows about procedures: families of tasks, how they went, and the procedures drafted from them.
 * Does not own: the status of a procedure (judge-procedures.ts, promotion-gate.ts), nor its use (rooms/task).
 *
 * 1. A procedure is drafted from at least two runs that were fine, trusted, and planned by a model at the first attempt
 *    or by a person, as the steps of a runbook. What a runbook says around its steps is the text of its task.
 * 2. A draft is pending until it is in the ledger, and not written again after that.
 * 3. A run that turns out not to have been fine is no longer a sample. One that was corrected or sent back, and then planned
 *    in the same way, says nothing about the checks of its procedure (repeated-work.ts).
 * 4. What other members of a fleet share is drafted with no runs behind it (imported-procedures.ts); the first run here that
 *    had the same plan is its first evidence.
 */
import type { Event, NewEvent } from '../../core/schema/event.ts';
import { Graph } from '../../core/schema/graph.ts';
import type { Json } from '../../core/schema/json.ts';
import type { TaskGiven } from '../../core/schema/task-run.ts';
import type { Page, Part } from '../../core/schema/learning-part.ts';
import { markPageOutdated } from '../../kit/learning/learning.ts';
import type { Rows } from '../../core/schema/rows.ts';
import type { Read } from '../../core/schema/view.ts';
import { type TaskRecord, taskRecordOf, wasFine } from '../../kit/learning/task-record.ts';
import {
  type Execution,
  toExecution,
  executionsOf,
  familyOfProcedure,
  storeExecution,
} from '../../kit/learning/execution-record.ts';
import { findFamily } from './task-family.ts';
import { shortHash, tokenize } from '../../kit/learning/task-tokens.ts';
import { draftProcedure, pendingDrafts, samplesOf, setSamples } from './draft-procedure.ts';
import { recordShared } from './imported-procedures.ts';
import { isUnconfirmed } from '../../kit/learning/known-procedures.ts';
import { renderProcedurePage } from './procedure-page.ts';
import type { Sample } from './plan-sample.ts';
import { planShape } from './plan-shape.ts';
import { correctedPlans, isSameWork, rejectedPlans } from './repeated-work.ts';
import { taskFields, type TaskFields, taskText, withoutFences } from './task-text.ts';
import { forgetControl, recordControl, wordsThatDiffer } from './control-contents.ts';
import { forgetTaint, isTainted, recordTaint, unaskedTargets } from './run-trust.ts';
import { forgetSigns, hasShownFault, recordSigns } from './shown-fault.ts';
import { procedureIdsOf, knownProcedure, storeProcedureEvent } from '../../kit/learning/procedure-rows.ts';

const FOLDER = 'brain/PROCEDURES/';
const MAX_SAMPLES = 6;
const MAX_SAMPLE_LENGTH = 60_000;

const taskKey = (run: string): string => `procedures/given/${run}`;
const familyKey = (run: string): string => `procedures/of/${run}`;
const mistakenKey = (run: string): string => `procedures/mistaken/${run}`;

export const procedures: Part = {
  name: 'procedures',
  wants: (event, rows) => {
    const task = finishedTask(event, rows);
    if (task === null) return event.type === 'run.ended' ? (correctedPlans(rows, event.run ?? '')?.plans ?? []) : [];
    return [task.body, ...(hasSinglePlan(task) ? [task.plan.sha256] : (rejectedPlans(task) ?? []))];
  },
  take: (read, rows) => ingestEvent(read, rows),
  conclude: (rows): NewEvent[] =>
    pendingDrafts(rows).map((procedure) => ({ type: 'procedure.drafted', data: { procedure } })),
  page: (page, rows): Page | null | undefined => {
    if (!page.startsWith(FOLDER) || !page.endsWith('.md')) return undefined;
    const known = knownProcedure(rows, page.slice(FOLDER.length, -3));
    return known === undefined
      ? null
      : renderProcedurePage(known, executionsOf(rows, familyOfProcedure(known.procedure.id)));
  },
};

/** The family of a finished task. */
export const familyOfRun = (rows: Rows, run: string): string | undefined => rows.get<string>(familyKey(run));

const pageName = (procedure: string): string => `${FOLDER}${procedure}.md`;

function ingestEvent(read: Read, rows: Rows): void {
  const { event } = read;
  if (event.pen === 'maintenance') return ingestProcedureEvent(event, rows);
  if (event.type === 'procedure.shared') return recordShared(rows, event);
  recordTaint(rows, event);
  recordSigns(rows, event);
  recordControl(rows, event);
  if (event.type === 'run.started') recordTask(event, rows);
  if (event.type === 'run.ended') {
    recordEnd(read, rows);
    settleRepeated(event.run ?? '', read.text, rows);
  }
  if ((event.type === 'run.corrected' || event.type === 'run.undone') && event.run !== null) reviseRun(event.run, rows);
}

/** A demoted or retired procedure is drafted again only from later runs. */
function ingestProcedureEvent(event: Event, rows: Rows): void {
  storeProcedureEvent(event, rows, (id) => markPageOutdated(rows, pageName(id)));
  if (event.type === 'procedure.drafted' && isUnconfirmed(event.data.procedure)) {
    const { id: imported, shape: steps } = event.data.procedure;
    draftProcedure(rows, familyOfProcedure(imported), steps); // a run of this home may have had its plan already
  }
  if (event.type !== 'procedure.moved' || (event.data.to !== 'demoted' && event.data.to !== 'retired')) return;
  const { procedure: id } = event.data;
  const shape = knownProcedure(rows, id)?.procedure.shape;
  if (shape !== undefined) setSamples(rows, familyOfProcedure(id), shape, []);
}

function recordTask({ run, data }: Extract<Event, { type: 'run.started' }>, rows: Rows): void {
  const { parent, graph, input } = data;
  if (run === null || parent !== null || graph.id !== 'oka.task') return;
  const fields = (input as Partial<TaskGiven> | null)?.fields;
  if (fields === undefined) return; // A graph of a person may have this name, too.
  if (fields.corrects === undefined) rows.put(taskKey(run), taskFields({ fields }));
}

/** Returns the record of a task that ended and shows something about its plan, else null. */
function finishedTask(event: Event, rows: Rows): TaskRecord | null {
  if (event.type !== 'run.ended' || event.run === null || rows.get(taskKey(event.run)) === undefined) return null;
  const task = taskRecordOf(rows, event.run);
  return task?.plan != null && (wasFine(task) || hasShownFault(rows, event.run)) ? task : null;
}

/** Whether the task was done with one plan that nobody derived from a procedure. */
function hasSinglePlan(task: TaskRecord): task is TaskRecord & { plan: NonNullable<TaskRecord['plan']> } {
  return task.plan !== null && task.plan.by !== 'procedure' && task.plans === 1;
}

function recordEnd({ event, text: textOf }: Read, rows: Rows): void {
  if (event.run === null) return;
  const task = finishedTask(event, rows);
  const said = rows.get<TaskFields>(taskKey(event.run));
  const body = task === null ? null : textOf(task.body);
  const tainted = isTainted(rows, event.run);
  rows.put(taskKey(event.run), null);
  forgetTaint(rows, event.run);
  forgetSigns(rows, event.run);
  const differs = wordsThatDiffer(rows, event.run, body ?? '');
  forgetControl(rows, event.run);
  if (task === null || said === undefined || body === null) return;
  const isRunbook = task.plan?.by === 'runbook';
  const text = taskText(said, task.dir, isRunbook ? withoutFences(body) : body);
  const graph = hasSinglePlan(task) ? parsePlan(textOf(task.plan.sha256)) : null;
  const reached = graph === null ? [] : unaskedTargets(graph, `${text}\n${body}`);
  const found = assignFamily(rows, task, text, graph);
  const rejected = task.status === 'done' ? rejectedPlans(task) : null;
  const execution = toExecution(task, {
    ...found,
    seq: event.seq,
    inputs: shortHash(text, 16),
    tainted: tainted || reached.length > 0,
    differs,
    repeated: rejected !== null && isSameWork(textOf(rejected[0]), textOf(rejected[1])),
  });
  storeAndTouch(rows, execution);
  rows.put(familyKey(task.run), found.family);
  if (graph !== null) addSample(rows, execution, task, { text, graph: JSON.parse(JSON.stringify(graph)) as Json });
}

function parsePlan(text: string | null): Graph | null {
  if (text === null || text.length > MAX_SAMPLE_LENGTH) return null;
  const read = Graph.safeParse(JSON.parse(text));
  return read.success ? read.data : null;
}

/** A task that matched a procedure belongs to its family, whatever its plan. */
function assignFamily(
  rows: Rows,
  { choice, plan }: TaskRecord,
  text: string,
  graph: Graph | null,
): Pick<Execution, 'family' | 'shape'> {
  const chosen =
    choice === null || choice.arm === 'offered' ? undefined : knownProcedure(rows, choice.procedure)?.procedure;
  const shape = plan?.by === 'procedure' ? (chosen?.shape ?? null) : graph === null ? null : planShape(graph, text);
  if (chosen !== undefined) return { family: familyOfProcedure(chosen.id), shape };
  const tokens = tokenize(text);
  return { family: tokens === null ? shortHash(text, 12) : findFamily(rows, tokens, shape), shape };
}

function storeAndTouch(rows: Rows, execution: Execution): void {
  storeExecution(rows, execution);
  for (const id of procedureIdsOf(rows, execution.family)) markPageOutdated(rows, pageName(id));
}

/** Adds a run that qualifies as a sample (1). */
function addSample(rows: Rows, execution: Execution, task: TaskRecord, made: Pick<Sample, 'text' | 'graph'>): void {
  const { family, shape, run, seq, fine, trusted } = execution;
  const { plan } = task;
  if (shape === null || !fine || !trusted || plan === null || plan.input !== null) return;
  if (made.text.length + JSON.stringify(made.graph).length > MAX_SAMPLE_LENGTH) return;
  const { criteria, tools, targets } = plan;
  const sample: Sample = { run, seq, day: task.started.slice(0, 10), ...made, criteria, tools, targets };
  const others = samplesOf(rows, family, shape).filter(({ text }) => text !== made.text);
  setSamples(rows, family, shape, [...others, sample].slice(-MAX_SAMPLES));
  draftProcedure(rows, family, shape);
}

/** A person who had the same done again has not seen a mistake of the procedure (3), unless a correction before showed one. */
function settleRepeated(correction: string, textOf: Read['text'], rows: Rows): void {
  const repeated = correctedPlans(rows, correction);
  if (repeated === null) return;
  const { run, plans } = repeated;
  if (!isSameWork(textOf(plans[0]), textOf(plans[1]))) rows.put(mistakenKey(run), true);
  const known = executionsOf(rows, familyOfRun(rows, run) ?? '').find((each) => each.run === run);
  if (known?.seen_by === 'person' && rows.get(mistakenKey(run)) === undefined)
    storeAndTouch(rows, { ...known, seen_by: null, repeated: true });
}

/** Updates the record of a run that was corrected or undone, and removes it from the samples (3). */
function reviseRun(run: string, rows: Rows): void {
  const family = rows.get<string>(familyKey(run));
  const task = taskRecordOf(rows, run);
  const known = family === undefined ? undefined : executionsOf(rows, family).find((each) => each.run === run);
  if (task === undefined || known === undefined) return;
  const { family: own, shape, seq, inputs, trusted, differs } = known;
  const repeated = known.repeated && task.rejected !== null;
  storeAndTouch(rows, {
    ...toExecution(task, { family: own, shape, seq, inputs, differs, tainted: false, repeated }),
    trusted,
  });
  if (shape === null || wasFine(task)) return;
  const left = samplesOf(rows, own, shape).filter((each) => each.run !== run);
  setSamples(rows, own, shape, left);
  draftProcedure(rows, own, shape);
}
