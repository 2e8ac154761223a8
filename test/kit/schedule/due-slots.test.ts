import { describe, expect, it } from 'vitest';
import { dueScheduleSlots, type ScheduleClock, startOf } from '../../../src/kit/schedule/due-slots.ts';
import { readSchedule } from '../../../src/kit/schedule/schedule-spec.ts';
import type { ScheduleFields } from '../../../src/core/schema/schedule.ts';
import { schedulesProjection, type Schedules, type ScheduleState } from '../../../src/kit/schedule/schedule-state.ts';
import type { Event, NewEvent } from '../../../src/core/schema/event.ts';

const at = (text: string): number => Date.parse(`${text}:00Z`);

function schedule(fields: ScheduleFields, since = '2026-11-16T00:00'): ScheduleState {
  const spec = readSchedule({ every: 'daily at 8:00', timezone: 'UTC', ...fields }, at(since));
  const about = { id: 'report', name: 'report.md', kind: 'task', title: 'Report', sha256: '' } as const;
  return { ...about, spec, isOn: true, problem: null, since: at(since), last: null, failures: 0, lastRun: null };
}

function outcomes(state: ScheduleState, now: string, clock: Partial<ScheduleClock> = {}): string[] {
  const slots = dueScheduleSlots(state, { now: at(now), started: at(now), open: [], pending: 0, ...clock });
  return slots.map(({ slot, how }) => `${slot.slice(5, 16)} ${how}`);
}

describe('a time that has come', () => {
  it('runs when it is met within a minute, as a run that is named after it', () => {
    const [slot] = dueScheduleSlots(schedule({}), { now: at('2026-11-16T08:01'), started: 0, open: [], pending: 0 });
    expect(slot).toMatchObject({ job: 'schedule/report', how: 'ran', run: 'report-20261116T0800' });
    expect(outcomes(schedule({}), '2026-11-16T07:59')).toEqual([]);
  });

  it('was missed when it is met later: the last of them is made up for, once', () => {
    expect(outcomes(schedule({}), '2026-11-19T02:00')).toEqual([
      '11-16T08:00 missed',
      '11-17T08:00 missed',
      '11-18T08:00 caught_up',
    ]);
    expect(outcomes(schedule({ catch_up: true }), '2026-11-17T02:00')).toEqual(['11-16T08:00 caught_up']);
  });

  it('needs no making up for when the next one runs at the same moment', () => {
    expect(outcomes(schedule({}), '2026-11-17T08:00')).toEqual(['11-16T08:00 missed', '11-17T08:00 ran']);
  });

  it('is left with catch_up: none, and with false, which meant that', () => {
    for (const catch_up of ['none', false] as const)
      expect(outcomes(schedule({ catch_up }), '2026-11-17T02:00')).toEqual(['11-16T08:00 missed']);
  });

  it('is made up for with catch_up: all, up to ten of them and within the window', () => {
    const found = outcomes(schedule({ catch_up: 'all', within: '20 days' }), '2026-12-01T02:00');
    expect(found.filter((each) => each.endsWith('caught_up'))).toHaveLength(10);
    expect(found.slice(0, 6)).toEqual(
      ['16', '17', '18', '19', '20', '21'].map(
        (day, index) => `11-${day}T08:00 ${index < 5 ? 'dropped' : 'caught_up'}`,
      ),
    );
    const old = outcomes(schedule({ catch_up: 'all' }), '2026-12-01T02:00');
    expect(old.filter((each) => each.endsWith('caught_up'))).toHaveLength(7);
  });

  it('is dropped, not lost, when it is older than what is made up for', () => {
    expect(outcomes(schedule({ every: 'monday 08:00', within: '1 day' }), '2026-11-18T02:00')).toEqual([
      '11-16T08:00 dropped',
    ]);
  });

  it('is skipped while the run before it goes on, or queues, or is allowed, as the schedule says', () => {
    const clock = { open: ['report-1'], pending: 0 };
    const how = (overlap: ScheduleFields['overlap'], pending = 0): string[] =>
      outcomes(schedule({ overlap }), '2026-11-16T08:00', { ...clock, pending });
    expect(how(undefined)).toEqual(['11-16T08:00 skipped']);
    expect(how('queue')).toEqual(['11-16T08:00 ran']);
    expect(how('queue', 10)).toEqual(['11-16T08:00 dropped']);
    expect(how('cancel')).toEqual(['11-16T08:00 ran']);
    expect(how('allow', 99)).toEqual(['11-16T08:00 ran']);
  });

  it('is skipped with the reason when its file cannot be read, and is nothing while it is switched off', () => {
    const state = { ...schedule({}), problem: 'line 2: no' };
    const [slot] = dueScheduleSlots(state, { now: at('2026-11-16T08:00'), started: 0, open: [], pending: 0 });
    expect(slot).toMatchObject({ how: 'skipped', reason: 'its file cannot be read: line 2: no' });
    expect(outcomes({ ...schedule({}), isOn: false }, '2026-11-20T08:00')).toEqual([]);
  });

  it('starts later by a part of the jitter that is the same whenever it is asked for', () => {
    const state = schedule({ jitter: '1 hour' });
    const start = startOf(state, at('2026-11-16T08:00'));
    expect(start).toBe(startOf(state, at('2026-11-16T08:00')));
    expect(start - at('2026-11-16T08:00')).toBeGreaterThan(0);
    expect(start - at('2026-11-16T08:00')).toBeLessThan(3_600_000);
    const clock = { started: 0, open: [], pending: 0 };
    expect(dueScheduleSlots(state, { now: start - 1, ...clock })).toEqual([]);
    expect(dueScheduleSlots(state, { now: start, ...clock })).toMatchObject([
      { how: 'ran', slot: '2026-11-16T08:00:00.000Z' },
    ]);
  });

  it('is recorded one by one only so often: a clock that was wrong by decades does not fill the disk', () => {
    const slots = dueScheduleSlots(schedule({ every: 'every 1 minute' }), {
      now: at('2027-11-16T00:00'),
      started: 0,
      open: [],
      pending: 0,
    });
    expect(slots).toHaveLength(100_000);
    expect(slots[0]?.reason).toContain('so were 425600 before it');
  });
});

