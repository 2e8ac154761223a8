import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { viewPorts } from '../../../../src/rooms/context/tree/tree-queries.ts';
import { readEvents } from '../../../../src/core/ledger/read-events.ts';
import { ContextView, type Frame, type NodeContext } from '../../../../src/core/schema/frame.ts';
import { composeNode, type ViewPorts } from '../../../../src/rooms/context/model/compose-view.ts';
import { writeAgent } from '../../../support/agents.ts';
import { openTreeHome, type TreeHome } from '../../../support/tree-home.ts';
import { timesOf } from '../../../support/thorough.ts';

type Given = Parameters<typeof ContextView.parse>[0];

/** A folder with two files, and seven frames of two agents. */
async function homeWithFrames(): Promise<TreeHome> {
  const at = await openTreeHome();
  writeAgent(at.home, 'scribe', 'role: writer');
  at.write({ 'desk/a.txt': 'alpha', 'desk/b.txt': 'beta' });
  await at.scan();
  await at.put('desk/a.txt', 'old note about invoices');
  await at.put('desk/a.txt', 'what a is', { type: 'summary', agent: 'scribe' });
  await at.put('desk/a.txt', 'its parts', { type: 'outline' });
  await at.put('desk/a.txt', 'new note about weather');
  await at.put('desk/b.txt', 'what b is', { type: 'summary' });
  await at.put('desk', 'what the desk is', { type: 'summary' });
  await at.put('', 'everything', { type: 'summary' });
  return at;
}

function compose(at: TreeHome, view: Given, path = 'desk/a.txt', ports: Partial<ViewPorts> = {}): Promise<NodeContext> {
  const all = { ...viewPorts(at.home), ...ports };
  return at.tree.read('workspace', (tree) => composeNode(tree, path, ContextView.parse(view), all));
}

const textsIn = ({ frames }: NodeContext): string[] => frames.map(({ content }) => content);

