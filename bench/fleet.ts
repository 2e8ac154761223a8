/**
 * What a fleet costs: throughput of several workers on trivial tasks, what the fence adds to a durable step, claims,
 * takeovers, and the same jobs on BullMQ with Redis and on pg-boss with PostgreSQL, all in one run.
 *
 * Times of a busy machine are noisy; processor time and the ratios within one run are what to compare. OKA_BENCH_TASKS
 * sets how many tasks a run has (24), OKA_BENCH_JOBS how many jobs (150), OKA_BENCH_TAKEOVERS how many kills (3). The figures go into bench/fleet/measured.json,
 * or where OKA_BENCH_MEASURED says, for the simulation (`fleet-sim`).
 */
import { cpus } from 'node:os';
import { join } from 'node:path';
import { connectFleet, type FleetConnection } from '../src/rooms/fleet/servers/connect-fleet.ts';
import { findStream } from '../src/rooms/fleet/servers/fleet-streams.ts';
import { FILES, RESULTS, RUNS, TASKS } from '../src/rooms/fleet/servers/fleet-subjects.ts';
import { findNatsServer, type NatsCluster, startCluster } from '../test/support/nats-cluster.ts';
import { type Figure, median } from './figure.ts';
import { ACK_SECONDS, type HomesTimes, runHomes, runTakeover, type Takeover } from './fleet/bench-homes.ts';
import { runSteps } from './fleet/fenced-step.ts';
import { type MeasuredFleet, type MeasuredQueue, type QueueRow, writeMeasured } from './fleet/measured-fleet.ts';
import { treeCpuMs } from './fleet/process-times.ts';
import { type QueueServer, startPostgres, startRedis } from './fleet/queue-servers.ts';
import { type QueueUnderTest, runQueue } from './fleet/run-queues.ts';
import { runStreams } from './fleet/stream-capacity.ts';
import { installPeers } from './peers/install-peers.ts';

const sizeOf = (name: string, usual: number): number => Number(process.env[name] ?? usual);
const TASK_COUNT = sizeOf('OKA_BENCH_TASKS', 24);
const JOBS = sizeOf('OKA_BENCH_JOBS', 150);
const TAKEOVERS = sizeOf('OKA_BENCH_TAKEOVERS', 3);
const WORKERS = [1, 2, 4, 6];
/** Of a job: an intent and an outcome. */
const STEPS = 2;
const LANES = 32;
const MESSAGES = 2000;

type Note = (text: string) => void;

export async function measure(note: Note): Promise<Figure[]> {
  if (findNatsServer() === null) {
    note('SKIPPED: there is no nats-server; set OKA_NATS, or run .ci/install-nats');
    return [];
  }
  installPeers(join(import.meta.dirname, 'fleet/queues'), 'installing BullMQ and pg-boss (about 20 MB, once)');
  const fleet = await measureFleet(note);
  writeMeasured(fleet);
  const queues = [...fleet.queues, ...(await measureOthers(note))];
  const measured = { ...fleet, queues };
  writeMeasured(measured);
  return [...figuresOfHomes(measured), ...figuresOfQueues(queues)];
}

/** Real homes come before the jobs: the first worker of a fleet decides on its ack wait. */
async function measureFleet(note: Note): Promise<MeasuredFleet> {
  await using cluster = await startCluster({ size: 3 });
  note('the fence: durable steps and messages');
  const step = await runSteps(cluster, 300);
  const streams = [await runStreams(cluster, 1, MESSAGES), await runStreams(cluster, 4, MESSAGES)];
  const homes: HomesTimes[] = [];
  const before = await countMessages(cluster);
  for (const workers of WORKERS) {
    note(`${TASK_COUNT} tasks of real homes with ${workers} workers`);
    homes.push(await runHomes(cluster, workers, TASK_COUNT));
  }
  const after = await countMessages(cluster);
  const perTask = (name: keyof MeasuredFleet['messages']): number =>
    (after[name] - before[name]) / (TASK_COUNT * WORKERS.length);
  note('takeovers after a kill');
  const takeovers: Takeover[] = [];
  while (takeovers.length < TAKEOVERS) takeovers.push(await runTakeover(cluster));
  const fleetQueue = { name: 'fleet, 3 servers', file: 'fleet-queue.ts', url: cluster.url };
  const queue = await measureQueue(fleetQueue, 'nats-server', note);
  return {
    at: new Date().toISOString().slice(0, 10),
    cores: cpus().length,
    servers: cluster.size,
    step,
    streams,
    messages: { tasks: perTask('tasks'), runs: perTask('runs'), results: perTask('results'), files: perTask('files') },
    homes,
    takeover: {
      ackSeconds: ACK_SECONDS,
      claimedMs: median(takeovers.map(({ claimedMs }) => claimedMs)),
      continuedMs: median(takeovers.map(({ continuedMs }) => continuedMs)),
    },
    queues: [queue],
  };
}

