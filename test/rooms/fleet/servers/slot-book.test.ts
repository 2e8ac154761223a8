import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fleetSlots } from '../../../../src/rooms/fleet/fleet-slots.ts';
import type { FleetSlots } from '../../../../src/kit/ports/fleet-port.ts';
import { runIdOf } from '../../../../src/kit/schedule/due-slots.ts';
import { readSchedule } from '../../../../src/kit/schedule/schedule-spec.ts';
import type { Schedules, ScheduleState } from '../../../../src/kit/schedule/schedule-state.ts';
import type { SlotCame } from '../../../../src/kit/schedule/slots.ts';
import type { ScheduleFields } from '../../../../src/core/schema/schedule.ts';
import { modelSharedLog, type SharedFault } from '../../../support/model-shared-log.ts';
import { timesOf } from '../../../support/thorough.ts';

const SLOT = '2026-11-16T08:00:00.000Z';
const RUN = runIdOf('report', Date.parse(SLOT));
const due: SlotCame = { job: 'schedule/report', slot: SLOT, how: 'ran', reason: 'it was due', run: RUN };
const silent = { isSilent: () => Promise.resolve(true) };
const lively = { isSilent: () => Promise.resolve(false) };

describe('a time of a schedule that several homes have', () => {
  it('runs once, wherever homes end and whatever answers get lost', async () => {
    await fc.assert(simulation(true), { numRuns: timesOf(5000, 100) });
  });

  it('is what the expected sequence makes so: without it the same check finds faults', async () => {
    expect((await fc.check(simulation(false), { numRuns: 500 })).failed).toBe(true);
  });

  it('is left to the home that claimed it, until its run has started there', async () => {
    const log = modelSharedLog();
    const [one, two] = [fleetSlots(log, 'one', lively), fleetSlots(log, 'two', lively)];
    expect(await one.settle([due], schedules())).toEqual([due]);
    expect(await two.settle([due], schedules())).toEqual([]);
    expect(await one.mayStart({ run: RUN, schedule: 'report', slot: SLOT }, report())).toBe(true);
    expect(await fleetSlots(log, 'two', lively).settle([due], schedules())).toEqual([
      { job: due.job, slot: SLOT, how: 'skipped', reason: 'one of the fleet runs it' },
    ]);
  });

  it('is taken over from a home that is silent, which then cannot start it', async () => {
    const log = modelSharedLog();
    const one = fleetSlots(log, 'one', lively);
    await one.settle([due], schedules());
    const two = fleetSlots(log, 'two', silent);
    expect(await two.settle([due], schedules())).toMatchObject([{ how: 'ran', run: RUN }]);
    const pending = { run: RUN, schedule: 'report', slot: SLOT };
    expect(await one.mayStart(pending, report())).toBe(false);
    expect(await two.mayStart(pending, report())).toBe(true);
    expect(await two.mayStart(pending, report())).toBe(true);
  });

  it('that this home had claimed before it ended runs here, though it is late by now and would count as missed', async () => {
    const log = modelSharedLog();
    await fleetSlots(log, 'one', lively).settle([due], schedules());
    const { run: _, ...late } = due;
    const again = fleetSlots(log, 'one', lively);
    expect(await again.settle([{ ...late, how: 'missed' }], schedules())).toMatchObject([
      { how: 'caught_up', run: RUN },
    ]);
  });

  it('is left to the home that runs the time before: only there can the overlap be judged', async () => {
    const log = modelSharedLog();
    const [one, two] = [fleetSlots(log, 'one', lively), fleetSlots(log, 'two', lively)];
    await one.settle([due], schedules());
    await one.mayStart({ run: RUN, schedule: 'report', slot: SLOT }, report());
    const slot = '2026-11-16T09:00:00.000Z';
    const next: SlotCame = { ...due, slot, run: runIdOf('report', Date.parse(slot)) };
    expect(await two.settle([next], schedules())).toEqual([]);
    const skipped: SlotCame = { job: due.job, slot, how: 'skipped', reason: 'the run before it has not ended' };
    expect(await one.settle([skipped], schedules({}, [RUN]))).toEqual([skipped]);
    expect(await fleetSlots(log, 'two', lively).settle([next], schedules())).toMatchObject([{ how: 'skipped' }]);
    await one.noteEnded(schedules());
    const third = '2026-11-16T10:00:00.000Z';
    const free: SlotCame = { ...due, slot: third, run: runIdOf('report', Date.parse(third)) };
    expect(await fleetSlots(log, 'two', lively).settle([free], schedules())).toEqual([free]);
  });

  it('of another content is another time, and so is one that a person asked for', async () => {
    const log = modelSharedLog();
    const [one, two] = [fleetSlots(log, 'one', lively), fleetSlots(log, 'two', lively)];
    await one.settle([due], schedules());
    expect(await two.settle([due], schedules({}, [], 'f'.repeat(64)))).toEqual([due]);
    const byHand = { run: runIdOf('report', Date.parse(SLOT), 'now-'), schedule: 'report', slot: SLOT };
    expect(await two.mayStart(byHand, report())).toBe(true);
  });

  it('counts intervals from the moment that the first home has said', async () => {
    const log = modelSharedLog();
    const added = (anchor: string): Parameters<FleetSlots['withSharedAnchor']>[0] => ({
      schedule: 'report',
      change: 'added',
      reason: '',
      sha256: 'a'.repeat(64),
      spec: { ...report({ every: 'every 2 hours' }).spec, anchor },
    });
    const anchor = '2026-11-16T08:00:00.000Z';
    await fleetSlots(log, 'one', lively).withSharedAnchor(added(anchor));
    const later = await fleetSlots(log, 'two', lively).withSharedAnchor(added('2026-11-16T08:31:00.000Z'));
    expect(later.spec?.anchor).toBe(anchor);
  });
});

