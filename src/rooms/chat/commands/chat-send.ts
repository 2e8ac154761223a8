import { text } from 'node:stream/consumers';
import { penHolder } from '../../../core/ledger/pen.ts';
import type { ChatMessage } from '../../../core/schema/chat-answers.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import { awaitReplies, renderReply } from '../terminal/await-replies.ts';
import { findChat, postMessage } from '../terminal/chat-access.ts';
import { followChat } from '../terminal/follow-chat.ts';
import { messageJson } from '../terminal/message-lines.ts';
import { type Answer, answer, type Call, exits } from '../../../kit/cli/command-module.ts';
import type { Terminal } from '../../../kit/cli/io.ts';

type Data = { id: string; conversation: string; worker: boolean } | { reply: ChatMessage };

export async function run(call: Call<{ wait: boolean }, Data>): Promise<Answer<Data>> {
  const { home, options, operands, emit } = call;
  const [named, ...words] = operands;
  if (named === undefined || words.length === 0)
    throw new OkaError('usage', 'say which conversation, and the message', {
      fix: 'Such as: oka chat send trip "where do we stay?", or - to read it from a pipe.',
    });
  const chat = await findChat(call, named);
  const message = await messageText(call, words);
  const worker = penHolder(home.ledgers.run) !== null;
  const followed = options.wait && worker ? await followChat(call, chat, { limit: 0 }) : null;
  const id = await postMessage(home, chat, message);
  const sent = { id, conversation: chat.name, worker };
  if (!worker) {
    call.notify('No worker is running; it is answered when one runs: oka up');
    return answer(sent, options.wait ? exits.waiting : exits.ok);
  }
  if (followed === null) return answer(sent);
  emit(sent);
  return { code: await awaitReplies(call, followed, id, (reply) => emit({ reply })) };
}

async function messageText({ stdin }: Call<{ wait: boolean }, Data>, words: readonly string[]): Promise<string> {
  const given = words.length === 1 && words[0] === '-' ? await text(stdin) : words.join(' ');
  const message = given.replace(/\n+$/, '');
  if (message.trim() === '') throw new OkaError('usage', 'the message is empty');
  return message.toWellFormed();
}

export const jsonLines = (data: Data): object[] => ['reply' in data ? messageJson(data.reply) : data];

export function render(data: Data, terminal: Terminal): string {
  if ('reply' in data) return renderReply(data.reply, terminal);
  return `${data.id}\n`;
}
