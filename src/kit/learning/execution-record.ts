/**
 * Owns: the record of how the tasks of a family went, by which a procedure is judged.
 *
 * 1. There is one entry for each finished task that went well or whose plan was shown to be wrong (shown-fault.ts), in the
 *    order in which they ended. Corrections and continuations have none. A runbook shows that its steps work; it is no comparison,
 *    since nobody had to plan it.
 * 2. Later news of a run, such as a correction, updates its entry.
 * 3. Only the latest `MAX_EXECUTIONS` are stored.
 */
import type { ProcedureChoice, ResultTraits } from '../../core/schema/procedure.ts';
import type { Rows } from '../../core/schema/rows.ts';
import type { Planned } from '../../core/schema/task-run.ts';
import { secondsOf, type TaskRecord, wasFine } from './task-record.ts';

/** What went wrong in a run, as a category; tool output is never quoted. */
type RunProblem = 'failed' | 'reworked' | 'corrected' | 'undone' | 'overstepped' | 'refused' | 'retried' | 'installed';

export type Execution = {
  run: string;
  /** The event with which it ended. */
  seq: number;
  /** When it ended. */
  at: string;
  family: string;
  /** Who planned it last. */
  by: Planned['by'];
  /** The shape of its plan; null when it was planned more than once or its plan cannot become a procedure. */
  shape: string | null;
  /** The procedure its task matched. Runs in the arms used and trial were planned from it, held_back and offered were not. */
  procedure: { id: string; version: number; arm: ProcedureChoice['arm'] } | null;
  /** Hash of the task text; two executions with the same inputs are not independent. */
  inputs: string;
  /** Done at the first attempt, and neither corrected nor undone so far. */
  fine: boolean;
  failed: boolean;
  /** Corrected or undone by a person. */
  corrected: boolean;
  /** Who saw that the result of the procedure that planned it was wrong although every check held. */
  seen_by: 'critic' | 'person' | null;
  /** Whether it was corrected or sent back, and then done in the very same way, so that no mistake is known (repeated-work.ts). */
  repeated: boolean;
  /** What the procedure would have written, and this run without it did not (rooms/procedures/control-contents.ts). */
  differs?: readonly string[] | undefined;
  /** What its files were like, by their place in the steps of the procedure, and its result; left out where nobody looked. */
  read?: ProcedureChoice['inputs'];
  wrote?: ResultTraits;
  /** How often the critic sent it back. */
  rework: number;
  /** Time at work, without waiting for people. */
  seconds: number | null;
  /** Model tokens without those of the critic, who is asked more often while a procedure is new. */
  tokens: number;
  /** Whether its plan did not depend on tool output and no step exceeded its rights. */
  trusted: boolean;
  problems: RunProblem[];
};

const MAX_EXECUTIONS = 200;

const executionsKey = (family: string): string => `procedures/executions/${family}`;

/** The executions of a family, in the order in which they ended. */
export const executionsOf = (rows: Rows, family: string): Execution[] =>
  rows.get<Execution[]>(executionsKey(family)) ?? [];

/** The family is part of a procedure's id; a procedure with another kind of id is its own family. */
export const familyOfProcedure = (procedure: string): string =>
  /-([0-9a-f]{12})-[0-9a-f]{8}$/.exec(procedure)?.[1] ?? procedure;

export function storeExecution(rows: Rows, execution: Execution): void {
  const { family, run } = execution;
  const others = executionsOf(rows, family).filter((each) => each.run !== run);
  const all = [...others, execution].toSorted((a, b) => a.seq - b.seq);
  rows.put(executionsKey(family), all.slice(-MAX_EXECUTIONS));
}

export function toExecution(
  task: TaskRecord,
  about: Pick<Execution, 'seq' | 'family' | 'shape' | 'inputs' | 'differs'> & { tainted: boolean; repeated?: boolean },
): Execution {
  const { run, choice, rework, tokens, critic_tokens, ended, started, plan, result } = task;
  const { tainted, repeated = false, ...known } = about;
  return {
    run,
    ...known,
    at: ended ?? started,
    by: plan?.by ?? 'model',
    rework,
    tokens: tokens - critic_tokens,
    ...(choice?.inputs === undefined ? {} : { read: choice.inputs }),
    ...(result === undefined ? {} : { wrote: result }),
    procedure: choice === null ? null : { id: choice.procedure, version: choice.version, arm: choice.arm },
    fine: wasFine(task),
    failed: task.status === 'failed',
    corrected: task.corrected !== null || task.undone,
    seen_by: whoSaw(task, repeated),
    repeated,
    seconds: secondsOf(task),
    trusted: !tainted && task.plans === 1 && task.overstepped === 0 && task.approvals.denied === 0,
    problems: listProblems(task),
  };
}

/** What was sent back, and then accepted when the same was done again (`repeated`), is still the result of the procedure. */
function whoSaw(task: TaskRecord, repeated: boolean): Execution['seen_by'] {
  const { status, rejected, plan, corrected, undone } = task;
  if (rejected !== null && !repeated) return 'critic';
  const isDelivered = status === 'done' && (repeated || plan?.by === 'procedure');
  return isDelivered && (corrected !== null || undone) ? 'person' : null;
}

function listProblems(task: TaskRecord): RunProblem[] {
  const { status, rework, corrected, undone, overstepped, approvals, failed_calls, installs } = task;
  const problems: [boolean, RunProblem][] = [
    [status === 'failed', 'failed'],
    [rework > 0, 'reworked'],
    [corrected !== null, 'corrected'],
    [undone, 'undone'],
    [overstepped > 0, 'overstepped'],
    [approvals.denied > 0, 'refused'],
    [status === 'done' && failed_calls > 0, 'retried'],
    [installs.length > 0, 'installed'],
  ];
  return problems.flatMap(([happened, problem]) => (happened ? [problem] : []));
}

const PROBLEM_TEXTS: Readonly<Record<RunProblem, string>> = {
  failed: 'it failed',
  reworked: 'the result failed its checks and was planned again',
  corrected: 'a person corrected the result',
  undone: 'a person undid the result',
  overstepped: 'a step tried more than it was allowed to',
  refused: 'a person refused a step',
  retried: 'a step failed and was tried again',
  installed: 'a tool had to be installed first',
};

/** Summarizes what went wrong with such tasks, for people and the planner. */
export function describePitfalls(executions: readonly Execution[]): string[] {
  return (Object.keys(PROBLEM_TEXTS) as RunProblem[]).flatMap((trouble) => {
    const runs = executions.filter((each) => each.problems.includes(trouble)).map(({ run }) => run);
    if (runs.length === 0) return [];
    const named = runs.slice(-3).join(', ');
    return [
      `In ${runs.length} of ${executions.length} runs ${PROBLEM_TEXTS[trouble]} (${named}${runs.length > 3 ? ', …' : ''}).`,
    ];
  });
}
