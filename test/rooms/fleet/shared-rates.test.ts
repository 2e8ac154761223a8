import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sharedRates } from '../../../src/rooms/fleet/shared-rates.ts';
import type { SharedRates } from '../../../src/kit/ports/fleet-port.ts';
import type { SharedLog } from '../../../src/rooms/fleet/servers/shared-values.ts';
import { FleetRates } from '../../../src/core/schema/fleet-values.ts';
import type { RateLimits } from '../../../src/core/chain/middleware/rate.ts';
import { modelSharedLog, type SharedFault } from '../../support/model-shared-log.ts';
import { timesOf } from '../../support/thorough.ts';

const SECONDS = 10;
const LIMIT = 3;
const few: RateLimits = { 'host:example.org': { calls: LIMIT, seconds: SECONDS } };
const signal = new AbortController().signal;

describe('rate limits in a fleet', () => {
  it('are never exceeded, wherever homes end, whatever answers get lost, and however far their clocks are apart', async () => {
    await fc.assert(simulation(true), { numRuns: timesOf(1000, 25) });
  });

  it('are kept by the expected sequence: without it the same check finds faults', async () => {
    const busy = { pause: fc.constant(0), dies: fc.constant(false) };
    expect((await fc.check(simulation(false, busy), { numRuns: 500 })).failed).toBe(true);
  });

  it('calls of a home that is gone count for the time of the limit, from when another home sees them', async () => {
    const log = modelSharedLog();
    const gone = openHome(log, 'gone', 3_600_000);
    for (let left = LIMIT; left > 0; left -= 1) expect(await gone.rates.take(few, signal)).toBe(0);
    const here = openHome(log, 'here', 0);
    expect(await here.rates.take(few, signal)).toBe(11_000);
    here.now += 10_999;
    expect(await here.rates.take(few, signal)).toBeGreaterThan(0);
    here.now += 1;
    expect(await here.rates.take(few, signal)).toBe(0);
  });

  it('a place is taken under all limits of a call or under none', async () => {
    const log = modelSharedLog();
    const { rates } = openHome(log, 'one', 0);
    const both: RateLimits = { 'http.get': { calls: 1, seconds: 10 }, 'host:a': { calls: 5, seconds: 10 } };
    expect(await rates.take(both, signal)).toBe(0);
    for (let left = 9; left > 0; left -= 1) expect(await rates.take(both, signal)).toBeGreaterThan(0);
    for (let left = 4; left > 0; left -= 1) expect(await rates.take({ 'host:a': both['host:a']! }, signal)).toBe(0);
    expect(await rates.take({ 'host:a': both['host:a']! }, signal)).toBeGreaterThan(0);
  });

  it('the longest time that a home counts under a limit holds for all of them', async () => {
    const log = modelSharedLog();
    const [slow, fast] = [openHome(log, 'slow', 0), openHome(log, 'fast', 0)];
    await slow.rates.take({ 'host:a': { calls: 1, seconds: 100 } }, signal);
    expect(await fast.rates.take({ 'host:a': { calls: 2, seconds: 1 } }, signal)).toBe(0);
    fast.now += 5000;
    slow.now += 5000;
    await fast.rates.take({ 'host:a': { calls: 2, seconds: 1 } }, signal);
    expect(await slow.rates.take({ 'host:a': { calls: 1, seconds: 100 } }, signal)).toBeGreaterThan(90_000);
  });

  it('many calls are counted in few entries, and none of them is forgotten too early', async () => {
    const log = modelSharedLog();
    const home = openHome(log, 'one', 0);
    const many: RateLimits = { 'host:a': { calls: 1000, seconds: 60 } };
    for (let made = 0; made < 1000; made += 1) {
      expect(await home.rates.take(many, signal)).toBe(0);
      home.now += 10;
    }
    const value = FleetRates.parse(JSON.parse((await log.read('rates'))?.text ?? ''));
    expect(Object.keys(value.limits['host:a']?.taken ?? {}).length).toBeLessThanOrEqual(33);
    const wait = (await home.rates.take(many, signal)) ?? 0;
    expect(wait).toBeGreaterThan(50_000);
    home.now += wait;
    expect(await home.rates.take(many, signal)).toBe(0);
  });

  it('a call that is stopped while the servers do not answer takes no place', async () => {
    const stopping = new AbortController();
    const log = modelSharedLog(Array.from({ length: 50 }, (): SharedFault => 'unreachable'));
    const waiting = openHome(log, 'one', 0).rates.take(few, stopping.signal);
    stopping.abort();
    expect(await waiting).toBeNull();
  });
});

type TestHome = { now: number; rates: SharedRates };

function openHome(log: SharedLog, process: string, now: number): TestHome {
  const home: { now: number; rates?: SharedRates } = { now };
  home.rates = sharedRates(log, process, () => home.now);
  return home as TestHome;
}

const anyStep = { pause: fc.integer({ min: 0, max: 8000 }), dies: fc.boolean() };

/** Homes make calls as soon as they may, while time passes for all of them, and end between a place and its call. */
function simulation(
  isGuarded: boolean,
  step: typeof anyStep = anyStep,
): fc.IAsyncProperty<[fc.Scheduler, SharedFault[], HomePlan[]]> {
  const fault = fc.constantFrom<SharedFault>('none', 'none', 'none', 'request lost', 'answer lost');
  const plan = fc.record({
    apart: fc.integer({ min: 0, max: 3_600_000 }),
    steps: fc.array(fc.record(step), { minLength: 2, maxLength: 6 }),
  });
  return fc.asyncProperty(
    fc.scheduler(),
    fc.array(fault, { maxLength: 15 }),
    fc.array(plan, { minLength: 2, maxLength: 3 }),
    async (scheduler, faults, plans) => {
      const log = modelSharedLog(faults, isGuarded, scheduler);
      const time = { now: 0 };
      const made: number[] = [];
      await scheduler.waitFor(Promise.all(plans.map((each, index) => callOften(log, `h${index}`, each, time, made))));
      for (const from of made)
        expect(made.filter((at) => at >= from && at < from + SECONDS * 1000).length).toBeLessThanOrEqual(LIMIT);
    },
  );
}

type HomePlan = { apart: number; steps: { pause: number; dies: boolean }[] };

async function callOften(
  log: SharedLog,
  name: string,
  { apart, steps }: HomePlan,
  time: { now: number },
  made: number[],
): Promise<void> {
  const open = (process: string): SharedRates => sharedRates(log, process, () => time.now + apart);
  let rates = open(name);
  for (const [index, { pause, dies }] of steps.entries()) {
    const ms = await rates.take(few, signal).catch(() => null);
    if (dies) rates = open(`${name}-${index}`);
    else if (ms === 0) made.push(time.now);
    time.now += pause;
  }
}
