import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { metrics } from '../../../src/rooms/figures/room.ts';
import { runCounts } from '../../../src/rooms/figures/run-count-view.ts';
import { memoryRows } from '../../../src/core/ledger/memory-rows.ts';
import type { Event, NewEvent } from '../../../src/core/schema/event.ts';
import type { Rows } from '../../../src/core/schema/rows.ts';
import { runView } from '../../../src/kit/views/run-view.ts';
import type { SpendDayAnswer, SpendRunAnswer } from '../../../src/rooms/figures/page/figure-answers.ts';
import { figureRunsQuery, figuresQuery, readFigures } from '../../../src/rooms/figures/page/figure-queries.ts';
import { spendDayQuery, spendRunQuery } from '../../../src/rooms/figures/page/spend-queries.ts';
import { askQuery } from '../../support/ask-query.ts';

const SHA = 'a'.repeat(64);
const NOON = Date.UTC(2026, 2, 10, 12);
const DAY_MS = 24 * 60 * 60 * 1000;

describe('the page Figures', () => {
  it('shows a point a day, today last, and days without tasks as gaps', async () => {
    const rows = await foldedRows([...task('a', -2, 'failed'), ...task('b', 0, 'done'), ...task('c', 0, 'done')]);
    const { days, tasks, open, figures, spend, total } = readFigures(rows, 4, NOON);
    expect(days).toEqual(['2026-03-07', '2026-03-08', '2026-03-09', '2026-03-10']);
    expect([tasks, open]).toEqual([3, 0]);
    expect(figures.find(({ name }) => name === 'completion')).toMatchObject({ value: 2 / 3, days: [null, 0, null, 1] });
    expect(spend.map(({ usd }) => usd)).toEqual([0, 0.75, 0, 1.5]);
    expect(total.models['openai:large']).toMatchObject({ usd: 1.5, calls: 3 });
  });

  it('counts only what ended on the days that are asked for, and tasks that are not over', async () => {
    const rows = await foldedRows([...task('old', -9, 'failed'), ...task('new', 0, 'done'), ...task('open', 0, null)]);
    const { tasks, open, figures } = readFigures(rows, 7, NOON);
    expect([tasks, open]).toEqual([2, 1]);
    expect(figures.find(({ name }) => name === 'completion')?.value).toBe(1);
  });

  it('shows what is left of the budget of the day', async () => {
    const rows = await foldedRows([]);
    const { today } = readFigures(rows, 7, NOON, { limits: { usd: 5 }, left: { usd: 1.5, tokens: null, calls: null } });
    expect(today).toMatchObject({ limit_usd: 5, left_usd: 1.5, limit_tokens: null, left_tokens: null });
    expect(readFigures(rows, 7, NOON).today).toMatchObject({ limit_usd: null, left_usd: null });
  });

  it('names the runs behind a point', async () => {
    const rows = await foldedRows([...task('a', -1, 'failed'), ...task('b', 0, 'failed'), ...task('c', 0, 'done')]);
    const point = { figure: 'completion', from: '2026-03-10', to: '2026-03-10' };
    const { runs } = await askQuery<{ runs: { run: string; title: string }[] }>(figureRunsQuery, { rows }, point);
    expect(runs.map(({ run, title }) => [run, title])).toEqual([['b', 'Title of b']]);
    await expect(askQuery(figureRunsQuery, { rows }, { ...point, figure: 'luck' })).rejects.toThrow('no figure "luck"');
  });

  it('says why a day cost what it did, down to the call', async () => {
    const rows = await foldedRows([...task('cheap', 0, 'done'), ...task('dear', 0, 'done', 3), ...maintenanceCall(0)]);
    const day = await askQuery<z.infer<typeof SpendDayAnswer>>(spendDayQuery, { rows }, { date: '2026-03-10' });
    expect(day.runs.map(({ run, usd }) => [run, usd])).toEqual([
      ['dear', 1.75],
      ['cheap', 0.75],
      [null, 0.125],
    ]);
    expect(day.runs.reduce((sum, { usd }) => sum + usd, 0)).toBe(day.spent.usd);
    const run = await askQuery<z.infer<typeof SpendRunAnswer>>(spendRunQuery, { rows }, { run: 'dear.execute' });
    expect(run).toMatchObject({ run: 'dear', title: 'Title of dear', spent: { usd: 1.75, calls: 4 } });
    expect(run.steps.map(({ run: inside, title, usd, calls }) => [inside, title, usd, calls])).toEqual([
      ['dear', 'plan', 0.25, 1],
      ['dear.execute', 'Think hard', 1.5, 3],
    ]);
    expect(run.steps[1]?.answers.map(({ model }) => model)).toEqual(['openai:large', 'openai:large', 'openai:large']);
  });

  it('adds up a task that asks hundreds of times, on two days and beside others', async () => {
    const late = { at: NOON + DAY_MS, event: answer('long', 'plan', 'openai:small', 1) };
    const rows = await foldedRows([...task('long', 0, null, 600), ...task('short', 0, 'done'), late]);
    const spentOn = async (date: string): Promise<(string | number | null)[][]> => {
      const { runs } = await askQuery<z.infer<typeof SpendDayAnswer>>(spendDayQuery, { rows }, { date });
      return runs.map(({ run, usd, calls }) => [run, usd, calls]);
    };
    expect(await spentOn('2026-03-10')).toEqual([
      ['long', 300.25, 601],
      ['short', 0.75, 2],
    ]);
    expect(await spentOn('2026-03-11')).toEqual([['long', 1, 1]]);
    const run = await askQuery<z.infer<typeof SpendRunAnswer>>(spendRunQuery, { rows }, { run: 'long' });
    expect(run.spent).toMatchObject({ usd: 301.25, calls: 602 });
    const order = run.steps[1]?.answers.map(({ seq }) => seq) ?? [];
    expect(order).toEqual(order.toSorted((a, b) => a - b));
  });

  it('refuses what it cannot read, and a run that is not there', async () => {
    const rows = await foldedRows([]);
    await expect(askQuery(spendDayQuery, { rows }, { date: 'today' })).rejects.toThrow();
    await expect(askQuery(spendRunQuery, { rows }, { run: 'none' })).rejects.toThrow('no run "none"');
    await expect(askQuery(figuresQuery, { rows }, { days: '100000' })).rejects.toThrow();
    expect(await askQuery(figuresQuery, { rows }, { days: '7' })).toMatchObject({ tasks: 0, total: { usd: 0 } });
  });

  it('reads a row a day, however many tasks there are', async () => {
    const many = Array.from({ length: 300 }, (_, n) => task(`r${n}`, -(n % 3), 'done')).flat();
    const rows = await foldedRows(many);
    let read = 0;
    const counted: Rows = {
      ...rows,
      get: (key) => {
        read += 1;
        return rows.get(key);
      },
      *each(prefix, range) {
        for (const row of rows.each(prefix, range)) {
          read += 1;
          yield row as never;
        }
      },
    };
    expect(readFigures(counted, 30, NOON).tasks).toBe(300);
    expect(read).toBeLessThan(20);
  });

  it('counts runs by how they ended, without those inside others', async () => {
    const rows = await foldedRows([...task('a', 0, 'failed'), ...task('b', 0, 'done'), ...task('c', 0, null)]);
    expect(runCounts(rows)).toEqual({ started: 3, done: 1, failed: 1, cancelled: 0 });
  });
});

