/**
 * Owns: the fold of conversations that people query: their messages, their members, and the replies in progress.
 * Does not own: what the worker decides by (chat-state.ts), nor how rows are read (chat-queries.ts).
 *
 * 1. Messages have a place in the order in which they were posted; ids of senders grow, but their clocks may differ.
 * 2. What was deleted or has expired leaves no row and no text that a search finds.
 */
import { noticeOfRun } from '../../../core/schema/chat-names.ts';
import type { ChatMessage } from '../../../core/schema/chat-answers.ts';
import type { Event, EventType } from '../../../core/schema/event.ts';
import type { Rows } from '../../../core/schema/rows.ts';
import type { View } from '../../../core/schema/view.ts';
import { type ChatEvent, chatEventTypes, isChatEvent } from './chat-events.ts';
import {
  conversationKey,
  type ConversationRow,
  messageKey,
  messagesPrefix,
  nameKey,
  noticeKey,
  type NoticeRow,
  placeKey,
  placeName,
  placesPrefix,
  queuePrefix,
  storedMessage,
  storedNotice,
} from './chat-rows.ts';
import { activityAfter, type ActivityEvent, activityTypes, isActivityEvent, NO_ACTIVITY } from './reply-activity.ts';

type EventOf<T extends EventType> = Extract<Event, { type: T }>;

export const chatView: View = {
  name: 'chat',
  version: 5,
  types: [...chatEventTypes, ...activityTypes],
  take: ({ event }, rows) => {
    if (isActivityEvent(event)) followReply(rows, event);
    else if (isChatEvent(event)) foldChat(rows, event);
  },
  found: (key, rows) => {
    const message = rows.get<ChatMessage>(key);
    const conversation = rows.get<ConversationRow>(conversationKey(key.split('/')[2] ?? ''));
    if (message === undefined || conversation === undefined) return null;
    const { content: text, at, run, from: state } = message;
    return { kind: 'message', name: `${conversation.name} ${message.id}`, text, at, run, state };
  },
};

function foldChat(rows: Rows, event: ChatEvent): void {
  if (event.type === 'chat.opened') return openConversation(rows, event);
  const row = rows.get<ConversationRow>(conversationKey(event.data.conversation));
  if (row === undefined) return; // it was deleted
  switch (event.type) {
    case 'chat.changed':
      return changeConversation(rows, row, event);
    case 'chat.joined':
      return store(rows, { ...row, members: [...new Set([...row.members, event.data.agent])] });
    case 'message.posted':
      return postMessage(rows, row, event);
    case 'notice.queued':
      return queueNotice(rows, event);
    case 'notice.taken':
      return changeNotice(rows, event.data.notice, (notice) => ({ ...notice, run: event.data.run }));
    case 'notice.dropped':
      return removeNotice(rows, event.data.notice);
    case 'chat.paused':
      return store(rows, { ...row, isPaused: true });
    case 'chat.resumed':
      return store(rows, { ...row, isPaused: false });
    case 'chat.expired':
      return expireMessages(rows, row, event.data);
    case 'chat.deleted':
      return deleteConversation(rows, row);
  }
}

const store = (rows: Rows, row: ConversationRow): void => rows.put(conversationKey(row.id), row);

function openConversation(rows: Rows, { at, data }: EventOf<'chat.opened'>): void {
  const { conversation: id, name, ttl, fork } = data;
  const counts = { messages: 0, places: 0, unread: 0, lastOfPerson: null, last: null, pins: [] };
  const row = { id, name, isPaused: false, isPinned: false, ttl, members: [], opened: at, ...counts };
  rows.put(nameKey(name), id);
  store(rows, fork === undefined ? row : copyMessages(rows, row, fork));
}

function copyMessages(
  rows: Rows,
  row: ConversationRow,
  { conversation, at }: { conversation: string; at: string | null },
): ConversationRow {
  const source = rows.get<ConversationRow>(conversationKey(conversation));
  if (source === undefined) return row;
  const until = at === null ? undefined : rows.get<string>(placeKey(conversation, at));
  let copy: ConversationRow = { ...row, members: source.members };
  for (const [key, message] of Array.from(rows.each<ChatMessage>(messagesPrefix(conversation)))) {
    if (until !== undefined && key > messageKey(conversation, until)) break;
    copy = addMessage(rows, copy, message);
  }
  return copy;
}

function changeConversation(rows: Rows, row: ConversationRow, { data }: EventOf<'chat.changed'>): void {
  const { name = row.name, pinned = row.isPinned, ttl = row.ttl, pin } = data;
  if (name !== row.name) {
    rows.put(nameKey(row.name), null);
    rows.put(nameKey(name), row.id);
  }
  const pins = pin === undefined ? row.pins : pinMessage(rows, row, pin);
  store(rows, { ...row, name, isPinned: pinned, ttl, pins });
}

