/**
 * Owns: names of messages, conversations and requests about them: 9 characters of time and 3 that make them unique, in
 * base 32, so that ids grow and sort by the moment at which they were made.
 */
import { randomInt } from 'node:crypto';

const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';
const TIME_LENGTH = 9;
const SPREAD = DIGITS.length ** 3;

/** Returns a function whose ids grow within this process, also when the clock is set back. */
export function chatIds(clock: () => number = Date.now): () => string {
  let last = { ms: 0, tail: 0 };
  return () => {
    const ms = clock();
    const isLater = ms > last.ms;
    const tail = isLater ? randomInt(SPREAD / 2) : last.tail + 1 + randomInt(16);
    last = tail < SPREAD ? { ms: isLater ? ms : last.ms, tail } : { ms: last.ms + 1, tail: randomInt(SPREAD / 2) };
    return inBase32(last.ms, TIME_LENGTH) + inBase32(last.tail, 3);
  };
}

/** A new id; ids of one process grow. */
export const newChatId: () => string = chatIds();

/** The moment in an id, in milliseconds. */
export function timeOfChatId(id: string): number {
  return Array.from(id.slice(0, TIME_LENGTH)).reduce((ms, digit) => ms * DIGITS.length + DIGITS.indexOf(digit), 0);
}

function inBase32(value: number, length: number): string {
  let text = '';
  for (let rest = value; text.length < length; rest = Math.floor(rest / DIGITS.length))
    text = (DIGITS[rest % DIGITS.length] ?? '0') + text;
  return text;
}
