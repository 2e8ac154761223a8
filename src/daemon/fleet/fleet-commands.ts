/** What `oka fleet` shows, from the message servers and the ledger of this home. Nothing is changed, and no pen is needed. */
import { connectFleet, type FleetConnection } from '../../fleet/connect-fleet.ts';
import { openMembers } from '../../fleet/fleet-members.ts';
import { findStream, RUNS, toStream } from '../../fleet/fleet-streams.ts';
import { runLog } from '../../fleet/run-log.ts';
import { taskQueue } from '../../fleet/task-queue.ts';
import { peekProjection } from '../../ledger/peek-projection.ts';
import { readEvents } from '../../ledger/read-events.ts';
import { OkaError } from '../../schema/errors.ts';
import type { FleetStream, MemberMessage } from '../../schema/fleet.ts';
import type { Home } from '../../schema/home.ts';
import { openHomeVault } from '../guard/home-vault.ts';
import { readIdentity } from '../home/home-identity.ts';
import { type FleetEnvironment, fleetEnvironment } from '../settings.ts';
import { compareRun, type RunComparison } from './compare-stream.ts';
import { fleetRuns, type FleetRuns } from './fleet-runs.ts';

export type FleetStatus = {
  member: string;
  servers: string;
  stream: string;
  /** Tasks that wait, and tasks that somebody works on. */
  waiting: number;
  taken: number;
  needs: { needs: string; waiting: number; taken: number }[];
  /** Tasks of this home that have not come back. */
  sent: string[];
  /** Runs that this home owns, or owned last. */
  claimed: string[];
};

export async function fleetStatus(home: Home): Promise<FleetStatus> {
  return withFleet(home, async ({ connection, name, environment, known }) => {
    const stream = await requireStream(connection);
    const depth = await taskQueue(connection, environment).depth();
    return {
      member: name,
      servers: environment.servers.join(', '),
      stream: `${stream.name} of ${stream.created}`,
      waiting: depth.reduce((sum, { waiting }) => sum + waiting, 0),
      taken: depth.reduce((sum, { taken }) => sum + taken, 0),
      needs: depth.map(({ needs, ...rest }) => ({ needs: needs.join(', ') || 'nothing', ...rest })),
      sent: known.sent,
      claimed: Object.keys(known.claimed),
    };
  });
}

export async function fleetMembers(home: Home): Promise<MemberMessage[]> {
  return withFleet(home, async ({ connection, environment }) =>
    (await openMembers(connection, environment.replicas)).list(),
  );
}

/** Compares every run of this home that the stream has with the ledger, event by event. */
export async function verifyFleet(home: Home): Promise<RunComparison[]> {
  return withFleet(home, async ({ connection, name }) => {
    const log = runLog(connection, await requireStream(connection));
    const claimed = new Set<string>();
    for await (const { type, run } of readEvents(home.ledgers.run))
      if (type === 'run.claimed' && run !== null) claimed.add(run);
    const compared: RunComparison[] = [];
    for (const run of claimed) compared.push(await compareRun(home.ledgers.run, run, name, await log.read(run)));
    return compared;
  });
}

type Reading = { connection: FleetConnection; name: string; environment: FleetEnvironment; known: FleetRuns };

async function withFleet<T>(home: Home, read: (reading: Reading) => Promise<T>): Promise<T> {
  const environment = fleetEnvironment();
  if (environment === null)
    throw new OkaError('not-set-up', 'this home works alone: OKA_FLEET is not set', {
      fix: 'Such as: OKA_FLEET=nats://a:4222,nats://b:4222,nats://c:4222 (docs/FLEET.md)',
    });
  const { servers, authority } = environment;
  const credentials = (await (await openHomeVault(home)).find('fleet'))?.value ?? null;
  const name = environment.name ?? readIdentity(home)?.id ?? 'unknown';
  const { state: known } = await peekProjection(home.ledgers.run, home.oka, fleetRuns);
  const connection = await connectFleet({ servers, credentials, authority, name });
  try {
    return await read({ connection, name, environment, known });
  } finally {
    await connection.close();
  }
}

async function requireStream(connection: FleetConnection): Promise<FleetStream> {
  const found = await findStream(connection, RUNS);
  if (found !== null) return toStream(found);
  throw new OkaError('fleet-refused', `the servers have no stream ${RUNS}`, {
    fix: 'Start a worker with OKA_FLEET: the first member of a new fleet creates it.',
  });
}
