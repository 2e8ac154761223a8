/** Owns: the passphrase of the dashboard: its hash in a file, and comparing with it. */
import { randomBytes, scrypt, scryptSync, timingSafeEqual } from 'node:crypto';
import { replaceFile } from '../../../core/ledger/disk.ts';

export type StoredPassphrase = { salt: string; hash: string };

export function writePassphrase(file: string, passphrase: string): void {
  const salt = randomBytes(16).toString('base64url');
  const stored: StoredPassphrase = { salt, hash: scryptSync(passphrase, salt, 32).toString('base64url') };
  replaceFile(file, `${JSON.stringify(stored)}\n`, { mode: 0o600 });
}

/** Compares elsewhere than in this thread, one after the other: whoever guesses keeps nobody else waiting. */
export function passphraseChecks(read: () => StoredPassphrase | null): (given: string) => Promise<boolean> {
  let before: Promise<unknown> = Promise.resolve();
  const compare = async (given: string): Promise<boolean> => {
    const stored = read();
    if (stored === null) return false;
    const made = await new Promise<Buffer>((done, fail) =>
      scrypt(given, stored.salt, 32, (error, bytes) => (error === null ? done(bytes) : fail(error))),
    );
    return timingSafeEqual(made, Buffer.from(stored.hash, 'base64url'));
  };
  return (given) => {
    const answer = before.then(() => compare(given));
    before = answer.catch(() => undefined); // whoever asked is told; the next has its turn
    return answer;
  };
}
