import { describe, expect, it } from 'vitest';
import { setUp } from '../../../src/kit/home/set-up.ts';
import { homeAt, loadConfig } from '../../../src/kit/settings.ts';
import { openStores } from '../../../src/kit/house/stores.ts';
import { viewFolds, withViews } from '../../../src/kit/house/open-views.ts';
import { writeViews } from '../../../src/kit/rows/views-writer.ts';
import { knownProcedure } from '../../../src/kit/learning/procedure-rows.ts';
import type { NewEvent, Pen } from '../../../src/core/schema/event.ts';
import type { Home } from '../../../src/core/schema/home.ts';
import { ProcedureAnswer, SearchAnswer, type SearchQuery } from '../../../src/core/schema/view-answers.ts';
import { search } from '../../../src/kit/views/search-query.ts';
import { oka, temporaryFolder } from '../../support/cli.ts';
import { isThorough } from '../../support/thorough.ts';

const sha256 = 'a'.repeat(64);
const run = (name: string, title: string, reason = 'all steps are done'): NewEvent[] => [
  { type: 'run.started', run: name, data: { title, graph: { id: 'g', sha256 }, nodes: [] } },
  { type: 'run.ended', run: name, data: { status: 'done', reason } },
];
const fact = (id: string, text: string): NewEvent => ({
  type: 'fact.kept',
  data: { id, text, namespace: 'general', source: 'person' },
});
const question: NewEvent[] = [
  { type: 'run.started', run: 'w', data: { title: 'Order', graph: { id: 'g', sha256 }, nodes: [] } },
  {
    type: 'wait.opened',
    run: 'w',
    data: { wait: 'w.w0', node: null, for: { kind: 'question', text: 'Which colour?' } },
  },
];
const procedure = {
  id: 'sort-photos',
  title: 'Sort photos by year',
  trigger: ['Sort the pictures'],
  task: 'Sort the pictures',
  shape: sha256,
  graph: null,
  tools: [],
  targets: null,
  steps: ['Sort them'],
  evidence: [],
};

describe('a search', () => {
  it('finds runs, questions, facts, procedures and events, whether or not a worker stored them', async () => {
    using folder = temporaryFolder();
    const home = homeAt(folder.dir);
    setUp(home);
    await append(home, [
      ...run('old', 'Invoice for March', 'the printer is on fire'),
      fact('f', 'The Gruen colour is liked'),
    ]);
    await append(home, [{ type: 'procedure.drafted', cause: 1, data: { procedure } }], 'maintenance');
    await append(home, Array.from({ length: 300 }, (_, index) => run(`r${index}`, `Make ${index}`)).flat());
    await append(home, [...question, ...run('new', 'Invoice for April')]);
    const fromLedger = await everything(home);
    await writeViews(home, await viewFolds(), new AbortController().signal);
    const fromStore = await everything(home);
    expect(fromStore).toEqual(fromLedger);
    const names = (hits: SearchAnswer): string[] => hits.hits.map(({ kind, name }) => `${kind} ${name}`);
    expect(fromStore.map(names)).toEqual([
      ['run old', 'run new'],
      ['run old'],
      ['event run:2'],
      ['fact f', 'wait w.w0'],
      ['procedure sort-photos'],
      ['run r299'],
      [],
      [],
    ]);
    const known = await withViews(home, (rows) => knownProcedure(rows, 'sort-photos'));
    expect(ProcedureAnswer.parse(known)).toEqual(known);
  });

  it('ranks titles before results, and results before prompts, however many prompts there are', async () => {
    using folder = temporaryFolder();
    const home = homeAt(folder.dir);
    setUp(home);
    const prompt = (call: number): NewEvent => ({
      type: 'call.started',
      run: 'b',
      data: {
        call: `b.${call}`,
        node: 'n',
        attempt: 1,
        tool: 'model.complete',
        class: 'read',
        input: { text: 'totals' },
      },
    });
    await append(home, [...run('a', 'Totals by month'), ...run('b', 'Letters', 'the totals are wrong')]);
    await append(
      home,
      Array.from({ length: 8 }, (_, index) => prompt(index)),
    );
    const { hits } = await find(home, { text: 'totals', limit: 4 });
    expect(hits.map(({ kind, text }) => `${kind} ${text.split(':')[0]}`)).toEqual([
      'event call.started',
      'event call.started',
      'event run.ended',
      'run Totals by month',
    ]);
  });

  it('does not find a fact that was forgotten, nor what was taken out of an event', async () => {
    using folder = temporaryFolder();
    const home = homeAt(folder.dir);
    setUp(home);
    await append(home, [fact('f', 'The gate opens at nine')]);
    expect((await find(home, { text: 'gate' })).hits).toHaveLength(1);
    await append(home, [{ type: 'fact.forgotten', data: { facts: ['f'], why: 'deleted' } }]);
    await append(home, run('r', 'Use ghp_0123456789abcdefghijABCDEFGHIJ012345 for it'));
    expect((await find(home, { text: 'gate' })).hits).toEqual([]);
    expect((await find(home, { text: 'ghp' })).hits).toEqual([]);
    expect((await find(home, { text: 'use' })).hits).toHaveLength(1);
  });

  it.runIf(isThorough)(
    'says when words that are everywhere, but rarely together, made it leave out old events',
    async () => {
      using folder = temporaryFolder();
      const home = homeAt(folder.dir);
      setUp(home);
      const pairs = Array.from({ length: 13_000 }, (_, index) =>
        run(`r${index}`, 'Make', index % 2 === 0 ? 'red sky' : 'blue sea'),
      );
      await append(home, [...run('both', 'Red and blue', 'red and blue'), ...pairs.flat()]);
      const { hits, complete } = await find(home, { text: 'red blue' });
      expect([hits.map(({ kind }) => kind), complete]).toEqual([['run'], false]);
      expect(await find(home, { text: 'red sky', limit: 3 })).toMatchObject({ complete: true });
    },
  );

  it('is a command', async () => {
    using folder = temporaryFolder();
    setUp(homeAt(folder.dir));
    await append(homeAt(folder.dir), run('one', 'Invoice for March'));
    expect(await oka('find', 'invoice', 'mar', '--dir', folder.dir)).toMatchObject({
      code: 0,
      out: expect.stringMatching(/run\s+Invoice for March\s+one/),
    });
    expect((await oka('find', 'nowhere', '--dir', folder.dir)).out).toBe('Nothing was found.\n');
    expect((await oka('find', '--dir', folder.dir)).code).toBe(2);
    const { out } = await oka('find', 'invoice', '--json', '--dir', folder.dir);
    expect(SearchAnswer.parse(JSON.parse(out)).hits).toMatchObject([{ kind: 'run', name: 'one', state: 'done' }]);
  });
});

async function find(home: Home, query: SearchQuery): Promise<SearchAnswer> {
  const { folds: views } = await viewFolds();
  const answer = await withViews(home, (rows) => search(rows, { views, ledgers: home.ledgers }, query));
  return SearchAnswer.parse(answer);
}

const everything = (home: Home): Promise<SearchAnswer[]> =>
  Promise.all(
    ['invoice', 'MARCH inv', 'printer', 'colour', 'sort picture', 'r299', 'invoice fire', '…'].map((text) =>
      find(home, { text }),
    ),
  );

async function append(home: Home, events: readonly NewEvent[], pen: Pen = 'run'): Promise<void> {
  const stores = await openStores(home, await loadConfig(home), pen);
  for (const event of events) stores.ledger.stage(event);
  await stores.ledger.flush();
  await stores.close();
}
