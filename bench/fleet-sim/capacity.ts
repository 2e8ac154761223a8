/** Which fleet can do how much: a table of sizes and loads, and what each load needs. */
import { type Costs, type FleetShape, type Simulated, simulateFleet } from './fleet-model.ts';

export const WORKERS = [10, 100, 1000, 10_000];
export const LOADS = [1, 10, 100, 1000, 10_000, 100_000];
/** A station that is busier than this makes others wait too long; at the end of the table a fleet is sized for it. */
const MOST_BUSY = 0.7;

export type Cell = { workers: number; tasksPerMinute: number; first: string | null; simulated: Simulated };

/** With one stream of each kind, one cluster and one home that gives tasks: what a fleet is today. */
export function capacityTable(costs: Costs, workSeconds: number): Cell[] {
  return WORKERS.flatMap((workers) =>
    LOADS.map((tasksPerMinute) => {
      const shape = { workers, tasksPerMinute, workSeconds, streams: 1, clusters: 1, homes: 1 };
      const simulated = simulateFleet(costs, shape);
      return { workers, tasksPerMinute, first: saturated(simulated), simulated };
    }),
  );
}

/** What holds the others up; null when all results come back in time. */
function saturated({ delivered, busy }: Simulated): string | null {
  return delivered >= 0.9 ? null : (busy[0]?.name ?? null);
}

export type Needed = FleetShape & { simulated: Simulated };

/** The smallest fleet whose stations are at most 70 % busy, and the simulation of it. */
export function neededFor(costs: Costs, tasksPerMinute: number, workSeconds: number): Needed {
  const perSecond = tasksPerMinute / 60;
  const counts = Object.values(costs.messages);
  const all = counts.reduce((sum, count) => sum + count, 0);
  const places = (secondsPerTask: number): number => Math.max(1, Math.ceil((perSecond * secondsPerTask) / MOST_BUSY));
  const shape = {
    tasksPerMinute,
    workSeconds,
    workers: places(workSeconds + costs.workerSeconds + all * costs.latencySeconds),
    streams: places(Math.max(...counts) * costs.streamSeconds),
    clusters: places(all * costs.clusterSeconds),
    homes: places(costs.submitSeconds),
  };
  return { ...shape, simulated: simulateFleet(costs, shape) };
}
