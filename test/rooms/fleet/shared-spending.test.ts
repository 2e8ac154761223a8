import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sharedSpending } from '../../../src/rooms/fleet/shared-spending.ts';
import type { SharedSpending } from '../../../src/kit/ports/fleet-port.ts';
import {
  daySpending,
  type DaySpendingState,
  type HomeSpending,
  spentToday,
} from '../../../src/core/guard/day-spending.ts';
import type { Event } from '../../../src/core/schema/event.ts';
import type { SharedLog } from '../../../src/rooms/fleet/servers/shared-values.ts';
import { modelSharedLog, type SharedFault } from '../../support/model-shared-log.ts';
import { timesOf } from '../../support/thorough.ts';

const NOON = new Date(2026, 5, 10, 12).getTime();
const LIMIT = 5;
const signal = new AbortController().signal;
const hasRoom = (spending: HomeSpending): boolean => spentToday(spending, NOON).calls < LIMIT;
const need = { usd: 1, tokens: 100 };

describe('the budget of the day in a fleet', () => {
  it('is never exceeded, wherever homes end and whatever answers get lost', async () => {
    await fc.assert(simulation(true), { numRuns: timesOf(3000, 25) });
  });

  it('is held by the expected sequence: without it the same check finds faults', async () => {
    expect((await fc.check(simulation(false), { numRuns: 500 })).failed).toBe(true);
  });

  it('counts the reservation of a home that is gone', async () => {
    const log = modelSharedLog();
    await open(log, 'gone').reserve(spendingOf([]), { call: 'gone.1', signal }, need, hasRoom);
    const spent = await open(log, 'here').reserve(spendingOf([]), { call: 'here.1', signal }, need, hasRoom);
    expect(spentToday(spent ?? spendingOf([]), NOON)).toEqual({ usd: 1, tokens: 100, calls: 1 });
  });

  it('counts calls of two homes that have the same name', async () => {
    const log = modelSharedLog();
    await open(log, 'one').reserve(spendingOf([]), { call: 'report.1', signal }, need, hasRoom);
    await open(log, 'two').reserve(spendingOf([]), { call: 'report.1', signal }, need, hasRoom);
    const spent = await open(log, 'three').reserve(spendingOf([]), { call: 'report.1', signal }, need, hasRoom);
    expect(spentToday(spent ?? spendingOf([]), NOON).calls).toBe(2);
  });

  it('a reservation whose call was never made is taken out by the next change of its home', async () => {
    const log = modelSharedLog();
    await open(log, 'one').reserve(spendingOf([]), { call: 'one.1', signal }, need, hasRoom);
    const spent = await open(log, 'one').reserve(spendingOf([]), { call: 'one.2', signal }, need, hasRoom);
    expect(spentToday(spent ?? spendingOf([]), NOON).calls).toBe(0);
  });

  it('reserves nothing while the servers do not answer, and a call that waits for them can be stopped', async () => {
    const stopping = new AbortController();
    const log: SharedLog = { ...modelSharedLog(Array.from({ length: 50 }, () => 'unreachable')) };
    const waiting = open(log, 'one').reserve(spendingOf([]), { call: 'one.1', signal: stopping.signal }, need, hasRoom);
    stopping.abort();
    expect(await waiting).toBeNull();
  });

  it('what a run cost at the member before is not counted again by the member that took it over', () => {
    const claimed = { worker: 'b', epoch: 2, from: { copied: 2 } };
    const copies = [
      eventOf(2, 'budget.reserved', { call: 'r.1', usd: 1, tokens: 100 }),
      eventOf(3, 'call.ended', { call: 'r.1', status: 'ok', usage: { usd: 1, tokens_in: 100 } }),
    ];
    const own = eventOf(4, 'budget.reserved', { call: 'r.2', usd: 2, tokens: 50 });
    const state = foldEvents([eventOf(1, 'run.claimed', claimed), ...copies, own]);
    expect(spentToday(state, NOON)).toEqual({ usd: 2, tokens: 50, calls: 1 });
  });
});

const open = (log: SharedLog, home: string): SharedSpending => sharedSpending(log, home, () => NOON);

const eventOf = (seq: number, type: Event['type'], data: object): Event =>
  ({ seq, type, run: 'r', at: new Date(NOON).toISOString(), data }) as unknown as Event;

const foldEvents = (events: readonly Event[]): DaySpendingState =>
  events.reduce((state, event) => daySpending.apply(state, event), daySpending.initial());

const spendingOf = (events: readonly Event[]): HomeSpending => foldEvents(events);

/** Homes make calls of a model, each reserved first, and end at any point between the value, the ledger and the call. */
function simulation(isGuarded: boolean): fc.IAsyncProperty<[fc.Scheduler, SharedFault[], boolean[][]]> {
  const fault = fc.constantFrom<SharedFault>('none', 'none', 'none', 'request lost', 'answer lost');
  const dies = fc.array(fc.boolean(), { maxLength: 5 });
  return fc.asyncProperty(
    fc.scheduler(),
    fc.array(fault, { maxLength: 15 }),
    fc.array(dies, { minLength: 2, maxLength: 3 }),
    async (scheduler, faults, homes) => {
      const log = modelSharedLog(faults, isGuarded, scheduler);
      const calls: string[] = [];
      const spending = homes.map((deaths, index) => spend(log, `h${index}`, [...deaths], calls));
      const ended = (await scheduler.waitFor(Promise.all(spending))).reduce((sum, each) => sum + each, 0);
      expect(calls.length).toBeLessThanOrEqual(LIMIT);
      expect(calls.length + ended).toBeGreaterThan(0);
    },
  );
}

/** Resolves with how often the home ended between its reservation and its call. */
async function spend(log: SharedLog, home: string, deaths: boolean[], calls: string[]): Promise<number> {
  const ledger: Event[] = [];
  let ended = 0;
  let spending = open(log, home);
  for (let number = 1; number <= 4; number += 1) {
    const call = `${home}.${number}`;
    const all = await spending.reserve(spendingOf(ledger), { call, signal }, need, hasRoom).catch(() => null);
    if (all === null || !hasRoom(all)) continue;
    if (deaths.shift() === true) {
      spending = open(log, home);
      ended += 1;
      continue;
    }
    ledger.push(eventOf(ledger.length + 1, 'budget.reserved', { call, ...need }));
    calls.push(call);
    if (deaths.shift() !== true)
      ledger.push(eventOf(ledger.length + 1, 'call.ended', { call, status: 'ok', usage: { usd: 0.5, tokens_in: 50 } }));
  }
  return ended;
}
