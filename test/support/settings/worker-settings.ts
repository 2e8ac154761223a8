/** What is seen of a worker: its tasks, its prompts, its hooks, and whom it tells. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Event } from '../../../src/core/schema/event.ts';
import { openSearchServer, type SearchServer } from '../search-server.ts';
import type { Story } from '../story.ts';
import { acting, goal, inParts, plan, verdict } from '../story-model.ts';
import { call, calls, fail } from '../wire-server-reply.ts';
import { openListener } from './listener.ts';
import { settingGroup } from './setting-group.ts';

type Seen = { story: Story; page: string; events: Event[]; heard: string[] };

const list = (path: string) => ({ name: 'files_list', input: { path } });
const SECONDS = 3;
const HOOKS = ['before_run', 'after_run', 'before_node', 'after_node', 'on_error'] as const;
let search: SearchServer;
let heard: string[] = [];

const runbook = (id: string): string =>
  `---\nid: ${id}\ntitle: ${id}\n---\n\`\`\`bash\nsleep 0.5; echo ${id} >> order.txt\n\`\`\`\n`;

const answers = [
  calls([list('.'), list('one'), list('two')]), // more than calls_per_answer
  call('web_search', { query: 'apples' }),
  call('files_read', { path: 'not-there.txt' }),
  call('files_list', { path: '.' }),
  call('files_list', { path: './' }),
];

const verdicts = [fail(503)];

const model = inParts({
  planner: () => plan([goal('work', 'Look it up', ['files.list', 'files.read', 'web.search'])], ['file: order.txt']),
  executor: (request) => answers.shift() ?? acting()(request),
  critic: () => verdicts.shift() ?? verdict('impossible', []),
});

const asked = ({ story }: Seen, name: string) => story.model.requests.find(({ model: its }) => its === name);

export const workerSettings = settingGroup<Seen>({
  name: 'a worker',
  model,
  config: async (story, stack) => {
    search = stack.use(await openSearchServer(() => [{ title: 'A', url: 'http://a.example/', text: 'apples' }]));
    const collector = stack.use(await openListener());
    heard = collector.heard;
    const own = { base_url: `${story.model.url}/v1` };
    const models = ['all', 'plans', 'acts', 'judges'].map((name) => [`custom:${name}`, own] as const);
    return {
      language: 'de',
      ledger: { reserve_kb: 100 },
      inbox: { settle_ms: 20, rescan_ms: 200, parallel: 1 },
      memory: { cap: 0, vectors: false },
      models: {
        use: 'custom:all',
        roles: { planner: 'custom:plans', executor: 'custom:acts', critic: 'custom:judges' },
        temperature: 0.25,
        top_p: 0.75,
        max_tokens: 1234,
        ask_again_seconds: 0.1,
        calls_per_answer: 2,
        settings: Object.fromEntries(models),
      },
      hooks: Object.fromEntries(
        HOOKS.map((hook) => [hook, { line: `echo ${hook} \${http_proxy:-alone} >> hooks.txt`, net: ['hook.example'] }]),
      ),
      rate_limits: { 'files.list': { calls: 1, seconds: SECONDS } },
      search: { provider: 'searxng', url: search.url, language: 'de-AT' },
      telemetry: { otlp: collector.url, texts: true },
    };
  },
  act: async (story) => {
    story.drop('one.md', runbook('one'));
    story.drop('two.md', runbook('two'));
    story.drop('three.md', '---\nid: three\nbudget: { replans: 0 }\n---\nLook up apples.\n');
    story.start(['worker']);
    await story.ended('one');
    await story.ended('two');
    const { page } = await story.ended('three');
    await story.until('what happened', async () => heard.find((each) => /^POST \/v1\/logs .*three/s.test(each)));
    return { story, page, events: await story.events(), heard };
  },
  rows: {
    language: ({ page }) => expect(page).toMatch(/^## Was getan wurde/m),
    'ledger.reserve_kb': ({ story }) =>
      expect(statSync(join(story.home.oka, 'state/run.reserve')).size).toBe(100 * 1024),
    'inbox.parallel': ({ events }) => {
      const ofTasks = events.filter(({ type, run }) => /^run\.(?:started|ended)$/.test(type) && !run?.includes('.'));
      const moments = ofTasks.map(({ type }) => type);
      expect(moments.slice(0, 4)).toEqual(['run.started', 'run.ended', 'run.started', 'run.ended']);
    },
    'models.roles.planner': (seen) => expect(asked(seen, 'plans')?.tools).toContain('submit_plan'),
    'models.roles.executor': (seen) => expect(asked(seen, 'acts')?.tools).toContain('finish'),
    'models.roles.critic': (seen) => expect(asked(seen, 'judges')?.tools).toContain('submit_verdict'),
    'models.settings': ({ story }) => expect(story.model.requests.length).toBeGreaterThan(3),
    'models.temperature': (seen) => expect(asked(seen, 'plans')?.body['temperature']).toBe(0.25),
    'models.top_p': (seen) => expect(asked(seen, 'plans')?.body['top_p']).toBe(0.75),
    'models.max_tokens': (seen) => expect(JSON.stringify(asked(seen, 'acts')?.body)).toContain('1234'),
    'models.ask_again_seconds': ({ events }) => {
      const pause = events.find(({ type, data }) => type === 'wait.opened' && JSON.stringify(data).includes('judges'));
      expect(pause?.data).toMatchObject({ for: { kind: 'timer', ms: 100 } });
    },
    'models.calls_per_answer': ({ story }) => {
      expect(story.model.requests.some(({ text }) => /at most 2\b|more than 2\b/.test(text))).toBe(true);
    },
    'search.provider': () => expect(search.requests.map(({ path }) => path)).toContain('/search'),
    'search.url': () => expect(search.requests[0]?.query.get('q')).toBe('apples'),
    'search.language': () => expect(search.requests[0]?.query.get('language')).toBe('de-AT'),
    ...Object.fromEntries(
      HOOKS.flatMap((hook) => [
        [
          `hooks.${hook}.line`,
          ({ story }: Seen) => expect(story.deskText('hooks.txt')).toMatch(new RegExp(`^${hook} `, 'm')),
        ],
        [`hooks.${hook}.net`, ({ story }: Seen) => expect(story.deskText('hooks.txt')).not.toMatch(`${hook} alone`)],
      ]),
    ),
    rate_limits: ({ events }) => {
      const looks = events.filter(({ data }) => (data as { tool?: string }).tool === 'files.list');
      const calls = looks.map(({ data }) => (data as { call: string }).call);
      const ended = events.filter(
        ({ type, data }) => type === 'call.ended' && calls.includes((data as { call: string }).call),
      );
      const [first, second] = ended.map(({ at }) => Date.parse(at));
      expect((second ?? 0) - (first ?? 0)).toBeGreaterThan(SECONDS * 1000 - 500); // the second one had to wait
    },
    'telemetry.otlp': () => expect(heard.some((each) => each.startsWith('POST /v1/traces'))).toBe(true),
    'telemetry.texts': () => expect(heard.join('\n')).toMatch(/Received the task one\.md/),
  },
});
