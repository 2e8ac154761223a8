/**
 * Owns: names of messages, conversations and requests about them: 9 characters of time and 3 that make them unique, in
 * base 32, so that ids grow and sort by the moment at which they were made.
 */
import { randomInt } from 'node:crypto';
import { chatIdAt, CHAT_DIGITS as DIGITS, CHAT_ID_SPREAD as SPREAD } from '../../../core/schema/chat-id.ts';

/** Returns a function whose ids grow within this process, also when the clock is set back. */
export function chatIds(clock: () => number = Date.now): () => string {
  let last = { ms: 0, tail: 0 };
  return () => {
    const ms = clock();
    const isLater = ms > last.ms;
    const tail = isLater ? randomInt(SPREAD / 2) : last.tail + 1 + randomInt(16);
    last = tail < SPREAD ? { ms: isLater ? ms : last.ms, tail } : { ms: last.ms + 1, tail: randomInt(SPREAD / 2) };
    return chatIdAt(last.ms, last.tail);
  };
}

/** A new id; ids of one process grow. */
export const newChatId: () => string = chatIds();

/** The moment in an id, in milliseconds. */
export function timeOfChatId(id: string): number {
  return Array.from(id.slice(0, -3)).reduce((ms, digit) => ms * DIGITS.length + DIGITS.indexOf(digit), 0);
}
