/** What the commands about the replica have in common. */
import { ledgerName, replicaUrl } from './replica-connection.ts';
import { loadConfig } from '../../kit/settings.ts';
import type { Config } from '../../core/schema/config.ts';
import { OkaError } from '../../core/schema/errors.ts';
import type { Home } from '../../core/schema/home.ts';
import { requireHome } from '../../kit/cli/require-home.ts';

type ReplicaHome = { config: Config; ledger: string | null };

/** The settings of a home that has a replica, and its name there. */
export async function requireReplica(home: Home): Promise<ReplicaHome> {
  await requireHome(home);
  const config = await loadConfig(home);
  if (replicaUrl(config) === null)
    throw new OkaError('not-set-up', 'this home has no replica', {
      fix: 'Set CONVEX_URL, or replica.url in .oka/rules/config.json, to the address of a Convex deployment.',
    });
  return { config, ledger: await ledgerName(home, config) };
}
