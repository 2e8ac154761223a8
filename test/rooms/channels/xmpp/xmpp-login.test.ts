/** Logging in by SCRAM: a server that has the password, and one that does not. */
import { createHash, createHmac, pbkdf2Sync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { chooseLogin } from '../../../../src/rooms/channels/xmpp/xmpp-login.ts';

const SALT = Buffer.from('salt of the account');
const hmac = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/** What a server says at the end, having what it stores of a password; null: it refuses. */
function serverOf(stored: string, first: string, answer: (challenge: string) => string): string | null {
  const bare = first.replace('n,,', '');
  const challenge = `r=${/r=(.+)$/.exec(bare)?.[1]}server,s=${SALT.toString('base64')},i=4096`;
  const last = answer(challenge);
  const salted = pbkdf2Sync(stored, SALT, 4096, 32, 'sha256');
  const signed = `${bare},${challenge},${last.replace(/,p=.*$/, '')}`;
  const key = createHash('sha256').update(hmac(salted, 'Client Key')).digest();
  const signature = hmac(key, signed);
  const proof = Buffer.from(/,p=(.*)$/.exec(last)?.[1] ?? '', 'base64');
  const shown = createHash('sha256')
    .update(proof.map((byte, at) => byte ^ (signature[at] ?? 0)))
    .digest();
  return shown.equals(key) ? `v=${hmac(hmac(salted, 'Server Key'), signed).toString('base64')}` : null;
}

describe('a login', () => {
  it('shows the password by SCRAM, and believes only a server that has it', () => {
    const login = chooseLogin(['PLAIN', 'SCRAM-SHA-1', 'SCRAM-SHA-256'], 'o=k,a', 'pässword');
    expect(login.mechanism).toBe('SCRAM-SHA-256');
    expect(login.first).toContain('n=o=3Dk=2Ca,');
    expect(() => login.check('v=')).toThrow('not the right one');
    const last = serverOf('pässword', login.first, login.answer);
    expect(() => login.check(last ?? '')).not.toThrow();
    expect(() => login.check('v=AAAA')).toThrow('not the right one');
    expect(serverOf('another', login.first, login.answer)).toBeNull();
  });

  it('answers no challenge of somebody else, or one that takes for ever', () => {
    const login = chooseLogin(['SCRAM-SHA-1'], 'oka', 'secret');
    const nonce = /r=(.+)$/.exec(login.first)?.[1] ?? '';
    for (const challenge of ['r=other,s=AAAA,i=4096', `r=${nonce}x,s=AAAA,i=0`, `r=${nonce}x,s=AAAA,i=9999999999`])
      expect(() => login.answer(challenge)).toThrow('in a way that is wrong');
  });

  it('sends the password as it is only where there is nothing better, and says where there is nothing', () => {
    expect(chooseLogin(['PLAIN'], 'oka', 'secret').first).toBe('\0oka\0secret');
    expect(() => chooseLogin(['DIGEST-MD5'], 'oka', 'secret')).toThrow('no way to log in');
  });
});
