import { listConversations } from '../../chat/chat-queries.ts';
import type { ConversationEntry } from '../../schema/chat-answers.ts';
import { readChats } from '../chat/read-chats.ts';
import { notifyWaiting } from '../chat/waiting-requests.ts';
import { type Answer, answer, type Call } from '../command-module.ts';
import { renderColumns } from '../columns.ts';
import type { Terminal } from '../io.ts';

type Data = { conversations: ConversationEntry[] };

export async function run(call: Call): Promise<Answer<Data>> {
  const conversations = await readChats(call, listConversations);
  await notifyWaiting(call);
  return answer({ conversations });
}

export function render({ conversations }: Data, terminal: Terminal): string {
  if (conversations.length === 0) return 'No conversations yet. Begin one: oka chat new\n';
  return renderColumns(
    conversations,
    [
      { text: ({ name, pinned }) => `${pinned ? '* ' : ''}${name}`, style: terminal.bold },
      { text: ({ state }) => state, style: (text, { state }) => (state === 'paused' ? terminal.yellow(text) : text) },
      { text: ({ members }) => members.join(' ') || 'nobody yet' },
      { text: ({ messages }) => `${messages} ${messages === 1 ? 'message' : 'messages'}`, align: 'right' },
      { text: ({ unread }) => (unread.count === 0 ? '' : `${unread.count} new`) },
      { text: ({ queue }) => (queue.length === 0 ? '' : `${queue.length} open`) },
      { text: describeLast(terminal), grows: true },
    ],
    terminal,
  );
}

const describeLast =
  ({ toMinute }: Terminal) =>
  ({ last, opened }: ConversationEntry): string =>
    last === null ? `begun ${toMinute(opened)}` : `${toMinute(last.at)}  ${last.from}: ${last.content}`;
