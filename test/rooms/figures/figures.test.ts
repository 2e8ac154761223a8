import { describe, expect, it } from 'vitest';
import { type DayTally, emptyDay, type Packed, tallyPack, tallyTask } from '../../../src/rooms/figures/day-tally.ts';
import { type Figure, metricsOf } from '../../../src/rooms/figures/figures.ts';
import type { TaskRecord } from '../../../src/kit/learning/task-record.ts';

const blank: TaskRecord = {
  run: 'a',
  title: 'A task',
  body: 'f'.repeat(64),
  dir: null,
  first: 1,
  last: 9,
  started: '2026-01-01T10:00:00.000Z',
  ended: '2026-01-01T10:00:10.000Z',
  status: 'done',
  reason: '',
  rework: 0,
  rejected: null,
  plan: null,
  plans: 1,
  choice: null,
  corrects: null,
  corrected: null,
  continues: null,
  undone: false,
  tokens: 0,
  usd: 0,
  critic_tokens: 0,
  thoughts: 0,
  failed_calls: 0,
  approvals: { asked: 0, approved: 0, denied: 0 },
  questions: 0,
  installs: [],
  overstepped: 0,
  waited_ms: 0,
  open: { calls: {}, waits: {}, since: null, sent_back: false, steps_failed: false },
};

const planned = (by: 'runbook' | 'model' | 'procedure'): TaskRecord['plan'] => ({
  by,
  sha256: '0'.repeat(64),
  criteria: [],
  input: null,
  tools: [],
  targets: null,
  seq: 2,
});

type Seen = { tasks: readonly TaskRecord[]; packs: readonly Packed[] };

function daysOf({ tasks = [], packs = [] }: Partial<Seen>): Map<string, DayTally> {
  const days = new Map<string, DayTally>();
  const on = (at: string): DayTally => {
    const day = days.get(at.slice(0, 10)) ?? emptyDay();
    days.set(at.slice(0, 10), day);
    return day;
  };
  for (const task of tasks) if (task.ended !== null) tallyTask(on(task.ended), task, 1);
  for (const pack of packs) tallyPack(on(pack.at), pack);
  return days;
}

function figures(seen: Partial<Seen>): (name: string) => Figure {
  const { figures: all } = metricsOf(daysOf(seen), seen.tasks?.length ?? 0);
  return (name) => {
    const figure = all.find((each) => each.name === name);
    if (figure === undefined) throw new Error(`no figure ${name}`);
    return figure;
  };
}

describe('figures', () => {
  it('completion counts what is over, and names the runs that were not done', () => {
    const figure = figures({
      tasks: [
        { ...blank, run: 'a' },
        { ...blank, run: 'b', status: 'failed' },
        { ...blank, run: 'c', status: 'running', ended: null },
        { ...blank, run: 'd', status: 'cancelled' },
      ],
    })('completion');
    expect(figure).toMatchObject({ value: 1 / 3, of: '1 done of 3 ended', runs: ['b', 'd'] });
  });

  it('only what was handed over as done can be corrected', () => {
    const figure = figures({
      tasks: [
        { ...blank, run: 'a', corrected: 'x' },
        { ...blank, run: 'b', undone: true },
        { ...blank, run: 'c' },
        { ...blank, run: 'd', status: 'failed', corrected: 'y' },
      ],
    })('corrections');
    expect(figure).toMatchObject({ value: 2 / 3, runs: ['a', 'b'] });
  });

  it('time is that of finished tasks, without the time that people took', () => {
    const took = [1, 2, 3, 4, 100].map((seconds, n) => ({
      ...blank,
      run: `r${n}`,
      ended: new Date(Date.parse(blank.started) + (seconds + 50) * 1000).toISOString(),
      waited_ms: 50_000,
    }));
    const of = figures({ tasks: took });
    expect(of('time, median').value).toBe(3);
    expect(of('time, p90')).toMatchObject({ value: 100, runs: ['r4'] });
  });

  it('a runbook needs no plan: reuse is counted among what was planned', () => {
    const tasks = [
      { ...blank, run: 'a', plan: planned('procedure') },
      { ...blank, run: 'b', plan: planned('model') },
      { ...blank, run: 'c', plan: planned('runbook') },
    ];
    expect(figures({ tasks })('reuse')).toMatchObject({ value: 0.5, runs: ['a'] });
  });

  it('packs that stay the same size while history grows have a growth of 1', () => {
    const packs = Array.from({ length: 20 }, (_, n) => ({ run: `r${n}`, at: blank.started, tokens: 1500, cap: 2000 }));
    expect(figures({ packs })('pack growth').value).toBe(1);
  });

  it('each day has its own value, and a day without tasks has none', () => {
    const tasks = [
      { ...blank, run: 'a' },
      { ...blank, run: 'b', ended: '2026-01-03T00:00:00.000Z', status: 'failed' as const },
    ];
    expect(figures({ tasks })('completion').days).toEqual([1, null, 0]);
  });

  it('a task that is taken off its day again and added as it is now counts once', () => {
    const task = { ...blank, run: 'b', usd: 1.5, approvals: { asked: 2, approved: 1, denied: 1 } };
    const once = emptyDay();
    tallyTask(once, { ...task, corrected: 'c' }, 1);
    const changed = emptyDay();
    tallyTask(changed, task, 1);
    tallyTask(changed, task, -1);
    tallyTask(changed, { ...task, corrected: 'c' }, 1);
    expect(changed).toEqual(once);
  });

  it('without any task nothing is claimed', () => {
    const of = figures({});
    for (const name of ['completion', 'rework', 'corrections', 'time, median', 'spend', 'reuse', 'pack growth'])
      expect(of(name).value).toBeNull();
  });
});
