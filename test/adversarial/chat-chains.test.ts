/** Chains of mentions of every length, and floods of messages: bounded, in order, nothing lost. */
import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { noteTyping, TYPING_MS, typingFolders } from '../../src/rooms/chat/typing-files.ts';
import type { Event } from '../../src/core/schema/event.ts';
import { accountOf } from '../support/chat-trial.ts';
import { answerOf, openChatStory, persona, type Speaker } from '../support/chat-story.ts';
import { scaled } from '../support/thorough.ts';
import { call } from '../support/wire-server-reply.ts';

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

/** Runs that were begun to answer in a conversation. */
const runsIn = (conversation: string, events: readonly Event[]): Set<string> =>
  new Set(
    events.flatMap(({ type, data }) =>
      type === 'notice.taken' && data.conversation === conversation ? [data.run] : [],
    ),
  );

const isEnded = (run: string, events: readonly Event[]): boolean =>
  events.some((event) => event.type === 'run.ended' && event.run === run);

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

describe('a conversation that is deleted in the middle of a chain', () => {
  it('ends there: nothing is said or begun in it any more, and other conversations go on', {
    timeout: 300_000,
  }, async () => {
    await using chat = await openChatStory(agentsOf(3), forwarding(3, 12));
    chat.story.work();
    for (const room of ['hall', 'yard']) {
      chat.open(room);
      chat.post(room, '@arya begin');
    }
    await chat.story.until('a few replies', async () => ((await chat.messages('hall')).length > 5 ? true : undefined));
    chat.request({ kind: 'chat_delete', conversation: 'hall' });
    const messages = await chat.settled('yard', 14);
    expect(messages.filter(({ kind }) => kind === 'agent')).toHaveLength(13);
    await chat.story.until('the end of hall', async () => (await chat.conversation('hall')) === null || undefined);
    const events = await chat.story.until('the end of every run of hall', async () => {
      const all = await chat.story.events();
      return [...runsIn('c-hall', all)].every((run) => isEnded(run, all)) ? all : undefined;
    });
    const deleted = events.findIndex(({ type }) => type === 'chat.deleted');
    expect(deleted).toBeGreaterThan(0);
    const later = events.slice(deleted + 1);
    expect(later.filter(({ data }) => 'conversation' in data && data.conversation === 'c-hall')).toEqual([]);
    const ofHall = runsIn('c-hall', events);
    expect(later.filter(({ type, run }) => type === 'run.started' && ofHall.has(run ?? ''))).toEqual([]);
    expect(accountOf(events).problems).toEqual([]);
  });
});

describe('a conversation that is paused in a loop of tools', () => {
  it('settles the call in hand, starts no other, and goes on with the next one when it is resumed', {
    timeout: 300_000,
  }, async () => {
    const turns = 12;
    const isPaused = Promise.withResolvers<void>();
    const speak: Speaker = ({ request }) => {
      const done = Array.from({ length: turns }, (_, at) => at).filter((at) => request.text.includes(`MARK-${at}.`));
      return done.length < turns ? call('files_read', { path: `${done.length}.txt` }) : 'Looked everywhere.';
    };
    await using chat = await openChatStory(agentsOf(1), speak, {
      model: async (request) => {
        if (request.text.includes('MARK-3.')) await isPaused.promise; // else it may be at its end before the pause
        return answerOf(speak, request);
      },
    });
    for (let at = 0; at < turns; at += 1) chat.story.write(`workspace/desk/${at}.txt`, `MARK-${at}.`);
    chat.story.work();
    chat.open('hall');
    chat.post('hall', '@arya look');
    const calls = async (): Promise<string[]> =>
      (await chat.story.eventsOf('call.started')).flatMap(({ data }) =>
        data.tool.startsWith('model.') ? [] : data.call,
      );
    await chat.story.until('some calls', async () => ((await calls()).length >= 3 ? true : undefined));
    chat.request({ kind: 'chat_pause', conversations: ['hall'] });
    await chat.story.until('the pause of the conversation', async () => (await chat.story.eventsOf('chat.paused'))[0]);
    isPaused.resolve();
    await chat.story.until('the pause of the run', async () => (await chat.story.eventsOf('run.paused'))[0]);
    const atPause = await calls();
    const events = await chat.story.events();
    const paused = events.findIndex(({ type }) => type === 'run.paused');
    expect(events.slice(paused).filter(({ type }) => type === 'call.started')).toEqual([]);
    const ended = events.flatMap((event) => (event.type === 'call.ended' ? event.data.call : []));
    expect(atPause.filter((each) => !ended.includes(each))).toEqual([]);
    chat.request({ kind: 'chat_resume', conversations: ['hall'] });
    expect((await chat.settled('hall', 3)).at(-1)).toMatchObject({ content: 'Looked everywhere.', status: 'done' });
    const all = await calls();
    expect(all.slice(0, atPause.length)).toEqual(atPause);
    expect(new Set(all).size).toBe(all.length);
    expect(all.length).toBeGreaterThan(atPause.length);
  });
});

describe('a reply', () => {
  it('that makes no progress is stopped after idle_seconds, and the next one is answered', async () => {
    const config = { chat: { idle_seconds: 2 } };
    await using chat = await openChatStory(
      agentsOf(1),
      ({ request }) => (request.text.includes('again') ? 'Here.' : { do: 'stall', first: 'Well' }),
      { config },
    );
    chat.story.work();
    chat.open('hall');
    chat.post('hall', '@arya are you there?');
    const messages = await chat.settled('hall', 3);
    expect(messages.at(-1)).toMatchObject({ from: 'arya', status: 'timed out' });
    expect(messages.at(-1)?.limit).toBe('idle_seconds');
    chat.post('hall', '@arya again');
    expect((await chat.settled('hall', 5)).at(-1)).toMatchObject({ content: 'Here.', status: 'done' });
  });

  it('of an agent to an agent waits while a person types, and goes on when the line was left for 30 seconds', async () => {
    await using chat = await openChatStory(agentsOf(2), forwarding(2, 3));
    const [folder] = typingFolders(chat.story.home.oka);
    const file = join(folder, 'c-hall');
    const typedAt = (ms: number): void => {
      noteTyping(folder, 'c-hall');
      utimesSync(file, ms / 1000, ms / 1000);
    };
    typedAt(Date.now() + 25_000); // a slow machine has more time; a clock that is ahead counts the same
    chat.story.work();
    chat.open('hall');
    chat.post('hall', '@arya begin');
    const held = await chat.story.until('the forward', async () => (await chat.conversation('hall'))?.queue[0]);
    await chat.story.until('the first reply', async () =>
      (await chat.messages('hall')).some(({ from }) => from === 'arya') ? true : undefined,
    );
    expect(held).toBeDefined();
    chat.open('yard'); // whatever else the worker does, the forward stays where it is
    await chat.story.until('the other one', async () => (await chat.conversation('yard')) ?? undefined);
    expect((await chat.conversation('hall'))?.queue).toMatchObject([{ agent: 'bran', state: 'queued', depth: 1 }]);
    typedAt(Date.now() - TYPING_MS);
    const messages = await chat.settled('hall', 7);
    expect(messages.filter(({ kind }) => kind === 'agent')).toHaveLength(4);
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
