/**
 * Owns: what happens in one conversation, out of the events of the ledger as they come: messages, who is thinking, tool
 * calls, and what a person is asked. Pure; follow-chat.ts reads the ledger and the live stream.
 */
import {
  activityAfter,
  type ActivityEvent,
  isActivityEvent,
  NO_ACTIVITY,
  type ReplyActivity,
  stateOfActivity,
} from '../model/reply-activity.ts';
import { noticeId, noticeOfRun } from '../../../core/schema/chat-names.ts';
import type { ChatMessage, OpenReply } from '../../../core/schema/chat-answers.ts';
import type { Event, EventType } from '../../../core/schema/event.ts';
import type { Json } from '../../../core/schema/json.ts';
import type { WaitFor } from '../../../core/schema/wait.ts';

const CHAT_TYPES = [
  'message.posted',
  'notice.queued',
  'notice.taken',
  'notice.dropped',
  'chat.paused',
  'chat.resumed',
  'chat.deleted',
] as const satisfies readonly EventType[];

type ChatEvent = Extract<Event, { type: (typeof CHAT_TYPES)[number] }>;

const isChatEvent = (event: Event): event is ChatEvent => (CHAT_TYPES as readonly string[]).includes(event.type);

export type FollowedReply = Pick<OpenReply, 'notice' | 'agent' | 'state' | 'waits_for' | 'why' | 'run'> & {
  chain: string | null;
  activity: ReplyActivity;
};

export type FeedItem =
  | { kind: 'message'; message: ChatMessage }
  /** A tool is called, in a few words. */
  | { kind: 'call'; agent: string; tool: string; about: string }
  /** A person has to decide or answer. */
  | { kind: 'asked'; agent: string; wait: string; for: WaitFor }
  | { kind: 'answered'; wait: string }
  /** Replies or the state of the conversation have changed. */
  | { kind: 'changed' };

export type ChatFeed = {
  take: (event: Event) => FeedItem[];
  /** Replies that have not ended, in their order. */
  replies: () => readonly FollowedReply[];
  /** The agent whose reply a run is, or a run inside of it; null for other runs. */
  agentOf: (run: string | null) => string | null;
  state: () => 'active' | 'paused' | 'deleted';
};

type Start = { conversation: string; replies: readonly OpenReply[]; isPaused: boolean };

export function openChatFeed({ conversation, replies: open, isPaused }: Start): ChatFeed {
  const replies = new Map<string, FollowedReply>(
    open.map((reply) => [reply.notice, { ...reply, chain: null, activity: NO_ACTIVITY }]),
  );
  let state: ReturnType<ChatFeed['state']> = isPaused ? 'paused' : 'active';
  const replyOf = (run: string | null): FollowedReply | undefined =>
    replies.get(noticeOfRun(run?.split('.', 1)[0] ?? null) ?? '');
  const change = (notice: string, next: Partial<FollowedReply>): FeedItem[] => {
    const known = replies.get(notice);
    if (known === undefined) return [];
    replies.set(notice, { ...known, ...next });
    return [{ kind: 'changed' }];
  };

  /** A message names whom it asks, so that their replies are known before their notices are read. */
  const expect = ({ message, chain }: { message: string; chain: string }, agent: string): void => {
    const notice = noticeId(message, agent);
    if (!replies.has(notice))
      replies.set(notice, { notice, agent, chain, state: 'queued', run: null, activity: NO_ACTIVITY });
  };

  function takeChat(event: ChatEvent): FeedItem[] {
    switch (event.type) {
      case 'message.posted':
        if (event.data.notice !== undefined) replies.delete(event.data.notice);
        for (const agent of event.data.asks ?? []) expect(event.data, agent);
        return [{ kind: 'message', message: toMessage(event) }, { kind: 'changed' }];
      case 'notice.queued': {
        const { notice, agent, chain } = event.data;
        replies.set(notice, { notice, agent, chain, state: 'queued', run: null, activity: NO_ACTIVITY });
        return [{ kind: 'changed' }];
      }
      case 'notice.taken':
        return change(event.data.notice, { state: 'thinking', run: event.data.run });
      case 'notice.dropped':
        replies.delete(event.data.notice);
        return [{ kind: 'changed' }];
      case 'chat.paused':
      case 'chat.resumed':
        state = event.type === 'chat.paused' ? 'paused' : 'active';
        return [{ kind: 'changed' }];
      case 'chat.deleted':
        state = 'deleted';
        return [{ kind: 'changed' }];
    }
  }

  function takeActivity(event: ActivityEvent): FeedItem[] {
    const own = replyOf(event.run);
    if (own === undefined) return [];
    const activity = activityAfter(own.activity, event);
    const doing = own.run === null ? {} : { waits_for: undefined, why: undefined, ...stateOfActivity(activity) };
    return [...itemsOf(event, own.agent), ...change(own.notice, { activity, ...doing })];
  }

  return {
    replies: () => [...replies.values()],
    agentOf: (run) => replyOf(run)?.agent ?? null,
    state: () => state,
    take: (event) => {
      if (isChatEvent(event)) return event.data.conversation === conversation ? takeChat(event) : [];
      return isActivityEvent(event) ? takeActivity(event) : [];
    },
  };
}

/** What people are shown for an event of the run of a reply, besides its state. */
function itemsOf(event: ActivityEvent, agent: string): FeedItem[] {
  switch (event.type) {
    case 'call.started': {
      const { tool, input } = event.data;
      return tool.startsWith('model.') ? [] : [{ kind: 'call', agent, tool, about: describeInput(input) }];
    }
    case 'wait.opened': {
      const { wait, for: awaited } = event.data;
      return isForPeople(awaited) ? [{ kind: 'asked', agent, wait, for: awaited }] : [];
    }
    case 'wait.closed':
      return [{ kind: 'answered', wait: event.data.wait }];
    case 'call.ended':
    case 'desk.awaited':
    case 'desk.kept':
      return [];
  }
}

export const isForPeople = ({ kind }: WaitFor): boolean => kind === 'approval' || kind === 'question';

function toMessage({ at, data }: Extract<Event, { type: 'message.posted' }>): ChatMessage {
  const { conversation: _conversation, message: id, body, run = null, ...rest } = data;
  return { id, at, run, ...rest, ...(body === undefined ? {} : { body: body.sha256 }) };
}

/** The first text of an input, which mostly says what it is about. */
function describeInput(input: Json): string {
  if (typeof input === 'string') return input;
  if (typeof input !== 'object' || input === null) return '';
  return Object.values(input).find((value) => typeof value === 'string') ?? '';
}
