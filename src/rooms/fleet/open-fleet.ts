/**
 * Owns: being a member of a fleet: the connection, the start check, and the stores of the home behind the fence.
 * Does not own: which tasks are taken (fleet-tasks.ts), the fence (rooms/fleet/servers/run-fence.ts).
 *
 * Nothing of this is loaded without OKA_FLEET.
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { checkServers } from './servers/check-servers.ts';
import { connectFleet, type FleetConnection, retryWhileDown } from './servers/connect-fleet.ts';
import { explainUnstored } from './servers/failed-servers.ts';
import { openFiles } from './servers/fleet-files.ts';
import { openMembers } from './servers/fleet-members.ts';
import { type MemberMemory, type MemorySharing, openMemberMemory } from './servers/member-memory.ts';
import { openOrders } from './servers/fleet-orders.ts';
import { findMissing, openStreams, streamCheck } from './servers/fleet-streams.ts';
import { MEMBERS_STREAM, MEMORY_STREAM } from './servers/fleet-subjects.ts';
import { resultQueue } from './servers/result-queue.ts';
import { runLog } from './servers/run-log.ts';
import { sharedLog } from './servers/shared-log.ts';
import { storingNotice } from './servers/storing-notice.ts';
import { taskHomes } from './servers/task-homes.ts';
import { taskQueue } from './servers/task-queue.ts';
import type { Home } from '../../core/schema/home.ts';
import { settleIdentity } from '../../kit/home/home-identity.ts';
import type { FleetEnvironment } from '../../kit/fleet-environment.ts';
import { programVersion } from '../../kit/settings.ts';
import type { Stores } from '../../kit/house/stores.ts';
import { cancelQueued } from './cancel-queued.ts';
import { confirmedClaims } from './confirmed-claims.ts';
import { fencedLedger, sharedArtifacts } from './fenced-stores.ts';
import type { OpenFleet } from '../../kit/ports/fleet-port.ts';
import type { FleetMember } from './fleet-member.ts';
import { fleetRuns } from '../../kit/fleet/fleet-runs.ts';
import { fleetSlots } from './fleet-slots.ts';
import { watchMembers } from './member-watch.ts';
import { ownedRuns } from './owned-runs.ts';
import { requestRelay } from './request-relay.ts';
import { storeFolder } from './run-folder.ts';
import { sharedRates } from './shared-rates.ts';
import { sharedSpending } from './shared-spending.ts';

/** Members report every five seconds. */
const LEAST_SILENCE_MS = 12_000;

export async function openFleet(
  home: Home,
  stores: Stores,
  environment: FleetEnvironment,
  report: (text: string) => void,
): Promise<OpenFleet<FleetMember>> {
  const { monitors, replicas, labels, ackWaitMs } = environment;
  await retryWhileDown(() => checkServers(monitors, replicas));
  const explain = (error: unknown): Promise<unknown> => explainUnstored(error, monitors);
  const name = environment.name ?? (await settleIdentity(home)).id;
  const connection = await connectAs(name, stores, environment);
  try {
    const known = stores.projections.stateOf(fleetRuns).joined;
    const runs = await retryWhileDown(() => openStreams(connection, { replicas, known }));
    // A member that may not ask has nothing to say about it.
    const lost = known === null ? [] : await findMissing(connection, refilledBy(environment)).catch(() => []);
    const files = await retryWhileDown(() => openFiles(connection, replicas));
    const copies = sharedArtifacts(stores.artifacts, files, storingNotice(report, explain));
    const noticeFolder = storingNotice(report, explain);
    const owned = ownedRuns({
      share: copies.share,
      storeFolder: (task) => noticeFolder(() => storeFolder(join(home.workspace, 'desk', task), files)),
    });
    const members = await retryWhileDown(() => openMembers(connection, replicas));
    const shared = sharedLog(connection);
    const watch = watchMembers(members, Math.max(ackWaitMs, LEAST_SILENCE_MS));
    const log = runLog(connection, runs, storingNotice(report, explain));
    const results = resultQueue(connection);
    const member: FleetMember = {
      name,
      labels,
      ackWaitMs,
      fence: { worker: name, process: `${process.pid}-${randomUUID().slice(0, 8)}`, version: programVersion() },
      log,
      checkStream: streamCheck(connection, runs),
      homes: taskHomes(connection),
      queue: taskQueue(connection, { ackWaitMs }),
      results,
      relay: requestRelay({
        name,
        log,
        results,
        redact: stores.vault.redact,
        cancelQueued: (task) => cancelQueued(home, member, task),
      }),
      answers: environment.answers,
      files,
      members,
      shared,
      slots: fleetSlots(shared, name, watch),
      spending: sharedSpending(shared, name),
      memory: memoryAt(connection, environment),
      rates: sharedRates(shared, randomUUID().slice(0, 13)),
      orders: await retryWhileDown(() => openOrders(connection, replicas)),
      owned,
      claims: confirmedClaims(owned, ackWaitMs),
      ownLedger: stores.ledger,
      isConnected: connection.isConnected,
      explain,
      taskCount: () => 0,
      lost,
    };
    const { version } = connection;
    if (known === null) await stores.ledger.append({ type: 'fleet.joined', data: { member: name, runs, version } });
    const unsubscribe = stores.onDurable((events) => owned.publish(events));
    const ledger = fencedLedger(stores.ledger, owned);
    return {
      member,
      stores: { ledger, events: { ...stores.events, flush: ledger.flush }, artifacts: copies.artifacts },
      close: async () => {
        unsubscribe();
        copies.close();
        await connection.close();
      },
    };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** What members fill again by themselves, if they have it at all. */
const refilledBy = ({ sharing }: FleetEnvironment): string[] =>
  sharing === null ? [MEMBERS_STREAM] : [MEMBERS_STREAM, MEMORY_STREAM];

/** Its bucket is opened when it is used: a member whose servers do not allow it yet does everything else. */
function memoryAt(connection: FleetConnection, { sharing, replicas }: FleetEnvironment): MemorySharing | null {
  if (sharing === null) return null;
  let opened: MemberMemory | null = null;
  const open = async (): Promise<MemberMemory> => (opened ??= await openMemberMemory(connection, replicas));
  return { topics: sharing.topics, open };
}

/** The credentials are the secret "fleet", if there is one. */
async function connectAs(name: string, { vault }: Stores, environment: FleetEnvironment): Promise<FleetConnection> {
  const { servers, authority } = environment;
  const credentials = (await vault.find('fleet'))?.value ?? null;
  return connectFleet({ servers, credentials, authority, name });
}
