/** The messages of a conversation. */
import { findConversation, listMessages, pinnedMessages } from '../model/chat-queries.ts';
import type { ChatMessage } from '../../../core/schema/chat-answers.ts';
import type { NamedChat } from '../terminal/chat-access.ts';
import { openLiveWords } from '../terminal/words-in-progress.ts';
import { completeMessage, messageJson, messageLine } from '../terminal/message-lines.ts';
import { readChats } from '../terminal/read-chats.ts';
import { notifyWaiting } from '../terminal/waiting-requests.ts';
import { type Answer, type Call, command, type Commands, exits } from '../../../kit/cli/command-module.ts';
import { plainText } from '../../../kit/cli/plain-text.ts';
import { onlyOperand } from '../../../kit/cli/operands.ts';
import { flag, number, text } from '../../../kit/cli/options.ts';

type Options = { limit: number | undefined; since: string | undefined; follow: boolean; pinned: boolean };

type Data = { messages: readonly ChatMessage[] };

const live = openLiveWords();

export const commands: Commands = {
  'chat view': command({
    summary: 'Print messages, one a line: id|timestamp|from|content',
    operands: '<conversation>',
    options: {
      limit: number('N', 'The last N messages; with --since the first N behind it.'),
      since: text('ID', 'Only messages behind this one.'),
      follow: flag('Go on with new messages as they come.'),
      pinned: flag('Only pinned messages.'),
    },
    example: 'oka chat view trip --limit 20',
    run: async (call) => {
      const { home, options, signal } = call;
      const named = onlyOperand(call, 'conversation');
      if (options.follow) return follow(call, named);
      const { limit, since, pinned } = options;
      const found = await readChats(call, (rows) => {
        const entry = findConversation(rows, named);
        const shown = (): readonly ChatMessage[] =>
          pinned ? pinnedMessages(rows, named) : listMessages(rows, named, { limit, since }).messages;
        return entry && { queue: entry.queue, messages: shown() };
      });
      signal.throwIfAborted();
      if (found === null) await findChat(call, named);
      const { messages, queue } = found ?? { messages: [], queue: [] };
      for (const { agent, state, why } of queue)
        if (state === 'waiting for its model') call.notify(plainText(`${agent} waits for its model: ${why ?? ''}`));
      await notifyWaiting(call);
      return {
        code: exits.ok,
        data: { messages: await Promise.all(messages.map((each) => completeMessage(home, each))) },
      };
    },
    render: ({ messages }) => messages.map((each) => `${messageLine(each)}\n`).join(''),
    jsonLines: ({ messages }) => messages.map(messageJson),
    /** What is being written; through a pipe there are only messages. */
    footer: (_home, terminal) => (): string[] => (terminal.isTerminal ? live.lines(terminal) : []),
  }),
};

/** A conversation that is yet to begin is found, too; for one that is not there the nearest name is given. */
async function findChat(call: Call<Options, Data>, named: string): Promise<NamedChat> {
  return (await import('../terminal/chat-access.ts')).findChat(call, named);
}

/** Until Ctrl-C, or until the conversation is deleted. */
async function follow(call: Call<Options, Data>, named: string): Promise<Answer<Data>> {
  const { home, options, signal, emit } = call;
  const chat = await findChat(call, named);
  const { followChat } = await import('../terminal/follow-chat.ts');
  const { limit, since } = options;
  // With both, the last ones behind it: there must be no gap before what comes next.
  const { messages, feed, follow: goOn } = await followChat(call, chat, since === undefined ? { limit } : { since });
  const shown = limit === undefined ? messages : messages.slice(-limit);
  emit({ messages: await Promise.all(shown.map((each) => completeMessage(home, each))) });
  const stop = new AbortController();
  let printing = Promise.resolve();
  const show = async (message: ChatMessage): Promise<void> => {
    const complete = await completeMessage(home, message);
    live.settle(message.run);
    emit({ messages: [complete] });
  };
  await goOn(
    AbortSignal.any([signal, stop.signal]),
    (item) => {
      if (item.kind === 'message') printing = printing.then(() => show(item.message));
      if (feed.state() === 'deleted') stop.abort();
    },
    call.terminal.isTerminal ? live.take : undefined,
  );
  await printing;
  live.clear();
  return { code: signal.aborted ? exits.interrupted : exits.ok };
}
