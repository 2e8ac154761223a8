/**
 * Owns: the key that signs the history of a home (Ed25519), stored next to the key of the vault, outside the home.
 * Whoever can write the home but not that folder cannot sign. A home without a key gets one at the next start.
 */
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createPrivate, readPlain } from '../vault/vault-file.ts';
import { diskWriter } from '../../core/ledger/disk.ts';
import { OkaError } from '../../core/schema/errors.ts';
import { userPlaces } from '../settings.ts';

export type HomeKey = { signing: KeyObject; verifying: KeyObject };

export const keyFile = (id: string): string => join(userPlaces().keys, `${id}.pem`);

/** Null when this user has no key of that home. */
export function findHomeKey(id: string): HomeKey | null {
  const file = keyFile(id);
  const found = existsSync(file) ? readPlain(file) : null;
  if (found === null) return null;
  try {
    return fromPrivate(createPrivateKey(found.bytes));
  } catch (error) {
    throw new OkaError('invalid-file', `${file} does not contain the key of a home`, {
      fix: 'Restore it from a backup. Without it, move the file away: the home then gets a new key.',
      cause: error,
    });
  }
}

export function makeHomeKey(): HomeKey {
  return fromPrivate(generateKeyPairSync('ed25519').privateKey);
}

/** Never replaces a key. */
export function saveHomeKey(id: string, { signing }: HomeKey): void {
  createPrivate(diskWriter, keyFile(id), Buffer.from(signing.export({ type: 'pkcs8', format: 'pem' })));
}

const PREFIX = 'oka-ed25519:';

/** The public key in one word, for people and receipts. */
export function printPublicKey({ verifying }: Pick<HomeKey, 'verifying'>): string {
  return `${PREFIX}${verifying.export({ format: 'jwk' }).x}`;
}

export function parsePublicKey(text: string): KeyObject {
  const x = text.startsWith(PREFIX) ? text.slice(PREFIX.length).trim() : '';
  try {
    return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  } catch (error) {
    throw new OkaError('usage', `this is not the public key of a home: ${text.slice(0, 80)}`, {
      fix: `It begins with ${PREFIX}; \`oka doctor\` prints that of a home.`,
      cause: error,
    });
  }
}

function fromPrivate(signing: KeyObject): HomeKey {
  return { signing, verifying: createPublicKey(signing) };
}
