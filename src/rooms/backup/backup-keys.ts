/**
 * Owns: who can read a backup. It is encrypted to two keys: the recovery key, which a person has and no machine, and the key
 * of the vault, by which this machine reads what it stored. A backup contains the key of the vault, so that the recovery key
 * alone brings everything back.
 */
import { existsSync, readFileSync } from 'node:fs';
import { createFile, diskWriter } from '../../core/ledger/disk.ts';
import { messageOf, OkaError } from '../../core/schema/errors.ts';
import type { Home } from '../../core/schema/home.ts';
import { readIdentity } from '../../kit/home/home-identity.ts';
import { keyFile } from '../../kit/home/home-key.ts';
import { vaultPlaces } from '../../kit/settings.ts';
import { vaultOf } from '../../kit/vault/home-vault.ts';
import { openWithKey, sealFor } from '../../kit/vault/open-vault.ts';
import { createPrivate, readPlain } from '../../kit/vault/vault-file.ts';
import { findIdentity } from '../../kit/vault/vault-identity.ts';
import type { Seal, State } from './backup-store.ts';

export type RecoveryKey = { secret: string; recipient: string };

/** For making backups. A home without a vault gets an empty one: its key is what this machine reads backups with. */
export async function machineSeal(home: Home, recovery: string): Promise<Seal> {
  const vault = await vaultOf(home);
  if (findIdentity(vaultPlaces(home)) === null) await vault.change((contents) => contents);
  const recipients = [recovery, await vault.recipient()];
  return { seal: (plain) => sealFor(recipients, plain), unseal: (sealed) => vault.unseal(sealed) };
}

/** For reading backups with a key that a person gives. */
export function recoverySeal(given: string): Seal {
  const secret = given.trim();
  if (!/^AGE-SECRET-KEY-1[A-Z0-9]{58}$/.test(secret))
    throw new OkaError('usage', 'this is not a recovery key', {
      fix: 'It is one line that begins with AGE-SECRET-KEY-1.',
    });
  return {
    unseal: (sealed) =>
      openWithKey(sealed, secret).catch((error: unknown) => {
        throw new OkaError('refused', `this key does not open the backup: ${messageOf(error)}`);
      }),
    seal: () => Promise.reject(new OkaError('refused', 'a recovery key reads backups, and makes none')),
  };
}

/** The key in a file, which may have comments. */
export function recoveryKeyIn(file: string): string {
  const lines = readFileSync(file, 'utf8').split(/\r?\n/);
  return lines.find((line) => line.startsWith('AGE-SECRET-KEY-1'))?.trim() ?? lines.join('').trim();
}

/** Never replaces a file. */
export function saveRecoveryKey(file: string, { secret, recipient }: RecoveryKey): void {
  const text = `# Opens the backups of an oka home. Store it where the backups are not.\n# ${recipient}\n${secret}\n`;
  createFile(file, text, { durable: true, mode: 0o600 });
}

/** What is outside the home and belongs to it. */
export function keysOf(home: Home): State['keys'] {
  const identity = readIdentity(home);
  const signing = identity === null ? null : readPlain(keyFile(identity.id));
  const { mounted, key } = vaultPlaces(home);
  const vault = [mounted, key].find((file) => existsSync(file));
  return {
    vault: vault === undefined ? null : (readPlain(vault)?.bytes.toString('utf8') ?? null),
    home: signing?.bytes.toString('utf8') ?? null,
  };
}

/** Puts keys where they were, unless others are there (never replaced). Returns which could not be put there. */
export function restoreKeys(home: Home, id: string | null, keys: State['keys']): { vault: string | null } {
  const places = vaultPlaces(home);
  const signing = id === null ? null : keyFile(id);
  if (signing !== null && keys.home !== null) putKey(signing, keys.home);
  return { vault: keys.vault !== null && !putKey(places.key, keys.vault) ? places.key : null };
}

/** False when another key is there. */
function putKey(file: string, text: string): boolean {
  const found = readPlain(file);
  if (found !== null) return found.bytes.toString('utf8').trim() === text.trim();
  createPrivate(diskWriter, file, Buffer.from(text));
  return true;
}
