/**
 * Owns: the code by which a person shows a messenger that they own this home: made by a command at home, sent to the
 * messenger within ten minutes, good once.
 *
 * P1 The home has a hash of it, in a private file; a code that was tried too often is gone.
 */
import { hash, randomInt, timingSafeEqual } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { diskWriter } from '../../../core/ledger/disk.ts';
import type { Home } from '../../../core/schema/home.ts';
import { readPlain, replacePrivate } from '../../../kit/vault/vault-file.ts';

const VALID_MS = 10 * 60_000;
const MOST_TRIES = 20;
/** No letter that is mistaken for a digit. */
const LETTERS = 'abcdefghjkmnpqrstvwxyz23456789';
const LENGTH = 10;

const Stored = z.strictObject({ code: z.string(), until: z.number(), tries: z.int() });

const fileOf = (home: Home, channel: string): string => join(home.oka, 'state', `pairing-${channel}.json`);
const hashed = (code: string): string => hash('sha256', code.toLowerCase().replaceAll(/[^a-z0-9]/g, ''));

/** Makes a code, which takes the place of one that was made before. */
export function makePairingCode(home: Home, channel: string, now: number): { code: string; until: number } {
  const letters = Array.from({ length: LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join('');
  const code = `${letters.slice(0, LENGTH / 2)}-${letters.slice(LENGTH / 2)}`;
  const until = now + VALID_MS;
  store(home, channel, { code: hashed(code), until, tries: 0 });
  return { code, until };
}

/** Whether it is the code of this channel; it counts once. */
export function takePairingCode(home: Home, channel: string, code: string, now: number): boolean {
  const found = readPlain(fileOf(home, channel));
  if (found === null) return false;
  const stored = Stored.safeParse(parsed(found.bytes)).data;
  if (stored === undefined || stored.until < now || stored.until > now + VALID_MS || stored.tries >= MOST_TRIES) {
    rmSync(fileOf(home, channel), { force: true });
    return false;
  }
  if (!timingSafeEqual(Buffer.from(hashed(code)), Buffer.from(stored.code))) {
    store(home, channel, { ...stored, tries: stored.tries + 1 });
    return false;
  }
  rmSync(fileOf(home, channel));
  return true;
}

const store = (home: Home, channel: string, stored: z.infer<typeof Stored>): void =>
  replacePrivate(diskWriter, fileOf(home, channel), Buffer.from(JSON.stringify(stored)));

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return null; // as good as none
  }
}