/** The other queues have one server each, so the fleet with one server is measured, too. */
async function measureOthers(note: Note): Promise<MeasuredQueue[]> {
  const measured: MeasuredQueue[] = [];
  const others: { name: string; file: string; program: string; start: () => Promise<QueueServer | null> }[] = [
    {
      name: 'fleet, 1 server',
      file: 'fleet-queue.ts',
      program: 'nats-server',
      start: () => startCluster({ size: 1 }),
    },
    { name: 'BullMQ', file: 'bullmq-queue.ts', program: 'redis-server', start: startRedis },
    { name: 'pg-boss', file: 'pgboss-queue.ts', program: 'postgres', start: startPostgres },
  ];
  for (const { name, file, program, start } of others)
    try {
      await using server: QueueServer | null = await start();
      if (server === null) note(`SKIPPED: ${name}: there is no ${program}; install the package of that name`);
      else measured.push(await measureQueue({ name, file, url: server.url }, program, note));
    } catch (error) {
      note(`SKIPPED: ${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  return measured;
}

async function measureQueue(
  queue: Omit<QueueUnderTest, 'serverCpuMs'>,
  program: string,
  note: Note,
): Promise<MeasuredQueue> {
  const tested = { ...queue, serverCpuMs: () => treeCpuMs(program) };
  const rows: QueueRow[] = [];
  for (const workers of WORKERS) {
    note(`${queue.name}: ${JOBS} jobs with ${workers} workers`);
    rows.push({ workers, ...(await runQueue(tested, { jobs: JOBS, workers, lanes: 1, steps: STEPS })) });
  }
  const claims = await runQueue(tested, { jobs: JOBS * 4, workers: 1, lanes: LANES, steps: 0 });
  return { name: queue.name, rows, claims };
}

async function countMessages({ url }: NatsCluster): Promise<MeasuredFleet['messages']> {
  const servers = url.split(',');
  const connection = await connectFleet({ servers, credentials: null, authority: null, name: 'counter' });
  const last = async (name: string): Promise<number> => (await findStream(connection, name))?.state.last_seq ?? 0;
  const acknowledged = async (name: string): Promise<number> => (await last(name)) + (await acksOf(connection, name));
  try {
    return {
      tasks: await acknowledged(TASKS),
      runs: await last(RUNS),
      results: await acknowledged(RESULTS),
      files: await last(`OBJ_${FILES}`),
    };
  } finally {
    await connection.close();
  }
}

async function acksOf({ manager }: FleetConnection, stream: string): Promise<number> {
  const consumers = await Array.fromAsync(manager.consumers.list(stream)).catch(() => []);
  return consumers.reduce((sum, { ack_floor: floor }) => sum + floor.consumer_seq, 0);
}

function figuresOfHomes({ homes, step, takeover, messages }: MeasuredFleet): Figure[] {
  const one = homes[0]?.perSecond ?? Number.NaN;
  const perTask = homes.flatMap(({ workers, perSecond, workerCpuMs, serverCpuMs }): Figure[] => [
    {
      name: `fleet_tasks_${workers}`,
      value: perSecond,
      unit: 'tasks/s',
      about: `real homes, ${workers} workers; ${(perSecond / one / workers).toFixed(2)} of linear`,
    },
    {
      name: `fleet_cpu_${workers}`,
      value: workerCpuMs + serverCpuMs,
      unit: 'ms',
      about: `processor time of a task, of which ${serverCpuMs.toFixed(0)} in the three servers`,
    },
  ]);
  const all = Object.values(messages).reduce((sum, count) => sum + count, 0);
  return [
    ...perTask,
    { name: 'fleet_messages', value: all, unit: 'messages', about: 'of one task, in all streams' },
    {
      name: 'fleet_step_added_ms',
      value: step.fencedMs - step.aloneMs,
      unit: 'ms',
      about: `median of a durable step behind the fence, ${step.aloneMs.toFixed(2)} ms without a fleet`,
    },
    {
      name: 'fleet_takeover_ms',
      value: takeover.continuedMs,
      unit: 'ms',
      about: `from a kill to the first event of another member, with an ack wait of ${takeover.ackSeconds} s`,
    },
  ];
}

function figuresOfQueues(queues: readonly MeasuredQueue[]): Figure[] {
  return queues.flatMap(({ name, rows, claims }) => {
    const key = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_');
    return [
      ...rows.map(({ workers, perSecond, workerCpuMs, serverCpuMs }) => ({
        name: `${key}_jobs_${workers}`,
        value: perSecond,
        unit: 'jobs/s',
        about: `${workers} workers, ${STEPS} durable steps; CPU of a job ${workerCpuMs.toFixed(1)} + ${serverCpuMs.toFixed(1)} ms`,
      })),
      { name: `${key}_claims`, value: claims.perSecond, unit: 'claims/s', about: `${LANES} at once, without steps` },
    ];
  });
}
