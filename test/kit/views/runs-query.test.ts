import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { NewEvent } from '../../../src/core/schema/event.ts';
import type { RunsPage, RunsQuery } from '../../../src/core/schema/view-answers.ts';
import type { WaitFor } from '../../../src/core/schema/wait.ts';
import { hasWords, wordsIn } from '../../../src/core/schema/text-words.ts';
import { listRuns, pageOfRuns, runDetail } from '../../../src/kit/views/runs-query.ts';
import { countedRows, type FoldedRows, openFoldedRows } from '../../support/folded-rows.ts';

const sha256 = 'a'.repeat(64);

type Given = {
  title?: string;
  graph?: string;
  tags?: string[];
  corrects?: string;
  parent?: string;
  depth?: number;
  link?: { kind: 'replay' | 'resume'; run: string };
  usd?: number;
  end?: 'done' | 'failed' | 'cancelled' | null;
  at?: string;
};

/** A run from its start to its end; `end: null` for one that goes on. */
function runEvents(run: string, given: Given = {}): (NewEvent & { at?: string })[] {
  const { title = `Task ${run}`, graph = 'oka.task', tags, corrects, parent = null, depth = 0, link, usd = 0 } = given;
  const fields = { ...(tags === undefined ? {} : { tags }), ...(corrects === undefined ? {} : { corrects }) };
  const input = graph === 'oka.task' ? { name: run, title, dir: null, body: sha256, fields, first_line: 1 } : null;
  const linked = link === undefined ? {} : { link };
  const call = `${run}.work.0.1`;
  return [
    {
      type: 'run.started',
      run,
      ...(given.at === undefined ? {} : { at: given.at }),
      data: {
        title,
        parent,
        depth,
        graph: { id: graph, sha256 },
        nodes: [{ id: 'work', title: 'Work' }],
        input,
        ...linked,
      },
    },
    { type: 'call.ended', run, data: { call, node: 'work', status: 'ok', settles: 'done', usage: { usd } } },
    ...(given.end === null ? [] : [ended(run, given.end ?? 'done')]),
  ];
}

const ended = (run: string, status: 'done' | 'failed' | 'cancelled'): NewEvent => ({
  type: 'run.ended',
  run,
  data: { status, reason: 'so it is' },
});

const slot = (run: string, schedule: string): NewEvent[] => [
  {
    type: 'slot.came',
    data: { job: `schedule/${schedule}`, slot: '2026-01-01T08:00:00.000Z', how: 'ran', reason: '', run },
  },
  ...runEvents(run),
];

const mark = (runs: string[], marks: { archived?: boolean; pinned?: boolean }): NewEvent => ({
  type: 'runs.marked',
  data: { runs, ...marks },
});

const names = ({ runs }: Pick<RunsPage, 'runs'>): string[] => runs.map(({ run }) => run);

async function rowsOf(...events: NewEvent[][]): Promise<FoldedRows> {
  const folded = await openFoldedRows();
  for (const each of events) folded.add(each);
  return folded;
}

describe('the kinds of runs', () => {
  it('are told apart by what the events of a run say', async () => {
    using folded = await rowsOf(
      runEvents('task'),
      runEvents('task.work.0.0-1', { graph: 'steps', parent: 'task', depth: 1 }),
      runEvents('watch', { graph: 'price-watch' }),
      runEvents('tool', { graph: 'oka.install' }),
      slot('daily-1', 'daily'),
      runEvents('better', { corrects: 'task' }),
      runEvents('watch-replay', { graph: 'price-watch', parent: 'watch', link: { kind: 'replay', run: 'watch' } }),
    );
    const kinds = listRuns(folded.rows, { all: true }).map(({ run, kind }) => [run, kind]);
    expect(Object.fromEntries(kinds)).toEqual({
      task: 'task',
      'task.work.0.0-1': 'child',
      watch: 'graph',
      tool: 'install',
      'daily-1': 'schedule',
      better: 'correction',
      'watch-replay': 'rerun',
    });
    for (const [run, kind] of kinds) expect(names(pageOfRuns(folded.rows, { kind: kind as never }))).toEqual([run]);
    expect(names(pageOfRuns(folded.rows, { kind: ['schedule', 'install'] }))).toEqual(['daily-1', 'tool']);
  });
});

