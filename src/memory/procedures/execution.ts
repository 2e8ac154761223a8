/**
 * Owns: how the tasks of a family went, run by run: what a procedure is judged by.
 *
 * 1. One entry for each finished task that was planned by a model or from a procedure; none for runbooks, for tasks that
 *    correct or continue another, and for those that never had a plan. In the order in which they ended.
 * 2. What is learned of a run later, such as a correction, changes its entry.
 * 3. The latest `MOST_KEPT` are kept.
 */
import type { ProcedureChoice } from '../../schema/procedure.ts';
import type { Rows } from '../../schema/rows.ts';
import { secondsOf, type TaskRecord, wasFine } from '../task-record.ts';

/** What went wrong in a run, in kinds: never the words of a tool. */
export type Trouble =
  | 'failed'
  | 'reworked'
  | 'corrected'
  | 'undone'
  | 'overstepped'
  | 'refused'
  | 'retried'
  | 'installed';

export type Execution = {
  run: string;
  /** The event with which it ended. */
  seq: number;
  /** When it ended. */
  at: string;
  family: string;
  /** Shape of its plan; null when it was planned more than once or its plan cannot be a procedure. */
  shape: string | null;
  /** What its task matched, and what followed: used and trial were planned from it, held_back and offered were not. */
  procedure: { id: string; version: number; arm: ProcedureChoice['arm'] } | null;
  /** Hash of what the task said: two executions with the same inputs are not independent. */
  inputs: string;
  /** Done at the first attempt, and nobody was discontent so far. */
  fine: boolean;
  failed: boolean;
  /** Corrected or undone by a person. */
  corrected: boolean;
  /** How often the critic sent it back. */
  rework: number;
  /** Without waiting for people. */
  seconds: number | null;
  tokens: number;
  /** Whether nothing that a tool said had a part in its plan, and no step tried more than it may. */
  trusted: boolean;
  trouble: Trouble[];
};

export const MOST_KEPT = 200;

const keyOf = (family: string): string => `procedures/executions/${family}`;

/** Of a family, in the order in which they ended. */
export const executionsOf = (book: Rows, family: string): Execution[] => book.get<Execution[]>(keyOf(family)) ?? [];

/** The family of a procedure is a part of its id; one with another id is a family of its own. */
export const familyOf = (procedure: string): string => /-([0-9a-f]{12})-[0-9a-f]{8}$/.exec(procedure)?.[1] ?? procedure;

export function keepExecution(book: Rows, execution: Execution): void {
  const { family, run } = execution;
  const others = executionsOf(book, family).filter((each) => each.run !== run);
  const all = [...others, execution].toSorted((a, b) => a.seq - b.seq);
  book.put(keyOf(family), all.slice(-MOST_KEPT));
}

export function executionOf(
  task: TaskRecord,
  about: Pick<Execution, 'seq' | 'family' | 'shape' | 'inputs'> & { tainted: boolean },
): Execution {
  const { run, choice, rework, tokens, ended, started } = task;
  const { tainted, ...known } = about;
  return {
    run,
    ...known,
    at: ended ?? started,
    rework,
    tokens,
    procedure: choice === null ? null : { id: choice.procedure, version: choice.version, arm: choice.arm },
    fine: wasFine(task),
    failed: task.status === 'failed',
    corrected: task.corrected !== null || task.undone,
    seconds: secondsOf(task),
    trusted: !tainted && task.plans === 1 && task.overstepped === 0 && task.approvals.denied === 0,
    trouble: troubleIn(task),
  };
}

function troubleIn(task: TaskRecord): Trouble[] {
  const { status, rework, corrected, undone, overstepped, approvals, failed_calls, installs } = task;
  const told: [boolean, Trouble][] = [
    [status === 'failed', 'failed'],
    [rework > 0, 'reworked'],
    [corrected !== null, 'corrected'],
    [undone, 'undone'],
    [overstepped > 0, 'overstepped'],
    [approvals.denied > 0, 'refused'],
    [status === 'done' && failed_calls > 0, 'retried'],
    [installs.length > 0, 'installed'],
  ];
  return told.flatMap(([is, trouble]) => (is ? [trouble] : []));
}

const SAID: Readonly<Record<Trouble, string>> = {
  failed: 'it failed',
  reworked: 'the result did not hold and was planned anew',
  corrected: 'a person corrected the result',
  undone: 'a person took the result back',
  overstepped: 'a step tried more than it may',
  refused: 'a person refused a step',
  retried: 'a step failed and was tried again',
  installed: 'a tool had to be installed first',
};

/** What went wrong with such tasks, for a person and a planner. */
export function pitfallsIn(executions: readonly Execution[]): string[] {
  return (Object.keys(SAID) as Trouble[]).flatMap((trouble) => {
    const runs = executions.filter((each) => each.trouble.includes(trouble)).map(({ run }) => run);
    if (runs.length === 0) return [];
    const named = runs.slice(-3).join(', ');
    return [
      `In ${runs.length} of ${executions.length} runs ${SAID[trouble]} (${named}${runs.length > 3 ? ', …' : ''}).`,
    ];
  });
}
