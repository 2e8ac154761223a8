/**
 * Owns: what the page of a day says about conversations: which ones there were, how many messages, and who wrote. The
 * messages themselves stay in the conversation; one that was deleted leaves the pages, too.
 */
import { SYSTEM, USER } from '../../../core/schema/chat-names.ts';
import type { Event } from '../../../core/schema/event.ts';
import type { Rows } from '../../../core/schema/rows.ts';
import type { EventOf } from '../event-handlers.ts';
import { addCounts } from './day-entries.ts';
import { escapeText, formatCount, joinList } from './page-prose.ts';

type DayChat = { messages: number; from: string[] };

const nameKey = (conversation: string): string => `day-chat-name/${conversation}`;
const chatKey = (day: string, conversation: string): string => `day-chat/${day}/${conversation}`;
const dayOf = ({ at }: Pick<Event, 'at'>): string => at.slice(0, 10);

export function nameConversation({ data }: EventOf<'chat.opened'> | EventOf<'chat.changed'>, rows: Rows): void {
  if (data.name !== undefined) rows.put(nameKey(data.conversation), data.name);
}

export function recordMessage(event: EventOf<'message.posted'>, rows: Rows): void {
  const { conversation, from } = event.data;
  if (from === SYSTEM) return;
  const key = chatKey(dayOf(event), conversation);
  const known = rows.get<DayChat>(key) ?? { messages: 0, from: [] };
  rows.put(key, { messages: known.messages + 1, from: [...new Set([...known.from, from])] } satisfies DayChat);
  addCounts(rows, event, { messages: 1 });
}

export function forgetConversation({ data: { conversation } }: EventOf<'chat.deleted'>, rows: Rows): void {
  for (const [key] of Array.from(rows.each<DayChat>('day-chat/'))) {
    if (!key.endsWith(`/${conversation}`)) continue;
    rows.put(key, null);
    addCounts(rows, { at: `${key.split('/')[1]}T00:00:00.000Z` }, {}); // its page is outdated
  }
  rows.put(nameKey(conversation), null);
}

/** One line for each conversation of a day. */
export function conversationLines(rows: Rows, day: string): string[] {
  return [...rows.each<DayChat>(`day-chat/${day}/`)].map(([key, { messages, from }]) => {
    const id = key.slice(key.lastIndexOf('/') + 1);
    const who = from.map((each) => (each === USER ? 'you' : escapeText(each)));
    return `${escapeText(rows.get<string>(nameKey(id)) ?? id)}: ${formatCount(messages, 'message')} of ${joinList(who)}`;
  });
}
