/** What a person is told, once, when a procedure was promoted: what is done without planning now, and how to undo it. */
import type { NewEvent } from '../../core/schema/event.ts';
import type { ProcedureMove } from '../../core/schema/procedure.ts';
import type { Rows } from '../../core/schema/rows.ts';
import { knownProcedure } from './procedure-rows.ts';

/** Whether the gate has promoted it; a person who forces it knows, and the end of a probation is no news. */
export const isNewHabit = ({ from, to, forced }: Pick<ProcedureMove, 'from' | 'to' | 'forced'>): boolean =>
  to === 'promoted' && from !== 'promoted' && !forced;

export const undoCommand = (id: string): string => `oka procedures demote ${id}`;

/** The sentence for an event that makes a habit; none for any other event. */
export function newHabit(rows: Rows, { type, data }: NewEvent): string[] {
  if (type !== 'procedure.moved' || !isNewHabit({ ...data, from: data.from, forced: data.forced ?? false })) return [];
  const title = knownProcedure(rows, data.procedure)?.procedure.title ?? data.procedure;
  return [`I now do this by myself: ${title}. Undo with: ${undoCommand(data.procedure)}`];
}
