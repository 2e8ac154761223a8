import { listMessages } from '../../chat/chat-queries.ts';
import type { ChatMessage } from '../../schema/chat-answers.ts';
import { findChat } from '../chat/chat-access.ts';
import { followChat } from '../chat/follow-chat.ts';
import { completeMessage, messageJson, messageLine } from '../chat/message-lines.ts';
import { notifyWaiting } from '../chat/waiting-requests.ts';
import { type Answer, type Call, exits } from '../command-module.ts';
import { onlyOperand } from '../operands.ts';
import { readViews } from '../read-views.ts';
import { requireHome } from '../require-home.ts';

type Options = { limit: number | undefined; since: string | undefined; follow: boolean };
type Data = { messages: readonly ChatMessage[] };

export async function run(call: Call<Options, Data>): Promise<Answer<Data>> {
  const { home, options, signal } = call;
  requireHome(home);
  const named = onlyOperand(call, 'conversation');
  if (options.follow) return follow(call, named);
  const { limit, since } = options;
  const { messages } = await readViews(call, (rows) => listMessages(rows, named, { limit, since })).catch(async () => {
    await findChat(call, named); // names the nearest conversation, or finds one that is yet to begin
    return { messages: [] };
  });
  signal.throwIfAborted();
  notifyWaiting(call);
  return { code: exits.ok, data: { messages: await Promise.all(messages.map((each) => completeMessage(home, each))) } };
}

/** Until Ctrl-C, or until the conversation is deleted. */
async function follow(call: Call<Options, Data>, named: string): Promise<Answer<Data>> {
  const { home, options, signal, emit } = call;
  const chat = await findChat(call, named);
  const { messages, feed, follow: goOn } = await followChat(call, chat, options.limit ?? Number.MAX_SAFE_INTEGER);
  const start = options.since === undefined ? 0 : messages.findIndex(({ id }) => id === options.since) + 1;
  emit({ messages: await Promise.all(messages.slice(start).map((each) => completeMessage(home, each))) });
  const stop = new AbortController();
  let printing = Promise.resolve();
  await goOn(AbortSignal.any([signal, stop.signal]), (item) => {
    if (item.kind === 'message')
      printing = printing.then(async () => emit({ messages: [await completeMessage(home, item.message)] }));
    if (feed.state() === 'deleted') stop.abort();
  });
  await printing;
  return { code: signal.aborted ? exits.interrupted : exits.ok };
}

export const jsonLines = ({ messages }: Data): object[] => messages.map(messageJson);
export const render = ({ messages }: Data): string => messages.map((each) => `${messageLine(each)}\n`).join('');