describe('a filter of runs', () => {
  const story = [
    runEvents('jan', {
      title: 'Sales of January',
      tags: ['Sales', 'monthly'],
      usd: 0.1,
      at: '2026-01-31T10:00:00.000Z',
    }),
    runEvents('feb', {
      title: 'Sales of February',
      tags: ['sales'],
      usd: 2,
      at: '2026-02-28T10:00:00.000Z',
      end: 'failed',
    }),
    runEvents('mar', { title: 'A letter', usd: 5, at: '2026-03-31T10:00:00.000Z', end: 'cancelled' }),
    runEvents('apr', { title: 'Sales of April', at: '2026-04-30T10:00:00.000Z', end: null }),
  ];
  const cases: [string, RunsQuery, string[]][] = [
    ['by one status', { status: 'failed' }, ['feb']],
    ['by several', { status: ['failed', 'cancelled', 'running'] }, ['apr', 'mar', 'feb']],
    ['by several with done among them', { status: ['done', 'failed'] }, ['feb', 'jan']],
    ['by a tag, whatever its case', { tag: 'sales' }, ['feb', 'jan']],
    ['by words of the title', { text: 'sales a' }, ['apr']],
    ['by the name', { text: 'mar' }, ['mar']],
    ['from a moment on', { since: '2026-02-28T10:00:00.000Z' }, ['apr', 'mar', 'feb']],
    ['up to a moment', { until: '2026-02-28T10:00:00.000Z' }, ['jan']],
    ['up to a moment on a day with runs', { until: '2026-03-31T23:00:00.000Z' }, ['mar', 'feb', 'jan']],
    ['by the least cost', { min_cost: 2 }, ['mar', 'feb']],
    ['by a range of costs', { min_cost: 0.05, max_cost: 2 }, ['feb', 'jan']],
    ['by all of it together', { text: 'sales', tag: 'sales', min_cost: 1, status: ['failed', 'done'] }, ['feb']],
    ['that nothing fits', { tag: 'nothing' }, []],
  ];

  it.each(cases)('chooses %s', async (_, query, expected) => {
    using folded = await rowsOf(...story);
    expect(names(pageOfRuns(folded.rows, query))).toEqual(expected);
    expect(listRuns(folded.rows, query).map(({ run }) => run)).toEqual(expected.toReversed());
  });
});

describe('a task whose plan is carried out', () => {
  const inside = 'task.work.0.0-1';
  const waits = (run: string, wait: string, awaited: WaitFor): NewEvent[] => [
    { type: 'wait.opened', run, data: { wait, node: 'work', for: awaited } },
  ];
  const story = [
    runEvents('task', { end: null }),
    runEvents(inside, { graph: 'steps', parent: 'task', depth: 1, end: null }),
    waits('task', 'w0', { kind: 'child', run: inside }),
  ];
  const statusesOf = (query: RunsQuery, { rows }: FoldedRows): unknown[] =>
    listRuns(rows, query).map(({ run, status }) => [run, status]);

  it('is running, in lists as in filters, although it waits for the run that does so', async () => {
    using folded = await rowsOf(...story);
    expect(statusesOf({ status: 'running' }, folded)).toEqual([['task', 'running']]);
    expect(statusesOf({ status: 'blocked' }, folded)).toEqual([]);
    expect(runDetail(folded.rows, 'task')).toMatchObject({ status: 'running', waits: [{ wait: 'w0' }] });
  });

  it('waits as soon as that run waits for somebody', async () => {
    using folded = await rowsOf(...story, waits(inside, 'w1', { kind: 'question', text: 'Which one?' }));
    expect(statusesOf({ status: 'blocked' }, folded)).toEqual([['task', 'blocked']]);
    expect(statusesOf({ status: 'running' }, folded)).toEqual([]);
  });
});

