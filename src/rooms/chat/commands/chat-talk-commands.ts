/** Talking: a question, a conversation, a message. */
import { newChatId } from '../model/chat-ids.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import {
  describePending,
  findChat,
  parseChatName,
  postMessage,
  readConversations,
  requestChat,
} from '../terminal/chat-access.ts';
import { enterChat, type EnteredChat, renderEntered } from '../terminal/enter-chat.ts';
import { type Answer, answer, type Call, command, type Commands, exits } from '../../../kit/cli/command-module.ts';
import { operatorName } from '../../../kit/cli/operator-name.ts';
import { onlyOperand } from '../../../kit/cli/operands.ts';
import { text as allOf } from 'node:stream/consumers';
import { penHolder } from '../../../core/ledger/pen.ts';
import type { ChatMessage } from '../../../core/schema/chat-answers.ts';
import { awaitReplies, renderReply } from '../terminal/await-replies.ts';
import { followChat } from '../terminal/follow-chat.ts';
import { messageJson } from '../terminal/message-lines.ts';
import { choice, flag, parsedText } from '../../../kit/cli/options.ts';
import { parseDuration } from '../../../kit/cli/option-values.ts';

const ttl = parsedText('TIME', 'Messages expire after this long, such as 12h or 30d.', parseDuration);

type SendData = { id: string; conversation: string; worker: boolean } | { reply: ChatMessage };

export const commands: Commands = {
  'chat new': command({
    summary: 'Begin a conversation, and enter it',
    operands: '[name]',
    options: {
      ttl,
      memory: choice(['on', 'off'], 'on|off', 'Whether oka remembers what is said in it; on unless given.'),
    },
    example: 'oka chat new trip',
    json: false,
    run: chatNew,
    render: renderEntered,
  }),
  'chat join': command({
    summary: 'Enter a conversation; through a pipe, each line is a message',
    operands: '<conversation>',
    example: 'oka chat join trip',
    json: false,
    run: chatJoin,
    render: renderEntered,
  }),
  'chat open': command({
    summary: 'The same as chat join',
    operands: '<conversation>',
    example: 'oka chat open trip',
    json: false,
    run: chatJoin,
    render: renderEntered,
  }),
  'chat send': command({
    summary: 'Post a message and go on; prints its id. - reads it from a pipe',
    operands: '<conversation> <message>',
    options: { wait: flag('Wait for the answers, and print them.') },
    example: 'oka chat send trip "@arya where do we stay?"',
    run: chatSend,
    render: (data, terminal) => {
      if ('reply' in data) return renderReply(data.reply, terminal);
      return `${data.id}\n`;
    },
    jsonLines: (data) => ['reply' in data ? messageJson(data.reply) : data],
  }),
};

/** Such as chat-3. */
function freeName(taken: ReadonlySet<string>): string {
  for (let at = 1; ; at += 1) if (!taken.has(`chat-${at}`)) return `chat-${at}`;
}

async function chatNew(
  call: Call<{ ttl: number | undefined; memory: 'on' | 'off' | undefined }, EnteredChat>,
): Promise<Answer<EnteredChat>> {
  const { operands, options, notify, openTerminal } = call;
  const [given, ...more] = operands;
  if (more.length > 0) throw new OkaError('usage', 'a conversation has one name', { fix: 'Such as: trip-to-graz' });
  const taken = new Set((await readConversations(call)).map((each) => each.name));
  const name = given === undefined ? freeName(taken) : parseChatName(given);
  if (taken.has(name))
    throw new OkaError('usage', `there is a conversation "${name}" already`, {
      fix: `Enter it: oka chat join ${name}`,
    });
  const id = newChatId();
  const asked = await requestChat(call, {
    kind: 'chat_open',
    conversation: id,
    name,
    ...(options.ttl === undefined ? {} : { ttl: Math.ceil(options.ttl / 1000) }),
    ...(options.memory === undefined ? {} : { memory: options.memory }),
    by: operatorName(),
  });
  if (openTerminal === null) call.emit({ begun: name });
  const pending = describePending(asked).trimEnd();
  if (pending !== '' && openTerminal === null) notify(pending);
  return enterChat(call, { id, name });
}

async function chatJoin(call: Call<object, EnteredChat>): Promise<Answer<EnteredChat>> {
  return enterChat(call, await findChat(call, onlyOperand(call, 'conversation')));
}

async function messageText({ stdin }: Call<{ wait: boolean }, SendData>, words: readonly string[]): Promise<string> {
  const given = words.length === 1 && words[0] === '-' ? await allOf(stdin) : words.join(' ');
  const message = given.replace(/\n+$/, '');
  if (message.trim() === '') throw new OkaError('usage', 'the message is empty');
  return message.toWellFormed();
}

async function chatSend(call: Call<{ wait: boolean }, SendData>): Promise<Answer<SendData>> {
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
