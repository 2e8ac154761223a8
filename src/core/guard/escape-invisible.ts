/** Owns: making text safe to read: every invisible or misleading code point is shown as an escape, nothing is left out. */

/** Control, format, direction, private-use, unassigned and ignorable characters, unusual spaces, lone surrogates, our own brackets. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\p{DI}\u2800⟦⟧]|(?! )\p{Zs}/gu;
/** More blanks than this in a row could hide the text after them. */
const MANY_BLANKS = / {9,}/g;
const MARKS = /\p{M}/gu;
const BEYOND_ASCII = /[^\n -~]/gu;
const MOST_ODD = 20;

/** What no command may contain: control and private-use characters, and those that are invisible or turn text around. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}\u115F\u1160\u3164\uFFA0]/u;

/** The first invisible character of a command, as U+200B; line breaks and tabs are none. */
export function findInvisible(command: string): string | null {
  const found = INVISIBLE.exec(command.replaceAll(/[\n\t]/g, ''))?.[0];
  return found === undefined ? null : nameOf(found);
}

export const hasInvisible = (command: string): boolean => findInvisible(command) !== null;

/** Shows every invisible character as an escape such as ⟦U+202E⟧; line breaks stay. */
export function escapeInvisible(text: string): string {
  return text
    .replaceAll(UNSEEN, (found) => (found === '\n' ? found : escapeCharacter(found)))
    .replaceAll(MARKS, escapeCharacter)
    .replaceAll(MANY_BLANKS, (blanks) => `⟦U+0020 ×${blanks.length}⟧`);
}

/** The same on one line. */
export function escapeInvisibleLine(text: string): string {
  return escapeInvisible(text).replaceAll('\n', escapeCharacter('\n'));
}

/** Characters beyond plain ASCII, which may look like others: each once, with its code point. */
export function unusualCharacters(text: string): string[] {
  const found = [...new Set(text.match(BEYOND_ASCII) ?? [])];
  const described = found.slice(0, MOST_ODD).map((character) => {
    const name = nameOf(character);
    const seen = escapeInvisible(character);
    return seen === character ? `${character} (${name})` : name;
  });
  return found.length > MOST_ODD ? [...described, `and ${found.length - MOST_ODD} more`] : described;
}

/** At most `most` characters; the number of characters left out in the middle is shown. */
export function shorten(text: string, most: number): string {
  if (text.length <= most) return text;
  const half = Math.floor((most - 40) / 2);
  return `${text.slice(0, half)} ⟦${text.length - 2 * half} characters left out⟧ ${text.slice(-half)}`;
}

const escapeCharacter = (character: string): string => `⟦${nameOf(character)}⟧`;

function nameOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
