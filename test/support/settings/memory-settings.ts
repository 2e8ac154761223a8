/** What is seen of memory in prompts: `oka memory pack` says what a planner got, and why something was left out. */
import { expect } from 'vitest';
import type { Json } from '../../../src/core/schema/json.ts';
import type { PackManifest } from '../../../src/core/schema/memory.ts';
import { goal, inParts, plan, refusing } from '../story-model.ts';
import { call } from '../wire-server-reply.ts';
import { rememberHabits } from './habit-settings.ts';
import { settingGroup } from './setting-group.ts';

type Seen = { packs: PackManifest[] };

const TASK =
  '---\nid: ID\nbudget: { replans: 0 }\n---\nCompare the harvest of apples in the orchard of ID with that of last year.\n';
const facts = ['red apples', 'green apples', 'apples of last year', 'the harvest of apples', 'orchard apples'];

const left = ({ packs }: Seen, section: string, why: RegExp) =>
  expect(packs.flatMap(({ dropped }) => dropped).some((each) => each.section === section && why.test(each.why))).toBe(
    true,
  );

export const memorySettings = settingGroup<Seen>({
  name: 'memory in prompts',
  model: inParts({
    planner: () =>
      plan(
        [
          goal('look', 'Look at the harvest of apples', ['files.list']),
          { ...goal('tell', 'Tell it', ['files.list']), needs: ['look'] },
        ],
        ['file: a.txt'],
      ),
    executor: () => call('finish', { output: 'the harvest of apples was looked at' }),
    critic: refusing,
  }),
  config: ({ model }): { [key: string]: Json } => ({
    inbox: { settle_ms: 20, rescan_ms: 200, parallel: 1 },
    models: { use: 'custom:story', settings: { 'custom:story': { base_url: `${model.url}/v1` } } },
    memory: {
      cap: 500,
      facts: 3,
      episodes: 1,
      vectors: false,
      shares: { standing: 0.05, graph: 0.01, facts: 0.08, episodes: 0.1, frames: 0.01, procedures: 0.01 },
    },
  }),
  act: async (story) => {
    for (const [at, about] of facts.entries())
      await story.oka('memory', 'fact', 'add', `Ann said about ${about} that number ${at} is what she wants to know`);
    for (const about of ['weights in kilograms, never in pounds', 'money in euro with two digits behind the point'])
      await story.oka(
        'memory',
        'fact',
        'add',
        `When harvests are compared, write ${about}.`,
        '--namespace',
        'standing',
      );
    story.write('workspace/desk/apples.md', '# Apples of the orchard\n\nThe harvest of apples, by year.\n');
    await story.oka('context', 'synthesize', 'desk');
    await rememberHabits(story);
    story.start(['worker']);
    const packs: PackManifest[] = [];
    for (const id of ['ann', 'bob', 'carla']) {
      story.drop(`${id}.md`, TASK.replaceAll('ID', id));
      await story.ended(id);
    }
    story.drop('dora.md', '---\nid: dora\nbudget: { replans: 0 }\n---\nWhisper "hello you" into c.txt\n');
    await story.ended('dora');
    for (const event of await story.events()) if (event.type === 'context.packed') packs.push(event.data);
    return { packs };
  },
  rows: {
    'memory.cap': ({ packs }) => expect(packs.map(({ cap }) => cap)).toContain(500),
    'memory.vectors': ({ packs }) => expect(new Set(packs.map(({ by }) => by))).toEqual(new Set(['keywords'])),
    'memory.facts': (seen) => left(seen, 'facts', /too many/),
    'memory.episodes': (seen) => left(seen, 'episodes', /too many/),
    'memory.shares.standing': (seen) => left(seen, 'standing', /share|too long/),
    'memory.shares.graph': (seen) => left(seen, 'graph', /share|too long/),
    'memory.shares.facts': (seen) => left(seen, 'facts', /share|too long/),
    'memory.shares.episodes': (seen) => left(seen, 'episodes', /share|too long/),
    'memory.shares.procedures': (seen) => left(seen, 'procedures', /share|too long/),
    'memory.shares.frames': (seen) => left(seen, 'frames', /share|too long/),
  },
});
