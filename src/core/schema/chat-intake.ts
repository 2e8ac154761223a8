/** What other processes may ask of the worker about conversations. Each is handled by the room rooms/chat. */
import { z } from 'zod';
import { chatFields, ConversationId, ConversationName, MessageId, MessagePin, NoticeId } from './chat.ts';
import { Instant } from './names.ts';

const { by, content, body, ttl, memory } = chatFields;
/** Names the conversation of a request: its name, or its id. */
const named = z.string().min(1).max(120).describe('The name or the id of the conversation.');
const several = z.array(named).max(1000).optional().describe('Which ones; all of them when left out.');

export const chatIntakes = [
  z.strictObject({
    kind: z.literal('chat_open').describe('Begin a conversation.'),
    conversation: ConversationId.describe('Its id, chosen by the sender.'),
    name: ConversationName,
    ttl: ttl.optional(),
    memory: memory.optional(),
    fork: z
      .strictObject({ conversation: named, at: MessageId.optional().describe('The last message that is copied.') })
      .optional()
      .describe('Begin with the messages of this conversation.'),
    by,
  }),
  z.strictObject({
    kind: z.literal('chat_post').describe('Post a message of a person. The same id again is the same message.'),
    conversation: named,
    message: MessageId.describe('Its id, chosen by the sender.'),
    content,
    body,
    by,
  }),
  z.strictObject({
    kind: z.literal('chat_pause').describe('Pause conversations.'),
    conversations: several,
    by,
  }),
  z.strictObject({
    kind: z.literal('chat_resume').describe('Resume paused conversations.'),
    conversations: several,
    by,
  }),
  z.strictObject({ kind: z.literal('chat_delete').describe('Delete a conversation.'), conversation: named, by }),
  z.strictObject({
    kind: z
      .literal('chat_change')
      .describe(
        'Rename, pin or clear a conversation, pin a message of it, let its messages expire, or have oka remember it or not.',
      ),
    conversation: named,
    name: ConversationName.optional(),
    pinned: z.boolean().optional().describe('Whether lists show it first.'),
    pin: MessagePin.optional(),
    ttl: ttl.optional(),
    memory: memory.optional(),
    clear: z.literal(true).optional().describe('Remove all messages that are there.'),
    by,
  }),
  z.strictObject({
    kind: z.literal('chat_stop').describe('Stop the replies of a conversation that are in progress or queued.'),
    conversation: named,
    notice: NoticeId.optional().describe('Only this one.'),
    by,
  }),
  z.strictObject({
    kind: z.literal('chat_cleanup').describe('Remove messages that have expired, and conversations without any.'),
    before: Instant.describe('The moment at which they are judged.'),
    by,
  }),
] as const;
