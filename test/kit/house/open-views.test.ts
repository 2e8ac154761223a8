import { chmodSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { queryMetrics } from '../../../src/rooms/figures/metrics-view.ts';
import { setUp } from '../../../src/kit/home/set-up.ts';
import { homeAt, loadConfig } from '../../../src/kit/settings.ts';
import { openStores } from '../../../src/kit/house/stores.ts';
import { rangeOfRun, rebuildViews, viewFolds, withViews } from '../../../src/kit/house/open-views.ts';
import { viewsFile, writeViews } from '../../../src/kit/rows/views-writer.ts';
import { readEvents } from '../../../src/core/ledger/read-events.ts';
import type { Line, NewEvent, Pen } from '../../../src/core/schema/event.ts';
import type { Home } from '../../../src/core/schema/home.ts';
import type { Rows } from '../../../src/core/schema/rows.ts';
import type { EventsQuery } from '../../../src/core/schema/view-answers.ts';
import { blocksOfType, maintenanceBlocksOfRun } from '../../../src/kit/views/event-index.ts';
import { listEvents } from '../../../src/kit/views/events-query.ts';
import { listRuns, runDetail } from '../../../src/kit/views/runs-query.ts';
import { secretUse } from '../../../src/kit/views/secret-view.ts';
import { slots } from '../../../src/kit/views/slot-view.ts';
import { listWaiting } from '../../../src/kit/views/waiting-query.ts';
import { temporaryFolder } from '../../support/cli.ts';

const sha256 = 'a'.repeat(64);
const { signal } = new AbortController();

const task = (run: string, status: 'done' | 'failed'): NewEvent[] => [
  { type: 'task.received', run, data: { name: `${run}.md`, body: { sha256, bytes: 1, media: 'text/markdown' } } },
  {
    type: 'run.started',
    run,
    data: {
      title: `Make ${run}`,
      graph: { id: 'oka.task', sha256 },
      nodes: [{ id: 'work', title: 'Work' }],
      input: { name: run, title: run, dir: null, body: sha256, fields: {}, first_line: 1 },
    },
  },
  { type: 'call.started', run, data: { call: `${run}.work.0.1`, node: 'work', tool: 'x', class: 'read', input: null } },
  {
    type: 'secret.used',
    run,
    data: {
      call: `${run}.work.0.1`,
      node: 'work',
      name: `key-${run}`,
      version: 1,
      tool: 'x',
      host: null,
      fingerprint: 'f',
    },
  },
  {
    type: 'call.ended',
    run,
    data: { call: `${run}.work.0.1`, node: 'work', status: 'ok', settles: 'done', usage: { tokens_in: 5, usd: 0.5 } },
  },
  { type: 'run.ended', run, data: { status, reason: 'so it is' } },
];
const waiting: NewEvent[] = [
  {
    type: 'run.started',
    run: 'w',
    data: { title: 'Wait', graph: { id: 'g', sha256 }, nodes: [{ id: 'a', title: 'A' }] },
  },
  { type: 'wait.opened', run: 'w', data: { wait: 'w.a.0.w0', node: 'a', for: { kind: 'question', text: 'Well?' } } },
  { type: 'slot.came', data: { job: 'learn', slot: '2026-01-01T02:00:00Z', how: 'ran', reason: '' } },
];
const story = [...task('one', 'done'), ...task('two', 'failed'), ...waiting];

describe('the read side', () => {
  it('answers the same from the store, from half of it and the rest of the ledger, and from the ledger alone', async () => {
    using folder = temporaryFolder();
    const home = homeAt(folder.dir);
    setUp(home);
    await append(home, story.slice(0, 8));
    await writeViews(home, await viewFolds(), signal);
    await append(home, story.slice(8));
    const fromHalf = await withViews(home, everything);
    rmSync(viewsFile(home));
    const fromLedger = await withViews(home, everything);
    expect(existsSync(viewsFile(home))).toBe(false);
    await rebuildViews(home);
    const fromStore = await withViews(home, everything);
    expect(fromHalf).toEqual(fromLedger);
    expect(fromStore).toEqual(fromLedger);
    expect(fromStore.runs.map(({ run, status, cost }) => [run, status, cost.tokens])).toEqual([
      ['one', 'done', 5],
      ['two', 'failed', 5],
      ['w', 'blocked', 0],
    ]);
    expect(fromStore.failed.map(({ run }) => run)).toEqual(['two']);
    expect(fromStore.blocked.map(({ run }) => run)).toEqual(['w']);
    expect(fromStore.found.map(({ run }) => run)).toEqual(['two']);
    expect(fromStore.waiting).toMatchObject([{ wait: 'w.a.0.w0', run: 'w', title: 'Wait', person: true }]);
    expect(fromStore.uses.map(({ name }) => name)).toEqual(['key-one', 'key-two']);
    expect(fromStore.slots).toMatchObject([{ job: 'learn', how: 'ran' }]);
    expect(fromStore.metrics).toMatchObject({ tasks: 2, open: 0 });
    expect(fromStore.window).toMatchObject({ tasks: 2, figures: fromStore.metrics.figures });
    expect(fromStore.one).toMatchObject({ ledger: { first: 1, last: 6 }, steps: [{ id: 'work', status: 'done' }] });
  });

  it('goes on where a store is damaged, and where its folder cannot be written', async () => {
    using folder = temporaryFolder();
    const home = homeAt(folder.dir);
    setUp(home);
    await append(home, story);
    await writeViews(home, await viewFolds(), signal);
    const expected = await withViews(home, everything);
    writeFileSync(viewsFile(home), 'not a database');
    chmodSync(dirname(viewsFile(home)), 0o555);
    expect(await withViews(home, everything)).toEqual(expected);
    chmodSync(dirname(viewsFile(home)), 0o755);
    await writeViews(home, await viewFolds(), signal);
    expect(await withViews(home, everything)).toEqual(expected);
  });

  it('knows where the events of a run are, also of one that has not started', async () => {
    using folder = temporaryFolder();
    const home = homeAt(folder.dir);
    setUp(home);
    await append(home, [...story, ...task('late', 'done').slice(0, 1)]);
    const seq = story.length + 1;
    expect(await rangeOfRun(home, 'two')).toEqual({ from: 7, to: 12 });
    expect(await rangeOfRun(home, 'late')).toEqual({ from: seq, to: Number.POSITIVE_INFINITY });
    expect(await rangeOfRun(home, 'never')).toEqual({ from: 1, to: 0 });
  });

  it('finds the events of a type, of a kind and of a run as reading everything would', async () => {
    using folder = temporaryFolder();
    const home = homeAt(folder.dir);
    setUp(home);
    const many = Array.from({ length: 300 }, (_, index) => task(`t${index}`, index % 50 === 7 ? 'failed' : 'done'));
    await append(home, [...waiting, ...many.flat()]);
    await writeViews(home, await viewFolds(), signal);
    await append(home, task('last', 'done'));
    const all = await Array.fromAsync(readEvents(home.ledgers.run));
    const kinds = ['slot.came', 'run.ended', 'run.*', 'secret.used', 'no.such', undefined];
    await withViews(home, async (rows) => {
      const list = (query: EventsQuery): Promise<Line[]> => listEvents(rows, home.ledgers, query);
      for (const type of kinds)
        for (const limit of [0, 1, 5, 400])
          for (const after of [0, 2, 1000])
            for (const run of [undefined, 't7', 'w', 'never']) {
              const expected = all.filter(
                (event) =>
                  event.seq > after &&
                  (run === undefined || event.run === run) &&
                  (type === undefined || event.type === type || (type === 'run.*' && event.type.startsWith('run.'))),
              );
              expect(await list({ type, limit, after, run })).toEqual(limit === 0 ? expected : expected.slice(-limit));
            }
      expect((await list({ type: 'slot.came' })).map(({ seq }) => seq)).toEqual([3]);
    });
  });

  it('reads for a rare type only the block that it is in', async () => {
    using folder = temporaryFolder();
    const home = homeAt(folder.dir);
    setUp(home);
    await append(home, [...waiting, ...Array.from({ length: 200 }, (_, index) => task(`t${index}`, 'done')).flat()]);
    const blocks = await withViews(home, (rows) => [...blocksOfType(rows, 'run', 'slot.came')]);
    expect(blocks).toEqual([0]);
  });

  it('finds what maintenance wrote about a run without reading its whole ledger', async () => {
    using folder = temporaryFolder();
    const home = homeAt(folder.dir);
    setUp(home);
    await append(home, task('one', 'done'));
    const slot = (index: number): NewEvent => ({
      type: 'slot.came',
      run: index % 400 === 7 ? 'one' : null,
      cause: 1,
      data: { job: 'learn', slot: '2026-01-01T02:00:00Z', how: 'ran', reason: String(index) },
    });
    await append(
      home,
      Array.from({ length: 1000 }, (_, index) => slot(index)),
      'maintenance',
    );
    await writeViews(home, await viewFolds(), signal);
    const read = (limit: number, after = 0): Promise<number[]> =>
      withViews(home, async (rows) => {
        const events = await listEvents(rows, home.ledgers, { pen: 'maintenance', run: 'one', limit, after });
        return events.map(({ seq }) => seq);
      });
    expect([await read(0), await read(2), await read(0, 8), await read(0, 900)]).toEqual([
      [8, 408, 808],
      [408, 808],
      [408, 808],
      [],
    ]);
    const blocks = await withViews(home, (rows) => [...maintenanceBlocksOfRun(rows, 'one')]);
    expect(blocks).toEqual([3, 1, 0]);
  });

  it('lists runs page by page, the latest last', async () => {
    using folder = temporaryFolder();
    const home = homeAt(folder.dir);
    setUp(home);
    await append(
      home,
      ['a', 'b', 'c', 'd', 'e'].flatMap((run) => task(run, 'done')),
    );
    const page = (after?: number): Promise<[string, number][]> =>
      withViews(home, (rows) =>
        listRuns(rows, { limit: 2, ...(after === undefined ? {} : { after }) }).map(({ run, cursor }) => [run, cursor]),
      );
    const [first, last] = await page();
    expect([first?.[0], last?.[0]]).toEqual(['d', 'e']);
    expect((await page(first?.[1])).map(([run]) => run)).toEqual(['b', 'c']);
  });
});

function everything(rows: Rows) {
  return {
    runs: listRuns(rows),
    failed: listRuns(rows, { status: 'failed' }),
    blocked: listRuns(rows, { status: 'blocked' }),
    found: listRuns(rows, { text: 'tw make' }),
    one: runDetail(rows, 'one'),
    waiting: listWaiting(rows),
    uses: secretUse(rows, { limit: 0 }),
    slots: slots(rows, { limit: 5 }),
    metrics: queryMetrics(rows, null),
    window: queryMetrics(rows, '2000-01-01T00:00:00.000Z'),
  };
}

async function append(home: Home, events: readonly NewEvent[], pen: Pen = 'run'): Promise<void> {
  const stores = await openStores(home, await loadConfig(home), pen);
  for (const event of events) stores.ledger.stage(event);
  await stores.ledger.flush();
  await stores.close();
}
