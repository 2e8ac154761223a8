/** Workers that are killed and paused, and leaders that are killed: no task is lost and none is done twice. */
import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { connectFleet, type FleetConnection, retryWhileDown } from '../../src/rooms/fleet/servers/connect-fleet.ts';
import { openStreams } from '../../src/rooms/fleet/servers/fleet-streams.ts';
import { RUNS, TASKS } from '../../src/rooms/fleet/servers/fleet-subjects.ts';
import { runLog } from '../../src/rooms/fleet/servers/run-log.ts';
import { foldHistory } from '../../src/rooms/fleet/servers/run-owner.ts';
import { taskQueue } from '../../src/rooms/fleet/servers/task-queue.ts';
import { startCounter } from '../support/call-counter.ts';
import { findNatsServer, type NatsCluster, restartLeader, startCluster } from '../support/nats-cluster.ts';

const sizeOf = (name: string, usual: number): number => Number(process.env[name] ?? usual);
const TASK_COUNT = sizeOf('OKA_FLEET_TASKS', 60);
const WORKERS = sizeOf('OKA_FLEET_WORKERS', 4);
const KILLS = sizeOf('OKA_FLEET_KILLS', 4);
const PAUSES = sizeOf('OKA_FLEET_PAUSES', 4);
const LEADER_KILLS = sizeOf('OKA_FLEET_LEADER_KILLS', 1);
const PAUSE_MS = 3500; // longer than the ack wait of the workers

const hasServer = findNatsServer() !== null;
if (!hasServer) console.warn('SKIPPED: there is no nats-server; set OKA_NATS, or run .ci/install-nats');

type Trial = { lost: string[]; twice: string[]; asked: number; takeovers: number };

describe.skipIf(!hasServer)('the fence against real servers', () => {
  it('loses no task and does none twice while workers are killed and paused and leaders die', async () => {
    const { lost, twice, asked, takeovers } = await trial('on', {
      kills: KILLS,
      pauses: PAUSES,
      leaders: LEADER_KILLS,
    });
    console.log(`fence on: ${TASK_COUNT} tasks, ${takeovers} takeovers, ${asked} in doubt`);
    expect({ lost, twice }).toEqual({ lost: [], twice: [] });
    expect(takeovers).toBeGreaterThan(0);
  });

  it('is what makes it so: without the expected sequence tasks are done twice', async () => {
    const { twice } = await trial('off', { kills: 0, pauses: 1, leaders: 0 });
    console.log(`fence off: ${twice.length} tasks were done twice`);
    expect(twice.length).toBeGreaterThan(0);
  });
});

async function trial(fence: 'on' | 'off', faults: { kills: number; pauses: number; leaders: number }): Promise<Trial> {
  await using cluster = await startCluster({ size: 3 });
  await using counter = await startCounter();
  const connection = await connectFleet({
    servers: cluster.url.split(','),
    credentials: null,
    authority: null,
    name: 't',
  });
  const stream = await retryWhileDown(() => openStreams(connection, { replicas: 3, known: null }));
  const ids = await sendTasks(connection);
  const workers = Array.from({ length: WORKERS }, (_, index) => startWorker(cluster, counter.url, `w${index}`, fence));
  try {
    await disturb(cluster, workers, counter.url, fence, faults);
    await untilEmpty(connection);
  } finally {
    for (const { process: child } of workers) child.kill('SIGKILL');
  }
  const log = runLog(connection, stream);
  const found: Trial = { lost: [], twice: [], asked: 0, takeovers: 0 };
  for (const id of ids) {
    const { events, owner } = foldHistory(await log.read(id));
    const count = counter.counts.get(id) ?? 0;
    const isAsked = events.some(({ type }) => type === 'wait.opened');
    if (count > 1) found.twice.push(id);
    if (count === 0 && !isAsked) found.lost.push(id); // a person is asked about the others, and nothing was repeated
    if (isAsked) found.asked += 1;
    found.takeovers += (owner?.epoch ?? 1) - 1;
  }
  await connection.close();
  return found;
}

type Worker = { name: string; process: ChildProcess };

function startWorker(cluster: NatsCluster, counter: string, name: string, fence: string): Worker {
  const child = join(import.meta.dirname, '../support/fence-child.ts');
  return { name, process: fork(child, [cluster.url, counter, name, fence], { stdio: 'inherit' }) };
}

/** Kills and pauses workers, and kills the leader of the stream of runs, spread over the work. */
async function disturb(
  cluster: NatsCluster,
  workers: Worker[],
  counter: string,
  fence: string,
  { kills, pauses, leaders }: { kills: number; pauses: number; leaders: number },
): Promise<void> {
  await sleep(1500);
  const resumed: Promise<void>[] = [];
  for (let round = 0; round < Math.max(kills, pauses, leaders); round += 1) {
    if (round < pauses) resumed.push(pauseWorker(workers[round % workers.length] as Worker));
    if (round < kills) {
      const index = (round + 1) % workers.length;
      workers[index]?.process.kill('SIGKILL');
      workers[index] = startWorker(cluster, counter, `w${index}`, fence);
    }
    if (round < leaders) await restartLeader(cluster, RUNS);
    await sleep(700);
  }
  await Promise.all(resumed);
}

async function pauseWorker({ process: child }: Worker): Promise<void> {
  child.kill('SIGSTOP');
  await sleep(PAUSE_MS);
  child.kill('SIGCONT');
}

async function sendTasks(connection: FleetConnection): Promise<string[]> {
  const queue = taskQueue(connection, { ackWaitMs: 2000 });
  const ids = Array.from({ length: TASK_COUNT }, (_, index) => `task-${index}`);
  const sha256 = '0'.repeat(64);
  const common = { home: 'h', by: 'test', name: 'a.md', body: sha256, needs: [], files: null, links: [] };
  await Promise.all(ids.map((id) => queue.send({ id, ...common })));
  return ids;
}

async function untilEmpty({ manager }: FleetConnection): Promise<void> {
  for (let tries = 0; tries < 1200; tries += 1) {
    const messages = await manager.streams.info(TASKS).then(
      ({ state }) => state.messages,
      () => -1,
    );
    if (messages === 0) return;
    await sleep(200);
  }
  throw new Error('the queue was not empty after four minutes');
}
