/** Owns: what people ask about conversations, answered from rows: without a worker, and for any length of history. */
import type { ChatMessage, ConversationEntry, MessagePage, OpenReply } from '../../../core/schema/chat-answers.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import type { Rows } from '../../../core/schema/rows.ts';
import type { PlacedMessage } from './chat-prompt.ts';
import {
  conversationKey,
  type ConversationRow,
  messageKey,
  messagesPrefix,
  type NoticeRow,
  placeKey,
  placeName,
  queuePrefix,
  storedConversation,
  storedMessage,
} from './chat-rows.ts';
import { stateOfActivity } from './reply-activity.ts';

/** Pinned ones first, then those that were written in last. */
export function listConversations(rows: Rows): ConversationEntry[] {
  const entries = [...rows.each<ConversationRow>('chat/conv/')].map(([, row]) => toEntry(rows, row));
  return entries.toSorted(
    (a, b) =>
      Number(b.pinned) - Number(a.pinned) || activeAt(b).localeCompare(activeAt(a)) || (a.name < b.name ? -1 : 1),
  );
}

/** By name, or by id; null when there is none. */
export function findConversation(rows: Rows, named: string): ConversationEntry | null {
  const row = storedConversation(rows, named);
  return row === undefined ? null : toEntry(rows, row);
}

/** As findConversation, but a conversation that is not there is an error for a person. */
function requireConversation(rows: Rows, named: string): ConversationEntry {
  const found = findConversation(rows, named);
  if (found !== null) return found;
  throw new OkaError('usage', `there is no conversation "${named}"`, { fix: 'List the conversations: oka chat' });
}

export type MessageRange = {
  /** Only messages behind this one. */
  since?: string | undefined;
  /** Only messages before this one. */
  before?: string | undefined;
  /** The first ones behind `since`, else the last ones. */
  limit?: number | undefined;
};

/** Messages of a conversation, given by name or id. */
export function listMessages(rows: Rows, named: string, { since, before, limit }: MessageRange = {}): MessagePage {
  const { id } = requireConversation(rows, named);
  const keyAt = (message: string): string => messageKey(id, placeOf(rows, id, message));
  const bounds = {
    ...(since === undefined ? {} : { after: keyAt(since) }),
    ...(before === undefined ? {} : { before: keyAt(before) }),
  };
  const isForward = since !== undefined;
  const most = limit === undefined ? {} : { limit: isForward ? limit : limit + 1 };
  const found = [...rows.each<ChatMessage>(messagesPrefix(id), { ...bounds, reverse: !isForward, ...most })];
  const kept = limit === undefined ? found : found.slice(0, limit);
  const messages = kept.map(([, message]) => message);
  return {
    messages: isForward ? messages : messages.toReversed(),
    earlier: isForward || found.length > kept.length,
  };
}

/** The latest messages of a conversation, given by its id, with their places; up to and with `until`, if it is there. */
export function latestMessages(
  rows: Rows,
  id: string,
  { limit, until }: { limit: number; until?: string | undefined },
): PlacedMessage[] {
  const end = until === undefined ? undefined : rows.get<string>(placeKey(id, until));
  const bound = end === undefined ? {} : { before: messageKey(id, placeName(Number(end) + 1)) };
  const found = [...rows.each<ChatMessage>(messagesPrefix(id), { ...bound, reverse: true, limit })];
  return found
    .map(([key, message]) => ({ ...message, place: Number(key.slice(key.lastIndexOf('/') + 1)) }))
    .toReversed();
}

/** The pinned messages of a conversation, given by name or id, in order. */
export function pinnedMessages(rows: Rows, named: string): PlacedMessage[] {
  const row = storedConversation(rows, named);
  return (row?.pins ?? []).flatMap((place) => {
    const message = row && storedMessage(rows, row.id, place);
    return message === undefined ? [] : [{ ...message, place: Number(place) }];
  });
}

/** A message of a conversation, by the ids of both, however many came after it. */
export function findMessage(rows: Rows, conversation: string, message: string): ChatMessage | undefined {
  const place = rows.get<string>(placeKey(conversation, message));
  return place === undefined ? undefined : storedMessage(rows, conversation, place);
}

/** Messages that have all of the words (lower case), the latest first; of one conversation, or of all. */
export function searchMessages(
  rows: Rows,
  words: readonly string[],
  { named, limit = 50 }: { named?: string | undefined; limit?: number | undefined } = {},
): { conversation: string; message: ChatMessage }[] {
  const prefix = named === undefined ? 'chat/msg/' : messagesPrefix(requireConversation(rows, named).id);
  const found: { conversation: string; message: ChatMessage }[] = [];
  for (const key of rows.texts?.find(words) ?? []) {
    if (!key.startsWith(prefix)) continue;
    const message = rows.get<ChatMessage>(key);
    const conversation = rows.get<ConversationRow>(conversationKey(key.split('/')[2] ?? ''));
    if (message !== undefined && conversation !== undefined) found.push({ conversation: conversation.name, message });
    if (found.length >= limit) break;
  }
  return found;
}

/** Throws for a person when the message is not there. */
export const requireMessage = (rows: Rows, conversation: string, message: string): void =>
  void placeOf(rows, conversation, message);

function placeOf(rows: Rows, conversation: string, message: string): string {
  const place = rows.get<string>(placeKey(conversation, message));
  if (place !== undefined) return place;
  throw new OkaError('usage', `there is no message "${message}" in this conversation`, {
    fix: 'Ids are the first column of: oka chat view <conversation>',
  });
}

function toEntry(rows: Rows, row: ConversationRow): ConversationEntry {
  const { id, name, isPaused, isPinned: pinned, ttl, members, messages, opened } = row;
  return {
    id,
    name,
    state: isPaused ? 'paused' : 'active',
    pinned,
    ttl,
    members,
    messages,
    unread: { count: row.unread, since: row.lastOfPerson },
    opened,
    last: (row.last === null ? undefined : storedMessage(rows, id, row.last)) ?? null,
    queue: [...rows.each<NoticeRow>(queuePrefix(id))].map(([, notice]) => toReply(notice)),
  };
}

function toReply({ notice, agent, message, depth, run, at, activity }: NoticeRow): OpenReply {
  const doing = run === null ? { state: 'queued' as const } : stateOfActivity(activity);
  return { notice, agent, message, depth, run, at, ...doing };
}

const activeAt = ({ last, opened }: ConversationEntry): string => last?.at ?? opened;
