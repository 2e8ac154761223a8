/**
 * Owns: what a messenger hands over beyond answers and tasks: messages of a conversation, pairing, and commands.
 *
 * I1 Each request is named after the message it came in, so that a message that comes twice is one request.
 * I2 The names of messages grow with the network's own time, since requests are read in the order of their names.
 */
import { createHash, hash } from 'node:crypto';
import { join } from 'node:path';
import type { IncomingMessage, MessengerInbox, Received } from '../../../core/schema/channel-port.ts';
import { CHAT_ID_SPREAD, chatIdAt } from '../../../core/schema/chat-id.ts';
import type { DaySpendingState } from '../../../core/guard/day-spending.ts';
import { awaitReply, repliesFolder, wantReply } from '../../../kit/requests/request-replies.ts';
import { submit } from '../../../kit/requests/submit-request.ts';
import type { Undone } from '../../../kit/desk/snapshots.ts';
import { makeToken, parseToken } from '../answer-token.ts';
import { channelPaired, channelReceived } from '../channel-events.ts';
import { channelState, type Reaching } from '../reaching-state.ts';
import type { Home } from '../../../core/schema/home.ts';
import type { LedgerPort } from '../../../kit/ports/port-types.ts';
import { costWords, lastTask, mayUndo, statusWords, tasksWords, undoneWords } from './home-words.ts';
import { takePairingCode } from './pairing-code.ts';

type Ports = {
  home: Home;
  channel: string;
  ledger: Pick<LedgerPort, 'append'>;
  state: () => Reaching;
  spending: () => DaySpendingState;
  key: Buffer;
  now: () => number;
};

export function messengerInbox(ports: Ports, isKnown: (message: string) => boolean): MessengerInbox {
  const { home, channel, ledger, state, key } = ports;
  const intake = join(home.oka, 'intake');
  const requestOf = (message: string): string => `channel-${shortHash(`${channel} ${message}`)}`;
  return {
    paired: () => channelState(state(), channel).paired ?? [],
    post: async (incoming) => {
      const { message, conversation, from, text, position } = incoming;
      if (isKnown(message)) return { became: 'nothing', reason: 'it was handled before' };
      const id = messageId(incoming, channel);
      const posted = { kind: 'chat_post', conversation, message: id, content: text, by: channel } as const;
      submit(intake, posted, `chat-${id}`);
      const received = { became: 'message', reason: 'it came from a paired person' } as const satisfies Received;
      const at = position === undefined ? {} : { position };
      await ledger.append(channelReceived({ channel, message, from, ...received, ...at }));
      return received;
    },
    pair: async (person, code) => {
      if (!takePairingCode(home, channel, code, ports.now())) return null;
      const conversation = `m-${shortHash(`${channel} ${person.chat}`)}`;
      const name = conversationName(channel, person.name, conversation);
      submit(intake, { kind: 'chat_open', conversation, name, by: channel }, `chat-open-${conversation}`);
      const reason = 'they sent the code that oka channels pair has shown';
      await ledger.append(channelPaired({ channel, ...person, conversation, change: 'added', reason }));
      return { ...person, conversation };
    },
    tokenFor: (ref, choice) => {
      const { messages } = channelState(state(), channel);
      const [delivery, sent] = Object.entries(messages).find(([, each]) => each.ref === ref) ?? [];
      const waits = sent?.things.flatMap((thing) => state().things[thing]?.wait ?? []) ?? [];
      const [wait] = waits;
      return delivery === undefined || wait === undefined || waits.length > 1
        ? null
        : makeToken(key, delivery, wait, choice);
    },
    isTokenOf: (token, ref) => {
      const delivery = parseToken(token)?.delivery;
      return delivery !== undefined && channelState(state(), channel).messages[delivery]?.ref === ref;
    },
    tell: (about, by) =>
      WORDS[about]({ state: state(), spending: ports.spending(), now: ports.now() }, { channel, by }),
    lastTask: (by) => lastTask(state(), { channel, by }),
    mayUndo: (run, by) => mayUndo(state(), { channel, by }, run),
    undo: async (run, message, signal) => {
      const id = requestOf(message);
      const replies = repliesFolder(home.oka);
      wantReply(replies, id);
      submit(intake, { kind: 'undo', run }, id);
      const reply = await awaitReply(replies, id, UNDO_MS, signal);
      if (reply === null) return 'It is not undone yet.';
      return 'done' in reply ? undoneWords(reply.done as Undone) : `It was not undone: ${reply.refused.message}.`;
    },
    stop: (conversation, message) => void submit(intake, { kind: 'chat_stop', conversation }, requestOf(message)),
  };
}

const UNDO_MS = 120_000;

const WORDS = { status: statusWords, tasks: tasksWords, cost: costWords } as const;

const shortHash = (text: string): string => hash('sha256', text).slice(0, 16);

/** Where the network counts seconds, messages of the same one are in the order in which it numbers them. */
function messageId({ message, at, order }: IncomingMessage, channel: string): string {
  const ms = at % 1000 === 0 ? at + (order % 1000) : at;
  const digest = createHash('sha256').update(`${channel} ${message}`).digest();
  return chatIdAt(ms, digest.readUInt32BE(0) % CHAT_ID_SPREAD);
}

function conversationName(channel: string, name: string, conversation: string): string {
  const plain = name
    .normalize('NFKD')
    .replaceAll(/[^A-Za-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 30);
  return [channel, ...(plain === '' ? [] : [plain]), conversation.slice(-4)].join('-');
}
