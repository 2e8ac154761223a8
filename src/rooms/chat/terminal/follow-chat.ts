/** Owns: following one conversation from now on: its events from the ledger, its words from the live stream. */
import { findConversation, listMessages, type MessageRange } from '../model/chat-queries.ts';
import { followLive } from '../../../kit/socket/follow-live.ts';
import { agentOfRun, noticeOfRun } from '../../../core/schema/chat-names.ts';
import type { ChatMessage, ConversationEntry } from '../../../core/schema/chat-answers.ts';
import type { Line } from '../../../core/schema/event.ts';
import type { LiveMessage } from '../../../core/schema/live.ts';
import { changes, type Known, knownNow } from '../../../kit/views/changes.ts';
import { readViews } from '../../../kit/cli/read-views.ts';
import type { ChatCall, NamedChat } from './chat-access.ts';
import { type ChatFeed, type FeedItem, openChatFeed } from './chat-feed.ts';

export type FollowedChat = {
  /** The conversation as it was; null while no worker has begun it. */
  entry: ConversationEntry | null;
  /** Those that were asked for. */
  messages: readonly ChatMessage[];
  feed: ChatFeed;
  /** Names a message that was just sent, so that the words of its answers are recognised before the ledger is read. */
  expect: (message: string) => void;
  /** Calls back with what happens from then on, until the signal. */
  follow: (signal: AbortSignal, on: (item: FeedItem) => void, onWords?: (words: Words) => void) => Promise<void>;
};

/** What an agent is writing, or that it has stopped writing for now. */
export type Words = { agent: string; run: string; step: string | null } & ({ text: string } | { end: true });

export async function followChat(call: ChatCall, { id }: NamedChat, range: MessageRange): Promise<FollowedChat> {
  const known = knownNow(call.home.ledgers, ['run']);
  const { entry, messages } = await readViews(call, (rows) => {
    const found = findConversation(rows, id);
    return { entry: found, messages: found === null ? [] : listMessages(rows, id, range).messages };
  });
  const feed = openChatFeed({
    conversation: id,
    replies: entry?.queue ?? [],
    isPaused: entry?.state === 'paused',
  });
  const seen = new Set(messages.map((message) => message.id));
  const expected = new Set<string>();
  return {
    entry,
    messages,
    feed,
    expect: (message) => void expected.add(message),
    follow: (signal, on, onWords) => {
      const live = wordSorter(feed, (message) => expected.has(message) || seen.has(message), onWords);
      if (onWords !== undefined) void followLive(call.home, signal, live.take);
      return followEvents(call, known, signal, (event) => {
        for (const item of feed.take(event)) if (!isSeen(item, seen)) on(item);
        live.release();
      });
    },
  };
}

/** Words that may belong to this conversation wait for the event that says so, in this number at most. */
const MOST_WAITING = 5000;

/** Passes on the words of this conversation; those of others are dropped once another event was read. */
function wordSorter(
  feed: ChatFeed,
  isOurs: (message: string) => boolean,
  onWords: (words: Words) => void = () => undefined,
): { take: (live: LiveMessage) => void; release: () => void } {
  let waiting: LiveMessage[] = [];
  const pass = (live: LiveMessage): boolean => {
    const agent = feed.agentOf(live.run) ?? ourAgent(live.run, isOurs);
    if (agent === null) return false;
    const about = { agent, run: live.run, step: live.step };
    if (live.kind === 'text') onWords({ ...about, text: live.text });
    else if (live.kind === 'end') onWords({ ...about, end: true });
    return true;
  };
  return {
    take: (live) => {
      if (noticeOfRun(live.run) === null || pass(live)) return;
      waiting.push(live);
      if (waiting.length > MOST_WAITING) waiting = waiting.slice(-MOST_WAITING / 2);
    },
    release: () => {
      waiting = waiting.filter((live) => !pass(live));
    },
  };
}

/** The agent that answers one of our messages. */
function ourAgent(run: string, isOurs: (message: string) => boolean): string | null {
  const [message = ''] = (noticeOfRun(run) ?? '').split('-', 1);
  return isOurs(message) ? agentOfRun(run) : null;
}

async function followEvents(
  call: ChatCall,
  known: Known,
  signal: AbortSignal,
  on: (event: Line) => void,
): Promise<void> {
  for await (const event of changes(call.home.ledgers, known, { signal })) on(event);
}

/** Messages that the views had already are not reported again. */
function isSeen(item: FeedItem, seen: Set<string>): boolean {
  if (item.kind !== 'message') return false;
  const isKnown = seen.has(item.message.id);
  seen.add(item.message.id);
  return isKnown;
}
