/** Conversations of a story: agents on a scripted model, requests as faces make them, and what people would see. */
import { newChatId } from '../../src/rooms/chat/model/chat-ids.ts';
import { findConversation, listMessages } from '../../src/rooms/chat/model/chat-queries.ts';
import type { ChatIntake } from '../../src/rooms/chat/model/chat-state.ts';
import { submitChat } from '../../src/rooms/chat/submit-chat.ts';
import { withViews } from '../../src/kit/house/open-views.ts';
import type { ChatMessage, ConversationEntry } from '../../src/core/schema/chat-answers.ts';
import { openStory, type Story, type StoryOptions } from './story.ts';
import { say, type WireReply, type WireRequest } from './wire-server-reply.ts';

/** What an agent answers to a message, by what its prompt says. */
export type Speaker = (asked: { agent: string; message: string; request: WireRequest }) => WireReply | string;

export type ChatStory = {
  story: Story;
  request: (intake: ChatIntake) => string;
  open: (name: string) => void;
  post: (conversation: string, content: string, message?: string) => string;
  messages: (conversation: string) => Promise<ChatMessage[]>;
  conversation: (name: string) => Promise<ConversationEntry | null>;
  /** Resolves with the messages once nothing is queued any more and there are at least so many. */
  settled: (conversation: string, atLeast: number) => Promise<ChatMessage[]>;
};

export async function openChatStory(
  agents: Readonly<Record<string, string>>,
  speak: Speaker,
  options: StoryOptions = {},
): Promise<ChatStory & AsyncDisposable> {
  const story = await openStory({ model: (request) => answerOf(speak, request), ...options });
  for (const [name, file] of Object.entries(agents)) story.write(`.oka/rules/agents/${name}.md`, file);
  const request = (intake: ChatIntake): string => submitChat(story.home, intake);
  const conversation: ChatStory['conversation'] = (name) =>
    withViews(story.home, (rows) => findConversation(rows, name));
  const messages: ChatStory['messages'] = (name) =>
    withViews(story.home, (rows) => (findConversation(rows, name) === null ? [] : listMessages(rows, name).messages));
  return {
    story,
    request,
    conversation,
    messages,
    open: (name) => void request({ kind: 'chat_open', conversation: `c-${name}`, name }),
    post: (name, content, message = newChatId()) => {
      request({ kind: 'chat_post', conversation: name, message, content });
      return message;
    },
    settled: (name, atLeast) =>
      story.until(`${atLeast} messages in ${name}`, async () => {
        const entry = await conversation(name);
        if (entry === null || entry.messages < atLeast || entry.queue.length > 0) return undefined;
        return messages(name);
      }),
    [Symbol.asyncDispose]: () => story[Symbol.asyncDispose](),
  };
}

/** What the agent says whose prompt the request is. */
export function answerOf(speak: Speaker, request: WireRequest): WireReply {
  const agent = /You are ([a-z0-9_-]+), an agent in conversations/.exec(request.text)?.[1] ?? '';
  const message = /Answer message (\w{12}) of/.exec(request.text)?.[1] ?? '';
  const reply = speak({ agent, message, request });
  return typeof reply === 'string' ? say(reply) : reply;
}

export const persona = (text: string, fields = ''): string => `---\ndescription: ${text}\n${fields}---\n${text}\n`;
