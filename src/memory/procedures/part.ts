/**
 * Owns: what maintenance knows about procedures: families of tasks, how they went, and procedures made of them.
 * Does not own: how a procedure stands (standing.ts, gate.ts), nor that one is used (daemon/task/procedures.ts).
 *
 * 1. A procedure is made of at least two runs that were fine, trusted, and planned by a model at the first attempt.
 * 2. One draft for one reason: when it is in the ledger the reason is gone.
 * 3. A run that turns out not to have been fine is no sample any more.
 */
import type { Event, NewEvent } from '../../schema/event.ts';
import { Graph } from '../../schema/graph.ts';
import type { Json } from '../../schema/json.ts';
import type { TaskGiven } from '../../schema/task-run.ts';
import { type Page, type Part, touchPage } from '../learning.ts';
import type { Rows } from '../../schema/rows.ts';
import type { Read } from '../../schema/view.ts';
import { type TaskRecord, taskRecordOf, wasFine } from '../task-record.ts';
import { type Execution, executionOf, executionsOf, familyOf, keepExecution } from './execution.ts';
import { familyFor } from './family.ts';
import { shortHash, tokensOf } from './lift.ts';
import { draftFrom, draftsIn, samplesOf, setSamples } from './mine.ts';
import { pageOf } from './page.ts';
import type { Sample } from './sample.ts';
import { shapeOf } from './shape.ts';
import { saidIn, type TaskSaid, taskText } from './task-text.ts';
import { forgetTaint, isTainted, noteTaint, unasked } from './trust.ts';
import { idsOf, knownProcedure, takeKnown } from './shelf.ts';

const FOLDER = 'brain/PROCEDURES/';
const MOST_SAMPLES = 6;
const LARGEST_SAMPLE = 60_000;

const givenKey = (run: string): string => `procedures/given/${run}`;
const ofKey = (run: string): string => `procedures/of/${run}`;

export const procedures: Part = {
  name: 'procedures',
  wants: (event, book) => {
    const task = endedTask(event, book);
    if (task === null) return [];
    return task.plan?.by === 'model' && task.plans === 1 ? [task.body, task.plan.sha256] : [task.body];
  },
  take: (read, book) => takeIn(read, book),
  conclude: (book): NewEvent[] =>
    draftsIn(book).map((procedure) => ({ type: 'procedure.drafted', data: { procedure } })),
  page: (page, book): Page | null | undefined => {
    if (!page.startsWith(FOLDER) || !page.endsWith('.md')) return undefined;
    const known = knownProcedure(book, page.slice(FOLDER.length, -3));
    return known === undefined ? null : pageOf(known, executionsOf(book, familyOf(known.procedure.id)));
  },
};

/** The family that a finished task is counted in. */
export const familyOfRun = (book: Rows, run: string): string | undefined => book.get<string>(ofKey(run));

export const pageName = (procedure: string): string => `${FOLDER}${procedure}.md`;

function takeIn(read: Read, book: Rows): void {
  const { event } = read;
  if (event.pen === 'maintenance') return takeLearned(event, book);
  noteTaint(book, event);
  if (event.type === 'run.started') begin(event, book);
  if (event.type === 'run.ended') end(read, book);
  if ((event.type === 'run.corrected' || event.type === 'run.undone') && event.run !== null) revise(event.run, book);
}

/** What is no longer used is made anew only of runs that come later. */
function takeLearned(event: Event, book: Rows): void {
  takeKnown(event, book, (id) => touchPage(book, pageName(id)));
  if (event.type !== 'procedure.moved' || (event.data.to !== 'demoted' && event.data.to !== 'retired')) return;
  const { procedure: id } = event.data;
  const shape = knownProcedure(book, id)?.procedure.shape;
  if (shape !== undefined) setSamples(book, familyOf(id), shape, []);
}

function begin({ run, data }: Extract<Event, { type: 'run.started' }>, book: Rows): void {
  const { parent, graph, input } = data;
  if (run === null || parent !== null || graph.id !== 'oka.task') return;
  const given = input as unknown as TaskGiven;
  if (given.fields.corrects === undefined) book.put(givenKey(run), saidIn(given));
}