describe('5. Multi-frame composition', () => {
  it('is in the order of its policy: recency, type, agent, relevance or a registered one', async () => {
    await using at = await homeWithFrames();
    const newest = ['new note about weather', 'its parts', 'what a is', 'old note about invoices'];
    expect(textsIn(await compose(at, {}))).toEqual(newest);
    const byType = { ordering: { by: 'type', priority: ['summary', 'note'] } } as const;
    expect(textsIn(await compose(at, byType))).toEqual(['what a is', newest[0], newest[3], 'its parts']);
    const byAgent = { ordering: { by: 'agent', priority: ['scribe'] }, max_frames: 2 } as const;
    expect(textsIn(await compose(at, byAgent))).toEqual(['what a is', newest[0]]);
    const asked = { ordering: { by: 'relevance', question: 'where are the invoices?' }, max_frames: 1 } as const;
    expect(textsIn(await compose(at, asked))).toEqual(['old note about invoices']);
    const byLength = (frames: readonly Frame[]): Frame[] =>
      frames.toSorted((a, b) => a.content.length - b.content.length || (a.id < b.id ? -1 : 1));
    const custom = { ordering: { by: 'custom', name: 'shortest' }, max_frames: 1 } as const;
    const orderings = { shortest: byLength };
    expect((await compose(at, custom, 'desk/a.txt', { orderings })).frames[0]?.content.length).toBe(9);
    await expect(compose(at, custom)).rejects.toThrow('there is no ordering "shortest"');
  });

  it('takes frames of the node, its parent, its siblings and related nodes, and filters them', async () => {
    await using at = await homeWithFrames();
    const from = async (...sources: ContextView['sources']): Promise<string[]> =>
      textsIn(await compose(at, { sources, filters: { types: ['summary'] } }));
    expect(await from('node')).toEqual(['what a is']);
    expect(await from('parent')).toEqual(['what the desk is']);
    expect(await from('siblings')).toEqual(['what b is']);
    expect(await from({ related: ['.', 'desk/b.txt', 'not/there'] })).toEqual(['everything', 'what b is']);
    expect(await from('node', 'parent', 'siblings')).toHaveLength(3);
    expect(textsIn(await compose(at, { filters: { agents: ['scribe'] } }))).toEqual(['what a is']);
    expect(textsIn(await compose(at, { filters: { since: '2999-01-01T00:00:00Z' } }))).toEqual([]);
    expect(textsIn(await compose(at, { filters: { until: '2999-01-01T00:00:00Z' } }))).toHaveLength(4);
    expect(textsIn(await compose(at, { filters: { current: true } }))).toHaveLength(3);
  });

  it('Composition never exceeds max frames; ordering stable across runs; same request yields same frame set', async () => {
    await using at = await homeWithFrames();
    const view = fc.record({
      max_frames: fc.nat({ max: 8 }),
      sources: fc.subarray(['node', 'parent', 'siblings'] as const),
      ordering: fc.constantFrom(
        { by: 'recency' as const },
        { by: 'type' as const, priority: ['summary'] },
        { by: 'agent' as const },
        { by: 'relevance' as const, question: 'weather' },
      ),
    });
    await fc.assert(
      fc.asyncProperty(view, fc.constantFrom('', 'desk', 'desk/a.txt'), async (given, path) => {
        const first = await compose(at, given, path);
        expect(first.frames.length).toBeLessThanOrEqual(given.max_frames);
        expect(await compose(at, given, path)).toEqual(first);
      }),
      { numRuns: timesOf(300, 25) },
    );
  });

  it('Missing frames handled gracefully: one whose text is lost is skipped, and the next one takes its place', async () => {
    await using at = await homeWithFrames();
    const { text } = viewPorts(at.home);
    const lost = async (frame: Parameters<typeof text>[0]): Promise<string | null> =>
      (await text(frame))?.includes('weather') === true ? null : text(frame);
    expect(textsIn(await compose(at, { max_frames: 2 }, 'desk/a.txt', { text: lost }))).toEqual([
      'its parts',
      'what a is',
    ]);
  });

  it('No writes during composition, and API calls do not trigger synthesis implicitly', async () => {
    await using at = await homeWithFrames();
    const events = async (): Promise<number> => (await Array.fromAsync(readEvents(at.home.ledgers.run))).length;
    const before = await events();
    await compose(at, { sources: ['node', 'parent', 'siblings'] });
    await compose(at, {}, 'desk');
    expect(await events()).toBe(before);
  });

  it('Empty composition returns empty result, and says how many frames there are', async () => {
    await using at = await homeWithFrames();
    expect(await compose(at, { filters: { types: ['none'] } })).toMatchObject({ frames: [], frame_count: 4 });
    expect(await compose(at, { max_frames: 0 })).toMatchObject({ frames: [], frame_count: 4 });
  });

  it('Policy changes produce different results', async () => {
    await using at = await homeWithFrames();
    const recency = textsIn(await compose(at, { max_frames: 1 }));
    expect(textsIn(await compose(at, { max_frames: 1, ordering: { by: 'type', priority: ['summary'] } }))).not.toEqual(
      recency,
    );
  });

  it('relevance finds each word of a name in code, and the name itself before its words', async () => {
    await using at = await homeWithFrames();
    const [name, words] = ['exports parseInvoiceLines', 'parse invoice lines, then parse lines again'];
    await at.put('desk/a.txt', name);
    await at.put('desk/a.txt', words);
    await at.put('desk/a.txt', 'the latest note');
    const best = async (question: string): Promise<string[]> =>
      textsIn(await compose(at, { ordering: { by: 'relevance', question }, max_frames: 2 }));
    expect(await best('which lines are parsed?')).toEqual([words, name]);
    expect(await best('where is parseInvoiceLines?')).toEqual([name, words]);
  });

  it('2. Invalid node_id returns clear error: by path, by an id that there is not, and the same each time', async () => {
    await using at = await homeWithFrames();
    await expect(compose(at, {}, 'nothing')).rejects.toThrow('there is no node "nothing"');
    const find = (name: string): Promise<string> => at.tree.read('workspace', (tree) => tree.find(name));
    for (const name of ['nothing', 'ffff', 'ffff', '../etc', ''.padEnd(64, 'f')])
      await expect(find(name)).rejects.toThrow(`there is no node "${name}" in the context tree of workspace`);
  });
});
