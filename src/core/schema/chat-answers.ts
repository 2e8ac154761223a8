/** What queries about conversations answer (rooms/chat/model/chat-queries.ts), for `--json` and the dashboard. */
import { z } from 'zod';
import { ConversationId, ConversationName, MessageId, NoticeId, ReplyCost, ReplyStatus, SpeakerName } from './chat.ts';
import { Id, Instant } from './names.ts';

const ReplyState = z
  .enum([
    'queued',
    'thinking',
    'using a tool',
    'waiting for you',
    'waiting for another',
    'waiting for its model',
    'waiting for the budget',
  ])
  .describe(
    'What a reply is doing that has not ended. It waits for another one that writes to the desk, or for the budget of the next day.',
  );
type ReplyState = z.infer<typeof ReplyState>;

export const OpenReply = z
  .strictObject({
    notice: NoticeId,
    agent: SpeakerName,
    message: MessageId.describe('The message that it answers.'),
    depth: z.int().describe('How many forwards lie before it.'),
    state: ReplyState,
    tool: z.string().optional().describe('The tool that it uses now.'),
    waits_for: z.string().optional().describe('Who writes to the desk before it may: an agent, or the run of a task.'),
    why: z.string().optional().describe('Why its model cannot be asked now.'),
    run: Id.nullable().describe('The run that answers; null while it is queued.'),
    at: Instant.describe('Since when it is queued.'),
  })
  .describe('A reply that has not ended.');
export type OpenReply = z.infer<typeof OpenReply>;

export const ChatMessage = z
  .strictObject({
    id: MessageId,
    at: Instant.describe('When it was posted.'),
    from: SpeakerName,
    kind: z.enum(['person', 'agent', 'system']).describe('Who speaks.'),
    content: z.string().describe('The text, or the beginning of a long one.'),
    body: z.string().optional().describe('The hash of the complete text, where content is its beginning.'),
    depth: z.int().describe('How many forwards lie before it.'),
    run: Id.nullable().describe('The run that wrote it.'),
    chain: MessageId.describe('The message of a person with which the chain of replies began.'),
    asks: z.array(SpeakerName).optional().describe('The agents that it asks for an answer.'),
    notice: NoticeId.optional(),
    status: ReplyStatus.optional(),
    limit: z.string().optional().describe('The limit that ended the reply.'),
    model: z.string().optional().describe('The model that wrote it.'),
    cost: ReplyCost.optional(),
    by: z.string().optional().describe('Who posted it, such as the name of a channel.'),
    pinned: z.literal(true).optional().describe('It stays when others expire, and agents are always shown it.'),
  })
  .describe('A message of a conversation.');
export type ChatMessage = z.infer<typeof ChatMessage>;

export const ConversationEntry = z
  .strictObject({
    id: ConversationId,
    name: ConversationName,
    state: z.enum(['active', 'paused']).describe('Paused: notices are queued, and nothing answers.'),
    pinned: z.boolean().describe('Whether lists show it first.'),
    ttl: z.int().nullable().describe('After how many seconds messages expire; null = never.'),
    members: z.array(SpeakerName).describe('The agents that have joined.'),
    messages: z.int().describe('How many messages there are.'),
    unread: z
      .strictObject({
        count: z.int().describe('How many messages have come since a person wrote.'),
        since: MessageId.nullable().describe('The last message of a person.'),
      })
      .describe('What is new since a person last wrote.'),
    opened: Instant.describe('When it began.'),
    last: ChatMessage.nullable().describe('The last message.'),
    queue: z.array(OpenReply).describe('Replies that have not ended, in their order.'),
  })
  .describe('A conversation in a list.');
export type ConversationEntry = z.infer<typeof ConversationEntry>;

export const MessagePage = z
  .strictObject({
    messages: z.array(ChatMessage).describe('The oldest first.'),
    earlier: z.boolean().describe('Whether there are messages before these.'),
  })
  .describe('Messages of a conversation.');
export type MessagePage = z.infer<typeof MessagePage>;
