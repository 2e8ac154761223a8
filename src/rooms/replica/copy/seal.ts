/**
 * Owns: encrypting what is sent, so that only the owners of an age key can read it.
 *
 * The text of a sealed body: `oka1.KEY.NONCE.TEXT`, each part in base64url.
 *   KEY    an age file for every recipient; it contains 32 random bytes
 *   NONCE  12 random bytes
 *   TEXT   the data, AES-256-GCM under that key, followed by its tag of 16 bytes; ledger, pen, seq and hash of the
 *          record are authenticated with it, so that a body moved to another record does not open
 *
 * E1 Each body can be opened on its own, without any other event.
 * E2 A key is used for many bodies, because age takes tens of milliseconds for each key; it is never written to disk.
 * What stays visible: the length of a body, the type, run and time of the event, and the hash of the record, which lets
 * anybody who guesses a complete record confirm the guess.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { messageOf } from '../../../core/schema/errors.ts';
import type { ReplicaOf } from '../../../core/schema/replica-port.ts';

/** Encrypts bytes to all recipients, or opens them with the key of this home. */
type AgePort = (bytes: Uint8Array) => Promise<Uint8Array>;
export type Bound = ReplicaOf & { seq: number; hash: string };
export type Seal = (text: string, bound: Bound) => Promise<string>;
export type Open = (sealed: string, bound: Bound) => Promise<Opened>;
/** `foreign`: it was encrypted to other keys than that of this home. */
type Opened = { kind: 'opened'; text: string } | { kind: 'foreign' } | { kind: 'changed'; why: string };

const BODIES_PER_KEY = 10_000;
const MAX_CACHED_KEYS = 32;
const CIPHER = 'aes-256-gcm';
const TAG = 16;
const SHAPE = /^oka1\.([\w-]+)\.([\w-]{16})\.([\w-]{22,})$/;

export function sealTo(encrypt: AgePort, keyServes = BODIES_PER_KEY): Seal {
  let key: { bytes: Buffer; sealed: string; left: number } | null = null;
  return async (text, bound) => {
    if (key === null || key.left === 0) {
      const bytes = randomBytes(32);
      key = { bytes, sealed: base64(await encrypt(bytes)), left: keyServes };
    }
    key.left -= 1;
    const nonce = randomBytes(12);
    const cipher = createCipheriv(CIPHER, key.bytes, nonce).setAAD(associatedData(bound));
    const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return `oka1.${key.sealed}.${base64(nonce)}.${base64(body)}`;
  };
}

/** `decrypt` throws when the bytes were encrypted to others. */
export function openWith(decrypt: AgePort): Open {
  const keys = new Map<string, Promise<Uint8Array | null>>();
  return async (sealed, bound) => {
    const [, sealedKey = '', nonce = '', text = ''] = SHAPE.exec(sealed) ?? [];
    if (sealedKey === '') return { kind: 'changed', why: 'it is not in the format of a sealed body' };
    // it was encrypted to others
    const known = keys.get(sealedKey) ?? decrypt(Buffer.from(sealedKey, 'base64url')).catch(() => null);
    cacheKey(keys, sealedKey, known);
    const key = await known;
    return key === null ? { kind: 'foreign' } : decryptBody(key, nonce, Buffer.from(text, 'base64url'), bound);
  };
}

function decryptBody(key: Uint8Array, nonce: string, body: Buffer, bound: Bound): Opened {
  try {
    const decipher = createDecipheriv(CIPHER, key, Buffer.from(nonce, 'base64url'), { authTagLength: TAG });
    decipher.setAAD(associatedData(bound)).setAuthTag(body.subarray(-TAG));
    const text = Buffer.concat([decipher.update(body.subarray(0, -TAG)), decipher.final()]);
    return { kind: 'opened', text: text.toString('utf8') };
  } catch (error) {
    return { kind: 'changed', why: messageOf(error) };
  }
}

function cacheKey<T>(keys: Map<string, T>, name: string, key: T): void {
  keys.delete(name);
  keys.set(name, key);
  const [oldest] = keys.keys();
  if (keys.size > MAX_CACHED_KEYS && oldest !== undefined) keys.delete(oldest);
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');

const associatedData = ({ ledger, pen, seq, hash }: Bound): Buffer =>
  Buffer.from(JSON.stringify(['oka replica', ledger, pen, seq, hash]));
