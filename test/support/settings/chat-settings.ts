/** What is seen of conversations: the budget of a reply is in the event that begins it. */
import { expect } from 'vitest';
import type { Event } from '../../../src/core/schema/event.ts';
import type { Json } from '../../../src/core/schema/json.ts';
import { answerOf, persona } from '../chat-story.ts';
import { say, stall } from '../wire-server-reply.ts';
import { settingGroup } from './setting-group.ts';

type Budgets = { [name: string]: number };
type Seen = { budgets: Budgets[]; messages: string; events: Event[] };

const LIMITS = {
  tokens: 80_000,
  usd: 0.5,
  tool_calls: 7,
  retries: 2,
  replans: 1,
  seconds: 900,
  depth: 3,
  output_bytes: 70_000,
};
const stalled = '@arya be silent';

export const chatSettings = settingGroup<Seen>({
  name: 'conversations',
  model: (request) =>
    answerOf(({ agent }) => (agent === 'arya' ? 'Ask @gendry' : 'Yes.'), request).do === 'answer' &&
    request.text.includes('be silent')
      ? stall()
      : answerOf(
          ({ agent }) => say(agent === 'arya' ? 'Ask @gendry' : 'Yes.', { usage: { in: 3000, out: 1000 } }),
          request,
        ),
  config: ({ model }): { [key: string]: Json } => ({
    inbox: { settle_ms: 20, rescan_ms: 200 },
    memory: { cap: 0, vectors: false },
    models: {
      use: 'custom:story',
      settings: { 'custom:story': { base_url: `${model.url}/v1`, price: { in: 1, out: 1 } } },
    },
    chat: {
      at_once: 1,
      reply: LIMITS,
      idle_seconds: 30,
      chain: { calls: 7, tokens: 82_000, usd: 0.501 },
    },
  }),
  act: async (story) => {
    for (const name of ['arya', 'gendry']) story.write(`.oka/rules/agents/${name}.md`, persona('Knows things.'));
    story.start(['worker']);
    const post = (chat: string, text: string) => story.oka('chat', 'send', chat, text);
    const replies = async (count: number) => {
      const posted = (await story.eventsOf('message.posted')).filter(({ data }) => data.kind === 'agent');
      return posted.length >= count ? posted : undefined;
    };
    for (const chat of ['forge', 'hall']) await story.oka('chat', 'new', chat);
    await post('forge', '@arya what is it?');
    await post('hall', '@gendry what is it?');
    await story.until('three replies', () => replies(3));
    await post('hall', stalled);
    await story.until('a reply that was stopped', () => replies(4));
    const started = await story.eventsOf('run.started');
    return {
      budgets: started.map(({ data }) => data.budgets as Budgets),
      messages: (await story.oka('chat', 'view', 'hall')).out,
      events: await story.events(),
    };
  },
  rows: {
    ...Object.fromEntries(
      Object.entries(LIMITS).map(([name, most]) => [
        `chat.reply.${name}`,
        ({ budgets }: Seen) => expect(budgets[0]?.[name]).toBe(most),
      ]),
    ),
    'chat.chain.calls': ({ budgets }) =>
      expect(Math.min(...budgets.map((each) => each['tool_calls'] ?? 99))).toBeLessThan(7),
    'chat.chain.tokens': ({ budgets }) =>
      expect(Math.min(...budgets.map((each) => each['tokens'] ?? 9e9))).toBeLessThan(80_000),
    'chat.chain.usd': ({ budgets }) => expect(Math.min(...budgets.map((each) => each['usd'] ?? 99))).toBeLessThan(0.5),
    'chat.at_once': ({ events }) => {
      const moments = events.filter(({ type }) => ['run.started', 'run.ended'].includes(type)).map(({ type }) => type);
      expect(moments.join(' ')).not.toContain('run.started run.started');
    },
    'chat.idle_seconds': ({ messages }) => expect(messages).toMatch(/no progress|30 seconds/),
  },
});
