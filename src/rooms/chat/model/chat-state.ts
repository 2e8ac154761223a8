/**
 * Owns: what the worker knows about conversations: a projection of the run ledger, small enough to stay in memory.
 * Does not own: texts of messages, which only views and prompts need (chat-view.ts).
 *
 * S1 A notice is open from `notice.queued` until a message answers it or it is dropped; it is answered once.
 * S2 What a message asks and has no notice yet is owed: a power cut may have torn the batch that had both.
 * S3 A request that was recorded and has had no effect yet is pending, and is handled at the next start.
 */
import { type ChatEvent, chatEventTypes, isChatEvent } from './chat-events.ts';
import type { ReplyCost, TaskReport } from '../../../core/schema/chat.ts';
import type { Event } from '../../../core/schema/event.ts';
import type { Intake } from '../../../core/schema/intake.ts';
import type { Projection } from '../../../core/schema/ports.ts';

export type Conversation = {
  id: string;
  name: string;
  isPaused: boolean;
  ttl: number | null;
  members: string[];
  /** How many messages there are. */
  messages: number;
  /** The last message. */
  last: string | null;
};

export type Notice = {
  notice: string;
  conversation: string;
  agent: string;
  message: string;
  depth: number;
  chain: string;
  isSnapshot: boolean;
  /** The run that answers it; null while it is queued. */
  run: string | null;
};

/** A task that an agent has started and that has not ended. */
export type ChatTask = {
  id: string;
  title: string;
  agent: string;
  conversation: string;
  depth: number;
  chain: string;
  budget: ReplyCost;
  /** Whether a message says that it waits for a person. */
  isWaiting: boolean;
};

export type ChatIntake = Extract<Intake, { kind: `chat_${string}` }>;

export type ChatState = {
  conversations: Record<string, Conversation>;
  /** Ids by name. */
  names: Record<string, string>;
  /** Open ones, in the order in which they were queued. */
  notices: Record<string, Notice>;
  /** What chains with open notices have cost so far. */
  chains: Record<string, ReplyCost>;
  /** Messages whose notices are not all there, with the agents that are still to be asked. */
  owed: Record<string, { conversation: string; agents: string[]; depth: number; chain: string }>;
  tasks: Record<string, ChatTask>;
  pending: { id: string; intake: ChatIntake } | null;
  /** The latest messages of all conversations, so that one that is submitted again is recognised. */
  recent: string[];
};

const MOST_RECENT = 5000;

export const chatProjection: Projection<ChatState> = {
  name: 'chats',
  version: 3,
  types: [...chatEventTypes, 'intake.received', 'intake.rejected'],
  initial: () => ({
    conversations: {},
    names: {},
    notices: {},
    chains: {},
    owed: {},
    tasks: {},
    pending: null,
    recent: [],
  }),
  apply: (state, event) => {
    notePending(state, event);
    if (isChatEvent(event)) applyChatEvent(state, event);
    return state;
  },
};

/** Requests are handled one after the other, so one that is recorded later means that those before it were handled. */
function notePending(state: ChatState, event: Event): void {
  if (event.type === 'intake.received') {
    const { id, intake } = event.data;
    state.pending = isChatIntake(intake) ? { id, intake } : null;
  } else if (isEffect(event)) state.pending = null;
}

/** Whether only a request leads to such an event. */
function isEffect({ type, data }: Event): boolean {
  if (type === 'message.posted') return data.kind === 'person';
  return type === 'intake.rejected' || (type.startsWith('chat.') && type !== 'chat.joined');
}

export const isChatIntake = (intake: Intake): intake is ChatIntake => intake.kind.startsWith('chat_');

function applyChatEvent(state: ChatState, { type, data }: ChatEvent): void {
  switch (type) {
    case 'chat.opened':
      openConversation(state, data);
      break;
    case 'chat.changed':
      changeConversation(state, data);
      break;
    case 'chat.joined':
      change(state, data.conversation, (each) => void each.members.push(data.agent));
      break;
    case 'message.posted':
      postMessage(state, data);
      break;
    case 'notice.queued':
      queueNotice(state, data);
      break;
    case 'notice.taken': {
      const notice = state.notices[data.notice];
      if (notice !== undefined) notice.run = data.run;
      break;
    }
    case 'notice.dropped':
      closeNotice(state, data.notice);
      break;
    case 'chat.paused':
    case 'chat.resumed':
      change(state, data.conversation, (each) => void (each.isPaused = type === 'chat.paused'));
      break;
    case 'chat.expired':
      change(state, data.conversation, (each) => void (each.messages -= data.messages));
      break;
    case 'chat.deleted':
      deleteConversation(state, data.conversation);
      break;
  }
}

