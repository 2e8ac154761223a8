/** The memory tools of an executor: searching, and proposing something to remember. */
import { z } from 'zod';
import type { Tool } from '../../core/schema/tool.ts';
import { ok, defineTool } from '../../kit/define-tool.ts';

export type MemoryPorts = {
  search: (
    asked: { query: string; limit: number; day?: string; namespace?: string },
    run: string,
  ) => Promise<{ id: string; text: string; who: string; at: string; score: number }[]>;
};

export function memoryTools({ search }: MemoryPorts): Tool[] {
  return [searchTool(search), noteTool()];
}

function searchTool(search: MemoryPorts['search']): Tool {
  return defineTool({
    name: 'memory.search',
    about: 'Looks up facts and what happened before, here or in earlier tasks.',
    input: z.strictObject({
      query: z.string().min(1).max(2000).describe('What to search for, in words.'),
      limit: z.int().min(1).max(50).default(10).describe('The most to give.'),
      day: z.iso.date().optional().describe('Only what happened on this day, such as 2026-01-31.'),
      namespace: z.string().max(120).optional().describe('Only entries in this namespace.'),
    }),
    output: z.array(
      z.strictObject({
        id: z.string().describe('Its name.'),
        text: z.string().describe('What it says.'),
        who: z.string().describe('Who said or did it.'),
        at: z.string().describe('When.'),
        score: z.number().describe('How well it fits.'),
      }),
    ),
    annotations: { read_only: true, idempotent: true, risk: 'low' },
    targets: [],
    parallel: true,
    class: 'read',
    act: async ({ query, limit, day, namespace }, call) => {
      const filters = { ...(day === undefined ? {} : { day }), ...(namespace === undefined ? {} : { namespace }) };
      const found = await search({ query, limit, ...filters }, call.run);
      return ok(
        found.map(({ id, text, who, at, score }) => ({ id, text, who, at, score: Math.round(score * 1e3) / 1e3 })),
      );
    },
  });
}

/** The call itself is the note: maintenance finds it in the ledger, weighs it, and may make a fact of it. */
function noteTool(): Tool {
  return defineTool({
    name: 'memory.note',
    about: 'Proposes something to be remembered. It becomes a fact only when it proves itself.',
    input: z.strictObject({
      text: z.string().min(1).max(4000).describe('One or two sentences that make sense without this task.'),
      namespace: z.string().max(120).default('general').describe('Topic under which it belongs.'),
    }),
    output: z.strictObject({ noted: z.boolean().describe('Whether it was written down.') }),
    annotations: { read_only: true, idempotent: true, risk: 'low' },
    targets: [],
    class: 'read',
    act: () => ok({ noted: true }),
  });
}
