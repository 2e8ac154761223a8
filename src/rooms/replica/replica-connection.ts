/**
 * Owns: the connection from a home to its replica: where it is, by which key, under which name, and what may leave.
 *
 * W1 The key goes to the host that a person named for it, over TLS or within this machine.
 * W2 Nothing leaves while the vault cannot be opened: nobody could say what is a secret.
 */
import { join } from 'node:path';
import { redactKnown } from '../../core/guard/redact-known.ts';
import { sealFor } from '../../kit/vault/open-vault.ts';
import { readEvents } from '../../core/ledger/read-events.ts';
import { isLoopback } from '../../kit/models/base-url.ts';
import { convexReplica } from './copy/convex.ts';
import { type Outgoing, prepareOutgoing } from './copy/outgoing.ts';
import { type Open, openWith, sealTo } from './copy/seal.ts';
import type { Config } from '../../core/schema/config.ts';
import { OkaError } from '../../core/schema/errors.ts';
import type { Redact } from '../../core/schema/ports.ts';
import type { Replica } from '../../core/schema/replica-port.ts';
import { maintenanceFolder } from '../../kit/home/maintenance-folder.ts';
import { serverRoute } from '../../kit/egress/egress-routes.ts';
import { replicaEnvironment } from '../../kit/settings.ts';
import type { Home } from '../../core/schema/home.ts';
import { type HomeVault, openHomeVault, vaultOf } from '../../kit/vault/home-vault.ts';

export type ReplicaConnection = {
  url: string;
  replica: Replica;
  outgoing: Outgoing;
  open: Open;
  /** Updates the values that redaction knows. */
  ready: () => Promise<void>;
};

/** Where the replica of a home is; null: there is none. */
export function replicaUrl({ replica }: Config): string | null {
  return replicaEnvironment().url ?? replica.url ?? null;
}

/** The same, for people and files: without whatever else was written into it. */
export function shownUrl(config: Config): string | null {
  const url = replicaUrl(config);
  if (url === null) return null;
  return URL.canParse(url) ? `${new URL(url).origin}${new URL(url).pathname}`.replace(/\/+$/, '') : 'no address';
}

/** Below the folder that maintenance may write, which replicates; it may write no other of its own. */
export const replicaFolder = (home: Home): string => join(maintenanceFolder(home), 'replica');

export async function connectReplica(home: Home, config: Config): Promise<ReplicaConnection> {
  const url = checkedUrl(replicaUrl(config));
  const { key_secret, recipients, except, timeout_seconds } = config.replica;
  const vault = await openHomeVault(home, config.credentials);
  const key = replicaEnvironment().key ?? (await keyIn(vault, key_secret, url));
  const address = `${url.origin}${url.pathname}`.replace(/\/+$/, '');
  return {
    url: address,
    replica: convexReplica({ url: address, key, timeoutMs: timeout_seconds * 1000, ...serverRoute(Date.now) }),
    outgoing: prepareOutgoing({
      redact: knowing(vault.redact, key),
      except,
      seal: recipients.length === 0 ? null : sealTo((bytes) => sealFor(recipients, bytes)),
    }),
    open: openWith(async (sealed) => (await vaultOf(home)).unseal(sealed)),
    ready: async () => void (await vault.refresh()),
  };
}

/** The name of a home at its replica; null until it has a first event to be known by. */
export async function ledgerName(home: Home, { replica }: Config): Promise<string | null> {
  if (replica.ledger !== undefined) return replica.ledger;
  for await (const { hash } of readEvents(home.ledgers.run, { to: 1 })) return `oka-${hash.slice(0, 16)}`;
  return null;
}

/** The key itself is a secret, too, wherever it comes from. */
function knowing(redact: Redact, key: string | null): Redact {
  if (key === null) return redact;
  const takeOut = redactKnown([{ name: 'OKA_REPLICA_KEY', value: key }]);
  return (text) => takeOut(redact(text));
}

async function keyIn(vault: HomeVault, name: string, { host, hostname }: URL): Promise<string | null> {
  const known = await vault.find(name);
  if (known === null) return null;
  if (known.hosts.includes(host) || known.hosts.includes(hostname)) return known.value;
  throw new OkaError('refused', `the secret ${name} may not be given to ${host}`, {
    fix: `Allow it: oka secrets set ${name} --host ${host}   Then: oka replica on`,
  });
}

function checkedUrl(text: string | null): URL {
  if (text === null)
    throw new OkaError('not-set-up', 'there is no replica', {
      fix: 'Set CONVEX_URL, or replica.url in config.json, to the address of a Convex deployment.',
    });
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    throw new OkaError('usage', 'the address of the replica is not an http address without a password', {
      fix: 'Such as: CONVEX_URL=https://name-123.convex.cloud',
    });
  // A name without a dot is one of the network of a container.
  if (url.protocol === 'https:' || isLoopback(url.href) || !/[.:]/.test(url.hostname)) return url;
  throw new OkaError('usage', `the key and every event would go to ${url.host} unencrypted`, {
    fix: `Use https://${url.host}, or a server on this machine.`,
  });
}
