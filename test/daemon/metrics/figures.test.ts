import { describe, expect, it } from 'vitest';
import { type Figure, metricsOf, type Seen } from '../../../src/daemon/metrics/figures.ts';
import type { TaskRecord } from '../../../src/memory/task-record.ts';

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
  plan: null,
  plans: 1,
  choice: null,
  corrects: null,
  corrected: null,
  continues: null,
  undone: false,
  tokens: 0,
  usd: 0,
  thoughts: 0,
  calls: 1,
  failed_calls: 0,
  approvals: { asked: 0, approved: 0, denied: 0 },
  questions: 0,
  installs: [],
  overstepped: 0,
  waited_ms: 0,
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

function figures(seen: Partial<Seen>): (name: string) => Figure {
  const { figures: all } = metricsOf({ tasks: [], packs: [], saved: [], ...seen });
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

  it('without any task nothing is claimed', () => {
    const of = figures({});
    for (const name of ['completion', 'rework', 'corrections', 'time, median', 'spend', 'reuse', 'pack growth'])
      expect(of(name).value).toBeNull();
  });
});
