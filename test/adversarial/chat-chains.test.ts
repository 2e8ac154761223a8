/** Chains of mentions of every length, and floods of messages: bounded, in order, nothing lost. */
import { describe, expect, it } from 'vitest';
import { accountOf } from '../support/chat-trial.ts';
import { openChatStory, persona, type Speaker } from '../support/chat-story.ts';
import { scaled } from '../support/thorough.ts';

const names = ['arya', 'bran', 'catelyn', 'davos', 'edric'];
const agentsOf = (count: number): Record<string, string> =>
  Object.fromEntries(names.slice(0, count).map((name) => [name, persona('Forwards.')]));

/** Mentions the next agent until the message it answers has been forwarded so often. */
const forwarding =
  (count: number, forwards: number): Speaker =>
  ({ agent, request }) => {
    const last = [...request.text.matchAll(/step (\d+)/g)].at(-1)?.[1] ?? '0';
    const next = Number(last) + 1;
    return next > forwards ? 'The end.' : `step ${next} @${names[(names.indexOf(agent) + 1) % count] ?? ''} go on`;
  };

describe('a chain of mentions', () => {
  it.each([
    [5, 7],
    [2, 100],
    [5, 150],
  ])(
    'of %i agents and %i forwards ends by itself, or after a hundred with a message that says so',
    async (count, forwards) => {
      await using chat = await openChatStory(agentsOf(count), forwarding(count, forwards));
      chat.story.work();
      chat.open('hall');
      chat.post('hall', '@arya begin');
      const replies = Math.min(forwards, 100) + 1;
      const messages = await chat.settled('hall', 1 + replies);
      const said = messages.filter(({ kind }) => kind === 'agent');
      expect(said).toHaveLength(replies);
      expect(said.map(({ depth }) => depth)).toEqual(said.map((_, index) => index));
      const stop = messages.filter(({ content }) => content.startsWith('The chain stops here'));
      expect(stop).toHaveLength(forwards > 100 ? 1 : 0);
      expect(accountOf(await chat.story.events()).problems).toEqual([]);
    },
  );

  it('ends when its budget is used up', async () => {
    const config = { chat: { chain: { calls: 7 } } };
    await using chat = await openChatStory(agentsOf(2), forwarding(2, 50), { config: { ...config } });
    chat.story.work();
    chat.open('hall');
    chat.post('hall', '@arya begin');
    const messages = await chat.settled('hall', 8);
    expect(messages.at(-1)?.content).toContain('its budget of 7 calls is used up');
    expect(messages.filter(({ kind }) => kind === 'agent')).toHaveLength(7);
  });
});

describe('many messages at once', () => {
  it('are all there in the order in which they were sent, and answered in that order', async () => {
    const count = scaled(300);
    await using chat = await openChatStory(agentsOf(2), ({ agent }) => `${agent} has seen it.`);
    for (const room of ['one', 'two', 'three']) chat.open(room);
    const sent = Array.from({ length: count }, (_, index) => {
      const room = ['one', 'two', 'three'][index % 3] ?? 'one';
      return [room, chat.post(room, index % 10 === 0 ? '@bran @arya look' : `@user note ${index}`)] as const;
    });
    chat.story.work();
    for (const room of ['one', 'two', 'three']) {
      const own = sent.filter(([name]) => name === room).map(([, id]) => id);
      const messages = await chat.settled(room, own.length + 2);
      expect(messages.flatMap(({ kind, id }) => (kind === 'person' ? [id] : []))).toEqual(own);
    }
    const account = accountOf(await chat.story.events());
    expect(account.problems).toEqual([]);
    expect(account.answered.length).toBeGreaterThanOrEqual(2 * Math.ceil(count / 10));
    expect(account.answered.toSorted()).toEqual(account.queued.toSorted());
  });
});
