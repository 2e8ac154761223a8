import { afterEach, describe, expect, it } from 'vitest';
import type { ChannelQuestion } from '../../../src/core/schema/channel-port.ts';
import {
  approval,
  question,
  reachingStories,
  type ReachingStory,
  runEnded,
  runStarted,
  waitClosed,
  waitOpened,
} from '../../support/reaching.ts';

const phone = { kind: 'ntfy', url: 'https://ntfy.example.org', topic: 'oka' };
const apprise = { kind: 'apprise', url: 'https://apprise.example.org/notify' };
const MINUTE = 60_000;

const { tell, closeStories } = reachingStories();
afterEach(closeStories);

async function ask(story: ReachingStory, ...runs: readonly string[]): Promise<void> {
  for (const run of runs) await story.append(runStarted(run), waitOpened(run, question()));
}
const titles = (story: ReachingStory): string[] => story.shown.map(({ message }) => message.title);
const replaced = (story: ReachingStory): (string | null)[] =>
  story.shown.map(({ message }) => message.replaces?.delivery ?? null);
const acts = (story: ReachingStory): string[] =>
  story.events.flatMap((event) => (event.type === 'delivery.started' ? [event.data.act] : []));

describe('a group', () => {
  it('is one message that grows, and starts over after an hour', async () => {
    const story = tell({ channels: { phone } });
    await ask(story, 'a', 'b', 'c', 'd', 'e', 'f');
    await story.pass(5 * MINUTE, 5000);
    await ask(story, 'g', 'h', 'i', 'j', 'k', 'l');
    await story.pass(10 * MINUTE, 5000);
    expect(titles(story)).toEqual(['6 questions for you', '12 questions for you']);
    expect(replaced(story)).toEqual([null, 'phone.1']);
    expect(story.shown[1]?.message.body).toMatch(/^- The task g: .*\n[^]*- The task a: /);
    expect(story.shown[1]?.message.urgency).toBe('high');
    expect(story.events.filter(({ type }) => type === 'delivery.started').at(-1)).toMatchObject({
      data: { act: 'update', of: 'phone.1', things: ['g', 'h', 'i', 'j', 'k', 'l'].map((run) => `wait/${run}.ask.1`) },
    });
    await story.pass(60 * MINUTE, 30_000);
    await ask(story, 'm', 'n', 'o', 'p', 'q', 'r');
    await story.pass(2 * MINUTE, 5000);
    expect(titles(story).slice(2)).toEqual(['6 questions for you']);
    expect(acts(story)).toEqual(['send', 'update', 'send']);
  });

  it('is a new message where a channel cannot replace one', async () => {
    const story = tell({ channels: { apprise } });
    await ask(story, 'a', 'b', 'c', 'd', 'e', 'f');
    await story.pass(5 * MINUTE, 5000);
    await ask(story, 'g', 'h', 'i', 'j', 'k', 'l');
    await story.pass(10 * MINUTE, 5000);
    expect(titles(story)).toEqual(['6 questions for you', '6 questions for you']);
    expect(acts(story)).toEqual(['send', 'send']);
  });

  it('leaves out what was answered meanwhile, and is closed once, when nothing in it is open', async () => {
    const quiet = { from: '11:00', to: '12:05' };
    const story = tell({ announce: ['needs_you', 'failed'], quiet, time_zone: 'UTC', channels: { phone } });
    await story.pass(1000);
    await ask(story, 'a', 'b', 'c', 'd', 'e');
    await story.append(runStarted('x'), runEnded('x', 'failed'));
    await story.pass(6 * MINUTE, 5000);
    for (const run of ['a', 'b', 'c']) await story.append(waitClosed(run));
    await ask(story, 'g', 'h', 'i', 'j', 'k', 'l');
    await story.pass(MINUTE, 5000);
    const [, second] = story.shown;
    expect(second?.message.title).toBe('8 questions for you, 1 failed');
    expect(second?.message.body).not.toMatch(/task [abc]:/);
    for (const run of ['d', 'e', 'g', 'h', 'i', 'j', 'k', 'l']) await story.append(waitClosed(run));
    await story.pass(10 * MINUTE, 5000);
    expect(story.shown.slice(2)).toMatchObject([
      { act: 'close', message: { replaces: { delivery: 'phone.1', isSettled: true } } },
    ]);
    // What is not a question is still in it.
    expect(story.shown[2]?.message.body).toMatch(/^Answered at \d\d:\d\d\.\n\n- The task x: failed/);
    expect(story.state().channels['phone']?.messages).toEqual({});
  });

  it('of news alone grows, too, and is never closed', async () => {
    const story = tell({ announce: ['done'], channels: { phone } });
    await story.pass(1000);
    for (const wave of ['a', 'b', 'c']) {
      for (let each = 0; each < 6; each += 1)
        await story.append(runStarted(`${wave}${each}`), runEnded(`${wave}${each}`));
      await story.pass(MINUTE, 5000);
    }
    await ask(story, 'q');
    await story.append(waitClosed('q'));
    await story.pass(MINUTE, 5000);
    expect(titles(story)).toEqual(['6 done', '12 done', '18 done']);
    expect(replaced(story)).toEqual([null, 'phone.1', 'phone.1']);
    expect(story.shown.every(({ message }) => message.urgency === 'normal')).toBe(true);
  });

  it('that fails while it grows arrives whole, also after a restart, and nothing of it twice', async () => {
    const story = tell({ channels: { phone } });
    await ask(story, 'a', 'b', 'c', 'd', 'e', 'f');
    await story.pass(MINUTE, 5000);
    story.answer(() => ({ status: 'failed', reason: 'down' }));
    await ask(story, 'g', 'h', 'i', 'j', 'k', 'l');
    await story.pass(MINUTE, 5000);
    await story.restart();
    story.answer(() => ({ status: 'sent', ref: 'r' }));
    await story.pass(20 * MINUTE, 5000);
    expect(titles(story).at(-1)).toBe('12 questions for you');
    expect(replaced(story).at(-1)).toBe('phone.1');
    const sent = story.events.filter((event) => event.type === 'delivery.ended' && event.data.status === 'sent');
    expect(sent).toHaveLength(2);
  });

  it('with one question left has its buttons, and they answer it', async () => {
    const story = tell({ channels: { phone } });
    await ask(story, 'a', 'b', 'c', 'd', 'e');
    await story.pass(MINUTE, 5000);
    for (const run of ['a', 'b', 'c', 'd', 'e']) await story.append(waitClosed(run));
    await story.append(runStarted('z'), waitOpened('z', question(['red', 'blue'])));
    await story.append(runStarted('y'), waitOpened('y', question(['red', 'blue'])));
    await story.pass(MINUTE, 5000);
    const asked = story.shown.filter(({ act }) => act === 'ask').map(({ message }) => message as ChannelQuestion);
    expect(asked.map(({ title }) => title)).toEqual(['The task z', 'The task y']);
    const token = asked[0]?.buttons[1]?.token ?? '';
    expect(await story.inbox('phone').answer({ message: 'm', token, from: null })).toMatchObject({ became: 'answer' });
  });
});

describe('a reminder', () => {
  it('takes the place of the question; an answer to either of them counts, and one close is enough', async () => {
    const story = tell({ escalation: { after_minutes: 10 }, channels: { phone } });
    await story.append(runStarted('send'), waitOpened('send', approval()));
    await story.pass(25 * MINUTE, 5000);
    expect(acts(story)).toEqual(['send', 'update', 'update']);
    expect(replaced(story)).toEqual([null, 'phone.1', 'phone.1']);
    expect(story.shown[2]?.message).toMatchObject({ urgency: 'high', body: expect.stringContaining('Reminder') });
    const tokens = story.shown.map(({ message }) => (message as ChannelQuestion).buttons[0]?.token ?? '');
    expect(new Set(tokens).size).toBe(3);
    const first = await story.inbox('phone').answer({ message: 'm', token: tokens[0] ?? '', from: null });
    expect(first).toMatchObject({ became: 'answer' });
    await story.append(waitClosed('send'));
    await story.pass(60 * MINUTE, 5000);
    expect(story.shown.slice(3)).toMatchObject([{ act: 'close', message: { replaces: { delivery: 'phone.1' } } }]);
    expect(story.state().channels['phone']?.messages).toEqual({});
  });
});
