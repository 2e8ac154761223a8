/** Some workers and their servers on one machine, each worker with one job after another: what was measured, simulated. */
import { EventClock, type Process, Station } from './event-clock.ts';

/** Of one job: the time that it has the machine to itself, and the time in which others can have it. */
export type SharedMachine = { workers: number; busySeconds: number; waitSeconds: number };

const JOBS = 400;
/** A job uses the machine and waits in turns. */
const SLICES = 20;

/** Jobs a second. */
export function throughputOf({ workers, busySeconds, waitSeconds }: SharedMachine): number {
  const clock = new EventClock();
  const machine = new Station('machine', 1);
  let [left, done] = [JOBS, 0];
  const worker = function* (): Process {
    while (left > 0) {
      left -= 1;
      for (let slice = 0; slice < SLICES; slice += 1) {
        yield* clock.use(machine, busySeconds / SLICES);
        yield { kind: 'after', seconds: waitSeconds / SLICES };
      }
      done += 1;
    }
  };
  for (let index = 0; index < workers; index += 1) clock.start(worker());
  clock.run();
  return done / clock.now;
}

export type MeasuredThroughput = { workers: number; perSecond: number };

/** Fits the two unknowns to the first and the last row; what it says about the others is a prediction. */
export function fitMachine(rows: readonly MeasuredThroughput[]): Omit<SharedMachine, 'workers'> {
  const [first, last] = [rows[0], rows.at(-1)];
  if (first === undefined || last === undefined) throw new Error('there is nothing to fit');
  const alone = 1 / first.perSecond;
  let [low, high] = [0, alone];
  for (let round = 0; round < 30; round += 1) {
    const busySeconds = (low + high) / 2;
    const found = throughputOf({ workers: last.workers, busySeconds, waitSeconds: alone - busySeconds });
    if (found > last.perSecond) low = busySeconds;
    else high = busySeconds;
  }
  return { busySeconds: low, waitSeconds: alone - low };
}
