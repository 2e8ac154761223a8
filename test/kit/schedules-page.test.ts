import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { homeAt } from '../../src/kit/settings.ts';
import { backfillQuery, schedulesQuery } from '../../src/rooms/schedules/page/schedules-query.ts';
import { askQuery } from '../support/ask-query.ts';
import { oka, temporaryFolder } from '../support/cli.ts';

describe('the page of schedules', () => {
  it('lists what runs by itself with its next and last times, and counts what a backfill would make', async () => {
    using folder = temporaryFolder();
    const { dir } = folder;
    await oka('init', '--dir', dir);
    for (const name of ['graphs', 'schedules']) mkdirSync(join(dir, 'workspace', name), { recursive: true });
    const node = { kind: 'tool', id: 'look', tool: 'files.list', input: {}, timeout_seconds: 20, max_retries: 0 };
    writeFileSync(join(dir, 'workspace/graphs/report.json'), JSON.stringify({ id: 'report', nodes: [node] }));
    const daily = { graph: 'report', every: 'day 08:00', timezone: 'UTC' };
    writeFileSync(join(dir, 'workspace/schedules/daily.json'), JSON.stringify(daily));
    writeFileSync(join(dir, 'workspace/schedules/wrong.json'), '{');
    const triggered = await oka('schedule', 'trigger', 'daily', '--dir', dir);
    expect(triggered).toMatchObject({ code: 0 });

    const home = homeAt(dir);
    expect(await askQuery(schedulesQuery, home)).toMatchObject({
      clock: true,
      schedules: [
        {
          schedule: 'daily',
          kind: 'graph',
          on: true,
          failures: 0,
          next: [
            expect.stringMatching(/T08:00:00/),
            expect.anything(),
            expect.anything(),
            expect.anything(),
            expect.anything(),
          ],
          last_run: { status: 'done' },
          slots: [{ how: 'ran', source: 'trigger', run: expect.stringContaining('daily') }],
        },
      ],
      refused: [{ file: 'wrong.json' }],
    });
    const span = { schedule: 'daily', from: '2020-01-01', to: '2020-01-03' };
    expect(await askQuery(backfillQuery, home, span)).toMatchObject({
      count: 3,
      first: '2020-01-01T08:00:00.000Z',
      last: '2020-01-03T08:00:00.000Z',
    });
    await expect(askQuery(backfillQuery, home, { ...span, from: 'soon' })).rejects.toThrow();
    await expect(askQuery(backfillQuery, home, { ...span, to: '2029-01-01' })).rejects.toThrow('more than 1000');
  });
});
