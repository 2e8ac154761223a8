/** Ids of conversations and messages that this page sends: 9 characters of time and 3 that make them unique. */
const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';

let last = 0;

/** Ids of one page grow, also when two are made within a millisecond. */
export function newMessageId(): string {
  last = Math.max(Date.now(), last + 1);
  const tail = crypto.getRandomValues(new Uint8Array(3));
  return inBase32(last, 9) + Array.from(tail, (byte) => DIGITS[byte % DIGITS.length] ?? '0').join('');
}

function inBase32(value: number, length: number): string {
  let text = '';
  for (let rest = value; text.length < length; rest = Math.floor(rest / DIGITS.length))
    text = (DIGITS[rest % DIGITS.length] ?? '0') + text;
  return text;
}