describe('the folded list', () => {
  it('shows what continues or corrects a run under it, at the place of the latest', async () => {
    using folded = await rowsOf(
      runEvents('one', { end: 'failed' }),
      runEvents('two'),
      runEvents('one-resume', { parent: 'one', link: { kind: 'resume', run: 'one' } }),
      runEvents('three'),
      runEvents('one-better', { corrects: 'one-resume' }),
    );
    const page = pageOfRuns(folded.rows);
    expect(names(page)).toEqual(['one', 'three', 'two']);
    expect(page).toMatchObject({ total: 3, runs: [{ related: 1 }, { related: 0 }, { related: 0 }] });
    expect(names(pageOfRuns(folded.rows, { text: 'task' }))).toEqual([
      'one-better',
      'three',
      'one-resume',
      'two',
      'one',
    ]);
  });

  it('shows a schedule as its latest run', async () => {
    using folded = await rowsOf(slot('d-1', 'daily'), runEvents('x'), slot('d-2', 'daily'), slot('w-1', 'weekly'));
    expect(names(pageOfRuns(folded.rows))).toEqual(['w-1', 'd-2', 'x']);
    expect(names(pageOfRuns(folded.rows, { schedule: 'daily' }))).toEqual(['d-2', 'd-1']);
    folded.add([mark(['d-2'], { archived: true })]);
    expect(names(pageOfRuns(folded.rows))).toEqual(['w-1', 'x', 'd-1']);
    folded.add([mark(['d-1'], { archived: true })]);
    expect(names(pageOfRuns(folded.rows))).toEqual(['w-1', 'x']);
    folded.add([mark(['d-1'], { archived: false }), mark(['d-2'], { archived: false })]);
    expect(names(pageOfRuns(folded.rows))).toEqual(['w-1', 'd-2', 'x']);
    expect(pageOfRuns(folded.rows).total).toBe(3);
  });

  it('leaves archived runs out of every list but their own, and loses none of them', async () => {
    using folded = await rowsOf(runEvents('one', { end: 'failed', tags: ['t'] }), runEvents('two'));
    folded.add([mark(['one', 'no-such-run'], { archived: true })]);
    const queries: RunsQuery[] = [
      {},
      { status: 'failed' },
      { tag: 't' },
      { text: 'one' },
      { since: '2026-01-01T00:00:00.000Z' },
    ];
    for (const query of queries) {
      expect(names(pageOfRuns(folded.rows, query))).not.toContain('one');
      expect(names(pageOfRuns(folded.rows, { ...query, archived: 'also' }))).toContain('one');
      expect(names(pageOfRuns(folded.rows, { ...query, archived: 'only' }))).toEqual(['one']);
    }
    expect(listRuns(folded.rows).map(({ run }) => run)).toEqual(['two']);
    folded.add([mark(['one'], { archived: false })]);
    expect(names(pageOfRuns(folded.rows))).toEqual(['two', 'one']);
    expect(names(pageOfRuns(folded.rows, { archived: 'only' }))).toEqual([]);
  });

  it('gives pinned runs at the top of the first page, as far as they fit the filter', async () => {
    using folded = await rowsOf(runEvents('one'), runEvents('two', { end: 'failed' }), runEvents('three'));
    folded.add([mark(['one', 'two'], { pinned: true })]);
    const first = pageOfRuns(folded.rows, { limit: 1 });
    expect([names({ runs: first.pinned }), names(first)]).toEqual([['two', 'one'], ['three']]);
    const failed = pageOfRuns(folded.rows, { status: 'failed' });
    expect([names({ runs: failed.pinned }), names(failed)]).toEqual([['two'], ['two']]);
    folded.add([mark(['two'], { pinned: false })]);
    expect(pageOfRuns(folded.rows)).toMatchObject({ pinned: [{ run: 'one' }], total: 3 });
  });
});

