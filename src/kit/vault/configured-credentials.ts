/** The secrets of a home that are not in its vault: config.json says where each comes from. */
import { createHmac, hkdfSync, randomBytes } from 'node:crypto';
import type { KnownValue } from '../../core/guard/redact-known.ts';
import type { CredentialsConfig } from '../../core/schema/credential.ts';
import { messageOf } from '../../core/schema/errors.ts';
import type { Home } from '../../core/schema/home.ts';
import type { Credential, CredentialProvider } from '../../core/schema/ports.ts';
import { readIdentity } from '../home/home-identity.ts';
import { findHomeKey } from '../home/home-key.ts';
import { ownVariables } from '../settings.ts';
import { commandCredentials } from './command-credentials.ts';
import { environmentCredentials } from './environment-credentials.ts';
import type { Fingerprint } from './to-credential.ts';

export type ConfiguredCredentials = Pick<CredentialProvider, 'find'> & {
  /** All values so far, also former ones. */
  values: () => readonly KnownValue[];
  /** Reads each of them once; returns why some could not be read. */
  readAll: () => Promise<string[]>;
};

/** Calls `onValue` with every new value before anybody gets it. */
export function configuredCredentials(
  home: Home,
  sources: CredentialsConfig,
  onValue: (value: KnownValue) => void,
): ConfiguredCredentials {
  const fingerprint = fingerprintFor(home);
  const providers = [
    environmentCredentials(sources, ownVariables, fingerprint),
    commandCredentials(sources, { workspace: home.workspace, variables: ownVariables, clock: Date.now, fingerprint }),
  ];
  const known = new Map<string, KnownValue>();
  const find = async (name: string): Promise<Credential | null> => {
    for (const provider of providers) {
      const found = await provider.find(name);
      if (found === null) continue;
      const value = { name, value: found.value };
      if (!known.has(found.value)) onValue(value);
      known.set(found.value, value);
      return found;
    }
    return null;
  };
  return {
    find,
    values: () => [...known.values()],
    readAll: async () => {
      const read = await Promise.allSettled(Object.keys(sources).map(find));
      return read.flatMap((each) => (each.status === 'rejected' ? [messageOf(each.reason)] : []));
    },
  };
}

/** Made with the key of the home, so that it stays the same; until a home has its key, with one of this process. */
function fingerprintFor(home: Home): Fingerprint {
  let key: Buffer | null = null;
  return (value) => {
    key ??= fingerprintKey(home);
    return createHmac('sha256', key).update(value).digest('hex').slice(0, 32);
  };
}

function fingerprintKey(home: Home): Buffer {
  const identity = readIdentity(home);
  const key = identity === null ? null : findHomeKey(identity.id);
  if (key === null) return randomBytes(32);
  const bytes = key.signing.export({ type: 'pkcs8', format: 'der' });
  return Buffer.from(hkdfSync('sha256', bytes, '', 'oka credential fingerprints', 32));
}
