/** Where commands wanted to go, and what was decided. */
import { z } from 'zod';
import { egressHosts, listEgress } from '../../kit/views/egress-view.ts';
import { defineQuery } from '../../kit/web/page.ts';
import { EgressAnswer } from './health-answers.ts';

const MOST_HOSTS = 500;

export const egressQuery = defineQuery({
  params: z.strictObject({
    before: z.coerce.number().int().positive().optional().describe('Only decisions before this event: the next page.'),
    limit: z.coerce.number().int().positive().max(200).default(50).describe('At most so many.'),
  }),
  answer: EgressAnswer,
  read: ({ params, views }) =>
    views((rows) => {
      const decisions = listEgress(rows, params);
      const next = decisions.length === params.limit ? (decisions.at(-1)?.seq ?? null) : null;
      return { decisions, next, hosts: egressHosts(rows, MOST_HOSTS) };
    }),
});
