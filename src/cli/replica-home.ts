/** What the commands about the replica have in common. */
import { ledgerName, replicaUrl } from '../daemon/network/replica-connection.ts';
import { loadConfig } from '../daemon/settings.ts';
import type { Config } from '../schema/config.ts';
import { OkaError } from '../schema/errors.ts';
import type { Call } from './command.ts';
import { assertSetUp } from './secret-changes.ts';
import { count } from './plain-text.ts';

export type ReplicaHome = { config: Config; ledger: string | null };

/** The settings of a home that has a replica, and its name there. */
export async function replicaHome(call: Call): Promise<ReplicaHome> {
  assertSetUp(call);
  const config = await loadConfig(call.home);
  if (replicaUrl(config) === null)
    throw new OkaError('not-set-up', 'this home has no replica', {
      fix: 'Set CONVEX_URL, or replica.url in .oka/rules/config.json, to the address of a Convex deployment.',
    });
  return { config, ledger: await ledgerName(call.home, config) };
}

const PATIENCE_MS = 2000;

/** A line on stderr for what takes longer than two seconds: so many events of so many. */
export function eventsOn(
  err: (text: string) => void,
  what: string,
): { reach: (done: number, total?: number) => void; end: () => void } {
  const drawn = process.stderr.isTTY;
  const every = drawn ? 200 : 10_000;
  let next = performance.now() + PATIENCE_MS;
  let shown = false;
  return {
    reach(done, total) {
      if (performance.now() < next) return;
      next = performance.now() + every;
      shown = true;
      const of = total === undefined ? '' : ` of ${count(Math.max(done, total), 'event')}`;
      err(
        `${drawn ? '\r' : ''}${what}: ${total === undefined ? count(done, 'event') : done}${of}${drawn ? '   ' : '\n'}`,
      );
    },
    end() {
      if (shown && drawn) err('\r\u001B[K');
    },
  };
}
