/** Owns: where the token of a question stands in a mail, so that a reply carries it back: in the address or the subject. Pure. */

/** Tokens are compared in lower case: mail servers may change the case of an address. */
const TOKEN = /^[a-z0-9._~-]{16,90}$/;

/** `oka@example.org` with a token: `oka+TOKEN@example.org`. */
export const withToken = (address: string, token: string): string => address.replace('@', `+${token}@`);

/** A subject with a token, for mail servers that do not deliver addresses with a `+`. */
export const subjectWithToken = (subject: string, token: string): string => `${subject} [oka ${token}]`;

/** The one token of a mail; null when it has none, or several that differ. */
export function findToken(recipients: readonly string[], subject: string, own: string): string | null {
  const [local = '', domain = ''] = own.toLowerCase().split('@');
  const inAddress = recipients.flatMap((address) => {
    const [mine = '', its = ''] = address.toLowerCase().split('@');
    return its === domain && mine.startsWith(`${local}+`) ? [mine.slice(local.length + 1)] : [];
  });
  const inSubject = Array.from(subject.matchAll(/\[oka ([\w.~-]{16,90})\]/gi), ([, token = '']) => token.toLowerCase());
  const found = new Set([...inAddress, ...inSubject].filter((token) => TOKEN.test(token)));
  return found.size === 1 ? ([...found][0] ?? null) : null;
}
