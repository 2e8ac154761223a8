/**
 * Owns: showing a server of XMPP that the password is known, by SCRAM where it can do that, else in the encrypted
 * connection as it is. Pure but for chance.
 *
 * L1 With SCRAM the server has to know the password, too: one that does not show this is not believed.
 */
import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';

type Login = {
  mechanism: string;
  first: string;
  /** What a challenge is answered with. */
  answer: (challenge: string) => string;
  /** Throws when what the server says at the end is wrong. */
  check: (last: string) => void;
};

const MOST_ROUNDS = 1_000_000;

export function chooseLogin(mechanisms: readonly string[], user: string, password: string): Login {
  for (const [mechanism, digest] of [
    ['SCRAM-SHA-256', 'sha256'],
    ['SCRAM-SHA-1', 'sha1'],
  ] as const)
    if (mechanisms.includes(mechanism)) return scram(mechanism, digest, user, password);
  if (!mechanisms.includes('PLAIN'))
    throw new Error(`the server offers no way to log in that is known here: ${mechanisms.join(', ').slice(0, 200)}`);
  const first = `\0${user}\0${password}`;
  return { mechanism: 'PLAIN', first, answer: () => '', check: () => undefined };
}

function scram(mechanism: string, digest: 'sha1' | 'sha256', user: string, password: string): Login {
  const nonce = randomBytes(18).toString('base64');
  const bare = `n=${user.replaceAll('=', '=3D').replaceAll(',', '=2C')},r=${nonce}`;
  const hmac = (key: Buffer, text: string): Buffer => createHmac(digest, key).update(text).digest();
  let expected: string | null = null;
  return {
    mechanism,
    first: `n,,${bare}`,
    answer: (challenge) => {
      const said = fieldsOf(challenge);
      const rounds = Number(said.get('i'));
      const joined = said.get('r') ?? '';
      if (!joined.startsWith(nonce) || !(rounds > 0 && rounds <= MOST_ROUNDS))
        throw new Error('the server asks for the password in a way that is wrong');
      const salt = Buffer.from(said.get('s') ?? '', 'base64');
      const length = digest === 'sha1' ? 20 : 32;
      const salted = pbkdf2Sync(password.normalize('NFKC'), salt, rounds, length, digest);
      const clientKey = hmac(salted, 'Client Key');
      const last = `c=biws,r=${joined}`;
      const signed = `${bare},${challenge},${last}`;
      const signature = hmac(createHash(digest).update(clientKey).digest(), signed);
      expected = hmac(hmac(salted, 'Server Key'), signed).toString('base64');
      return `${last},p=${Buffer.from(clientKey.map((byte, at) => byte ^ (signature[at] ?? 0))).toString('base64')}`;
    },
    check: (last) => {
      if (expected === null || fieldsOf(last).get('v') !== expected)
        throw new Error('the server does not know the password of the account itself, so it is not the right one');
    },
  };
}

const fieldsOf = (text: string): Map<string, string> =>
  new Map(text.split(',').map((part) => [part.slice(0, 1), part.slice(2)]));
