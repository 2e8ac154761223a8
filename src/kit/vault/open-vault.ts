/**
 * Owns: the vault, .oka/credentials.age: secrets encrypted to one key. The only door to age-encryption.
 * Does not own: who may use a secret (core/chain/reveal-secrets.ts), redaction (redact.ts).
 *
 * V1 Nothing is overwritten that could not be read first: a wrong key, a changed file or a missing key is an error.
 * V2 A change is atomic: one writer at a time; temporary file, flush, rename, flush of the folder.
 * V3 The key is created once, together with the first vault, and never again while a vault exists.
 * V4 Values leave this file only to callers in memory.
 */
import { createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { messageOf, OkaError } from '../../core/schema/errors.ts';
import type { FileWriter } from '../../core/schema/ports.ts';
import { VaultContents } from '../../core/schema/secret.ts';
import { withLock, readPlain, replacePrivate } from './vault-file.ts';
import { findIdentity, type FoundIdentity, type IdentityPlaces, saveIdentity } from './vault-identity.ts';

export type VaultPlaces = IdentityPlaces & { file: string; lock: string };
/** Asks a person for the passphrase of the given key. */
type AskPassphrase = (key: string) => Promise<string>;

export type Vault = {
  /** The current contents; null if there is no vault. */
  read(): Promise<VaultContents | null>;
  /** Changes the vault, or creates it. Returns the path of a new key if one was created. */
  change(
    how: (contents: VaultContents) => VaultContents,
    made?: { passphrase?: string },
  ): Promise<{ newKey: string | null }>;
  /** The public half of the key: what others encrypt to. */
  recipient(): Promise<string>;
  /** Decrypts what was encrypted to the key of this vault elsewhere. */
  unseal(sealed: Uint8Array): Promise<Uint8Array>;
  /** A symmetric key for one purpose; the same as long as the key of the vault is the same. */
  deriveKey(purpose: string): Promise<Buffer>;
};

/** `writer` writes complete files; `guard/` has no file system of its own for that. */
export function openVault(places: VaultPlaces, ask: AskPassphrase, writer: FileWriter): Vault {
  let unlocked: { from: FoundIdentity; key: string } | null = null;

  /** A passphrase is asked for once. */
  async function identity(): Promise<string> {
    const found = findIdentity(places);
    if (found === null) throw noIdentity(places);
    if (!found.wrapped) return found.text;
    if (unlocked?.from.text !== found.text) unlocked = { from: found, key: await unwrapKey(found, ask) };
    return unlocked.key;
  }

  /** The passphrase that was just chosen is not asked for again. */
  async function newIdentity(passphrase: string | undefined): Promise<string> {
    const key = await makeIdentity(writer, places.key, passphrase);
    const from = findIdentity(places);
    if (from?.wrapped) unlocked = { from, key };
    return key;
  }

  async function read(): Promise<VaultContents | null> {
    const sealed = readPlain(places.file);
    return sealed === null ? null : openContents(places, sealed.bytes, await identity());
  }

  return {
    read,
    recipient: async () => recipientOf(await identity()),
    unseal: async (sealed) => unseal(sealed, await identity()),
    deriveKey: async (purpose) => Buffer.from(hkdfSync('sha256', await identity(), '', purpose, 32)),
    change: async (how, made = {}) => {
      if (findIdentity(places)?.wrapped) await identity(); // a person must not be asked while others wait for the lock
      return withLock(places.lock, async () => {
        const isNew = readPlain(places.file) === null && findIdentity(places) === null;
        if (!isNew && made.passphrase !== undefined) throw keyExists();
        const before = isNew ? emptyVault() : ((await read()) ?? emptyVault());
        const after = JSON.stringify(VaultContents.parse(how(before)));
        const key = isNew ? await newIdentity(made.passphrase) : await identity();
        replacePrivate(writer, places.file, await sealFor([await recipientOf(key)], Buffer.from(after)));
        return { newKey: isNew ? places.key : null };
      });
    },
  };
}

/** A keyed hash: distinguishes two values without revealing either. */
export function fingerprintOf({ fingerprint_key }: Pick<VaultContents, 'fingerprint_key'>, value: string): string {
  return createHmac('sha256', Buffer.from(fingerprint_key, 'base64')).update(value).digest('hex').slice(0, 32);
}

function emptyVault(): VaultContents {
  return { v: 1, fingerprint_key: randomBytes(32).toString('base64'), secrets: {} };
}

/** Creates a key and saves it before returning it. */
async function makeIdentity(writer: FileWriter, file: string, passphrase: string | undefined): Promise<string> {
  const age = await import('age-encryption');
  const key = await age.generateX25519Identity();
  const recipient = await age.identityToRecipient(key);
  if (passphrase === undefined) saveIdentity(writer, file, key, recipient);
  else {
    const encrypter = new age.Encrypter();
    encrypter.setPassphrase(passphrase);
    saveIdentity(writer, file, age.armor.encode(await encrypter.encrypt(key)), recipient);
  }
  return key;
}

async function unwrapKey({ from, text }: FoundIdentity, ask: AskPassphrase): Promise<string> {
  const age = await import('age-encryption');
  const decrypter = new age.Decrypter();
  decrypter.addPassphrase(await ask(from));
  try {
    return (await decrypter.decrypt(age.armor.decode(text), 'text')).trim();
  } catch (error) {
    throw new OkaError('refused', `${from} does not open with this passphrase`, {
      fix: 'Try again; capital letters count.',
      cause: error,
    });
  }
}

async function recipientOf(key: string): Promise<string> {
  const { identityToRecipient } = await import('age-encryption');
  return identityToRecipient(key);
}

/** A key pair that no vault has. */
export async function makeKeyPair(): Promise<{ secret: string; recipient: string }> {
  const { generateX25519Identity } = await import('age-encryption');
  const secret = await generateX25519Identity();
  return { secret, recipient: await recipientOf(secret) };
}

/** Encrypts to all given recipients. */
export async function sealFor(recipients: readonly string[], bytes: Uint8Array): Promise<Uint8Array> {
  const { Encrypter } = await import('age-encryption');
  const encrypter = new Encrypter();
  for (const recipient of recipients) addRecipient(encrypter, recipient);
  return encrypter.encrypt(bytes);
}

function addRecipient(encrypter: { addRecipient(recipient: string): void }, recipient: string): void {
  try {
    encrypter.addRecipient(recipient);
  } catch (error) {
    throw new OkaError('invalid-file', `${recipient.slice(0, 80)} is not a public age key: ${messageOf(error)}`, {
      fix: 'Print that of a vault: oka secrets export-recipient',
    });
  }
}

/** Decrypts what was encrypted to a key that a person gives. */
export async function openWithKey(sealed: Uint8Array, key: string): Promise<Uint8Array> {
  const { Decrypter } = await import('age-encryption');
  const decrypter = new Decrypter();
  decrypter.addIdentity(key);
  return decrypter.decrypt(sealed);
}

async function unseal(sealed: Uint8Array, key: string): Promise<Uint8Array> {
  try {
    return await openWithKey(sealed, key);
  } catch (error) {
    throw new OkaError('refused', `this was not encrypted to the key of this vault: ${messageOf(error)}`, {
      fix: 'Let the other side add this key to its recipients: oka secrets export-recipient',
    });
  }
}

async function openContents(places: VaultPlaces, bytes: Buffer, key: string): Promise<VaultContents> {
  const { Decrypter } = await import('age-encryption');
  const decrypter = new Decrypter();
  try {
    decrypter.addIdentity(key);
    return VaultContents.parse(JSON.parse(await decrypter.decrypt(bytes, 'text')));
  } catch (error) {
    throw notOpened(places.file, error);
  }
}

/** The error never quotes the contents. */
function notOpened(file: string, error: unknown): OkaError {
  if (/no identity matched/.test(messageOf(error)))
    return new OkaError('refused', `${file} was made for another key, or its head was changed; nothing was touched`, {
      fix: 'Put the right key in its place, or restore the vault from a backup.',
    });
  return new OkaError('invalid-file', `${file} is damaged or was changed; nothing was touched`, {
    fix: 'Restore it from a backup. To start over, move it away and set the secrets again.',
  });
}

function keyExists(): OkaError {
  return new OkaError('usage', 'the key of this vault already exists; only a new one can be given a passphrase', {
    fix: 'Encrypt it yourself with age --encrypt --passphrase --armor, and put the result in its place.',
  });
}

function noIdentity({ file, key, mounted }: VaultPlaces): OkaError {
  return new OkaError('not-set-up', `the key of ${file} is missing: neither ${mounted} nor ${key} is there`, {
    fix: 'Put the key back (in a container: mount it as the secret oka_identity). oka creates no new key for an existing vault.',
  });
}
