/** Owns: the connection of a command to the fleet, for as long as the command takes. No pen is needed. */
import { connectFleet, type FleetConnection } from './servers/connect-fleet.ts';
import { explainUnstored } from './servers/failed-servers.ts';
import { type FleetMembers, openMembers } from './servers/fleet-members.ts';
import { type FleetOrders, openOrders } from './servers/fleet-orders.ts';
import { findStream, requireThere, toStream } from './servers/fleet-streams.ts';
import { ORDERS_STREAM, RUNS } from './servers/fleet-subjects.ts';
import { type TaskQueue, taskQueue } from './servers/task-queue.ts';
import { peekProjection } from '../../core/ledger/peek-projection.ts';
import { OkaError } from '../../core/schema/errors.ts';
import type { FleetStream } from '../../core/schema/fleet.ts';
import type { Home } from '../../core/schema/home.ts';
import { openHomeVault } from '../../kit/vault/home-vault.ts';
import { readIdentity } from '../../kit/home/home-identity.ts';
import type { FleetEnvironment } from '../../kit/fleet-environment.ts';
import { fleetEnvironment } from '../../kit/settings.ts';
import { fleetRuns, type FleetRuns } from '../../kit/fleet/fleet-runs.ts';

export type FleetAccess = {
  connection: FleetConnection;
  /** The name of this member. */
  name: string;
  environment: FleetEnvironment;
  /** What this home knows about its fleet. */
  known: FleetRuns;
  queue: TaskQueue;
  openMembers: () => Promise<FleetMembers>;
  openOrders: () => Promise<FleetOrders>;
};

export async function withFleet<T>(home: Home, use: (access: FleetAccess) => Promise<T>): Promise<T> {
  const environment = requireEnvironment();
  const { servers, authority, replicas } = environment;
  const credentials = (await (await openHomeVault(home)).find('fleet'))?.value ?? null;
  const name = environment.name ?? readIdentity(home)?.id ?? 'unknown';
  const { state: known } = await peekProjection(home.ledgers.run, home.oka, fleetRuns);
  const connection = await connectFleet({ servers, credentials, authority, name });
  try {
    return await use({
      connection,
      name,
      environment,
      known,
      queue: taskQueue(connection, environment),
      openMembers: () => openMembers(connection, replicas),
      openOrders: async () => {
        await requireThere(connection, ORDERS_STREAM);
        return openOrders(connection, replicas);
      },
    });
  } catch (error) {
    throw await explainUnstored(error, environment.monitors);
  } finally {
    await connection.close();
  }
}

export function requireEnvironment(): FleetEnvironment {
  const environment = fleetEnvironment();
  if (environment !== null) return environment;
  throw new OkaError('not-set-up', 'this home works alone: OKA_FLEET is not set', {
    fix: 'Such as: OKA_FLEET=nats://a:4222,nats://b:4222,nats://c:4222 (docs/FLEET.md)',
  });
}

export async function requireStream({ connection }: Pick<FleetAccess, 'connection'>): Promise<FleetStream> {
  const found = await findStream(connection, RUNS);
  if (found !== null) return toStream(found);
  throw new OkaError('fleet-refused', `the servers have no stream ${RUNS}`, {
    fix: 'Start a worker with OKA_FLEET: the first member of a new fleet creates it. If it was lost, restore it from a backup of the servers, or create it again: oka fleet create --again',
  });
}
