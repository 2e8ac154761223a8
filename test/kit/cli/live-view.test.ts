import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { terminalOf } from '../../../src/kit/cli/io.ts';
import { openLiveView } from '../../../src/kit/cli/live-view.ts';
import { setUp } from '../../../src/kit/home/set-up.ts';
import { homeAt, loadConfig } from '../../../src/kit/settings.ts';
import { openStores } from '../../../src/kit/house/stores.ts';
import { temporaryFolder } from '../../support/cli.ts';

it('files that were not accepted are shown on the live console until they are moved back or removed', () => {
  const home = homeAt(mkdtempSync(join(tmpdir(), 'oka-live-')));
  const folder = join(home.workspace, 'inbox', 'rejected');
  const plain = terminalOf({ isTerminal: false, hasColours: false, width: 100 });
  mkdirSync(folder, { recursive: true });
  const stop = new AbortController();
  const lines = openLiveView(home, plain, stop.signal);
  expect(lines()).toEqual([]);
  for (const name of ['a.md', 'b.md', 'c.md', 'd.md']) {
    writeFileSync(join(folder, name), '');
    writeFileSync(join(folder, `${name}.reason.md`), '# x\n\nwhy\n');
  }
  expect(lines()).toEqual(['  ! not accepted, see workspace/inbox/rejected: a.md, b.md, c.md and 1 more']);
  stop.abort();
  rmSync(home.dir, { recursive: true });
});

it('the live console shows what is in progress when it starts, and then what happens', async () => {
  using folder = temporaryFolder();
  const home = homeAt(folder.dir);
  setUp(home);
  const stores = await openStores(home, await loadConfig(home));
  const graph = { id: 'g', sha256: 'a'.repeat(64) };
  const start = (run: string, title: string): Promise<unknown> =>
    stores.ledger.append({ type: 'run.started', run, data: { title, graph, nodes: [] } });
  await start('one', 'The first');
  const stop = new AbortController();
  const lines = openLiveView(home, terminalOf({ isTerminal: false, hasColours: false, width: 60 }), stop.signal);
  await vi.waitFor(() => expect(lines().join('\n')).toContain('The first'), 60_000);
  await start('two', 'The second');
  await stores.ledger.append({ type: 'run.ended', run: 'one', data: { status: 'done', reason: 'done' } });
  await vi.waitFor(() => {
    expect(lines()).toHaveLength(1);
    expect(lines()[0]).toContain('The second');
  }, 60_000);
  stop.abort();
  await stores.close();
});
