/** Owns: what the pages of conversations show, read from rows: it works without a worker. */
import { z } from 'zod';
import { listConversations, listMessages } from '../model/chat-queries.ts';
import { findAgents } from '../../../kit/agents/home-agents.ts';
import { readAwaitedRequirements } from '../../../kit/requests/awaited-requirement.ts';
import { isModelWait } from '../../../kit/models/model-requirement.ts';
import { ConversationEntry, MessagePage } from '../../../core/schema/chat-answers.ts';
import type { Rows } from '../../../core/schema/rows.ts';
import { storedRun } from '../../../kit/views/run-rows.ts';
import { listWaiting } from '../../../kit/views/waiting-query.ts';
import { defineQuery, type QueryRequest } from '../../../kit/web/page.ts';
import { Awaited } from '../../../kit/web/awaited.ts';

const MOST_MESSAGES = 2000;

export const ChatPageAnswer = z
  .strictObject({
    conversations: z.array(ConversationEntry).describe('Pinned ones first, then those that were written in last.'),
    agents: z
      .array(
        z
          .strictObject({
            name: z.string().describe('Its name, for a mention.'),
            description: z.string().describe('What it is for.'),
          })
          .describe('An agent that can be mentioned.'),
      )
      .describe('Who can be mentioned.'),
    open: z
      .strictObject({
        conversation: ConversationEntry,
        page: MessagePage,
        waiting: z.array(Awaited).describe('What replies of this conversation ask a person.'),
        delays: z
          .record(z.string(), z.string())
          .describe('By run: what a reply waits for without a person, such as the budget of the next day.'),
      })
      .nullable()
      .describe('The conversation that is shown; null when none was asked for, or when it is not there.'),
  })
  .describe('Conversations, and one of them with its messages.');
export type ChatPageAnswer = z.infer<typeof ChatPageAnswer>;

export const chatsQuery = defineQuery({
  params: z.object({}),
  answer: ChatPageAnswer,
  read: (request) => readChatPage(request, null, 0),
});

export const chatQuery = defineQuery({
  params: z.object({
    conversation: z.string().min(1).max(120).describe('Its name or its id.'),
    limit: z.coerce.number().int().min(1).max(MOST_MESSAGES).default(100).describe('How many of the last messages.'),
  }),
  answer: ChatPageAnswer,
  read: (request) => readChatPage(request, request.params.conversation, request.params.limit),
});

async function readChatPage(
  { home, views }: Pick<QueryRequest<unknown>, 'home' | 'views'>,
  named: string | null,
  limit: number,
): Promise<ChatPageAnswer> {
  const requirements = await readAwaitedRequirements(home);
  const agents = findAgents(home).agents.map(({ name, description }) => ({ name, description }));
  return views((rows) => {
    const conversations = listConversations(rows);
    const conversation = conversations.find(({ id, name }) => id === named || name === named);
    if (conversation === undefined) return { conversations, agents, open: null }; // it may have been deleted just now
    const page = listMessages(rows, conversation.id, { limit });
    const waiting = waitsOf(rows, conversation).map((wait) => ({
      ...wait,
      model: isModelWait(wait.for),
      requirement: wait.for.kind === 'requirement' ? (requirements.get(wait.for.name) ?? null) : null,
    }));
    return { conversations, agents, open: { conversation, page, waiting, delays: delaysOf(rows, conversation) } };
  });
}

/** What the replies of a conversation that have not ended wait for, also in runs that they have started. */
function waitsOf(rows: Rows, { queue }: ConversationEntry): Omit<z.infer<typeof Awaited>, 'model' | 'requirement'>[] {
  const agentOf = new Map(queue.flatMap(({ run, agent }) => (run === null ? [] : [[run, agent] as const])));
  return listWaiting(rows).flatMap(({ wait, run, node, opened, for: awaited, person }) => {
    const agent = agentOf.get(storedRun(rows, run)?.root ?? run);
    return person && agent !== undefined ? [{ wait, run, title: `@${agent}`, node, opened, for: awaited }] : [];
  });
}

function delaysOf(rows: Rows, { queue }: ConversationEntry): Record<string, string> {
  const replies = new Set(queue.map(({ run }) => run));
  const delays = listWaiting(rows).flatMap(({ run, for: awaited }) => {
    const root = storedRun(rows, run)?.root ?? run;
    return awaited.kind === 'timer' && awaited.why !== undefined && replies.has(root) ? [[root, awaited.why]] : [];
  });
  return Object.fromEntries(delays) as Record<string, string>;
}
