/** One question. */
import { text as allOf } from 'node:stream/consumers';
import { newChatId } from '../model/chat-ids.ts';
import { agentNamed, findAgents } from '../../../kit/agents/home-agents.ts';
import { submitChat } from '../submit-chat.ts';
import { withHost } from '../../../kit/cli/host-here.ts';
import { ports } from '../../../kit/ports/room-ports.ts';
import { penHolder } from '../../../core/ledger/pen.ts';
import type { ChatMessage } from '../../../core/schema/chat-answers.ts';
import { OKA_AGENT } from '../../../core/schema/agent-file.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import { awaitReplies } from '../terminal/await-replies.ts';
import { postMessage, requestChat } from '../terminal/chat-access.ts';
import { followChat, type Words } from '../terminal/follow-chat.ts';
import { messageJson } from '../terminal/message-lines.ts';
import { terminalText } from '../terminal/terminal-text.ts';
import { type Answer, type Call, command, type Commands } from '../../../kit/cli/command-module.ts';
import { operatorName } from '../../../kit/cli/operator-name.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';
import { text } from '../../../kit/cli/options.ts';

type Data = { words: string } | { reply: ChatMessage };

type AskCall = Call<{ agent: string | undefined }, Data>;

/** What remains if the process is killed before it can remove the conversation that it needed for the question. */
const TTL_SECONDS = 3600;

const REMOVAL_MS = 5000;

export const commands: Commands = {
  ask: command({
    summary: 'Ask one question; the answer is printed as it is written',
    operands: '<question>',
    options: { agent: text('NAME', 'Who answers; oka unless given.') },
    example: 'oka ask "What is due this week?"',
    /** Asks in a conversation that is removed again. Without a worker this process answers by itself. */
    run: async (call: AskCall): Promise<Answer<Data>> => {
      const { home, options } = call;
      await requireHome(home);
      const agent = agentNamed(findAgents(home), (options.agent ?? OKA_AGENT).replace(/^@/, '')).name;
      const question = await questionText(call);
      const code =
        penHolder(home.ledgers.run) === null
          ? await answerHere(call, () => ask(call, agent, question))
          : await ask(call, agent, question);
      return { code };
    },
    render: (data: Data): string => ('words' in data ? data.words : ''),
    jsonLines: (data: Data): object[] => ('reply' in data ? [messageJson(data.reply)] : []),
  }),
};

/** Without a worker this process does what one would do about conversations. */
function answerHere({ home, signal, notify, rooms }: AskCall, work: () => Promise<number>): Promise<number> {
  return withHost(
    home,
    signal,
    (host) => {
      host.valuesOf({ answerChats: ports.answerChats }).answerChats();
      return work();
    },
    { warn: notify, rooms },
  );
}

async function questionText({ operands, stdin }: AskCall): Promise<string> {
  const given = operands.length === 1 && operands[0] === '-' ? await allOf(stdin) : operands.join(' ');
  if (given.trim() !== '') return given.trim().toWellFormed();
  throw new OkaError('usage', 'the question is missing', { fix: 'Such as: oka ask "What is due this week?"' });
}

async function ask(call: AskCall, agent: string, question: string): Promise<number> {
  const { home, emit, json } = call;
  const chat = { id: newChatId(), name: '' };
  chat.name = `ask-${chat.id}`;
  const by = operatorName();
  submitChat(home, { kind: 'chat_open', conversation: chat.id, name: chat.name, ttl: TTL_SECONDS, by });
  const stream = openPlainStream((words) => emit({ words }));
  try {
    const followed = await followChat(call, chat, { limit: 0 });
    const message = await postMessage(home, chat, agent === OKA_AGENT ? question : `@${agent} ${question}`);
    return await awaitReplies(
      call,
      followed,
      message,
      (reply) => {
        if (json) emit({ reply });
        else if (reply.kind === 'agent' || reply.status !== undefined) stream.settle(reply.content);
      },
      json ? undefined : stream.add,
    );
  } finally {
    const signal = AbortSignal.timeout(REMOVAL_MS);
    // it stays in the list, where a person may delete it
    await requestChat({ home, signal }, { kind: 'chat_delete', conversation: chat.id, by }).catch(() => undefined);
  }
}

/** Prints words as they come, and what is missing of the settled answer. */
function openPlainStream(print: (text: string) => void): {
  add: (words: Words) => void;
  settle: (content: string) => void;
} {
  let turn = '';
  let isTurnOver = false;
  return {
    add: (words) => {
      if ('end' in words) return void (isTurnOver = true);
      if (isTurnOver && turn !== '') print('\n');
      if (isTurnOver) [turn, isTurnOver] = ['', false];
      const text = terminalText(words.text);
      turn += text;
      print(text);
    },
    settle: (content) => {
      const text = terminalText(content).trimEnd();
      if (!text.startsWith(turn.trimEnd())) print(`${turn === '' || turn.endsWith('\n') ? '' : '\n'}${text}\n`);
      else if (turn.trimEnd() !== text || !turn.endsWith('\n')) print(`${text.slice(turn.length)}\n`);
      turn = '';
    },
  };
}
