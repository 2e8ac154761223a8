/** The tasks that matched a procedure and how they ended, folded from the run ledger. */
import type { Event } from '../../core/schema/event.ts';
import type { ProcedureChoice } from '../../core/schema/procedure.ts';
import type { Rows } from '../../core/schema/rows.ts';

/** A task that matched a procedure. `ended` is null while it is in progress; what was sent back before it was done says so. */
export type MatchedRun = {
  run: string;
  seq: number;
  at: string;
  arm: ProcedureChoice['arm'];
  reason: string;
  ended: string | null;
};

const matchesPrefix = (procedure: string): string => `procedures/match/${procedure}/`;
/** The row of each procedure that a run matched, by the id of the procedure. */
const runKey = (run: string): string => `procedures/matches-of/${run}`;
type MatchKeys = Record<string, string>;

/**
 * The runs in progress that matched a procedure, and whether each was sent back: few, so that a run that matched none ends
 * without a search for it.
 */
const OPEN = 'procedures/open';
const openMatches = (rows: Rows): Record<string, boolean> => rows.get<Record<string, boolean>>(OPEN) ?? {};

/** In the order in which the tasks matched. */
export const matchedRuns = (rows: Rows, procedure: string): MatchedRun[] =>
  Array.from(rows.each<MatchedRun>(matchesPrefix(procedure)), ([, match]) => match);

export function storeMatch(event: Event, rows: Rows): void {
  const { type, run, seq, at, data } = event;
  if (run === null) return;
  const open = openMatches(rows);
  if (type === 'procedure.chosen') {
    const { procedure, arm, reason } = data;
    const keys = rows.get<MatchKeys>(runKey(run)) ?? {};
    const key = keys[procedure] ?? `${matchesPrefix(procedure)}${String(seq).padStart(15, '0')}`;
    rows.put(key, { run, seq, at, arm, reason, ended: null } satisfies MatchedRun);
    rows.put(runKey(run), { ...keys, [procedure]: key });
    rows.put(OPEN, { ...open, [run]: open[run] === true });
  } else if (type === 'run.moved' && data.to === 'REPLAN' && Object.hasOwn(open, run)) {
    rows.put(OPEN, { ...open, [run]: true });
  } else if (type === 'run.ended' && Object.hasOwn(open, run)) {
    const { [run]: isSentBack, ...others } = open;
    rows.put(OPEN, others);
    setEnded(rows, run, data.status === 'done' && isSentBack === true ? 'sent back' : data.status);
  } else if (type === 'run.corrected') setEnded(rows, run, 'corrected');
  else if (type === 'run.undone') setEnded(rows, run, 'undone');
}

function setEnded(rows: Rows, run: string, ended: string): void {
  for (const key of Object.values(rows.get<MatchKeys>(runKey(run)) ?? {})) {
    const match = rows.get<MatchedRun>(key);
    if (match !== undefined) rows.put(key, { ...match, ended });
  }
}
