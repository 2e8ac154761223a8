import { describe, expect, it } from 'vitest';
import { openStores } from '../../../src/kit/house/stores.ts';
import { homeAt, loadConfig } from '../../../src/kit/settings.ts';
import type { NewEvent } from '../../../src/core/schema/event.ts';
import { oka, temporaryFolder } from '../../support/cli.ts';

const sha256 = 'a'.repeat(64);

const ended = (run: string, status: 'done' | 'failed', tags: string[] = []): NewEvent[] => [
  {
    type: 'run.started',
    run,
    data: {
      title: `Task ${run}`,
      graph: { id: 'oka.task', sha256 },
      input: { name: run, title: run, dir: null, body: sha256, fields: { tags }, first_line: 1 },
    },
  },
  { type: 'run.ended', run, data: { status, reason: 'so it is' } },
];

async function homeWith(dir: string, events: readonly NewEvent[]): Promise<void> {
  await oka('init', '--dir', dir);
  const home = homeAt(dir);
  const stores = await openStores(home, await loadConfig(home));
  await stores.ledger.append([...events]);
  await stores.close();
}

describe('oka runs', () => {
  it('lists the runs that fit its options, pinned ones first, and archived ones only on request', async () => {
    using folder = temporaryFolder();
    await homeWith(folder.dir, [
      ...ended('one', 'done', ['sales']),
      ...ended('two', 'failed', ['sales']),
      ...ended('three', 'done'),
      ...ended('four', 'done'),
      { type: 'runs.marked', data: { runs: ['two'], pinned: true } },
      { type: 'runs.marked', data: { runs: ['four'], archived: true } },
    ]);
    const list = async (...args: string[]): Promise<string[]> => {
      const { out } = await oka('runs', ...args, '--json', '--dir', folder.dir);
      return [...out.matchAll(/"run":"(\w+)"/g)].map(([, run = '']) => run);
    };
    expect(await list()).toEqual(['two', 'one', 'three']);
    expect(await list('--archived')).toEqual(['four']);
    expect(await list('--tag', 'Sales', '--status', 'done,cancelled')).toEqual(['one']);
    expect(await list('--kind', 'graph,schedule')).toEqual([]);
    expect(await list('--text', 'thr', '--since', '2d')).toEqual(['three']);
    expect(await list('--until', '2000-01-01')).toEqual([]);
    expect(await list('--min-cost', '0.01')).toEqual([]);
    expect((await oka('runs', '--dir', folder.dir)).out).toMatch(/failed +★ Task two/);
  });

  it.each([
    [['--kind', 'chat'], '--kind is one or more of task'],
    [['--status', 'failed,gone'], 'not "gone"'],
    [['--min-cost', 'much'], '--min-cost is an amount of US dollars'],
    [['--until', 'soon'], '--until is a day or a number of days'],
  ])('refuses %j', async (args, message) => {
    using folder = temporaryFolder();
    await oka('init', '--dir', folder.dir);
    expect(await oka('runs', ...args, '--dir', folder.dir)).toMatchObject({
      code: 2,
      err: expect.stringContaining(message),
    });
  });
});