describe('pages of runs', () => {
  const many = Array.from({ length: 60 }, (_, index) =>
    index % 3 === 0
      ? slot(`run-${index}`, 'daily')
      : runEvents(`run-${index}`, { tags: ['even'], end: index % 2 === 0 ? 'failed' : 'done' }),
  );
  const queries: RunsQuery[] = [
    {},
    { all: true },
    { status: ['failed', 'running'] },
    { tag: 'even' },
    { schedule: 'daily' },
    { text: 'task' },
  ];

  it.each(queries)('lead through all of %j once, forwards and back', async (query) => {
    using folded = await rowsOf(...many);
    const whole = names(pageOfRuns(folded.rows, { ...query, limit: 1000 }));
    expect(whole.length).toBeGreaterThan(10);
    const forwards: RunsPage[] = [];
    for (let after: number | null | undefined; after !== null; after = forwards.at(-1)?.next ?? null)
      forwards.push(pageOfRuns(folded.rows, { ...query, limit: 7, ...(after === undefined ? {} : { after }) }));
    expect(forwards.flatMap(names)).toEqual(whole);
    expect(forwards[0]?.previous).toBeNull();
    const back: string[] = [];
    for (let before = forwards.at(-1)?.previous ?? null; before !== null; ) {
      const page = pageOfRuns(folded.rows, { ...query, limit: 7, before });
      back.unshift(...names(page));
      expect(page.next).not.toBeNull();
      before = page.previous;
    }
    expect(back).toEqual(forwards.slice(0, -1).flatMap(names));
  });

  it('Q1 read as many rows in a long history as in a short one', async () => {
    const HALF_HOUR = 1_800_000;
    const readIn = async (length: number): Promise<number[]> => {
      using folded = await openFoldedRows();
      const runs = Array.from({ length }, (_, index) =>
        runEvents(`r${index}`, {
          at: new Date(Date.UTC(2026, 0, 1) + index * HALF_HOUR).toISOString(),
          ...(index % 9 === 0 ? { tags: ['t'], end: 'failed' } : {}),
        }),
      );
      folded.add(runs.flat());
      const until = '2026-01-02T00:00:00.000Z';
      const filters: RunsQuery[] = [{}, { status: 'failed' }, { tag: 't' }, { text: 'task' }, { until }];
      return filters.map((query) => {
        const counted = countedRows(folded.rows);
        expect(pageOfRuns(counted.rows, { ...query, limit: 20 }).runs).toHaveLength(20);
        return counted.read();
      });
    };
    const [short, long] = [await readIn(200), await readIn(2000)];
    for (const [index, count] of long.entries()) expect(count).toBeLessThanOrEqual((short[index] ?? 0) + 100);
  });

  it('begin anywhere in the folded list, by the number of newer entries', async () => {
    using folded = await openFoldedRows();
    folded.add(Array.from({ length: 3000 }, (_, index) => runEvents(`r${index}`)).flat());
    folded.add([mark(['r2990', 'r5'], { archived: true }), ...runEvents('r7-better', { corrects: 'r7' })]);
    const expected = Array.from({ length: 3000 }, (_, index) => `r${2999 - index}`).filter(
      (run) => !['r2990', 'r5', 'r7'].includes(run),
    );
    expected.unshift('r7');
    for (const skip of [0, 1, 9, 10, 1365, 1366, 1500, 2990, 2997, 2998, 5000])
      expect(names(pageOfRuns(folded.rows, { skip, limit: 5 }))).toEqual(expected.slice(skip, skip + 5));
    const counted = countedRows(folded.rows);
    pageOfRuns(counted.rows, { skip: 1500, limit: 5 });
    expect(counted.read()).toBeLessThan(1400);
  });

  it('lead through a folded list that is stored in several rows, forwards and back', async () => {
    using folded = await openFoldedRows();
    folded.add(Array.from({ length: 1200 }, (_, index) => runEvents(`r${index}`)).flat());
    const expected = Array.from({ length: 1200 }, (_, index) => `r${1199 - index}`);
    const forwards: RunsPage[] = [pageOfRuns(folded.rows, { limit: 90 })];
    for (let after = forwards[0]?.next ?? null; after !== null; after = forwards.at(-1)?.next ?? null)
      forwards.push(pageOfRuns(folded.rows, { limit: 90, after }));
    expect(forwards.flatMap(names)).toEqual(expected);
    const back: RunsPage[] = [];
    for (let before = forwards.at(-1)?.previous ?? null; before !== null; before = back[0]?.previous ?? null)
      back.unshift(pageOfRuns(folded.rows, { limit: 90, before }));
    expect(back.flatMap(names)).toEqual(forwards.slice(0, -1).flatMap(names));
  });

  it('Q1 end early where nothing fits, and say where to go on', async () => {
    using folded = await openFoldedRows();
    folded.add(Array.from({ length: 2100 }, (_, index) => runEvents(`r${index}`, { usd: index === 0 ? 1 : 0 })).flat());
    const first = pageOfRuns(folded.rows, { min_cost: 1 });
    expect(first.runs).toEqual([]);
    expect(first.next).not.toBeNull();
    expect(names(pageOfRuns(folded.rows, { min_cost: 1, after: first.next ?? 1 }))).toEqual(['r0']);
  });

  it('by words have the runs that a look at every title finds, in the order in which they started', async () => {
    const word = fc.constantFrom('sales', 'Sale', 'report', 'März', 'q3', 'of');
    const title = fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join(' '));
    await fc.assert(
      fc.asyncProperty(
        fc.array(title, { minLength: 1, maxLength: 250 }),
        fc.array(fc.constantFrom('sal', 'report', 'marz', 'q', 'r1', 'none'), { minLength: 1, maxLength: 2 }),
        fc.integer({ min: 1, max: 30 }),
        fc.boolean(),
        async (titles, words, limit, isSince) => {
          using folded = await openFoldedRows();
          const at = (index: number): string => new Date(Date.UTC(2026, 0, 1) + index * 60_000).toISOString();
          folded.add(titles.flatMap((each, index) => runEvents(`r${index}`, { title: each, at: at(index) })));
          const since = isSince ? at(Math.floor(titles.length / 2)) : undefined;
          const query: RunsQuery = { text: words.join(' '), limit, ...(since === undefined ? {} : { since }) };
          const fits = (each: string, index: number): boolean =>
            hasWords(`${each} r${index}`, wordsIn(words.join(' '))) && (since === undefined || at(index) >= since);
          const expected = titles.flatMap((each, index) => (fits(each, index) ? [`r${index}`] : [])).toReversed();
          const pages: RunsPage[] = [pageOfRuns(folded.rows, query)];
          for (let after = pages[0]?.next ?? null; after !== null; after = pages.at(-1)?.next ?? null)
            pages.push(pageOfRuns(folded.rows, { ...query, after }));
          expect(pages.flatMap(names)).toEqual(expected);
        },
      ),
      { numRuns: 40 },
    );
  });

  it('by words read the rows of the runs that fit, not those of others that started beside them', async () => {
    using folded = await openFoldedRows();
    const title = (index: number): string => (index % 40 === 0 ? 'Rare sales' : 'Common report');
    folded.add(Array.from({ length: 2000 }, (_, index) => runEvents(`r${index}`, { title: title(index) })).flat());
    const counted = countedRows(folded.rows);
    expect(pageOfRuns(counted.rows, { text: 'rare', limit: 10 }).runs).toHaveLength(10);
    expect(counted.read()).toBeLessThan(60);
  });
});
