/**
 * Owns: what the worker knows of procedures, and a plan that is made from one.
 *
 * 1. Procedures are read from the maintenance ledger, never from pages. Where it cannot be read, there are none.
 * 2. Only what is new is read.
 * 3. A plan from a procedure has to meet what a model's plan has to meet: its tools exist and accept their input, its
 *    criteria can be parsed and check the same kind of thing as before, its targets are inside the desk. Its commands are
 *    classified one by one, like those of a model.
 * 4. A procedure cannot follow an instruction that it was not learned under, and may follow one that is gone: where one
 *    about the task was stated or forgotten after the runs behind it, the model plans, if there is one, and is shown the
 *    procedure. When its plan is the same, the procedure is drafted again (rooms/procedures/draft-procedure.ts).
 */
import { checkGraph } from '../../core/engine/check-graph.ts';
import { stampOf } from '../../core/ledger/disk.ts';
import { IN_MEMORY } from '../../core/ledger/fold-database.ts';
import { FoldStore } from '../../core/ledger/fold-store.ts';
import { catchUp, withRepair } from '../../core/ledger/follower.ts';
import { chooseProcedure } from './choose-procedure.ts';
import { inputShapes } from './input-shapes.ts';
import { fillTemplate } from './text-template.ts';
import type { ChooseProcedure, FilledProcedure } from '../../kit/ports/procedures-port.ts';
import type { KnownProcedure } from '../../kit/learning/known-procedures.ts';
import { knownProcedures, procedureView } from '../../kit/learning/procedure-rows.ts';
import { taskFields, taskText } from './task-text.ts';
import type { StatedInstruction } from '../../kit/ports/memory-port.ts';
import { topicWords } from '../../kit/text/relevance.ts';
import { extractTerms } from '../../kit/text/terms.ts';
import { parseCriterion } from '../../kit/task/criteria.ts';
import { stepAcceptanceProblem, withoutProse } from '../../kit/task/step-acceptance.ts';
import { isRelativeInside } from '../../kit/text/glob.ts';
import type { MaintenanceConfig } from '../../core/schema/maintenance.ts';
import { Graph } from '../../core/schema/graph.ts';
import type { Clock } from '../../core/schema/ports.ts';
import type { Tool } from '../../core/schema/tool.ts';

type ProceduresOptions = {
  /** The maintenance ledger. */
  ledger: string;
  /** What the operator wants to have done in a certain manner; it may fail. */
  instructions: () => Promise<StatedInstruction[]>;
  settings: MaintenanceConfig['procedures'];
  tools: () => readonly Tool[];
  /** The folder of the desk. */
  desk: string;
  /** Whether a model could plan. */
  hasPlanner: () => boolean;
  clock: Clock;
};

/** A task with this tag is always planned from scratch. */
const NO_PROCEDURE_TAG = 'no-procedure';

export function procedureChooser({
  ledger,
  instructions,
  settings,
  tools,
  desk,
  hasPlanner,
  clock,
}: ProceduresOptions): ChooseProcedure {
  const known = procedureReader(ledger);
  return async ({ run, task, body }) => {
    const wishes = task.fields.tags?.includes(NO_PROCEDURE_TAG) === true || task.fields.model !== undefined;
    if (wishes || task.fields.corrects !== undefined || task.fields.from_chat !== undefined) return { kind: 'none' };
    const procedures = await known();
    if (procedures.length === 0) return { kind: 'none' };
    const text = taskText(taskFields(task), task.dir, body);
    const stated = hasPlanner() ? await instructions().catch(() => []) : []; // memory that fails costs no task
    return chooseProcedure({
      run,
      text,
      bare: taskText({ ...taskFields(task), accept: [] }, task.dir, body),
      today: new Date(clock()).toISOString().slice(0, 10),
      known: procedures,
      shares: settings,
      hasPlanner: hasPlanner(),
      look: ({ values }, { procedure }) => inputShapes(procedure, values, desk),
      check: (filled, of) => problemWith(filled, of, tools()) ?? changedInstruction(of, text, stated),
    });
  };
}