type Timed = { at: number; event: NewEvent; pen?: 'maintenance' };

/** A task that plans with one answer and thinks `thoughts` times in a run inside it, whose usage its parent repeats. */
function task(run: string, day: number, status: 'done' | 'failed' | null, thoughts = 1): Timed[] {
  const [at, child] = [NOON + day * DAY_MS, `${run}.execute`];
  const input = { name: 'a.md', title: 'A', dir: null, body: SHA, fields: {}, first_line: 1 };
  const graph = { id: 'oka.task', sha256: SHA };
  const nodes = [{ id: 'think', title: 'Think hard' }];
  const events: NewEvent[] = [
    { type: 'run.started', run, data: { title: `Title of ${run}`, graph, input } },
    answer(run, 'plan', 'openai:small', 0.25),
    {
      type: 'run.started',
      run: child,
      data: { title: 'steps', graph: { id: 'plan', sha256: SHA }, parent: run, depth: 1, nodes },
    },
    ...Array.from({ length: thoughts }, () => answer(child, 'think', 'openai:large', 0.5)),
    { type: 'run.ended', run: child, data: { status: 'done', reason: '' } },
    {
      type: 'call.ended',
      run,
      data: { call: `${run}.x`, node: 'execute', status: 'ok', usage: { usd: 99, tokens_in: 99, tool_calls: 3 } },
    },
    ...(status === null ? [] : [{ type: 'run.ended' as const, run, data: { status, reason: '' } }]),
  ];
  return events.map((event) => ({ at, event }));
}

function answer(run: string | null, node: string | null, model: string | null, usd: number): NewEvent {
  const usage = { usd, tokens_in: 100, tokens_out: 10, ms: 5 };
  const output = model === null ? null : { text: 'yes', model };
  return { type: 'call.ended', run, data: { call: `${run ?? 'wording'}.c`, node, status: 'ok', output, usage } };
}

const maintenanceCall = (day: number): Timed[] => [
  { at: NOON + day * DAY_MS, event: answer(null, null, null, 0.125), pen: 'maintenance' },
];

async function foldedRows(events: readonly Timed[]): Promise<Rows> {
  const rows = memoryRows();
  const folds = [runView, ...((await metrics.views?.()) ?? [])];
  events.forEach(({ at, event, pen = 'run' }, index) => {
    const line = { seq: index + 1, at: new Date(at).toISOString(), pen, cause: null, v: 1, run: null, ...event };
    if (line.type === 'run.started') Object.assign(line, { data: { ...STARTED, ...line.data } });
    for (const view of folds)
      if (view.types === undefined || view.types.includes(event.type))
        view.take({ event: line as Event, text: () => null }, rows);
  });
  return rows;
}

const STARTED = { mode: 'bounded', parent: null, depth: 0, state: 'EXECUTE', nodes: [], budgets: {}, input: null };
