/**
 * Owns: what a conversation, a message and a notice are, and the data of their events. A conversation is a fold of these
 * events (rooms/chat/model/chat-view.ts for people, rooms/chat/model/chat-state.ts for the worker).
 *
 * A notice asks one agent to answer one message. It is queued, taken (a run begins) and settled: by a message that
 * answers it, or because it was dropped.
 */
import { z } from 'zod';
import { LONGEST_CONTENT } from './chat-names.ts';
import { Id } from './names.ts';
import { ArtifactRef } from './tool.ts';

export const ConversationId = Id.describe('A conversation; stays the same when it is renamed.');
export const ConversationName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,79}$/)
  .describe('What people call a conversation: letters, digits, dot, dash and underscore.');
export const MessageId = z
  .string()
  .regex(/^[0-9a-z]{12}$/)
  .describe('A message: 9 characters of time and 3 that make it unique, so that ids grow.');
export const SpeakerName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,59}$/)
  .describe('Who speaks: user, the name of an agent, or system.');
export const NoticeId = Id.describe('A notice: the message and the agent it asks, joined by a dash.');

const conversation = ConversationId;
const by = z.string().max(200).optional().describe('Who did it, such as the name of a channel.');
const content = z.string().max(LONGEST_CONTENT).describe('The text, or the beginning of a long one.');
const body = ArtifactRef.optional().describe('The complete text, where it is longer than content.');
const ttl = z
  .int()
  .positive()
  .max(10 * 365 * 86_400)
  .nullable()
  .describe('After how many seconds messages expire; null = never.');
const memory = z
  .enum(['on', 'off'])
  .describe('Whether oka remembers what is said here; off also removes what it remembers of it.');
const chain = MessageId.describe('The message of a person with which the chain of replies began.');
const depth = z
  .int()
  .nonnegative()
  .describe('How many forwards lie between the message of a person and this; 0 for the first replies.');

export const MessagePin = z
  .strictObject({ message: MessageId, pinned: z.boolean().describe('Whether it is pinned from now on.') })
  .describe('A message that stays when others expire, and that agents are always shown; or no longer.');

export const ReplyStatus = z
  .enum(['done', 'failed', 'timed out', 'stopped'])
  .describe('How a reply ended; a reply that did not go well is a message that says so.');
export type ReplyStatus = z.infer<typeof ReplyStatus>;

export const ReplyCost = z
  .strictObject({
    usd: z.number().nonnegative().describe('US dollars.'),
    tokens: z.int().nonnegative().describe('Tokens, in and out.'),
    calls: z.int().nonnegative().describe('Calls of tools and models.'),
  })
  .describe('What a reply has cost.');
export type ReplyCost = z.infer<typeof ReplyCost>;

export const TaskReport = z
  .strictObject({
    id: Id.describe('The task, which is also its run.'),
    title: z.string().max(200).describe('What it is about.'),
    agent: SpeakerName.describe('Who started it.'),
    state: z.enum(['started', 'waiting', 'done', 'failed', 'cancelled']).describe('What is new about it.'),
    budget: ReplyCost.optional().describe('What it may cost; taken out of the budget of the chain when it starts.'),
  })
  .describe('A task that an agent has started in the conversation.');
export type TaskReport = z.infer<typeof TaskReport>;

const Fork = z
  .strictObject({ conversation, at: MessageId.nullable().describe('The last message that is copied; null = all.') })
  .describe('The conversation whose messages it begins with.');

/** Fields that requests have, too. */
export const chatFields = { by, content, body, ttl, memory } as const;

export const chatEventData = {
  'chat.opened': z
    .strictObject({
      conversation,
      name: ConversationName,
      ttl: ttl.default(null),
      memory: memory.optional(),
      fork: Fork.optional(),
      by,
    })
    .describe('A conversation began.'),
  'chat.changed': z
    .strictObject({
      conversation,
      name: ConversationName.optional(),
      pinned: z.boolean().optional().describe('Whether lists show it first.'),
      pin: MessagePin.optional(),
      ttl: ttl.optional(),
      memory: memory.optional(),
      by,
    })
    .describe(
      'A person renamed or pinned a conversation, pinned a message of it, or changed when its messages expire, or whether oka remembers it.',
    ),
  'chat.joined': z
    .strictObject({ conversation, agent: SpeakerName, message: MessageId.describe('The message that mentions it.') })
    .describe('An agent joined a conversation, since it was mentioned.'),
  'message.posted': z
    .strictObject({
      conversation,
      message: MessageId,
      from: SpeakerName,
      kind: z.enum(['person', 'agent', 'system']).describe('Who speaks. Only people have the rights of the operator.'),
      content,
      body,
      depth,
      chain,
      asks: z
        .array(SpeakerName)
        .max(500)
        .optional()
        .describe('The agents that it asks for an answer, in order; each gets a notice.'),
      notice: NoticeId.optional().describe('The notice that it answers.'),
      run: Id.optional().describe('The run that wrote it.'),
      status: ReplyStatus.optional(),
      limit: z.string().max(200).optional().describe('The limit that ended the reply.'),
      model: z.string().max(300).optional().describe('The model that wrote it.'),
      cost: ReplyCost.optional(),
      task: TaskReport.optional().describe('The task that it reports about.'),
      by,
    })
    .describe('A message was posted. With it go the notices that its mentions make, in the same batch.'),
  'notice.queued': z
    .strictObject({
      notice: NoticeId,
      conversation,
      message: MessageId,
      agent: SpeakerName,
      depth,
      chain,
      snapshot: z
        .literal(true)
        .optional()
        .describe('Asked with @all: the agent reads the conversation up to the message, without the other replies.'),
    })
    .describe('An agent was asked to answer a message.'),
  'notice.taken': z
    .strictObject({ notice: NoticeId, conversation, run: Id.describe('The run that answers it.') })
    .describe('An agent began to answer a message.'),
  'notice.dropped': z
    .strictObject({ notice: NoticeId, conversation, reason: z.string().max(2000).describe('Why, for a person.') })
    .describe('A message is not answered by this agent.'),
  'chat.paused': z
    .strictObject({ conversation, by })
    .describe('A conversation was paused: notices are queued, and replies make no further call.'),
  'chat.resumed': z.strictObject({ conversation, by }).describe('A paused conversation goes on, in order.'),
  'chat.expired': z
    .strictObject({
      conversation,
      until: MessageId.describe('The last message that is gone.'),
      messages: z.int().positive().describe('How many are gone.'),
      why: z.enum(['ttl', 'cleared']).describe('They were too old, or a person cleared the conversation.'),
      by,
    })
    .describe('Messages of a conversation are gone from every view.'),
  'chat.deleted': z
    .strictObject({ conversation, why: z.enum(['person', 'empty']).describe('A person did it, or cleaning up.'), by })
    .describe('A conversation was deleted; it is gone from every view.'),
} as const satisfies Record<string, z.ZodType>;
