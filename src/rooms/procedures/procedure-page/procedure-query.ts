/** The query of the page of one procedure: what it does, why it is used or not, and every task behind that. */
import { z } from 'zod';
import { procedureStanding } from '../procedure-standing.ts';
import { matchedRuns } from '../../../kit/learning/matched-runs.ts';
import { renderProcedurePage } from '../procedure-page.ts';
import { knownProcedure } from '../../../kit/learning/procedure-rows.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import { Id } from '../../../core/schema/names.ts';
import { defineQuery } from '../../../kit/web/page.ts';
import { ProcedureAnswer } from '../page/procedure-answers.ts';
import { toOutcome, toProcedureRow } from '../page/procedures-query.ts';

const MOST_USES = 200;

export const procedureQuery = defineQuery({
  params: z.strictObject({ procedure: Id.describe('Which procedure.') }),
  answer: ProcedureAnswer,
  read: async ({ home, params: { procedure: id }, views }) => {
    const standing = await procedureStanding(home, id);
    return views((rows) => {
      const known = knownProcedure(rows, id);
      if (known === undefined) throw new OkaError('usage', `there is no procedure "${id}"`);
      return {
        ...toProcedureRow(rows, known),
        page: renderProcedurePage(known, [])
          .lines.map(({ text }) => text)
          .join('\n'),
        evidence: known.procedure.evidence,
        now: standing?.numbers ?? null,
        missing: standing?.missing ?? [],
        moves: known.moves.toReversed(),
        uses: matchedRuns(rows, id)
          .slice(-MOST_USES)
          .toReversed()
          .map(({ run, seq, at, arm, ended }) => ({ run, seq, at, arm, ended, outcome: toOutcome(ended) })),
      };
    });
  },
});
