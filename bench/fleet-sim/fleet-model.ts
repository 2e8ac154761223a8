/**
 * A fleet as stations, with the costs that were measured: the home that gives the tasks, the streams, the cluster that
 * stores them all, and the workers. Tasks arrive at random; each does what a real one does, message by message.
 */
import { chance } from '../../test/support/chance.ts';
import type { MeasuredFleet } from '../fleet/measured-fleet.ts';
import { EventClock, type Process, Station } from './event-clock.ts';

/** Seconds, and messages of one task. */
export type Costs = {
  /** Of a message: how long its stream is busy with it, how long the cluster is, and how long the sender waits. */
  streamSeconds: number;
  clusterSeconds: number;
  latencySeconds: number;
  messages: MeasuredFleet['messages'];
  /** Processor time of a task at its worker, and at the home that gave it. */
  workerSeconds: number;
  submitSeconds: number;
};

export type FleetShape = {
  workers: number;
  tasksPerMinute: number;
  /** What a task takes besides oka: its commands and models. */
  workSeconds: number;
  /** How many streams share the messages of each kind, how many clusters share the streams, and how many homes give tasks. */
  streams: number;
  clusters: number;
  homes: number;
};

export type Simulated = {
  /** Of what was offered, how much came back in the same time. */
  delivered: number;
  /** Seconds from giving a task to its result; infinite if too few came back. */
  p50: number;
  p99: number;
  /** How busy each kind of station was, the busiest first. */
  busy: { name: string; part: number }[];
};

export function costsOf(measured: MeasuredFleet): Costs {
  const [one, several] = measured.streams;
  const [alone, most] = [measured.homes[0], measured.homes.at(-1)];
  if (one === undefined || several === undefined || alone === undefined || most === undefined)
    throw new Error('the measured file is not whole');
  const streamSeconds = 1 / one.perSecond;
  return {
    streamSeconds,
    // Several streams on one cluster are at least as fast as one; on a machine that runs all servers it may look slower.
    clusterSeconds: Math.min(streamSeconds, 1 / several.perSecond),
    latencySeconds: one.latencyMs / 1000,
    messages: measured.messages,
    workerSeconds: alone.workerCpuMs / 1000, // of several workers, some only wait for tasks
    submitSeconds: most.submitCpuMs / 1000,
  };
}

/** A load is simulated for at least this many tasks, and at least this many times as long as a task takes alone. */
const LEAST_TASKS = 400;
const LEAST_TURNS = 10;

/** The first half of the time warms up; tasks of the second half are counted, and followed until they are back. */
export function simulateFleet(costs: Costs, shape: FleetShape, seed = 1): Simulated {
  const clock = new EventClock();
  const stations = stationsOf(shape);
  const random = chance(seed);
  const perSecond = shape.tasksPerMinute / 60;
  const end = Math.max(LEAST_TASKS / perSecond, LEAST_TURNS * leastSeconds(costs, shape));
  const [given, returned]: [number[], { given: number; at: number }[]] = [[], []];
  const arrivals = function* (): Process {
    for (let index = 0; clock.now < end; index += 1) {
      yield { kind: 'after', seconds: -Math.log(1 - random()) / perSecond };
      given.push(clock.now);
      clock.start(taskOf(clock, stations, costs, shape, index, random, returned));
    }
  };
  clock.start(arrivals());
  clock.run(end);
  const busy = busyParts(clock, stations);
  const isCounted = (at: number): boolean => at > end / 2 && at <= end;
  const counted = given.filter(isCounted).length;
  const delivered = returned.filter(({ at }) => isCounted(at)).length / counted;
  clock.run(end + LEAST_TURNS * leastSeconds(costs, shape));
  const times = returned.filter((each) => isCounted(each.given)).map((each) => each.at - each.given);
  const sorted = times.toSorted((a, b) => a - b);
  const at = (part: number): number => sorted[Math.floor(part * counted)] ?? Number.POSITIVE_INFINITY;
  return { delivered, p50: at(0.5), p99: at(0.99), busy };
}

/** What a task takes in a fleet that has nothing else to do. */
export function leastSeconds(
  { latencySeconds, messages, workerSeconds, submitSeconds }: Costs,
  shape: FleetShape,
): number {
  const count = Object.values(messages).reduce((sum, each) => sum + each, 0);
  return shape.workSeconds + workerSeconds + submitSeconds + count * latencySeconds;
}

type Kind = 'tasks' | 'runs' | 'results' | 'files';
type Stations = { homes: Station[]; workers: Station; streams: Record<Kind, Station[]>; clusters: Station[] };

function stationsOf({ workers, streams, clusters, homes }: FleetShape): Stations {
  const many = (name: string, count: number): Station[] => Array.from({ length: count }, () => new Station(name, 1));
  return {
    homes: many('home that gives tasks', homes),
    workers: new Station('workers', workers),
    streams: {
      tasks: many('stream of tasks', streams),
      runs: many('stream of runs', streams),
      results: many('stream of results', streams),
      files: many('object store', streams),
    },
    clusters: many('cluster', clusters),
  };
}

/** A task goes to the same home, streams and cluster all the way: that is what its messages have in common. */
function* taskOf(
  clock: EventClock,
  { homes, workers, streams, clusters }: Stations,
  costs: Costs,
  { workSeconds }: FleetShape,
  index: number,
  random: () => number,
  returned: { given: number; at: number }[],
): Process {
  const began = clock.now;
  const home = homes[index % homes.length] as Station;
  const cluster = clusters[index % clusters.length] as Station;
  const send = function* (kind: Kind): Process {
    const stream = streams[kind][index % streams[kind].length] as Station;
    yield* clock.use(stream, costs.streamSeconds);
    yield* clock.use(cluster, costs.clusterSeconds);
    yield { kind: 'after', seconds: Math.max(0, costs.latencySeconds - costs.streamSeconds - costs.clusterSeconds) };
  };
  yield* clock.use(home, costs.submitSeconds / 2);
  const sent = Math.ceil(costs.messages.tasks / 2);
  for (let count = 0; count < sent; count += 1) yield* send('tasks');
  yield { kind: 'enter', station: workers };
  const during: Kind[] = [
    ...repeated('runs', costs.messages.runs),
    ...repeated('files', costs.messages.files),
    ...repeated('results', costs.messages.results / 2),
    ...repeated('tasks', costs.messages.tasks - sent),
  ];
  const work = -Math.log(1 - random()) * workSeconds;
  for (const kind of during) {
    yield { kind: 'after', seconds: (costs.workerSeconds + work) / during.length };
    yield* send(kind);
  }
  clock.leave(workers);
  for (const kind of repeated('results', costs.messages.results / 2)) yield* send(kind);
  yield* clock.use(home, costs.submitSeconds / 2);
  returned.push({ given: began, at: clock.now });
}

const repeated = (kind: Kind, count: number): Kind[] => Array.from({ length: Math.round(count) }, () => kind);

function busyParts(clock: EventClock, { homes, workers, streams, clusters }: Stations): Simulated['busy'] {
  const part = (stations: readonly Station[]): { name: string; part: number } => ({
    name: stations[0]?.name ?? '',
    part: stations.reduce((sum, station) => sum + clock.busyPart(station), 0) / stations.length,
  });
  return [homes, [workers], ...Object.values(streams), clusters].map(part).toSorted((a, b) => b.part - a.part);
}