function report(fields: ScheduleFields = {}, sha256 = 'a'.repeat(64)): ScheduleState {
  const spec = readSchedule({ every: 'daily at 8:00', timezone: 'UTC', ...fields }, Date.parse(SLOT) - 1);
  const about = { id: 'report', name: 'report.md', kind: 'task', title: 'Report', sha256 } as const;
  return { ...about, spec, isOn: true, problem: null, since: 0, last: null, failures: 0, lastRun: null };
}

function schedules(fields: ScheduleFields = {}, open: readonly string[] = [], sha256?: string): Schedules {
  const runs = Object.fromEntries(open.map((run) => [run, { schedule: 'report', slot: SLOT, isStarted: true }]));
  return { isClockOn: true, byId: { report: report(fields, sha256) }, refused: {}, runs };
}

/** Homes end at any point and begin again with what their ledgers have; others take a home for silent at any moment. */
function simulation(isGuarded: boolean): fc.IAsyncProperty<[fc.Scheduler, SharedFault[], boolean[][]]> {
  const fault = fc.constantFrom<SharedFault>('none', 'none', 'request lost', 'answer lost', 'unreachable');
  const dies = fc.array(fc.boolean(), { maxLength: 6 });
  return fc.asyncProperty(
    fc.scheduler(),
    fc.array(fault, { maxLength: 20 }),
    fc.array(dies, { minLength: 2, maxLength: 4 }),
    async (scheduler, faults, homes) => {
      const log = modelSharedLog(faults, isGuarded, scheduler);
      const runs: string[] = [];
      await scheduler.waitFor(
        Promise.all(
          homes.map((deaths, index) => liveThrough(fleetSlotsOf(log, `h${index}`), deaths, runs, `h${index}`)),
        ),
      );
      expect(runs).toHaveLength(1);
    },
  );
  function fleetSlotsOf(log: ReturnType<typeof modelSharedLog>, home: string): () => FleetSlots {
    return () => fleetSlots(log, home, silent);
  }
}

type Ledger = { recorded: SlotCame | null; isStarted: boolean };

/** The life of a home: claim, record, start; after a death it goes on with its ledger alone. */
async function liveThrough(begin: () => FleetSlots, deaths: boolean[], runs: string[], home: string): Promise<void> {
  const ledger: Ledger = { recorded: null, isStarted: false };
  const dies = (): boolean => deaths.shift() === true;
  for (;;) {
    const slots = begin();
    try {
      if (ledger.recorded === null) {
        const [came] = await slots.settle([due], schedules());
        if (came === undefined || dies()) continue;
        ledger.recorded = came;
      }
      if (ledger.recorded.run === undefined || ledger.isStarted) return;
      if (!(await slots.mayStart({ run: RUN, schedule: 'report', slot: SLOT }, report()))) return;
      if (dies()) continue;
      ledger.isStarted = true;
      runs.push(home);
      return;
    } catch {
      // The servers did not answer; the home tries again.
    }
  }
}