describe('what the ledger says about schedules', () => {
  let seq = 0;
  const fold = (state: Schedules, when: string, event: NewEvent): Schedules =>
    schedulesProjection.apply(state, {
      run: null,
      cause: null,
      pen: 'run',
      v: 1,
      ...event,
      seq: ++seq,
      at: `${when}:00.000Z`,
    } as Event);
  const { spec } = schedule({});
  const added = (): Schedules =>
    fold(schedulesProjection.initial(), '2026-11-16T00:00', {
      type: 'schedule.changed',
      data: { schedule: 'report', change: 'added', reason: '', name: 'report.md', spec, sha256: 'a'.repeat(64) },
    });
  const came = (slot: string, run?: string): NewEvent => ({
    type: 'slot.came',
    data: {
      job: 'schedule/report',
      slot: `${slot}:00.000Z`,
      how: 'ran',
      reason: '',
      ...(run === undefined ? {} : { run }),
    },
  });

  it('repeats no time after a clock was set back, and none that was recorded', () => {
    const state = fold(added(), '2026-11-17T08:00', came('2026-11-17T08:00'));
    const report = state.byId['report'];
    expect(report && outcomes(report, '2026-11-16T09:00')).toEqual([]);
    expect(report && outcomes(report, '2026-11-18T08:00')).toEqual(['11-18T08:00 ran']);
  });

  it('knows the runs that have not started, not ended, and how many failed in a row', () => {
    let state = added();
    for (const day of ['16', '17', '18']) {
      const run = `report-${day}`;
      state = fold(state, `2026-11-${day}T08:00`, came(`2026-11-${day}T08:00`, run));
      expect(state.runs[run]).toMatchObject({ isStarted: false });
      state = fold(state, `2026-11-${day}T08:00`, { type: 'run.started', run, data: {} } as unknown as NewEvent);
      expect(state.runs[run]).toMatchObject({ isStarted: true });
      state = fold(state, `2026-11-${day}T08:01`, { type: 'run.ended', run, data: { status: 'failed' } } as NewEvent);
    }
    expect(state.runs).toEqual({});
    expect(state.byId['report']).toMatchObject({ failures: 3, lastRun: { run: 'report-18', status: 'failed' } });
  });

  it('starts anew from the moment at which a schedule is switched on', () => {
    const off = fold(added(), '2026-11-16T01:00', {
      type: 'schedule.changed',
      data: { schedule: 'report', change: 'off', reason: '' },
    });
    const on = fold(off, '2026-11-20T01:00', {
      type: 'schedule.changed',
      data: { schedule: 'report', change: 'on', reason: '' },
    });
    const report = on.byId['report'];
    expect(report && outcomes(report, '2026-11-20T08:00')).toEqual(['11-20T08:00 ran']);
  });

  it('makes up for a single time that passed before its file was read', () => {
    const once = readSchedule({ at: '2026-11-16T08:00', timezone: 'UTC' }, at('2026-11-17T00:00'));
    const data = { schedule: 'once', change: 'added', reason: '', name: 'once.md', spec: once } as const;
    const state = fold(schedulesProjection.initial(), '2026-11-17T00:00', { type: 'schedule.changed', data });
    expect(state.byId['once'] && outcomes(state.byId['once'], '2026-11-17T00:00')).toEqual(['11-16T08:00 caught_up']);
  });
});