/** The places of the pinned messages after it. */
function pinMessage(rows: Rows, { id, pins }: ConversationRow, pin: { message: string; pinned: boolean }): string[] {
  const place = rows.get<string>(placeKey(id, pin.message));
  const found = place === undefined ? undefined : storedMessage(rows, id, place);
  if (place === undefined || found === undefined) return pins;
  const { pinned: _before, ...message } = found;
  rows.put(messageKey(id, place), pin.pinned ? { ...message, pinned: true } : message);
  const others = pins.filter((each) => each !== place);
  return pin.pinned ? [...others, place].toSorted() : others;
}

function postMessage(rows: Rows, row: ConversationRow, { at, data }: EventOf<'message.posted'>): void {
  const { conversation: _conversation, message: id, body, run = null, task: _task, ...rest } = data;
  if (rows.get<string>(placeKey(row.id, id)) !== undefined) return;
  if (data.notice !== undefined) removeNotice(rows, data.notice);
  store(rows, addMessage(rows, row, { id, at, run, ...rest, ...(body === undefined ? {} : { body: body.sha256 }) }));
}

function addMessage(rows: Rows, row: ConversationRow, message: ChatMessage): ConversationRow {
  const place = placeName(row.places);
  rows.put(messageKey(row.id, place), message);
  rows.put(placeKey(row.id, message.id), place);
  rows.texts?.put(messageKey(row.id, place), `${message.from} ${message.content}`);
  const isPerson = message.kind === 'person';
  return {
    ...row,
    messages: row.messages + 1,
    places: row.places + 1,
    last: place,
    pins: message.pinned === true ? [...row.pins, place] : row.pins,
    lastOfPerson: isPerson ? message.id : row.lastOfPerson,
    unread: isPerson ? 0 : row.unread + 1,
  };
}

function queueNotice(rows: Rows, { at, seq, data }: EventOf<'notice.queued'>): void {
  const { notice, conversation, agent, message, depth } = data;
  const key = queuePrefix(conversation) + placeName(seq);
  const row: NoticeRow = { notice, conversation, agent, message, depth, at, run: null, activity: NO_ACTIVITY };
  rows.put(key, row);
  rows.put(noticeKey(notice), key);
}

function changeNotice(rows: Rows, notice: string, change: (row: NoticeRow) => NoticeRow): void {
  const row = storedNotice(rows, notice);
  const key = rows.get<string>(noticeKey(notice));
  if (row !== undefined && key !== undefined) rows.put(key, change(row));
}

function removeNotice(rows: Rows, notice: string): void {
  const key = rows.get<string>(noticeKey(notice));
  if (key === undefined) return;
  rows.put(key, null);
  rows.put(noticeKey(notice), null);
}

function followReply(rows: Rows, event: ActivityEvent): void {
  const notice = noticeOfRun(event.run);
  if (notice !== null) changeNotice(rows, notice, (row) => ({ ...row, activity: activityAfter(row.activity, event) }));
}

/** What is pinned does not grow too old; a person who clears a conversation means it, too. */
function expireMessages(rows: Rows, row: ConversationRow, { until, why }: EventOf<'chat.expired'>['data']): void {
  const isCleared = why === 'cleared';
  const end = isCleared ? row.last : rows.get<string>(placeKey(row.id, until));
  if (end === undefined || end === null) return;
  let gone = 0;
  for (const [key, message] of Array.from(rows.each<ChatMessage>(messagesPrefix(row.id)))) {
    if (key > messageKey(row.id, end)) break;
    if (message.pinned === true && !isCleared) continue;
    removeMessage(rows, row.id, key, message.id);
    gone += 1;
  }
  const messages = row.messages - gone;
  const isThere = row.lastOfPerson !== null && rows.get(placeKey(row.id, row.lastOfPerson)) !== undefined;
  const [last] = Array.from(rows.each<ChatMessage>(messagesPrefix(row.id), { reverse: true, limit: 1 }));
  store(rows, {
    ...row,
    messages,
    unread: Math.min(row.unread, messages),
    lastOfPerson: isThere ? row.lastOfPerson : null,
    last: last?.[0].slice(messagesPrefix(row.id).length) ?? null,
    pins: isCleared ? [] : row.pins,
  });
}

function removeMessage(rows: Rows, conversation: string, key: string, message: string): void {
  rows.put(key, null);
  rows.put(placeKey(conversation, message), null);
  rows.texts?.put(key, null);
}

function deleteConversation(rows: Rows, row: ConversationRow): void {
  for (const [key, message] of Array.from(rows.each<ChatMessage>(messagesPrefix(row.id))))
    removeMessage(rows, row.id, key, message.id);
  for (const [key] of Array.from(rows.each(placesPrefix(row.id)))) rows.put(key, null);
  for (const [, { notice }] of Array.from(rows.each<NoticeRow>(queuePrefix(row.id)))) removeNotice(rows, notice);
  rows.put(nameKey(row.name), null);
  rows.put(conversationKey(row.id), null);
}
