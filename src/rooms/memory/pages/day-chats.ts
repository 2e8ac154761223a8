/**
 * Owns: what the page of a day says about conversations: which ones there were and who wrote, what people said in them and
 * the last answer, and what is still open: a question that nobody has answered.
 *
 * 1. A page has the beginning of the first and the latest messages of people, so its size is bounded; the conversation has
 *    all of them.
 * 2. What was deleted, cleared or has expired leaves the pages, too, and a conversation whose memory is off is on none.
 */
import { SYSTEM, USER } from '../../../core/schema/chat-names.ts';
import type { Event } from '../../../core/schema/event.ts';
import type { PageLine } from '../../../core/schema/learning-part.ts';
import type { Rows } from '../../../core/schema/rows.ts';
import { markPageErased, plain } from '../../../kit/learning/learning.ts';
import type { EventOf } from '../event-handlers.ts';
import { addCounts, dayPageName } from './day-entries.ts';
import { escapeText, formatCount, joinList } from '../../../kit/learning/page-prose.ts';

/** The beginning of a message. */
type Line = { message: string; from: string; text: string; asks: number; isQuestion: boolean };
/** `said`: messages of people. `last`: the last message of all. */
type DayChat = { messages: number; from: string[]; said: Line[]; last: Line | null };
type Conversation = { name: string; isOff: boolean };

const conversationKey = (conversation: string): string => `day-chat-name/${conversation}`;
const chatKey = (day: string, conversation: string): string => `day-chat/${day}/${conversation}`;
const dayOf = ({ at }: Pick<Event, 'at'>): string => at.slice(0, 10);
const knownConversation = (rows: Rows, id: string): Conversation =>
  rows.get<Conversation>(conversationKey(id)) ?? { name: id, isOff: false };

const MOST_CHARACTERS = 200;
const [FIRST, LATEST] = [3, 5];

export function noteConversation({ data }: EventOf<'chat.opened'> | EventOf<'chat.changed'>, rows: Rows): void {
  const { conversation, name, memory } = data;
  const known = knownConversation(rows, conversation);
  const isOff = memory === undefined ? known.isOff : memory === 'off';
  rows.put(conversationKey(conversation), { name: name ?? known.name, isOff } satisfies Conversation);
  if (isOff) removeMessages(rows, conversation, null);
}

export function recordMessage(event: EventOf<'message.posted'>, rows: Rows): void {
  const { conversation, message, from, kind, content, asks = [] } = event.data;
  if (from === SYSTEM || knownConversation(rows, conversation).isOff) return;
  const key = chatKey(dayOf(event), conversation);
  const known = rows.get<DayChat>(key) ?? { messages: 0, from: [], said: [], last: null };
  const text = content.replaceAll(/\s+/g, ' ').trim();
  const isQuestion = text.endsWith('?');
  const line: Line = { message, from, text: text.slice(0, MOST_CHARACTERS), asks: asks.length, isQuestion };
  const said = kind === 'person' ? [...known.said, line] : known.said;
  rows.put(key, {
    messages: known.messages + 1,
    from: [...new Set([...known.from, from])],
    said: said.length <= FIRST + LATEST ? said : [...said.slice(0, FIRST), ...said.slice(-LATEST)],
    last: line,
  } satisfies DayChat);
  addCounts(rows, event, { messages: 1 });
}

export function forgetConversation({ data: { conversation } }: EventOf<'chat.deleted'>, rows: Rows): void {
  removeMessages(rows, conversation, null);
  rows.put(conversationKey(conversation), null);
}

export function forgetMessages({ data: { conversation, until } }: EventOf<'chat.expired'>, rows: Rows): void {
  removeMessages(rows, conversation, until);
}

/** Those up to this one; all of them when it is null (2). */
function removeMessages(rows: Rows, conversation: string, until: string | null): void {
  for (const [key, chat] of Array.from(rows.each<DayChat>('day-chat/'))) {
    if (!key.endsWith(`/${conversation}`)) continue;
    const isGone = ({ message }: Line): boolean => until === null || message <= until;
    const isOver = chat.last === null || isGone(chat.last);
    rows.put(key, isOver ? null : { ...chat, said: chat.said.filter((line) => !isGone(line)) });
    markPageErased(rows, dayPageName(key.split('/')[1] ?? ''));
  }
}

/** For each conversation of a day a line, and below it what was said and what is open. */
export function conversationLines(rows: Rows, day: string): PageLine[] {
  return [...rows.each<DayChat>(`day-chat/${day}/`)].flatMap(([key, { messages, from, said, last }]) => {
    const { name } = knownConversation(rows, key.slice(key.lastIndexOf('/') + 1));
    const who = from.map((each) => (each === USER ? 'you' : escapeText(each)));
    const lines = last === null || said.some(({ message }) => message === last.message) ? said : [...said, last];
    return [
      plain(`- ${escapeText(name)}: ${formatCount(messages, 'message')} of ${joinList(who)}`),
      ...lines.map(({ from: by, text }) => plain(`  - ${by === USER ? 'You' : escapeText(by)}: ${escapeText(text)}`)),
      ...(last === null ? [] : openEnd(last)).map((text) => plain(`  - ${text}`)),
    ];
  });
}

function openEnd({ from, asks, isQuestion }: Line): string[] {
  if (from !== USER) return isQuestion ? [`Open: ${escapeText(from)} asked you and waits for your answer`] : [];
  return asks > 0 ? ['Open: this was not answered on this day'] : [];
}
