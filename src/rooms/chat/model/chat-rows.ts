/** Owns: the rows of conversations: their keys, and how one is read. Written by chat-view.ts alone. */
import type { ChatMessage } from '../../../core/schema/chat-answers.ts';
import type { Rows } from '../../../core/schema/rows.ts';
import type { ReplyActivity } from './reply-activity.ts';

export type ConversationRow = {
  id: string;
  name: string;
  isPaused: boolean;
  isPinned: boolean;
  ttl: number | null;
  members: string[];
  /** How many messages there are, and how many there ever were: the place of the next one. */
  messages: number;
  places: number;
  /** The last message of a person, and how many have come since. */
  lastOfPerson: string | null;
  unread: number;
  opened: string;
  /** The place of the last message. */
  last: string | null;
  /** The places of the pinned ones, in order. */
  pins: string[];
};

/** A notice that has not been answered. */
export type NoticeRow = {
  notice: string;
  conversation: string;
  agent: string;
  message: string;
  depth: number;
  at: string;
  run: string | null;
  /** What its run is doing. */
  activity: ReplyActivity;
};

export const conversationKey = (id: string): string => `chat/conv/${id}`;
export const nameKey = (name: string): string => `chat/name/${name}`;
export const messagesPrefix = (conversation: string): string => `chat/msg/${conversation}/`;
export const messageKey = (conversation: string, place: string): string => messagesPrefix(conversation) + place;
/** The place of a message, by its id. */
export const placeKey = (conversation: string, message: string): string => `chat/at/${conversation}/${message}`;
export const placesPrefix = (conversation: string): string => `chat/at/${conversation}/`;
export const queuePrefix = (conversation: string): string => `chat/queue/${conversation}/`;
/** The key of the row of an open notice. */
export const noticeKey = (notice: string): string => `chat/notice/${notice}`;

/** Numbers as keys that sort like numbers. */
export const placeName = (place: number): string => String(place).padStart(9, '0');

/** By name, or by id; undefined when there is none. */
export function storedConversation(rows: Rows, named: string): ConversationRow | undefined {
  const id = rows.get<string>(nameKey(named)) ?? named;
  return rows.get<ConversationRow>(conversationKey(id));
}

export const storedMessage = (rows: Rows, conversation: string, place: string): ChatMessage | undefined =>
  rows.get<ChatMessage>(messageKey(conversation, place));

export function storedNotice(rows: Rows, notice: string): NoticeRow | undefined {
  const key = rows.get<string>(noticeKey(notice));
  return key === undefined ? undefined : rows.get<NoticeRow>(key);
}
