/** The tool of graphs that look back: how earlier runs of the same graph went. */
import { z } from 'zod';
import { PriorRun, PriorRunsQuery } from '../../../core/schema/prior-run.ts';
import type { Tool, ToolCall } from '../../../core/schema/tool.ts';
import { defineTool, ok } from '../../../kit/define-tool.ts';

type PriorRunsPort = (query: PriorRunsQuery, call: Pick<ToolCall, 'run'>) => Promise<Partial<PriorRun>[]>;

export function priorRunsTool(read: PriorRunsPort): Tool {
  return defineTool({
    name: 'runs.prior',
    about: 'Reads earlier runs of a graph: how they ended, what they were given and what they gave.',
    input: PriorRunsQuery,
    output: z.strictObject({
      count: z.int().nonnegative().describe('How many there are in the list.'),
      runs: z.array(PriorRun.partial()).describe('The latest first.'),
    }),
    /** Its result is read from the record, never repeated: there are more runs now. */
    annotations: { read_only: false, idempotent: false, risk: 'low' },
    targets: [],
    internal: true,
    class: 'read',
    act: async (query, call) => {
      const runs = await read(query, call);
      return { ...ok({ count: runs.length, runs }), isInline: true };
    },
  });
}
