/** The list of conversations. */
import { listConversations } from '../model/chat-queries.ts';
import type { ConversationEntry } from '../../../core/schema/chat-answers.ts';
import { readChats } from '../terminal/read-chats.ts';
import { notifyWaiting } from '../terminal/waiting-requests.ts';
import { answer, command, type Commands } from '../../../kit/cli/command-module.ts';
import { renderColumns } from '../../../kit/cli/columns.ts';
import type { Terminal } from '../../../kit/cli/io.ts';

export const commands: Commands = {
  chat: command({
    summary: 'List the conversations',
    example: 'oka chat',
    run: async (call) => {
      const conversations = await readChats(call, listConversations);
      await notifyWaiting(call);
      return answer({ conversations });
    },
    render: ({ conversations }, terminal) => {
      if (conversations.length === 0) return 'No conversations yet. Begin one: oka chat new\n';
      return renderColumns(
        conversations,
        [
          { text: ({ name, pinned }) => `${pinned ? '* ' : ''}${name}`, style: terminal.bold },
          {
            text: ({ state }) => state,
            style: (text, { state }) => (state === 'paused' ? terminal.yellow(text) : text),
          },
          { text: ({ members }) => members.join(' ') || 'nobody yet' },
          { text: ({ messages }) => `${messages} ${messages === 1 ? 'message' : 'messages'}`, align: 'right' },
          { text: ({ unread }) => (unread.count === 0 ? '' : `${unread.count} new`) },
          { text: ({ queue }) => (queue.length === 0 ? '' : `${queue.length} open`) },
          { text: describeLast(terminal), grows: true },
        ],
        terminal,
      );
    },
  }),
};

const describeLast =
  ({ toMinute }: Terminal) =>
  ({ last, opened }: ConversationEntry): string =>
    last === null ? `begun ${toMinute(opened)}` : `${toMinute(last.at)}  ${last.from}: ${last.content}`;
