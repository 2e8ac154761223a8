/**
 * A strict graph whose model answers otherwise each time it is asked: with recorded answers the same input takes the same
 * path and leaves the same files, with no model there any more.
 */
import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/core/schema/json.ts';
import { okaWith } from '../support/cli.ts';
import { openStory, type Story } from '../support/story.ts';
import { call, say, type WireReply, type WireRequest } from '../support/wire-server-reply.ts';

const bounds = { timeout_seconds: 60, max_retries: 0 };
const keyed = { ...bounds, idempotency_key: '{{input.mail}}' };

const graph = {
  id: 'sorting',
  mode: 'strict',
  nodes: [
    {
      kind: 'ai_template',
      id: 'summary',
      prompt: 'Summarise {{input.mail}}',
      output_schema: { type: 'object', required: ['topic'], properties: { topic: { type: 'string' } } },
      ...keyed,
    },
    {
      kind: 'llm_condition',
      id: 'sort',
      needs: ['summary'],
      prompt: 'Which queue does a mail about {{summary.topic}} belong to?',
      branch_options: [
        { name: 'urgent', meaning: 'somebody cannot work until it is answered' },
        { name: 'later', meaning: 'everything else' },
      ],
      branches: { urgent: 'answer', later: 'archive' },
      ...bounds,
    },
    { kind: 'ai_template', id: 'answer', prompt: 'Answer {{input.mail}}', ...keyed },
    {
      kind: 'tool',
      id: 'save',
      tool: 'files.write',
      needs: ['answer'],
      input: { path: 'answer.txt', content: '{{answer}}\n' },
      ...keyed,
    },
    {
      kind: 'tool',
      id: 'archive',
      tool: 'files.write',
      input: { path: 'archive.txt', content: '{{summary.topic}}\n' },
      ...keyed,
    },
  ],
};

/** Never the same twice: another topic, another branch, another text, and now and then nonsense. */
function fickleModel(): (request: WireRequest) => WireReply {
  const asked = { choose: 0, answer: 0, text: 0 };
  return ({ tools }) => {
    if (tools.includes('answer'))
      return (asked.answer += 1) % 2 === 1
        ? call('answer', { subject: 'no topic' })
        : call('answer', { topic: `topic ${asked.answer}` });
    if (!tools.includes('choose')) return say(`answer ${(asked.text += 1)}`);
    const branch = ['bin', 'urgent', 'later'][(asked.choose += 1) - 1] ?? 'later';
    return call('choose', { branch, reason: `reason ${asked.choose}` });
  };
}

type Ended = { status: string; path: string[]; output: Json };

async function run(story: Story, id: string, mail: string, cassette: string | undefined): Promise<Ended> {
  const words = ['graph', 'run', 'sorting', '--id', id, '--input', JSON.stringify({ mail }), '--json'];
  const { out } = await okaWith({ env: { OKA_CASSETTE: cassette } }, ...words, '--dir', story.home.dir);
  return JSON.parse(out) as Ended;
}

/** What each node made, in the order in which the nodes ended. */
async function madeBy(story: Story, run: string): Promise<Json[]> {
  const ended = await story.eventsOf('call.ended', run);
  return ended
    .filter(({ data }) => data.node !== null)
    .map(({ data: { node, status, output } }) => [node, status, output]);
}

describe('a strict graph', () => {
  it('takes the same path again with recorded answers, whatever the model would say now, and asks nobody', async () => {
    await using story = await openStory({ model: fickleModel() });
    story.write('workspace/graphs/sorting.json', JSON.stringify(graph));
    expect(await story.oka('graph', 'validate', 'sorting')).toMatchObject({ code: 0 });
    const first = await run(story, 'first', 'the shop is down', 'record');
    expect(first).toMatchObject({ status: 'done', path: ['summary', 'sort', 'answer', 'save'] });
    expect(story.model.requests).toHaveLength(5);
    for (const { body } of story.model.requests)
      expect(body).toMatchObject({ temperature: 0, seed: expect.any(Number) });
    expect(story.deskText('answer.txt')).toBe('answer 1\n');

    for (const id of ['second', 'third']) {
      expect(await run(story, id, 'the shop is down', 'replay')).toMatchObject({ status: 'done', path: first.path });
      expect(await madeBy(story, id)).toEqual(await madeBy(story, 'first'));
    }
    expect(story.model.requests).toHaveLength(5);
    expect(story.deskText('archive.txt')).toBeNull();

    const live = await run(story, 'live', 'the shop is down', undefined);
    expect(live).toMatchObject({ status: 'done', path: ['summary', 'sort', 'archive'] });
  });

  it('whose input was not recorded fails with recorded answers only, and takes no branch', async () => {
    await using story = await openStory({ model: fickleModel() });
    story.write('workspace/graphs/sorting.json', JSON.stringify(graph));
    await run(story, 'first', 'the shop is down', 'record');
    const other = await run(story, 'other', 'hello', 'replay');
    expect(other).toMatchObject({ status: 'failed', path: ['summary'] });
    expect(story.model.requests).toHaveLength(5);
  });
});
