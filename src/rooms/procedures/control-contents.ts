/**
 * Owns: what a procedure would have written where a run without it, on the same task, wrote something else.
 *
 * 1. A run that was held back from a procedure is its control: the same task, planned by a model. What the procedure writes by
 *    itself is what stands in the texts of its filled plan and not in the task.
 * 2. Of that, the words that no call of the control has are what differs. Whichever of the two is right, no check saw the
 *    difference, so that cheaper says nothing. How a control goes about it does not matter, nor what else it writes.
 */
import type { Event } from '../../core/schema/event.ts';
import { Graph } from '../../core/schema/graph.ts';
import type { Rows } from '../../core/schema/rows.ts';
import { knownProcedure } from '../../kit/learning/procedure-rows.ts';
import { isWorkOfTask, rootOf } from '../../kit/learning/task-record.ts';
import { fillProcedure, isProblem } from './fill-procedure.ts';
import { textsWritten } from './run-trust.ts';

const MAX_WORDS = 500;

const unsaidKey = (run: string): string => `procedures/unsaid/${run}`;

export const forgetControl = (rows: Rows, run: string): void => rows.put(unsaidKey(run), null);

/** Takes in which procedure a run is held back from, and what its calls say. */
export function recordControl(rows: Rows, event: Event): void {
  if (event.run === null) return;
  if (event.type === 'procedure.chosen') rows.put(unsaidKey(event.run), wordsOfHabit(rows, event));
  if (event.type !== 'call.started' || !isWorkOfTask(event.data.tool)) return;
  const key = unsaidKey(rootOf(rows, event.run));
  const unsaid = rows.get<string[]>(key);
  if (unsaid !== undefined && unsaid.length > 0)
    rows.put(key, wordsMissingIn(JSON.stringify(event.data.input), unsaid));
}

/** What the procedure would have written, and neither the task nor the control says. */
export const wordsThatDiffer = (rows: Rows, run: string, task: string): string[] =>
  wordsMissingIn(task, rows.get<string[]>(unsaidKey(run)) ?? []);

function wordsOfHabit(rows: Rows, { data, at }: Extract<Event, { type: 'procedure.chosen' }>): string[] | null {
  const procedure = data.arm === 'held_back' ? knownProcedure(rows, data.procedure)?.procedure : undefined;
  const filled =
    procedure?.version !== data.version ? null : fillProcedure(procedure, data.parameters, at.slice(0, 10));
  if (filled === null || isProblem(filled)) return null;
  const graph = Graph.safeParse(filled.graph).data;
  return graph === undefined ? null : [...new Set(wordsIn(textsWritten(graph.nodes)))].slice(0, MAX_WORDS);
}

const wordsIn = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** A number may be grouped otherwise, so that one is found wherever its digits are. */
function wordsMissingIn(text: string, words: readonly string[]): string[] {
  const said = new Set(wordsIn(text));
  const bare = text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
  return words.filter((word) => !said.has(word) && !(/\p{N}{3}/u.test(word) && bare.includes(word)));
}
