import { expect, it } from 'vitest';
import { penHolder } from '../../src/core/ledger/pen.ts';
import { oka } from '../support/cli.ts';
import { openStory } from '../support/story.ts';
import { say } from '../support/wire-server-reply.ts';

it('oka ask prints one answer and leaves no conversation, by itself and with a worker; send --wait prints all replies', async () => {
  await using story = await openStory({
    model: ({ text }) =>
      say(
        text.includes('You are arya,')
          ? 'It is blue, says arya.'
          : text.includes('ask somebody')
            ? '@arya please look at the sky.'
            : 'It is blue.\n\nMostly.',
      ),
  });
  story.write('.oka/rules/agents/arya.md', 'You look at things.');
  const dir = ['--dir', story.home.dir];
  const alone = await oka('ask', 'Which colour has the sky?', ...dir);
  expect(alone).toMatchObject({ code: 0, out: 'It is blue.\n\nMostly.\n' });
  expect((await oka('chat', ...dir)).out).toContain('No conversations yet.');
  story.work();
  await story.until('the worker', async () => penHolder(story.home.ledgers.run) ?? undefined);
  expect((await oka('ask', 'And now?', ...dir)).out).toBe('It is blue.\n\nMostly.\n');
  const json = JSON.parse(
    (await oka('ask', 'As JSON?', '--agent', 'arya', '--json', ...dir)).out.trim().split('\n').at(-1) ?? '',
  );
  expect(json).toMatchObject({ from: 'arya', content: 'It is blue, says arya.' });
  await oka('chat', 'new', 'sky', ...dir);
  const sent = await oka('chat', 'send', 'sky', 'ask somebody about the sky', '--wait', ...dir);
  expect(sent.code).toBe(0);
  expect(sent.out.split('\n').slice(1)).toEqual([
    'oka joined',
    'oka: @arya please look at the sky.',
    'arya joined',
    'arya: It is blue, says arya.',
    '',
  ]);
  expect((await oka('ask', 'Who?', '--agent', 'ary', ...dir)).err).toContain('did you mean "arya"?');
  expect((await oka('chat', '--json', ...dir)).out).not.toContain('ask-');
});
