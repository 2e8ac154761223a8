/** What has worked for tasks like this one, as whoever plans a task asks for it. */
import type { Json } from '../../core/schema/json.ts';
import type { ProcedureChoice } from '../../core/schema/procedure.ts';
import type { Planned, TaskGiven } from '../../core/schema/task-run.ts';
import type { Candidate } from '../learning/context-pack.ts';
import type { KnownProcedure } from '../learning/known-procedures.ts';

export type ChooseProcedure = (ask: { run: string; task: TaskGiven; body: string }) => Promise<ChosenProcedure>;

export type ChosenProcedure =
  | { kind: 'plan'; filled: FilledProcedure; known: KnownProcedure; choice: ProcedureChoice }
  | { kind: 'withheld'; choice: ProcedureChoice }
  | { kind: 'offer'; offers: Candidate[]; choice: ProcedureChoice }
  | { kind: 'none' };

/** A procedure with the values of one task. */
export type FilledProcedure = Pick<Planned, 'criteria' | 'tools' | 'targets'> & {
  graph: Json;
  values: Readonly<Record<string, string>>;
};
