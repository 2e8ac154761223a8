/** Noticing changed files, over the real scan of a real folder; what is started is only counted. */
import { afterEach, describe, expect, it } from 'vitest';
import { watchWorkspaces, type Watcher } from '../../../../src/rooms/context/synthesis/watch-workspace.ts';
import type { TreeConfig } from '../../../../src/core/schema/tree.ts';
import { SynthesisRequest } from '../../../../src/core/schema/synthesis.ts';
import { type MemoryTree, memoryTree } from '../../../support/memory-tree.ts';

const open: { home: MemoryTree; watcher: Watcher }[] = [];
afterEach(async () => {
  const opened = open.splice(0);
  for (const { watcher } of opened) await watcher.close();
  for (const home of new Set(opened.map(({ home }) => home))) home.close();
});

type Started = {
  regenerated: unknown[];
  graphs: [string, string, unknown][];
  reported: string[];
  now: number;
  scans: number;
  handled: Readonly<Record<string, number>>;
};
type Watched = { home: MemoryTree; watcher: Watcher; seen: Started };

function watch(settings: Partial<TreeConfig>, failing = '', before?: Watched): Watched {
  const home = before?.home ?? memoryTree({ 'src/a.md': '# One\n\nFirst.\n', 'src/b.md': '# Two\n\nSecond.\n' });
  const seen: Started = before?.seen ?? { regenerated: [], graphs: [], reported: [], now: 0, scans: 0, handled: {} };
  const watcher = watchWorkspaces({
    tree: {
      ...home.tree,
      scan: (workspace, options) => {
        seen.scans += 1;
        return home.tree.scan(workspace, options);
      },
    },
    settings: { watch: 'mark', watch_seconds: 10, max_tokens: 5000, on_change: [], ...settings },
    clock: () => seen.now,
    regenerate: async (request) => void seen.regenerated.push(request),
    runGraph: async (graph, run, input) => {
      if (graph === failing) throw new Error('there is no such graph');
      seen.graphs.push([graph, run, input]);
    },
    handled: { read: () => seen.handled, write: (handled) => void (seen.handled = handled) },
    report: (problem) => void seen.reported.push(problem),
  });
  open.push({ home, watcher });
  return { home, watcher, seen };
}

/** Looks at the files until a look that began after this one: the reaction to the first is over by then. */
async function look({ watcher, seen }: Watched): Promise<void> {
  const enough = seen.scans + 2;
  await expect
    .poll(
      async () => {
        seen.now += 100_000;
        await watcher.poll({ isStopped: false });
        return seen.scans;
      },
      { interval: 5, timeout: 30_000 },
    )
    .toBeGreaterThanOrEqual(enough);
}

describe('the watcher', () => {
  it('does nothing before somebody has scanned, nor without a change, nor when it is off or stopped', async () => {
    const watched = watch({ on_change: ['noticed'], watch: 'regenerate' });
    const { home, watcher, seen } = watched;
    home.write({ 'src/a.md': '# Other\n' });
    await watcher.poll({ isStopped: false });
    await home.tree.scan('workspace');
    await look(watched);
    expect(seen).toMatchObject({ regenerated: [], graphs: [], reported: [] });
    const before = seen.scans;
    seen.now += 100_000;
    await watcher.poll({ isStopped: true });
    const off = watch({ watch: 'off' });
    off.seen.now = 100_000;
    await off.watcher.poll({ isStopped: false });
    await off.watcher.close();
    expect([seen.scans, off.seen.scans]).toEqual([before, 0]);
  });

  it('tells listeners and graphs once what has changed, and which frames became stale', async () => {
    const watched = watch({ on_change: ['missing', 'noticed'] }, 'missing');
    const { home, watcher, seen } = watched;
    await home.tree.scan('workspace');
    const quiet = { act: null, signal: new AbortController().signal };
    await home.synthesis.synthesize(SynthesisRequest.parse({ node: 'src' }), quiet);
    const heard: object[] = [];
    const stop = watcher.onChange((change) => void heard.push(change));
    home.write({ 'src/a.md': '# Three\n\nThird.\n', 'src/c.md': 'new\n', 'src/b.md': null });
    await look(watched);
    const change = { workspace: 'workspace', added: 1, removed: 1, stale: expect.arrayContaining(['src/a.md', 'src']) };
    expect(heard).toEqual([expect.objectContaining(change)]);
    expect(seen.graphs).toEqual([['noticed', expect.stringMatching(/^noticed-[0-9a-f]{8}-/), heard[0]]]);
    expect(seen.reported).toEqual(['the graph missing of on_change cannot run: there is no such graph']);
    expect(seen.regenerated).toEqual([]); // it only marks
    stop();
    home.write({ 'src/a.md': '# Four\n' });
    await look(watched);
    expect(heard).toHaveLength(1);
    expect(seen.graphs).toHaveLength(2);
  });

  it('starts the graph also for what the scan of somebody else found, and for what a killed worker did not get to', async () => {
    const watched = watch({ on_change: ['noticed'] });
    const { home, seen } = watched;
    await home.tree.scan('workspace');
    await look(watched);
    home.write({ 'src/a.md': '# Three\n' });
    await home.tree.scan('workspace');
    await look(watched);
    expect(seen.graphs).toHaveLength(1);
    const before = seen.handled;
    home.write({ 'src/a.md': '# Four\n' });
    await look(watched);
    seen.handled = before; // killed in between
    const again = watch({ on_change: ['noticed'] }, '', watched);
    await look(again);
    const [, second, third] = seen.graphs.map(([, run]) => run);
    expect(third).toBe(second);
    await look(again);
    expect(seen.graphs).toHaveLength(3);
  });

  it('makes again what became stale, within the budget, and nothing where there was no frame', async () => {
    const watched = watch({ watch: 'regenerate' });
    const { home, seen } = watched;
    await home.tree.scan('workspace');
    home.write({ 'src/a.md': '# Three\n' });
    await look(watched);
    expect(seen.regenerated).toEqual([]);
    await home.synthesis.synthesize(SynthesisRequest.parse({ node: 'src' }), {
      act: null,
      signal: new AbortController().signal,
    });
    home.write({ 'src/a.md': '# Four\n' });
    await look(watched);
    expect(seen.regenerated).toEqual([
      {
        id: expect.stringMatching(/^context-/),
        tool: 'context.regenerate',
        input: { workspace: 'workspace', recursive: true },
        max_tokens: 5000,
      },
    ]);
  });
});
