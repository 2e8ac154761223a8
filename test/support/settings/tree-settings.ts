/** What is seen of a worker that watches the workspace. */
import { expect } from 'vitest';
import type { Event } from '../../../src/core/schema/event.ts';
import type { Json } from '../../../src/core/schema/json.ts';
import type { Story } from '../story.ts';
import { say } from '../wire-server-reply.ts';
import { settingGroup } from './setting-group.ts';

type Seen = { story: Story; events: Event[]; made: Event[] };

const SECONDS = 12;
const noting = {
  id: 'note-change',
  mode: 'flex',
  nodes: [{ kind: 'tool', id: 'note', tool: 'files.write', input: { path: 'changed.txt', content: 'x' } }],
};

export const treeSettings = settingGroup<Seen>({
  name: 'a worker that watches files',
  model: () => say('It is a file [L1]'),
  config: ({ model }): { [key: string]: Json } => ({
    inbox: { settle_ms: 20, rescan_ms: 200 },
    memory: { cap: 0, vectors: false },
    models: { use: 'custom:story', settings: { 'custom:story': { base_url: `${model.url}/v1` } } },
    tree: { watch: 'regenerate', watch_seconds: SECONDS, max_tokens: 777, on_change: ['note-change'] },
  }),
  act: async (story) => {
    story.write('workspace/graphs/note-change.json', JSON.stringify(noting));
    story.write('workspace/desk/p/a.md', '# A\n');
    await story.oka('context', 'synthesize', 'desk');
    const own = (await story.eventsOf('run.started')).length; // of the command
    story.start(['worker']);
    await story.until('a worker', async () => (await story.eventsOf('worker.started'))[0]);
    const regenerations = async (count: number) => {
      const begun = (await story.eventsOf('run.started')).filter(({ run }) => run?.startsWith('context-')).slice(own);
      return begun.length >= count ? begun : undefined;
    };
    story.write('workspace/desk/p/a.md', '# B\n');
    await story.until('frames to be made again', () => regenerations(1));
    story.write('workspace/desk/p/a.md', '# C\n');
    const made = await story.until('frames to be made once more', () => regenerations(2));
    await story.until('the graph', async () => (story.deskText('changed.txt') === null ? undefined : true));
    return { story, events: await story.events(), made };
  },
  rows: {
    'tree.watch': ({ made }) => expect(made.length).toBeGreaterThan(0),
    'tree.watch_seconds': ({ made: [first, second] }) =>
      expect(Date.parse(second?.at ?? '') - Date.parse(first?.at ?? '')).toBeGreaterThan((SECONDS - 1) * 1000),
    'tree.max_tokens': ({ made: [first] }) => expect(first?.data).toMatchObject({ budgets: { tokens: 777 } }),
    'tree.on_change': ({ story }) => expect(story.deskText('changed.txt')).toBe('x'),
  },
});
