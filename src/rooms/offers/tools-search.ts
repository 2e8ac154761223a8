/** Owns: the tool `tools.search`, which finds tools of servers and skills that a prompt does not show. */
import { z } from 'zod';
import { type Tool, TOOL_SEARCH } from '../../core/schema/tool.ts';
import { defineTool, ok } from '../../kit/define-tool.ts';

type SearchOffers = (
  query: string,
  most: number,
) => { tools: readonly Pick<Tool, 'name' | 'about'>[]; skills: readonly { name: string; description: string }[] };

const MOST_ABOUT = 300;

export function toolsSearchTool(search: SearchOffers): Tool {
  return defineTool({
    name: TOOL_SEARCH,
    about: 'Finds further tools and skills by what they do. Tools that it finds can be called from the next turn on.',
    input: z.strictObject({
      query: z.string().min(1).max(500).describe('What is to be done, in a few words.'),
      limit: z.int().min(1).max(10).default(5).describe('The most to give.'),
    }),
    output: z.strictObject({
      tools: z.array(z.strictObject({ name: z.string(), about: z.string() })).describe('The best first.'),
      skills: z.array(z.strictObject({ name: z.string(), description: z.string() })).describe('The best first.'),
    }),
    annotations: { read_only: true, idempotent: true, risk: 'low' },
    targets: [],
    parallel: true,
    class: 'read',
    act: ({ query, limit }) => {
      const { tools, skills } = search(query, limit);
      return {
        ...ok({
          tools: tools.map(({ name, about }) => ({ name, about: about.slice(0, MOST_ABOUT) })),
          skills: skills.map(({ name, description }) => ({ name, description: description.slice(0, MOST_ABOUT) })),
        }),
        isInline: true,
      };
    },
  });
}
