import { describe, expect, it } from 'vitest';
import { readMeasured } from '../../../bench/fleet/measured-fleet.ts';
import { EventClock, type Process, Station } from '../../../bench/fleet-sim/event-clock.ts';
import { costsOf, simulateFleet } from '../../../bench/fleet-sim/fleet-model.ts';
import { fitMachine, throughputOf } from '../../../bench/fleet-sim/shared-machine.ts';
import { chance } from '../../support/chance.ts';

const CUSTOMERS = 80_000;

describe('the simulation of a fleet', () => {
  for (const { places, load } of [
    { places: 1, load: 0.5 },
    { places: 1, load: 0.8 },
    { places: 4, load: 0.7 },
    { places: 16, load: 0.8 },
  ])
    it(`agrees with queueing theory: M/M/${places} at ${load * 100} % (Erlang's C)`, () => {
      const wait = meanWait(places, load * places, (random) => -Math.log(1 - random()));
      const expected = erlangC(places, load * places) / (places * (1 - load));
      expect(Math.abs(wait / expected - 1)).toBeLessThan(0.08);
    });

  it('agrees with queueing theory: M/D/1 waits half as long as M/M/1', () => {
    const wait = meanWait(1, 0.8, () => 1);
    expect(Math.abs(wait / (0.8 / (2 * 0.2)) - 1)).toBeLessThan(0.08);
  });

  it('predicts the throughput that was measured with 2 and 4 workers from that with 1 and 6', () => {
    const rows = readMeasured().queues[0]?.rows ?? [];
    const fitted = fitMachine(rows);
    expect(rows.map(({ workers }) => workers)).toEqual([1, 2, 4, 6]);
    for (const { workers, perSecond } of rows) {
      const ratio = throughputOf({ ...fitted, workers }) / perSecond;
      expect(ratio, `${workers} workers`).toBeGreaterThan(0.75);
      expect(ratio, `${workers} workers`).toBeLessThan(1.34);
    }
  });

  it('is the same for the same seed, and says what is too busy', () => {
    const costs = costsOf(readMeasured());
    const shape = { workers: 10, tasksPerMinute: 100, workSeconds: 20, streams: 1, clusters: 1, homes: 1 };
    const simulated = simulateFleet(costs, shape);
    expect(simulateFleet(costs, shape)).toEqual(simulated);
    expect(simulateFleet(costs, shape, 2)).not.toEqual(simulated);
    expect(simulated.busy[0]?.name).toBe('workers');
    expect(simulated.delivered).toBeLessThan(0.5);
    expect(simulateFleet(costs, { ...shape, workers: 1000 }).delivered).toBeGreaterThan(0.95);
  });
});

/** Customers arrive at random, `rate` in a second; each needs one second on average. */
function meanWait(places: number, rate: number, serviceOf: (random: () => number) => number): number {
  const clock = new EventClock();
  const station = new Station('desk', places);
  const random = chance(places * 1000 + Math.round(rate * 100));
  let waited = 0;
  const customer = function* (service: number): Process {
    const came = clock.now;
    yield { kind: 'enter', station };
    waited += clock.now - came;
    yield { kind: 'after', seconds: service };
    clock.leave(station);
  };
  const arrivals = function* (): Process {
    for (let index = 0; index < CUSTOMERS; index += 1) {
      yield { kind: 'after', seconds: -Math.log(1 - random()) / rate };
      clock.start(customer(serviceOf(random)));
    }
  };
  clock.start(arrivals());
  clock.run();
  return waited / CUSTOMERS;
}

/** How likely it is that all places are taken, when `offered` of them are needed on average. */
function erlangC(places: number, offered: number): number {
  let term = 1;
  let sum = 0;
  for (let count = 0; count < places; count += 1) {
    sum += term;
    term = (term * offered) / (count + 1);
  }
  const full = term / (1 - offered / places);
  return full / (sum + full);
}
