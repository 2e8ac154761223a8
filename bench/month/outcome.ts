/** What a month came to: which kinds of tasks got a procedure, whether any should not have, and what was saved. */
import type { KnownProcedure } from '../../src/kit/learning/known-procedures.ts';
import { families } from './families.ts';
import type { Month } from './month.ts';

export type Outcome = {
  /** Kinds that one procedure would do for and that had enough clean runs, and those of them that have one. */
  regular: string[];
  promoted: string[];
  /** Procedures that are promoted in the end and should not be: of how many candidates. */
  wrongly: string[];
  candidates: number;
  /** Share of the tasks of known kinds, in the last days, that were done without asking a model. */
  free: number;
  freeAtFirst: number;
};

const ENOUGH = 80;
const LAST_SHARE = 0.2;

export function outcomeOf({ given, tasks, procedures }: Month, days: number): Outcome {
  const kinds = new Map<string, string[]>();
  for (const { run, task } of given) kinds.set(task.family, [...(kinds.get(task.family) ?? []), run]);
  const isRegular = (name: string): boolean => families.some((each) => each.name === name && each.isRegular);
  const regular = [...kinds].filter(([name, runs]) => isRegular(name) && runs.length >= ENOUGH).map(([name]) => name);
  const kindOf = (known: KnownProcedure): string => kindBehind(known, given);
  const stillPromoted = procedures.filter(({ status }) => status === 'promoted');
  const last = given.filter(({ day }) => day >= days * (1 - LAST_SHARE));
  const first = given.filter(({ day }) => day === 0);
  const freeOf = (some: typeof given): number =>
    some.filter(({ run }) => tasks.get(run)?.thoughts === 0 && tasks.get(run)?.status === 'done').length / some.length;
  return {
    regular,
    promoted: [...new Set(stillPromoted.map(kindOf))].toSorted(),
    wrongly: stillPromoted.filter((known) => !isRegular(kindOf(known))).map(({ procedure }) => procedure.id),
    candidates: procedures.length,
    free: freeOf(last),
    freeAtFirst: freeOf(first),
  };
}

/** The kind of the runs that a procedure was made of. */
function kindBehind({ procedure }: KnownProcedure, given: Month['given']): string {
  const [first] = procedure.evidence;
  return given.find(({ run }) => run === first?.run)?.task.family ?? '?';
}
