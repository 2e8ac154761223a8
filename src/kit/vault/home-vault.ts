/**
 * Owns: the secrets of a home in one process: what redaction must know, always current, and values for single calls. The
 * vault goes first, then what config.json names (configured-credentials.ts).
 *
 * V1 A vault that cannot be opened stops only what needs a secret: its values are recognised by fingerprints. Where there
 *    are none, or a value cannot be recognised without its key, nothing is written to the ledger.
 * V2 A value is decrypted, or read from its source, for the call that needs it; redaction knows it before the call gets it.
 */
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { requireSecret, valuesIn } from './vault-contents.ts';
import { redactCut } from '../../core/guard/redact-truncated.ts';
import type { KnownValue } from '../../core/guard/redact-known.ts';
import { redactorFor } from '../../core/guard/redact.ts';
import { redactFingerprints } from '../../core/guard/value-fingerprints.ts';
import { diskWriter } from '../../core/ledger/disk.ts';
import { errnoOf, messageOf, OkaError } from '../../core/schema/errors.ts';
import type { NewEvent } from '../../core/schema/event.ts';
import type { Credential, CredentialProvider, Redact } from '../../core/schema/ports.ts';
import type { CredentialsConfig } from '../../core/schema/credential.ts';
import type { VaultContents } from '../../core/schema/secret.ts';
import type { Vault } from './open-vault.ts';
import type { ConfiguredCredentials } from './configured-credentials.ts';
import { loadFingerprints, storeFingerprints } from './stored-fingerprints.ts';
import { type SealedTexts, sealedTexts } from './sealed-texts.ts';
import { askPassphrase } from './hidden-prompt.ts';
import { vaultPlaces } from '../settings.ts';
import type { Home } from '../../core/schema/home.ts';

export type SecretChange = Extract<NewEvent, { type: 'secret.changed' }>['data'];

export type HomeVault = {
  redact: Redact;
  /** The same for the text of a tool, which may have been cut in the middle of a value. */
  redactCut: Redact;
  /** Why the vault cannot be opened, while its values are recognised by fingerprints; null when it is open. */
  locked: () => string | null;
  /** Checks whether the vault was changed; returns what is new since the last check. */
  refresh(): Promise<SecretChange[]>;
  find: CredentialProvider['find'];
  /** Reads every secret from outside the vault once, so that redaction knows it. Returns why some could not be read. */
  readConfigured(): Promise<string[]>;
  /** Texts that have to run as they were written although they are recorded masked. */
  originals: SealedTexts;
};

/** Reads the vault of a home, if there is one. Whoever only redacts need not name the secrets outside of it. */
export async function openHomeVault(home: Home, configured: CredentialsConfig = {}): Promise<HomeVault> {
  const { file, key, mounted } = vaultPlaces(home);
  let stamp: string | null = null;
  let versions = new Map<string, number | null>();
  let known: readonly KnownValue[] = [];
  const others = await openConfigured(home, configured, (value) => void (known = [...known, value]));
  let vault: Vault | undefined;
  let lock: Lock | null = null;

  async function read(): Promise<VaultContents | null> {
    vault ??= await vaultOf(home);
    return vault.read();
  }

  async function refresh(): Promise<SecretChange[]> {
    const now = stampOf(file);
    if (now === stamp || now === null) return []; // what was known stays known when the vault is taken away
    const attempt = [now, stampOf(key), stampOf(mounted)].join(' ');
    if (lock?.attempt === attempt) return [];
    const contents = await read().catch((error: unknown) => {
      lock = lockedBy(error, attempt, home);
      return undefined;
    });
    if (contents === undefined) return [];
    lock = null;
    storeFingerprints(home, Object.keys(contents?.secrets ?? {}), valuesIn(contents));
    const before = versions;
    known = [...valuesIn(contents), ...others.values()];
    versions = versionsIn(contents);
    stamp = now;
    return changesBetween(before, versions, contents);
  }

  async function findStored(name: string): Promise<Credential | null> {
    await refresh();
    if (lock?.names.includes(name) === true) throw lock.error;
    if (lock !== null) return null;
    if (stamp === null || (versions.get(name) ?? null) === null) return null;
    const contents = await read();
    if (contents === null) return null;
    const { fingerprintOf } = await import('./open-vault.ts');
    const { value, version, tools, hosts, commands = [], header = null } = requireSecret(contents, name);
    const fingerprint = fingerprintOf(contents, value ?? '');
    return { value: value ?? '', version, tools, hosts, commands, header, fingerprint };
  }

  await refresh();
  const whileLocked =
    (redactor: Redact): Redact =>
    (text) =>
      redactor(lock === null ? text : lock.redact(text));
  const redact = whileLocked(redactorFor(() => known));
  const originals = sealedTexts({
    folder: join(home.oka, 'state', 'sealed'),
    redact,
    key: async () => (stampOf(file) === null ? null : (await vaultOf(home)).deriveKey('oka sealed texts')),
  });
  return {
    redact,
    redactCut: whileLocked(redactorFor(() => known, redactCut)),
    locked: () => lock?.reason ?? null,
    refresh,
    find: async (name) => (await findStored(name)) ?? (await others.find(name)),
    readConfigured: others.readAll,
    originals,
  };
}