/** The procedures in a maintenance ledger. Reads only what is new, once at a time; what cannot be read has none (1, 2). */
export function procedureReader(ledger: string): () => Promise<KnownProcedure[]> {
  const store = FoldStore.open(IN_MEMORY, { version: `${procedureView.name}@${procedureView.version}` });
  const sources = { ledgers: { maintenance: ledger }, folds: [procedureView] };
  let known: KnownProcedure[] = [];
  let read = '';
  let reading: Promise<KnownProcedure[]> = Promise.resolve([]);
  const readOn = async (): Promise<KnownProcedure[]> => {
    const stamp = stampOf(ledger);
    if (stamp !== read) {
      await withRepair(store, () => catchUp(store, sources));
      known = knownProcedures(store);
      read = stamp;
    }
    return known;
  };
  return () => {
    // the store is read anew the next time
    reading = reading.then(readOn).catch(() => {
      store.reset();
      read = '';
      return [];
    });
    return reading;
  };
}

/** Names an instruction about the task that the procedure was not learned under, or that no longer applies (4). */
function changedInstruction(
  { procedure }: KnownProcedure,
  task: string,
  stated: readonly StatedInstruction[],
): string | null {
  const learned = Math.max(0, ...procedure.evidence.map(({ seq }) => seq));
  const about = subjectWords(task);
  // The words of one that a person removed are gone: it may have been about this.
  const related = stated.filter(({ text }) => text === '' || [...subjectWords(text)].some((word) => about.has(word)));
  const newer = related.find(({ since, until }) => until === null && since > learned);
  if (newer !== undefined) return `an instruction is newer than it: ${newer.text.slice(0, 200)}`;
  const gone = related.find(({ since, until }) => until !== null && until > learned && since <= learned);
  if (gone === undefined) return null;
  return `an instruction from before it no longer applies${gone.text === '' ? '' : `: ${gone.text.slice(0, 200)}`}`;
}

/** The topic of a text, and what it is to be, which every second task names and instructions are often about. */
const subjectWords = (text: string): Set<string> =>
  new Set([...topicWords(text), ...extractTerms(text).filter((term) => PRODUCTS.has(term))]);

const PRODUCTS = new Set(extractTerms('report list table page message document'));

/** Why the plan cannot be used, or null (3). */
function problemWith(
  { graph, criteria, targets }: FilledProcedure,
  known: KnownProcedure,
  tools: readonly Tool[],
): string | null {
  const read = Graph.safeParse(graph);
  if (!read.success) return 'its steps are no graph';
  const named = new Map(tools.map((tool) => [tool.name, tool]));
  const [wrong] = checkGraph(withoutProse(read.data), {
    tools: new Set(named.keys()),
    acceptance: stepAcceptanceProblem,
  });
  if (wrong !== undefined) return wrong.problem;
  for (const node of read.data.nodes) {
    const taken = node.kind === 'tool' ? named.get(node.tool)?.input.safeParse(node.input ?? {}) : undefined;
    if (taken?.success === false) return `${node.id}: the tool does not take its input`;
  }
  const outside = targets?.find((target) => !isRelativeInside(target));
  if (outside !== undefined) return `target "${outside}" is not inside the desk`;
  const other = criteria.find(({ text }, at) => kindOf(text) !== kindBefore(known, at));
  return other === undefined ? null : `"${other.text.slice(0, 80)}" is not the criterion it was`;
}

function kindOf(text: string): string {
  const read = parseCriterion(text, 'model');
  return 'problem' in read ? 'problem' : (read.check?.kind ?? 'prose');
}

/** The kind of check that the criterion was in the runs from which the procedure was learned. */
function kindBefore({ procedure: { criteria, parameters } }: KnownProcedure, at: number): string {
  const examples = Object.fromEntries(parameters.map(({ name, examples: [first] }) => [name, first ?? 'x']));
  const kind = kindOf(fillTemplate(criteria[at]?.text ?? '', examples));
  return kind === 'problem' ? 'none' : kind;
}
