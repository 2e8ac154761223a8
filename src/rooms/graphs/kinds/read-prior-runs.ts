/** A node that reads how earlier runs of its graph went. */
import type { NodeKind } from '../../../core/schema/node-kind.ts';
import { priorRunsFields } from '../../../core/schema/prior-run.ts';

export const readPriorRuns: NodeKind = {
  kind: 'read_prior_runs',
  about: 'Reads earlier runs of the same graph, the latest first; its output is {count, runs}.',
  fields: priorRunsFields,
  lower: ({ id, status, limit, fields }, graph) => [
    {
      kind: 'tool',
      id,
      tool: 'runs.prior',
      input: {
        graph: graph.id,
        ...(status === undefined ? {} : { status }),
        ...(limit === undefined ? {} : { limit }),
        ...(fields === undefined ? {} : { fields }),
      },
    },
  ],
};