const none: ConfiguredCredentials = {
  find: () => Promise.resolve(null),
  values: () => [],
  readAll: () => Promise.resolve([]),
};

async function openConfigured(
  home: Home,
  sources: CredentialsConfig,
  onValue: (value: KnownValue) => void,
): Promise<ConfiguredCredentials> {
  if (Object.keys(sources).length === 0) return none;
  return (await import('./configured-credentials.ts')).configuredCredentials(home, sources, onValue);
}

/** A vault that cannot be opened. */
type Lock = { attempt: string; error: unknown; reason: string; names: readonly string[]; redact: Redact };

/** Throws if its values could not be recognised. */
function lockedBy(error: unknown, attempt: string, home: Home): Lock {
  const stored = loadFingerprints(home);
  if (stored === null) throw error;
  const unknown = stored.key === null ? [...new Set(stored.keyed.map(({ name }) => name))] : [];
  if (unknown.length > 0)
    throw new OkaError(
      'not-set-up',
      `${messageOf(error)}; without it the values of ${unknown.join(', ')} cannot be recognised and would be recorded in plain text`,
      {
        fix: (error instanceof OkaError ? error.fix : undefined) ?? 'Put the key of the vault back.',
        cause: error,
      },
    );
  return {
    attempt,
    error,
    reason: messageOf(error),
    names: stored.names,
    redact: redactFingerprints(stored, stored.key),
  };
}

/** One for each vault and key: a person is asked for a passphrase once. */
const opened = new Map<string, Vault>();

/** The vault of a home, for changing it. */
export async function vaultOf(home: Home): Promise<Vault> {
  const { openVault } = await import('./open-vault.ts');
  const places = vaultPlaces(home);
  const key = JSON.stringify(places);
  const vault = opened.get(key) ?? withFingerprints(openVault(places, askPassphrase, diskWriter), home);
  opened.set(key, vault);
  return vault;
}

/** A vault that is changed while no process works on the home has fingerprints, too. */
function withFingerprints(vault: Vault, home: Home): Vault {
  return {
    ...vault,
    change: async (...how) => {
      const changed = await vault.change(...how);
      const contents = await vault.read();
      storeFingerprints(home, Object.keys(contents?.secrets ?? {}), valuesIn(contents));
      return changed;
    },
  };
}

/** The version of every secret; null for one that was removed. */
function versionsIn(contents: VaultContents | null): Map<string, number | null> {
  const secrets = Object.entries(contents?.secrets ?? {});
  return new Map(secrets.map(([name, { value, version }]) => [name, value === null ? null : version]));
}

function changesBetween(
  before: ReadonlyMap<string, number | null>,
  now: ReadonlyMap<string, number | null>,
  contents: VaultContents | null,
): SecretChange[] {
  const names = [...new Set([...before.keys(), ...now.keys()])];
  return names.flatMap((name): SecretChange[] => {
    const [was, is] = [before.get(name) ?? null, now.get(name) ?? null];
    if (was === is) return [];
    if (is === null) return [{ name, version: contents?.secrets[name]?.version ?? was ?? 1, change: 'removed' }];
    return [{ name, version: is, change: was === null ? 'set' : 'rotated' }];
  });
}

/** Changes with every replacement of the file; null when it is not there. Why it cannot be read, reading says. */
function stampOf(file: string): string | null {
  try {
    const found = lstatSync(file, { throwIfNoEntry: false, bigint: true });
    return found === undefined ? null : [found.ino, found.size, found.mtimeNs].join();
  } catch (error) {
    if (errnoOf(error) === 'EACCES') return 'not accessible';
    throw error;
  }
}
