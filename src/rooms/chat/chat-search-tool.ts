/** The tool with which an agent searches its conversation: older messages are not in its prompt. */
import { z } from 'zod';
import type { Tool } from '../../core/schema/tool.ts';
import { defineTool, ok } from '../../kit/define-tool.ts';

/** Messages of the conversation in which the run answers, the latest first. */
export type SearchChat = (
  run: string,
  query: string,
  limit: number,
) => Promise<{ id: string; at: string; from: string; content: string }[]>;

/** Only replies are offered it. */
export const CHAT_SEARCH = 'chat.search';

const LONGEST = 2000;

export function chatSearchTool(search: SearchChat): Tool {
  return defineTool({
    name: CHAT_SEARCH,
    internal: true,
    about: 'Finds older messages of this conversation by words.',
    input: z.strictObject({
      query: z.string().min(1).max(500).describe('Words that the message contains.'),
      limit: z.int().min(1).max(50).default(10).describe('The most to return.'),
    }),
    output: z.array(
      z.strictObject({
        id: z.string().describe('The message.'),
        at: z.string().describe('When it was posted.'),
        from: z.string().describe('Who wrote it.'),
        content: z.string().describe('What it says.'),
      }),
    ),
    annotations: { read_only: true, idempotent: true, risk: 'low' },
    targets: [],
    parallel: true,
    class: 'read',
    act: async ({ query, limit }, call) =>
      ok(
        (await search(call.run, query, limit)).map(({ id, at, from, content }) => ({
          id,
          at,
          from,
          content: content.slice(0, LONGEST),
        })),
      ),
  });
}
