import { describe, expect, it } from 'vitest';
import { openStory } from '../support/story.ts';
import { acting, goal, inParts, partOf, plan, verdict } from '../support/story-model.ts';
import { call, type WireFormat } from '../support/wire-server-reply.ts';

const TASK = `---
id: greeting
accept:
  - 'contains: hello.txt "Hello, Ada"'
---
Write a friendly greeting for Ada into hello.txt and look that it is there.
`;

const friendly = inParts({
  planner: () =>
    plan(
      [
        { id: 'folder', tool: 'files.list', input: {} },
        { ...goal('write', 'Write "Hello, Ada" into hello.txt', ['files.write', 'files.read']), needs: ['folder'] },
      ],
      ['The greeting is friendly.'],
    ),
  executor: acting(
    call('files_write', { path: 'hello.txt', content: 'Hello, Ada, how good to see you!\n' }),
    call('files_read', { path: 'hello.txt' }, { usage: { in: 100, out: 5, cached: 60 } }),
  ),
  critic: ({ text }) => {
    const piece = [...text.matchAll(/\b(E\d+) files\.read/g)].at(-1)?.[1] ?? '';
    const claim = { holds: true, evidence: piece, quote: 'how good to see you!' };
    return verdict(
      'done',
      ['c1', 'c2'].map((criterion) => ({ criterion, ...claim })),
    );
  },
});

const environments: Record<WireFormat, (url: string) => Record<string, string>> = {
  openai: (url) => ({ OKA_MODEL: 'custom:story', OKA_MODEL_URL: `${url}/v1` }),
  anthropic: (url) => ({ OKA_MODEL: 'anthropic:story', ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'sk-ant-story' }),
};

describe('a task in prose', () => {
  it.each<WireFormat>(['openai', 'anthropic'])(
    'is planned, executed by an agent, judged and done over the %s format',
    async (format) => {
      await using story = await openStory({ model: friendly, unnamed: true });
      story.drop('greeting.md', TASK);
      story.work(environments[format](story.model.url));
      const { status, page } = await story.ended('greeting');
      expect(page).toContain('✅ Done.** 3 of 3 criteria met.');
      expect(status).toBe('done');
      expect(story.deskText('hello.txt')).toContain('Hello, Ada');
      expect(page).toMatch(
        /✅ contains: hello\.txt[^]*✅ The greeting is friendly\.\n {2}Judged by a model: .*how good/,
      );
      expect(page).toContain(format === 'openai' ? 'custom:story' : 'anthropic:story');
      expect(story.model.requests.every((request) => request.format === format)).toBe(true);
      expect(new Set(story.model.requests.map(partOf))).toEqual(new Set(['planner', 'executor', 'critic']));
      const [worker] = story.model.requests.filter((request) => partOf(request) === 'executor');
      expect(worker?.text).toMatch(
        /Your goal is a part of this task:\nWrite a friendly greeting[^]*is judged by:\n- contains: hello[^]*Goal: Write "Hello/,
      );
      const { cached_share: share } = JSON.parse((await story.oka('metrics', '--json')).out) as {
        cached_share: number;
      };
      expect(share).toBeCloseTo(60 / (100 + 10 * (story.model.requests.length - 1)));
      expect((await story.oka('metrics')).out).toMatch(/cached +\d+ % +of prompt tokens/);
      const moves = await story.eventsOf('run.moved', 'greeting');
      expect(moves.map(({ data }) => data.to)).toEqual(['EXECUTE', 'CRITIQUE']);
      const calls = await story.eventsOf('call.started');
      expect(calls.filter(({ data }) => data.tool === 'model.complete')).toHaveLength(story.model.requests.length);
    },
  );
});
