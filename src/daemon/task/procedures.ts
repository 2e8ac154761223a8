/**
 * Owns: what the worker knows of procedures, and a plan that is made from one.
 *
 * 1. Procedures are read from the maintenance ledger, never from pages. Where it cannot be read, there are none.
 * 2. Only what is new is read.
 * 3. A plan from a procedure has to meet what a model's plan has to meet: its tools exist and accept their input, its
 *    criteria can be parsed and check the same kind of thing as before, its targets are inside the desk. Its commands are
 *    classified one by one, like those of a model.
 * 4. A procedure cannot follow an instruction that it was not learned under: where one about the task is newer than the
 *    runs behind it, the model plans, if there is one, and is shown the procedure.
 */
import { checkGraph } from '../../engine/check-graph.ts';
import { stampOf } from '../../ledger/disk.ts';
import { IN_MEMORY } from '../../ledger/fold-database.ts';
import { FoldStore } from '../../ledger/fold-store.ts';
import { catchUp, withRepair } from '../../ledger/follower.ts';
import { kindOfFact } from '../../memory/distil/fact-finding.ts';
import { factView, storedFacts } from '../../memory/fact-view.ts';
import { chooseProcedure, type Chosen } from '../../memory/procedures/choose-procedure.ts';
import { fillTemplate } from '../../memory/procedures/text-template.ts';
import type { FilledProcedure } from '../../memory/procedures/fill-procedure.ts';
import type { KnownProcedure } from '../../memory/procedures/known-procedures.ts';
import { knownProcedures, procedureView } from '../../memory/procedures/procedure-rows.ts';
import { taskFields, taskText } from '../../memory/procedures/task-text.ts';
import { topicWords } from '../../memory/recall/relevance.ts';
import { extractTerms } from '../../memory/text/terms.ts';
import { parseCriterion } from '../../roles/criteria.ts';
import { stepAcceptanceProblem, withoutProse } from '../../roles/step-acceptance.ts';
import { isRelativeInside } from '../../roles/glob.ts';
import type { MaintenanceConfig } from '../../schema/maintenance.ts';
import { Graph } from '../../schema/graph.ts';
import type { Clock } from '../../schema/ports.ts';
import type { Rows } from '../../schema/rows.ts';
import type { TaskGiven } from '../../schema/task-run.ts';
import type { Tool } from '../../schema/tool.ts';
import type { View } from '../../schema/view.ts';

export type Choose = (ask: { run: string; task: TaskGiven; body: string }) => Promise<Chosen>;

export type ProceduresOptions = {
  /** The maintenance ledger. */
  ledger: string;
  settings: MaintenanceConfig['procedures'];
  tools: () => readonly Tool[];
  /** Whether a model could plan. */
  hasPlanner: () => boolean;
  clock: Clock;
};

/** A task with this tag is always planned from scratch. */
const NO_PROCEDURE_TAG = 'no-procedure';

export function procedureChooser({ ledger, settings, tools, hasPlanner, clock }: ProceduresOptions): Choose {
  const known = procedureReader(ledger);
  const instructions = instructionReader(ledger);
  return async ({ run, task, body }) => {
    const wishes = task.fields.tags?.includes(NO_PROCEDURE_TAG) === true || task.fields.model !== undefined;
    if (wishes || task.fields.corrects !== undefined) return { kind: 'none' };
    const procedures = await known();
    if (procedures.length === 0) return { kind: 'none' };
    const text = taskText(taskFields(task), task.dir, body);
    const stated = hasPlanner() ? await instructions() : [];
    return chooseProcedure({
      run,
      text,
      bare: taskText({ ...taskFields(task), accept: [] }, task.dir, body),
      today: new Date(clock()).toISOString().slice(0, 10),
      known: procedures,
      shares: settings,
      hasPlanner: hasPlanner(),
      check: (filled, of) => problemWith(filled, of, tools()) ?? newerInstruction(of, text, stated),
    });
  };
}

/** The procedures in a maintenance ledger. */
export const procedureReader = (ledger: string): (() => Promise<KnownProcedure[]>) =>
  createReader(ledger, procedureView, knownProcedures);

/** Reads only what is new, once at a time; what cannot be read has nothing in it (1, 2). */
function createReader<T>(ledger: string, view: View, query: (rows: Rows) => T[]): () => Promise<T[]> {
  const store = FoldStore.open(IN_MEMORY, { version: `${view.name}@${view.version}` });
  const sources = { ledgers: { maintenance: ledger }, folds: [view] };
  let known: T[] = [];
  let read = '';
  let reading: Promise<T[]> = Promise.resolve([]);
  const readOn = async (): Promise<T[]> => {
    const stamp = stampOf(ledger);
    if (stamp !== read) {
      await withRepair(store, () => catchUp(store, sources));
      known = query(store);
      read = stamp;
    }
    return known;
  };
  return () => {
    reading = reading.then(readOn).catch(() => {
      store.reset();
      read = '';
      return [];
    });
    return reading;
  };
}

type Instruction = { text: string; since: number };

/** What people want to have done in a certain manner, and the event in which they said so first. */
const instructionReader = (ledger: string): (() => Promise<Instruction[]>) =>
  createReader(ledger, factView, (rows) =>
    [...storedFacts(rows)]
      .filter(({ fact, state }) => state.kind === 'valid' && INSTRUCTIONS.has(kindOfFact(fact.id)))
      .map(({ fact }) => ({ text: fact.text, since: Math.min(...fact.evidence.map(({ seq }) => seq)) })),
  );

const INSTRUCTIONS: ReadonlySet<string> = new Set(['standing', 'preference']);

/** Names an instruction with words of the task that is newer than the runs behind the procedure (4); null when there is none. */
function newerInstruction({ procedure }: KnownProcedure, task: string, stated: readonly Instruction[]): string | null {
  const learned = Math.max(0, ...procedure.evidence.map(({ seq }) => seq));
  const about = subjectWords(task);
  const found = stated.find(
    ({ text, since }) => since > learned && [...subjectWords(text)].some((word) => about.has(word)),
  );
  return found === undefined ? null : `an instruction is newer than it: ${found.text.slice(0, 200)}`;
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
