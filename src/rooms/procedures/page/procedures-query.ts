/** The query of the page Procedures: what was learned from runs, and how each of it stands. */
import { z } from 'zod';
import { matchedRuns } from '../../../kit/learning/matched-runs.ts';
import type { KnownProcedure } from '../../../kit/learning/known-procedures.ts';
import { knownProcedures } from '../../../kit/learning/procedure-rows.ts';
import type { ProcedureStatus } from '../../../core/schema/procedure.ts';
import type { Rows } from '../../../core/schema/rows.ts';
import { defineQuery } from '../../../kit/web/page.ts';
import { type Outcome, type ProcedureRow, ProceduresAnswer } from './procedure-answers.ts';

/** How many of the last uses the trend shows. */
const TREND = 20;

export const proceduresQuery = defineQuery({
  params: z.strictObject({ all: z.literal('1').optional().describe('Also retired ones.') }),
  answer: ProceduresAnswer,
  read: ({ params, views }) =>
    views((rows) => {
      const known = knownProcedures(rows);
      const shown = params.all === undefined ? known.filter(({ status }) => status !== 'retired') : known;
      return {
        procedures: shown.map((each) => toProcedureRow(rows, each)).toSorted(byStatus),
        retired: known.filter(({ status }) => status === 'retired').length,
      };
    }),
});

const ORDER: readonly ProcedureStatus[] = ['promoted', 'candidate', 'demoted', 'retired'];
const byStatus = (a: ProcedureRow, b: ProcedureRow): number =>
  ORDER.indexOf(a.status) - ORDER.indexOf(b.status) || (a.title < b.title ? -1 : 1);

export function toProcedureRow(
  rows: Rows,
  { procedure, status, forced, probation, moves }: KnownProcedure,
): ProcedureRow {
  const last = moves.at(-1);
  const uses = matchedRuns(rows, procedure.id).filter(({ arm }) => arm === 'used' || arm === 'trial');
  return {
    procedure: procedure.id,
    title: procedure.title,
    version: procedure.version,
    status,
    forced,
    probation,
    since: last?.at ?? null,
    reason: last?.reason ?? '',
    runs: procedure.evidence.length,
    from: procedure.from ?? null,
    used: uses.length,
    trend: uses.slice(-TREND).map(({ ended }) => toOutcome(ended)),
    numbers: last?.numbers ?? null,
  };
}

export function toOutcome(ended: string | null): z.infer<typeof Outcome> {
  if (ended === null) return 'open';
  return ended === 'done' ? 'fine' : 'bad';
}
