/**
 * Owns: what cleaning up removes: messages older than the ttl of their conversation, and empty conversations; and why an
 * empty conversation is kept. Pinned messages and pinned conversations stay.
 */
import type { ChatMessage } from '../../../core/schema/chat-answers.ts';
import type { NewEvent } from '../../../core/schema/event.ts';
import type { Rows } from '../../../core/schema/rows.ts';
import { type ConversationRow, messagesPrefix, queuePrefix } from './chat-rows.ts';

type Expired = {
  conversation: string;
  name: string;
  /** The last message that has expired, and how many have; null when none has. */
  until: string | null;
  messages: number;
  /** Whether nothing is left of the conversation, so that it goes, too. */
  isEmpty: boolean;
  /** Why it stays although nothing is left of it; null when it goes, or has messages. */
  kept: string | null;
};

/** A conversation in which nobody has written yet may have been opened for a message that is being written. */
const YOUNG_MS = 3_600_000;

/** Conversations of which something goes, and empty ones that stay. */
export function expiredIn(rows: Rows, now: number): Expired[] {
  return [...rows.each<ConversationRow>('chat/conv/')].flatMap(([, row]) => {
    const { id, name, ttl } = row;
    const { until, messages } = ttl === null ? { until: null, messages: 0 } : expiredOf(rows, id, now - ttl * 1000);
    const kept = row.messages === messages ? reasonToKeep(rows, row, now) : null;
    const isEmpty = row.messages === messages && kept === null;
    return messages > 0 || isEmpty || kept !== null ? [{ conversation: id, name, until, messages, isEmpty, kept }] : [];
  });
}

function reasonToKeep(rows: Rows, { id, isPinned, places, opened }: ConversationRow, now: number): string | null {
  if ([...rows.each(queuePrefix(id), { limit: 1 })].length > 0) return 'a reply is still to come';
  if (isPinned) return `it is pinned (oka chat unpin)`;
  if (places === 0 && now - Date.parse(opened) <= YOUNG_MS) return 'it began less than an hour ago';
  return null;
}

export function expiryEvents({ conversation, until, messages, isEmpty }: Expired): NewEvent[] {
  if (isEmpty) return [{ type: 'chat.deleted', data: { conversation, why: 'empty' } }];
  return until === null ? [] : [{ type: 'chat.expired', data: { conversation, until, messages, why: 'ttl' } }];
}

function expiredOf(rows: Rows, conversation: string, before: number): { until: string | null; messages: number } {
  let [until, messages]: [string | null, number] = [null, 0];
  for (const [, { id, at, pinned }] of rows.each<ChatMessage>(messagesPrefix(conversation))) {
    if (Date.parse(at) > before) break;
    if (pinned === true) continue;
    until = id;
    messages += 1;
  }
  return { until, messages };
}
