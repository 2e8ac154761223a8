import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Hono } from 'hono';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { setUp } from '../../../src/kit/home/set-up.ts';
import { homeAt, loadConfig } from '../../../src/kit/settings.ts';
import { openStores } from '../../../src/kit/house/stores.ts';
import type { BulkPreview } from '../../../src/core/schema/bulk.ts';
import type { NewEvent } from '../../../src/core/schema/event.ts';
import type { Home } from '../../../src/core/schema/home.ts';
import type { RunsPage, RunSummary } from '../../../src/core/schema/view-answers.ts';
import { addBulkRoutes } from '../../../src/app/web/api/bulk-routes.ts';
import { bulkPreviewQuery, relatedRunsQuery, runsQuery } from '../../../src/rooms/runs/page/runs-queries.ts';
import { temporaryFolder } from '../../support/cli.ts';
import { askQuery } from '../../support/web-query.ts';

const sha256 = 'a'.repeat(64);
const { signal } = new AbortController();

const taskRun = (run: string, corrects?: string): NewEvent => ({
  type: 'run.started',
  run,
  data: {
    title: `Task ${run}`,
    graph: { id: 'oka.task', sha256 },
    input: {
      name: run,
      title: run,
      dir: null,
      body: sha256,
      fields: corrects === undefined ? {} : { corrects },
      first_line: 1,
    },
  },
});
const slot = (run: string): NewEvent => ({
  type: 'slot.came',
  data: { job: 'schedule/daily', slot: '2026-01-01T08:00:00.000Z', how: 'ran', reason: '', run },
});
const failed = (run: string): NewEvent => ({ type: 'run.ended', run, data: { status: 'failed', reason: '' } });

let folder: ReturnType<typeof temporaryFolder>;
let home: Home;
beforeAll(async () => {
  folder = temporaryFolder();
  home = homeAt(folder.dir);
  setUp(home);
  const stores = await openStores(home, await loadConfig(home));
  await stores.ledger.append([taskRun('one'), taskRun('two'), failed('two'), taskRun('three', 'one')]);
  await stores.ledger.append([slot('d1'), taskRun('d1'), slot('d2'), taskRun('d2')]);
  await stores.close();
});
afterAll(() => folder[Symbol.dispose]());

const names = (runs: readonly Pick<RunSummary, 'run'>[]): string[] => runs.map(({ run }) => run);

describe('the queries of the page Runs', () => {
  it('read filters as an address has them', async () => {
    const list = async (params: Record<string, string>): Promise<string[]> =>
      names((await askQuery<RunsPage>(home, runsQuery, params)).runs);
    expect(await list({})).toEqual(['d2', 'one', 'two']);
    expect(await list({ skip: '1', limit: '1' })).toEqual(['one']);
    expect(await list({ status: 'failed,cancelled' })).toEqual(['two']);
    expect(await list({ kind: 'schedule,correction', min_cost: '0' })).toEqual(['d2', 'd1', 'three']);
    await expect(list({ status: 'failed,gone' })).rejects.toThrow('Invalid option');
    await expect(list({ limit: '1000' })).rejects.toThrow('Too big');
  });

  it('give what the list folds under a run', async () => {
    const related = async (run: string): Promise<string[][]> => {
      const answer = await askQuery<{ inside: RunSummary[]; earlier: RunSummary[] }>(home, relatedRunsQuery, { run });
      return [names(answer.inside), names(answer.earlier)];
    };
    expect(await related('one')).toEqual([['three'], []]);
    expect(await related('d2')).toEqual([[], ['d1']]);
    await expect(related('nothing')).rejects.toThrow('there is no run "nothing"');
  });
});

describe('POST /api/v1/bulk', () => {
  it('submits one request for each run that was shown, and nothing for another list', async () => {
    const app = new Hono();
    addBulkRoutes(app, home, signal);
    const post = async (body: object): Promise<Response> =>
      app.request('/api/v1/bulk', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      });
    const submitted = (): string[] =>
      readdirSync(join(home.oka, 'intake'))
        .filter((name) => name.endsWith('.json'))
        .map((name) => readFileSync(join(home.oka, 'intake', name), 'utf8').trim());
    const given = { act: 'cancel', filter: { text: 'task d' } } as never;
    const preview = await askQuery<BulkPreview>(home, bulkPreviewQuery, given);
    expect(preview).toMatchObject({ count: 2, runs: [{ run: 'd2' }, { run: 'd1' }], complete: true });
    const { act, token } = preview;
    expect((await post({ act, runs: ['d2', 'd1', 'one'], token })).status).toBeGreaterThanOrEqual(400);
    expect((await post({ act, runs: [], token })).status).toBe(400);
    expect(submitted()).toEqual([]);
    const answer = await post({ act, runs: ['d2', 'd1'], token });
    expect(await answer.text()).toBe('{"run":"d2","outcome":"queued"}\n{"run":"d1","outcome":"queued"}\n');
    expect(submitted().toSorted()).toEqual([
      expect.stringMatching(/"kind":"cancel","run":"d1"/),
      expect.stringMatching(/"kind":"cancel","run":"d2"/),
    ]);
  });
});
