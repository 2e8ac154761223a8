/** What is seen of `oka up`: what it starts, a search with a key, a browser that is not there, and states that are written soon. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { okaWith } from '../cli.ts';
import { openSearchServer, type SearchServer } from '../search-server.ts';
import type { Story } from '../story.ts';
import { acting, goal, inParts, plan, refusing } from '../story-model.ts';
import { call } from '../wire-server-reply.ts';
import { settingGroup } from './setting-group.ts';

type Seen = { doctor: string; waits: string; behind: number };

const EVENTS = 2;
const NOWHERE = '/nowhere/chromium';
let search: SearchServer;

function writtenSeq({ home }: Story): number {
  const file = join(home.oka, 'active_task_graph.json');
  return existsSync(file) ? ((JSON.parse(readFileSync(file, 'utf8')) as { seq?: number }).seq ?? 0) : 0;
}

export const upSettings = settingGroup<Seen>({
  name: 'oka up',
  model: inParts({
    planner: () => plan([goal('look', 'Look it up', ['web.search', 'browser.open'])], ['file: a.txt']),
    executor: acting(call('web_search', { query: 'pears' }), call('browser_open', { url: 'http://pears.example/' })),
    critic: refusing,
  }),
  config: async ({ model }, stack) => {
    search = stack.use(await openSearchServer(() => [{ title: 'P', url: 'http://pears.example/', text: 'pears' }]));
    return {
      inbox: { settle_ms: 20, rescan_ms: 200 },
      ledger: { snapshot_events: EVENTS, snapshot_ms: 60_000 },
      memory: { cap: 0, vectors: false },
      maintenance: { off: true },
      web: { off: true },
      models: { use: 'custom:story', settings: { 'custom:story': { base_url: `${model.url}/v1` } } },
      search: { provider: 'brave', url: search.url, key: 'other_key' },
      browser: { on: true, program: NOWHERE },
    };
  },
  act: async (story) => {
    const secret = ['secrets', 'set', 'other_key', '--tool', 'web.search', '--host', '127.0.0.1'];
    await okaWith({ input: 'brave-key' }, ...secret, '--dir', story.home.dir);
    story.drop(
      'pears.md',
      '---\nid: pears\nbudget: { replans: 0 }\n---\nLook up pears, and read http://pears.example/\n',
    );
    story.start(['up', '--no-setup']);
    await story.until('a wait or an end', async () => {
      const isOver = (await story.eventsOf('run.ended')).some(({ run }) => run === 'pears');
      return isOver || (await story.waiting()).length > 0 ? true : undefined;
    });
    const behind = ((await story.events()).at(-1)?.seq ?? 0) - writtenSeq(story);
    const doctor = (await story.oka('doctor')).out;
    return { doctor, behind, waits: JSON.stringify(await story.events()) };
  },
  rows: {
    'maintenance.off': ({ doctor }) => expect(doctor).toMatch(/maintain +(?:not running|.*off)/),
    'search.key': () => expect(search.requests[0]?.headers['x-subscription-token']).toBe('brave-key'),
    'browser.on': ({ waits }) => expect(waits).toContain('a task needs a browser'),
    'browser.program': ({ waits }) => expect(waits).toContain(NOWHERE),
    'ledger.snapshot_events': ({ behind }) => expect(behind).toBeLessThanOrEqual(EVENTS),
  },
});
