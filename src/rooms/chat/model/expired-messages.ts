/** Owns: what cleaning up would remove: messages older than the ttl of their conversation, and empty conversations. */
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
};

/** An empty conversation that is younger may have been opened for a message that is being written. */
const YOUNG_MS = 3_600_000;

export function expiredIn(rows: Rows, now: number): Expired[] {
  return [...rows.each<ConversationRow>('chat/conv/')].flatMap(([, row]) => {
    const { id, name, ttl } = row;
    const { until, messages } = ttl === null ? { until: null, messages: 0 } : expiredOf(rows, id, now - ttl * 1000);
    const isIdle = [...rows.each(queuePrefix(id), { limit: 1 })].length === 0;
    const isEmpty = row.messages === messages && isIdle && now - Date.parse(row.opened) > YOUNG_MS;
    return messages > 0 || isEmpty ? [{ conversation: id, name, until, messages, isEmpty }] : [];
  });
}

export function expiryEvents({ conversation, until, messages, isEmpty }: Expired): NewEvent[] {
  if (isEmpty) return [{ type: 'chat.deleted', data: { conversation, why: 'empty' } }];
  return until === null ? [] : [{ type: 'chat.expired', data: { conversation, until, messages, why: 'ttl' } }];
}

function expiredOf(rows: Rows, conversation: string, before: number): { until: string | null; messages: number } {
  let [until, messages]: [string | null, number] = [null, 0];
  for (const [, { id, at }] of rows.each<ChatMessage>(messagesPrefix(conversation))) {
    if (Date.parse(at) > before) break;
    until = id;
    messages += 1;
  }
  return { until, messages };
}