/** A finished task that says something about a family. */
function endedTask(event: Event, book: Rows): TaskRecord | null {
  if (event.type !== 'run.ended' || event.run === null || book.get(givenKey(event.run)) === undefined) return null;
  const task = taskRecordOf(book, event.run);
  const by = task?.plan?.by;
  return task !== undefined && (by === 'model' || by === 'procedure') && event.data.status !== 'cancelled'
    ? task
    : null;
}

function end({ event, text: textOf }: Read, book: Rows): void {
  if (event.run === null) return;
  const task = endedTask(event, book);
  const said = book.get<TaskSaid>(givenKey(event.run));
  const body = task === null ? null : textOf(task.body);
  const tainted = isTainted(book, event.run);
  book.put(givenKey(event.run), null);
  forgetTaint(book, event.run);
  if (task === null || said === undefined || body === null) return;
  const text = taskText(said, task.dir, body);
  const graph = task.plan?.by === 'model' && task.plans === 1 ? graphIn(textOf(task.plan.sha256)) : null;
  const reached = graph === null ? [] : unasked(graph, text);
  const found = placed(book, task, text, graph);
  const about = { ...found, seq: event.seq, inputs: shortHash(text, 16), tainted: tainted || reached.length > 0 };
  const execution = executionOf(task, about);
  keep(book, execution);
  book.put(ofKey(task.run), found.family);
  if (graph !== null) addSample(book, execution, task, { text, graph: JSON.parse(JSON.stringify(graph)) as Json });
}

function graphIn(text: string | null): Graph | null {
  if (text === null || text.length > LARGEST_SAMPLE) return null;
  const read = Graph.safeParse(JSON.parse(text));
  return read.success ? read.data : null;
}

/** A task that matched a procedure is of its family, whatever its plan. */
function placed(
  book: Rows,
  { choice, plan }: TaskRecord,
  text: string,
  graph: Graph | null,
): Pick<Execution, 'family' | 'shape'> {
  const chosen =
    choice === null || choice.arm === 'offered' ? undefined : knownProcedure(book, choice.procedure)?.procedure;
  const shape = plan?.by === 'procedure' ? (chosen?.shape ?? null) : graph === null ? null : shapeOf(graph, text);
  if (chosen !== undefined) return { family: familyOf(chosen.id), shape };
  const tokens = tokensOf(text);
  return { family: tokens === null ? shortHash(text, 12) : familyFor(book, tokens, shape), shape };
}

function keep(book: Rows, execution: Execution): void {
  keepExecution(book, execution);
  for (const id of idsOf(book, execution.family)) touchPage(book, pageName(id));
}

/** 1. */
function addSample(book: Rows, execution: Execution, task: TaskRecord, made: Pick<Sample, 'text' | 'graph'>): void {
  const { family, shape, run, seq, fine, trusted } = execution;
  const { plan } = task;
  if (shape === null || !fine || !trusted || plan === null || plan.input !== null) return;
  if (made.text.length + JSON.stringify(made.graph).length > LARGEST_SAMPLE) return;
  const { criteria, tools, targets } = plan;
  const sample: Sample = { run, seq, day: task.started.slice(0, 10), ...made, criteria, tools, targets };
  const others = samplesOf(book, family, shape).filter(({ text }) => text !== made.text);
  setSamples(book, family, shape, [...others, sample].slice(-MOST_SAMPLES));
  draftFrom(book, family, shape);
}

/** 3. */
function revise(run: string, book: Rows): void {
  const family = book.get<string>(ofKey(run));
  const task = taskRecordOf(book, run);
  const known = family === undefined ? undefined : executionsOf(book, family).find((each) => each.run === run);
  if (task === undefined || known === undefined) return;
  const { family: own, shape, seq, inputs, trusted } = known;
  keep(book, { ...executionOf(task, { family: own, shape, seq, inputs, tainted: false }), trusted });
  if (shape === null || wasFine(task)) return;
  const left = samplesOf(book, own, shape).filter((each) => each.run !== run);
  setSamples(book, own, shape, left);
  draftFrom(book, own, shape);
}
