/** Names of messages as they are made of a moment. Free of zod, so that readers start fast. */

export const CHAT_DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';
const TIME_LENGTH = 9;
/** How many ids of messages there are in a millisecond. */
export const CHAT_ID_SPREAD = CHAT_DIGITS.length ** 3;

/** The id of a message: its time, and what makes it unique, in base 32, so that ids grow. */
export const chatIdAt = (ms: number, tail: number): string => inBase32(ms, TIME_LENGTH) + inBase32(tail, 3);

function inBase32(value: number, length: number): string {
  let text = '';
  for (let rest = value; text.length < length; rest = Math.floor(rest / CHAT_DIGITS.length))
    text = (CHAT_DIGITS[rest % CHAT_DIGITS.length] ?? '0') + text;
  return text;
}
