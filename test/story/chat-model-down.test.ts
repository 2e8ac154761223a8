/** A conversation whose model answers with errors: everybody who looks at it is told, and who waits for it is let go. */
import { expect, it } from 'vitest';
import { fail } from '../support/wire-server-reply.ts';
import { openChatStory, persona } from '../support/chat-story.ts';

it('a model that answers 500 is named in the conversation, in view, and by --wait, which ends', async () => {
  await using chat = await openChatStory({ arya: persona('Knows names.') }, () => fail(500));
  chat.story.work();
  chat.open('forge');
  await chat.story.until('the conversation', async () => (await chat.conversation('forge')) ?? undefined);
  const waited = await chat.story.oka('chat', 'send', 'forge', '@arya hello', '--wait');
  expect(waited.code).toBe(1);
  expect(waited.err + waited.out).toMatch(/arya.*waits for .*model/is);
  const queue = async (): Promise<unknown> => (await chat.conversation('forge'))?.queue;
  await expect
    .poll(queue, { timeout: 30_000 }) // now and then the model is asked again
    .toMatchObject([{ agent: 'arya', state: 'waiting for its model', why: expect.any(String) as string }]);
  const view = async (): Promise<string> => (await chat.story.oka('chat', 'view', 'forge')).err;
  await expect.poll(view, { timeout: 30_000 }).toMatch(/arya waits for its model/);
});