type DataOf<T extends Event['type']> = Extract<Event, { type: T }>['data'];

function change(state: ChatState, id: string, apply: (conversation: Conversation) => void): void {
  const conversation = state.conversations[id];
  if (conversation !== undefined) apply(conversation);
}

function openConversation(state: ChatState, { conversation: id, name, ttl, fork }: DataOf<'chat.opened'>): void {
  const source = fork === undefined ? undefined : state.conversations[fork.conversation];
  const { members = [], messages = 0 } = source ?? {};
  const last = fork?.at ?? source?.last ?? null;
  state.conversations[id] = { id, name, isPaused: false, ttl, members: [...members], messages, last };
  state.names[name] = id;
}

function changeConversation(state: ChatState, { conversation, name, ttl }: DataOf<'chat.changed'>): void {
  change(state, conversation, (each) => {
    if (ttl !== undefined) each.ttl = ttl;
    if (name === undefined) return;
    delete state.names[each.name];
    each.name = name;
    state.names[name] = each.id;
  });
}

function postMessage(state: ChatState, data: DataOf<'message.posted'>): void {
  const { conversation, message, notice, asks = [], depth, kind, chain, cost } = data;
  if (state.conversations[conversation] === undefined) return;
  state.recent.push(message);
  if (state.recent.length > MOST_RECENT) state.recent.splice(0, state.recent.length - MOST_RECENT);
  change(state, conversation, (each) => void Object.assign(each, { messages: each.messages + 1, last: message }));
  if (asks.length > 0)
    state.owed[message] = { conversation, agents: [...asks], depth: kind === 'person' ? 0 : depth + 1, chain };
  if (data.task !== undefined) noteTask(state, data, data.task);
  chargeChain(state, chain, cost ?? data.task?.budget);
  if (notice !== undefined) closeNotice(state, notice);
}

function chargeChain(state: ChatState, chain: string, cost: ReplyCost | undefined): void {
  const spent = state.chains[chain];
  if (spent === undefined || cost === undefined) return;
  state.chains[chain] = {
    usd: spent.usd + cost.usd,
    tokens: spent.tokens + cost.tokens,
    calls: spent.calls + cost.calls,
  };
}

function noteTask(
  { tasks }: ChatState,
  { conversation, depth, chain }: DataOf<'message.posted'>,
  { id, title, agent, state, budget = { usd: 0, tokens: 0, calls: 0 } }: TaskReport,
): void {
  const task = tasks[id];
  if (state === 'started') tasks[id] = { id, title, agent, conversation, depth, chain, budget, isWaiting: false };
  else if (state !== 'waiting') delete tasks[id];
  else if (task !== undefined) task.isWaiting = true;
}

function queueNotice(state: ChatState, { snapshot, ...data }: DataOf<'notice.queued'>): void {
  const { notice, conversation, agent, message, depth, chain } = data;
  const owed = state.owed[message];
  if (owed !== undefined) {
    owed.agents = owed.agents.filter((each) => each !== agent);
    if (owed.agents.length === 0) delete state.owed[message];
  }
  if (state.conversations[conversation] === undefined) return;
  state.notices[notice] = {
    notice,
    conversation,
    agent,
    message,
    depth,
    chain,
    isSnapshot: snapshot === true,
    run: null,
  };
  state.chains[chain] ??= { usd: 0, tokens: 0, calls: 0 };
}

/** A chain whose last notice is settled is over, unless what settled it asks somebody. */
function closeNotice(state: ChatState, id: string): void {
  const notice = state.notices[id];
  if (notice === undefined) return;
  delete state.notices[id];
  const isOpen =
    Object.values(state.notices).some(({ chain }) => chain === notice.chain) ||
    Object.values(state.owed).some(({ chain }) => chain === notice.chain);
  if (!isOpen) delete state.chains[notice.chain];
}

function deleteConversation(state: ChatState, id: string): void {
  const conversation = state.conversations[id];
  if (conversation === undefined) return;
  delete state.conversations[id];
  delete state.names[conversation.name];
  for (const [message, owed] of Object.entries(state.owed)) if (owed.conversation === id) delete state.owed[message];
  for (const task of Object.values(state.tasks)) if (task.conversation === id) delete state.tasks[task.id];
  for (const notice of Object.values(state.notices)) if (notice.conversation === id) closeNotice(state, notice.notice);
}
