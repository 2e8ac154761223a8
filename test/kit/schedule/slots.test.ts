import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memoryRows } from '../../../src/core/ledger/memory-rows.ts';
import type { Event } from '../../../src/core/schema/event.ts';
import { timesOf } from '../../../src/kit/schedule/utc-cron-times.ts';
import {
  hasComeAgain,
  dueSlots,
  LATE_MS,
  lastSlotOf,
  takeSlot,
  MOST_RECORDED,
  type SlotClock,
  type SlotCame,
} from '../../../src/kit/schedule/slots.ts';

const MINUTE = 60_000;
const START = Date.UTC(2026, 2, 28, 22, 5); // the clocks of Europe change in the night behind it
const times = timesOf('*/10 * * * *', 'x');

const seen = (sight: Partial<SlotClock>): SlotCame[] =>
  dueSlots('learn', times, { now: START, started: START, last: null, busy: null, isStopped: false, ...sight });
const hows = (slots: readonly SlotCame[]): string[] => slots.map(({ slot, how }) => `${slot.slice(11, 16)} ${how}`);

describe('times that have come', () => {
  it('T3 begin with the first process', () => {
    expect(seen({})).toEqual([]);
    expect(hows(seen({ now: START + 5 * MINUTE }))).toEqual(['22:10 ran']);
  });

  it('are missed when no process was there, and when one could not check', () => {
    const [began, told] = [START + 30 * MINUTE, START - 5 * MINUTE];
    const slots = seen({ started: began, last: told, now: began + 26 * MINUTE });
    const missed = ['22:10', '22:20', '22:30', '22:40', '22:50'].map((time) => `${time} missed`);
    expect(hows(slots)).toEqual([...missed, '23:00 ran']);
    expect(slots[2]?.reason).toBe('no process was there');
    expect(slots[3]?.reason).toContain('could not check');
  });

  it('are skipped while a pass is running, and while everything is stopped', () => {
    const busy = { from: START + 5 * MINUTE, to: START + 26 * MINUTE };
    expect(hows(seen({ last: START + 5 * MINUTE, now: START + 26 * MINUTE, busy }))).toEqual([
      '22:20 skipped',
      '22:30 skipped',
    ]);
    expect(hows(seen({ now: START + 5 * MINUTE, isStopped: true }))).toEqual(['22:10 skipped']);
  });

  it('that were told before the clock was set back come again only as a reason to look', () => {
    const told = START + 5 * MINUTE;
    expect(seen({ last: told, now: START + 5 * MINUTE })).toEqual([]);
    expect(hasComeAgain(times, START, START + 5 * MINUTE, told)).toBe(true);
    expect(hasComeAgain(times, START, START + 4 * MINUTE, told)).toBe(false);
    expect(hasComeAgain(times, START, START + 5 * MINUTE, null)).toBe(false);
  });

  it('are bounded where a clock is wrong by decades, and the rest is told as a number', () => {
    const slots = seen({ last: START, now: START + 20 * 365 * 24 * 60 * MINUTE });
    expect(slots).toHaveLength(MOST_RECORDED);
    expect(slots[0]?.reason).toMatch(/so were \d+ before it/);
    expect(slots[1]?.reason).not.toContain('before it');
  });

  /** Lives of processes under a clock that does what it wants. */
  const steps = fc.array(
    fc.oneof(
      {
        weight: 6,
        arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 15 * MINUTE }) }),
      },
      {
        weight: 1,
        arbitrary: fc.record({
          kind: fc.constant('jump' as const),
          ms: fc.integer({ min: -180 * MINUTE, max: 180 * MINUTE }),
        }),
      },
      {
        weight: 1,
        arbitrary: fc.record({ kind: fc.constant('restart' as const), ms: fc.integer({ min: 0, max: 60 * MINUTE }) }),
      },
      {
        weight: 1,
        arbitrary: fc.record({ kind: fc.constant('crash' as const), ms: fc.integer({ min: 0, max: 5 * MINUTE }) }),
      },
      {
        weight: 1,
        arbitrary: fc.record({ kind: fc.constant('work' as const), ms: fc.integer({ min: 1, max: 40 * MINUTE }) }),
      },
    ),
    { maxLength: 60 },
  );

  it('T1 T2 each is told once and in order, whatever the clock and the processes do', () => {
    fc.assert(
      fc.property(steps, (lives) => {
        const told: number[] = [];
        let [now, begun, busy] = [START, START, null as SlotClock['busy']];
        const look = (isCrash: boolean): void => {
          const slots = seen({ now, started: begun, busy, last: told.at(-1) ?? null });
          if (!isCrash) told.push(...slots.map(({ slot }) => Date.parse(slot)));
        };
        let highest = now;
        for (const { kind, ms } of lives) {
          const from = now;
          now += ms;
          highest = Math.max(highest, now);
          if (kind === 'restart') [begun, busy] = [now, null];
          if (kind === 'work') busy = { from, to: now };
          look(kind === 'crash');
          if (kind === 'crash') [begun, busy] = [now, null];
        }
        look(false);
        expect(told).toEqual([...new Set(told)].toSorted((a, b) => a - b));
        const [first, last] = [told[0], told.at(-1)];
        if (first === undefined || last === undefined) return;
        expect(told).toEqual([...times.between(first - 1, last)]);
        expect(last).toBeLessThanOrEqual(highest);
      }),
      { numRuns: 300 },
    );
  });

  it('a time counts as met for a minute', () => {
    expect(hows(seen({ now: START + 5 * MINUTE + LATE_MS }))).toEqual(['22:10 ran']);
    expect(hows(seen({ now: START + 5 * MINUTE + LATE_MS + 1 }))).toEqual(['22:10 missed']);
  });

  it('T1 belong to any job: two jobs with names of their own get each of their slots once, also after a restart', () => {
    const rows = memoryRows();
    const jobs = { 'schedule/report': timesOf('*/10 * * * *', 'x'), learn: timesOf('*/20 * * * *', 'x') };
    const came: string[] = [];
    for (const now of [START + 5 * MINUTE, START + 15 * MINUTE, START + 15 * MINUTE, START + 25 * MINUTE])
      for (const [job, slots] of Object.entries(jobs))
        for (const data of dueSlots(job, slots, {
          now,
          started: START,
          last: lastSlotOf(rows, job),
          busy: null,
          isStopped: false,
        })) {
          came.push(`${data.job} ${data.slot.slice(11, 16)}`);
          takeSlot({ type: 'slot.came', data } as Event, rows);
        }
    expect(came).toEqual(['schedule/report 22:10', 'schedule/report 22:20', 'learn 22:20', 'schedule/report 22:30']);
  });
});
