import { describe, expect, it } from 'vitest';
import { firstSeqOf, type FleetRuns, fleetRuns, wasSent } from '../../../src/kit/fleet/fleet-runs.ts';
import type { Event } from '../../../src/core/schema/event.ts';

const stream = { name: 'OKA_RUNS', created: '2026-01-01T00:00:00.000Z' };
const from = { worker: 'b', first: 1, last: 9, events: 3, sha256: '0'.repeat(64), copied: 2, in_doubt: [] };

function fold(...events: { type: string; run: string; data?: object }[]): FleetRuns {
  return events.reduce(
    (state, event, index) => fleetRuns.apply(state, { data: {}, ...event, seq: index + 1 } as unknown as Event),
    fleetRuns.initial(),
  );
}

const claimed = (run: string, epoch: number, more: object = {}) => ({
  type: 'run.claimed',
  run,
  data: { worker: 'a', epoch, stream, sequence: 1, ...more },
});

describe('what a home knows about the runs of its fleet', () => {
  it('says where a run begins that was taken over from the stream, and the runs inside it', () => {
    const state = fold({ type: 'run.started', run: 't.x' }, claimed('t', 3, { from }), { type: 'run.ended', run: 't' });
    expect(['t', 't.x', 't.x.y', 'tt', 'other'].map((run) => firstSeqOf(state, run))).toEqual([2, 2, 2, 1, 1]);
  });

  it('counts the copies that a crash has cut short, and not what others wrote meanwhile', () => {
    const cut = fold(claimed('t', 2, { from }), { type: 'run.started', run: 't' }, { type: 'note', run: 'other' });
    expect(cut.claimed['t']).toMatchObject({ missing: 1 });
    const whole = fold(claimed('t', 2, { from }), { type: 'run.started', run: 't' }, { type: 'note', run: 't.x' });
    expect(whole.claimed['t']).toMatchObject({ missing: 0 });
  });

  it('a run that was lost and claimed again is not elsewhere any more', () => {
    const state = fold(claimed('t', 1), { type: 'run.fenced', run: 't' }, claimed('t', 3, { from }));
    expect([state.fenced, Object.keys(state.claimed)]).toEqual([[], ['t']]);
  });

  it('remembers that a task was sent, also when it has come back', () => {
    const state = fold(
      { type: 'task.sent', run: 'out' },
      { type: 'task.sent', run: 'back' },
      { type: 'task.returned', run: 'back' },
    );
    expect(state.sent).toEqual(['out']);
    expect(['out', 'back', 'other'].map((task) => wasSent(state, task))).toEqual([true, true, false]);
  });
});
