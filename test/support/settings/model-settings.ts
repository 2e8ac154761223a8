/** What is seen of a model that is asked by a command, and of one that does not answer. */
import { expect } from 'vitest';
import type { Json } from '../../../src/core/schema/json.ts';
import { say, stall } from '../wire-server-reply.ts';
import { command, settingGroup } from './setting-group.ts';

type Seen = { asked: string[]; tested: string; late: string; prompt: number; run: string };

const LONG = 'apples '.repeat(15_000);

export const modelSettings = settingGroup<Seen>({
  name: 'a model',
  model: ({ text, model }) => (model === 'silent' ? stall() : say(text.includes('apples') ? 'apples' : 'OK')),
  config: ({ model }): { [key: string]: Json } => {
    const own = { base_url: `${model.url}/v1` };
    return {
      models: {
        use: 'custom:usual',
        timeout_seconds: 2,
        context_tokens: 4096,
        settings: { 'custom:usual': own, 'custom:silent': own },
      },
    };
  },
  act: async (story) => {
    const tested = (await command(story, 'model', 'test')).text;
    const late = (await command(story, 'model', 'test', 'custom:silent')).text;
    story.write(
      'long.json',
      JSON.stringify({
        id: 'long',
        mode: 'flex',
        nodes: [{ kind: 'ai_template', id: 'say', prompt: 'Say what {{input.long}} is.' }],
      }),
    );
    const { text: run } = await command(
      story,
      'graph',
      'run',
      `${story.home.dir}/long.json`,
      '--id',
      'long',
      '--input',
      JSON.stringify({ long: LONG }),
    );
    const lengths = story.model.requests.map(({ text }) => text.length);
    return { tested, late, run, prompt: Math.max(...lengths), asked: story.model.requests.map(({ model }) => model) };
  },
  rows: {
    'models.use': ({ asked, tested }) => {
      expect(asked[0]).toBe('usual');
      expect(tested).toContain('custom:usual');
    },
    'models.timeout_seconds': ({ late }) => expect(late).toMatch(/timeout_seconds|did not respond|no answer/),
    'models.context_tokens': ({ prompt, run }) => {
      expect(prompt, run).toBeGreaterThan(4096);
      expect(prompt, run).toBeLessThan(LONG.length / 2);
    },
  },
});
