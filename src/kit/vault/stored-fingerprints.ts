/**
 * Owns: .oka/state/fingerprints.json, by which a process that cannot open the vault recognises its values. It is written
 * whenever the vault is read or changed, and counts only for that very vault.
 */
import { hash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { KnownValue } from '../../core/guard/redact-known.ts';
import { type Fingerprints, fingerprintsOf } from '../../core/guard/value-fingerprints.ts';
import { createPrivate, readPlain, replacePrivate } from './vault-file.ts';
import { diskWriter, makeFolder } from '../../core/ledger/disk.ts';
import type { Home } from '../../core/schema/home.ts';
import { VaultFingerprints } from '../../core/schema/secret.ts';
import { vaultPlaces } from '../settings.ts';

type StoredFingerprints = Fingerprints & {
  names: readonly string[];
  /** Null if it is missing; then `keyed` are of no use. */
  key: Buffer | null;
};

/** Nothing is lost if they cannot be written: without them a vault that cannot be opened stops work, as it did before. */
export function storeFingerprints(home: Home, names: readonly string[], values: readonly KnownValue[]): void {
  const file = fileOf(home);
  try {
    const vault = hashOfVault(home);
    if (vault === null || readStored(file)?.vault === vault) return;
    const prints = fingerprintsOf(values, randomBytes(32), ownKey(home));
    makeFolder(dirname(file));
    replacePrivate(diskWriter, file, Buffer.from(JSON.stringify({ v: 1, vault, names, ...prints })));
  } catch {
    return; // such as a process that may only read the home; the next one that may write it stores them
  }
}

/** Null if there are none for the vault as it is now. */
export function loadFingerprints(home: Home): StoredFingerprints | null {
  const stored = readStored(fileOf(home));
  return stored === null || stored.vault !== hashOfVault(home) ? null : { ...stored, key: readKey(home) };
}

function readStored(file: string): VaultFingerprints | null {
  try {
    return VaultFingerprints.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return null; // there are none yet, or they cannot be used
  }
}

/** Made once, beside the key of the vault. */
function ownKey(home: Home): Buffer {
  const known = readKey(home);
  if (known !== null) return known;
  createPrivate(diskWriter, keyFile(home), randomBytes(32));
  return readKey(home) ?? randomBytes(32);
}

function readKey(home: Home): Buffer | null {
  try {
    return readPlain(keyFile(home))?.bytes ?? null;
  } catch {
    return null; // whoever may not read it has none
  }
}

function hashOfVault(home: Home): string | null {
  const bytes = readPlain(vaultPlaces(home).file)?.bytes;
  return bytes === undefined ? null : hash('sha256', bytes);
}

const fileOf = (home: Home): string => join(home.oka, 'state', 'fingerprints.json');
const keyFile = (home: Home): string => join(dirname(vaultPlaces(home).key), 'fingerprints.key');
