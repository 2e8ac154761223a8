import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { ChannelQuestion } from '../../../src/core/schema/channel-port.ts';
import type { Intake } from '../../../src/core/schema/intake.ts';
import {
  approval,
  question,
  reachingStories,
  type ReachingStory,
  reachingStory,
  runEnded,
  runStarted,
  waitClosed,
  waitOpened,
} from '../../support/reaching.ts';

const phone = { kind: 'ntfy', url: 'https://ntfy.example.org', topic: 'oka' };
const MINUTE = 60_000;

const { tell, closeStories } = reachingStories();
afterEach(closeStories);

const intakesOf = ({ home }: ReachingStory): Intake[] => {
  try {
    const folder = join(home.oka, 'intake');
    return readdirSync(folder).map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Intake);
  } catch {
    return [];
  }
};
const asked = (story: ReachingStory, at = 0): ChannelQuestion => story.shown[at]?.message as ChannelQuestion;

describe('what is announced', () => {
  it('a question reaches the phone with a button for each option, recorded before and after', async () => {
    const story = tell({ channels: { phone: { ...phone, answers: { topic: 'answers' } } } });
    await story.append(runStarted('paint'), waitOpened('paint', question(['red', 'blue'])));
    await story.pass(2000);
    expect(story.shown).toMatchObject([
      { channel: 'phone', act: 'ask', message: { title: 'The task paint', body: 'Which colour?', urgency: 'high' } },
    ]);
    expect(asked(story).buttons.map(({ label }) => label)).toEqual(['red', 'blue']);
    expect(story.events.slice(2).map(({ type }) => type)).toEqual(['delivery.started', 'delivery.ended']);
  });

  it.each([
    ['nothing, where there are buttons', { answers: { topic: 'a' } }, {}, question(['red', 'blue']), ''],
    ['nothing, where the link leads to it', {}, { dashboard: 'https://oka.lan/' }, question(), ''],
    ['the command', {}, {}, question(), 'To answer: oka answer paint.ask.1 "…"'],
    ['the command, where words are needed', { answers: { topic: 'a' } }, {}, question(), 'To answer: oka answer'],
    ['the options, too', {}, {}, question(['red', 'blue']), 'Possible answers: red, blue\nTo answer: oka answer'],
    ['both verdicts', {}, {}, approval(), 'To answer: oka approve paint.ask.1, or oka deny paint.ask.1'],
  ])('a question says how to answer it: %s', async (_what, channel, policy, awaited, hint) => {
    const story = tell({ channels: { phone: { ...phone, ...channel } }, ...policy });
    await story.append(runStarted('paint'), waitOpened('paint', awaited));
    await story.pass(2000);
    const { body, link } = asked(story);
    if (hint === '') expect(body).not.toContain('To answer');
    else expect(body).toContain(`\n\n${hint}`);
    expect(link !== null).toBe('dashboard' in policy);
  });

  it('done is announced only where it is asked for, and steps of a task are not announced', async () => {
    const story = tell({ channels: { phone, desk: { ...phone, announce: ['done'] } } });
    await story.pass(1000);
    await story.append(runStarted('tidy'), {
      ...runStarted('tidy-child'),
      data: { title: 'A step', depth: 1, parent: 'tidy', graph: { id: 'g', sha256: 'a'.repeat(64) } },
    } as never);
    await story.append(runEnded('tidy-child'), runEnded('tidy'));
    await story.pass(20_000);
    expect(story.shown.map(({ channel, message }) => [channel, message.title])).toEqual([['desk', 'The task tidy']]);
  });

  it('a budget of the day that is nearly used up is announced where that is asked for, with how much is left', async () => {
    const story = tell({ channels: { phone: { ...phone, announce: ['budget'] }, desk: phone } });
    await story.pass(1000);
    await story.append({ type: 'budget.low', data: { date: '2026-01-01', of: 'usd', limit: 5, spent: 4.1 } });
    await story.pass(20_000);
    expect(story.shown).toMatchObject([
      {
        channel: 'phone',
        message: {
          title: 'Most of the budget of today is spent',
          body: expect.stringContaining('4.1 of 5 USD') as string,
        },
      },
    ]);
  });

  it('a question of a step names the task that it belongs to', async () => {
    const story = tell({ channels: { phone } });
    await story.append(runStarted('tidy'), {
      ...runStarted('tidy-child'),
      data: { title: 'A step', depth: 1, parent: 'tidy', graph: { id: 'g', sha256: 'a'.repeat(64) } },
    } as never);
    await story.append(waitOpened('tidy-child', question()));
    await story.pass(2000);
    expect(story.shown[0]?.message).toMatchObject({ title: 'The task tidy', run: 'tidy' });
  });

  it('what ended before channels were set up is old news', async () => {
    const story = tell({ announce: ['done'], channels: { phone } });
    await story.append(runStarted('old'), runEnded('old'));
    await story.pass(1000);
    await story.restart();
    await story.pass(60_000);
    expect(story.shown).toEqual([]);
  });

  it('with content: title no word but the title leaves the home, and no option', async () => {
    const story = tell({ channels: { phone: { ...phone, content: 'title' } } });
    await story.append(runStarted('paint'), waitOpened('paint', question(['red', 'blue'])));
    await story.pass(2000);
    expect(JSON.stringify(story.shown)).not.toMatch(/colour|red|blue/);
    expect(story.shown[0]?.message).toMatchObject({ title: 'The task paint', body: '', files: [] });
  });

  it('titles, texts and labels are redacted', async () => {
    const story = tell({ channels: { phone } }, (text) => text.replaceAll('hunter2', '[hidden]'));
    const awaited = { ...question(['hunter2', 'no']), text: 'Is it hunter2?' } as never;
    await story.append(runStarted('paint', 'Try hunter2'), waitOpened('paint', awaited));
    await story.pass(2000);
    expect(JSON.stringify(story.shown)).not.toContain('hunter2');
  });
});

describe('how often', () => {
  it('1,000 questions and 1,000 results in an hour are a bounded number of messages, and none is left out', async () => {
    const story = tell({ announce: ['needs_you', 'done', 'failed'], channels: { phone } });
    await story.pass(1000);
    for (let hour = 0; hour < 60; hour += 1) {
      for (let index = 0; index < 17; index += 1) {
        const run = `r${hour}-${index}`;
        await story.append(runStarted(run), waitOpened(run, question()), runStarted(`e${run}`), runEnded(`e${run}`));
      }
      await story.pass(MINUTE, 10_000);
    }
    await story.pass(10 * MINUTE, 10_000);
    const sent = story.shown.length;
    expect(sent).toBeLessThanOrEqual(45);
    expect(sent).toBeGreaterThan(2);
    const things = story.events.flatMap((event) => (event.type === 'delivery.started' ? event.data.things : []));
    expect(new Set(things).size).toBe(things.length);
    expect(things).toHaveLength(60 * 17 * 2);
  });

  it('in quiet hours nothing is sent; afterwards everything comes as one message', async () => {
    const story = tell({ quiet: { from: '11:00', to: '14:00' }, time_zone: 'UTC', channels: { phone } });
    for (const run of ['a', 'b', 'c', 'd', 'e', 'f']) await story.append(runStarted(run), waitOpened(run, question()));
    await story.pass(100 * MINUTE, MINUTE);
    expect(story.shown).toEqual([]);
    await story.pass(30 * MINUTE, MINUTE);
    expect(story.shown).toHaveLength(1);
    expect(story.shown[0]?.message.title).toBe('6 questions for you');
  });

  it('while somebody looks at the dashboard news is dropped, and a question waits until they are gone', async () => {
    const story = tell({ announce: ['needs_you', 'done'], channels: { phone } });
    story.watch();
    await story.append(runStarted('paint'), waitOpened('paint', question()), runStarted('x'), runEnded('x'));
    await story.pass(40_000);
    expect(story.shown).toEqual([]);
    await story.pass(60_000);
    expect(story.shown.map(({ act }) => act)).toEqual(['ask']);
    await story.restart();
    await story.pass(60_000);
    expect(story.shown).toHaveLength(1);
  });
});

describe('a channel that fails', () => {
  it('is tried again, later and later; when it is back everything arrives once', async () => {
    const story = tell({ announce: ['needs_you', 'done'], channels: { phone } });
    await story.pass(1000);
    story.answer(() => ({ status: 'failed', reason: 'ECONNREFUSED' }));
    await story.append(runStarted('paint'), waitOpened('paint', question()));
    await story.pass(30_000);
    for (const run of ['a', 'b', 'c']) await story.append(runStarted(run), runEnded(run));
    await story.pass(60 * MINUTE, 5000);
    const attempts = story.shown.length;
    expect(attempts).toBeGreaterThan(5);
    expect(attempts).toBeLessThan(16);
    expect(story.state().channels['phone']).toMatchObject({ problem: 'ECONNREFUSED', failures: attempts });
    expect(story.log).toEqual(['channel phone: ECONNREFUSED']);
    story.answer(() => ({ status: 'sent', ref: 'x' }));
    await story.pass(20 * MINUTE, 5000);
    const arrived = story.shown.slice(attempts).map(({ message }) => message.title);
    expect(arrived).toEqual(['The task paint', 'The task a', 'The task b', 'The task c']);
    expect(story.state().channels['phone']).toMatchObject({ problem: null, failures: 0 });
  });

  it('a message of which nobody knows whether it arrived is sent again after a crash, under the same id', async () => {
    const story = tell({ channels: { phone } });
    story.answer(() => new Promise(() => undefined));
    await story.append(runStarted('paint'), waitOpened('paint', question()));
    await story.pass(2000);
    story.answer(() => ({ status: 'sent', ref: 'x' }));
    const next = reachingStory(story.home.dir, { channels: { phone } });
    await next.append(...(story.events as never[]));
    await next.pass(2000);
    expect(next.shown.map(({ message }) => message.delivery)).toEqual([story.shown[0]?.message.delivery]);
    expect(next.events.at(-2)).toMatchObject({ type: 'delivery.started', data: { attempt: 2 } });
    await next.close();
  });

  it('what was answered meanwhile is not sent at all', async () => {
    const story = tell({ channels: { phone } });
    story.answer(() => ({ status: 'failed', reason: 'down' }));
    await story.append(runStarted('paint'), waitOpened('paint', question()));
    await story.pass(3000);
    await story.append(waitClosed('paint'));
    const before = story.shown.length;
    await story.pass(60 * MINUTE, 5000);
    expect(story.shown).toHaveLength(before);
    expect(story.events.at(-1)).toMatchObject({ type: 'delivery.ended', data: { status: 'dropped' } });
  });
});

describe('escalation', () => {
  const file = {
    escalation: { after_minutes: 10 },
    channels: { phone, tablet: { ...phone, topic: 'tablet' } },
  };

  it('goes from channel to channel, is repeated twice, and ends with a denial', async () => {
    const story = tell(file);
    await story.append(runStarted('send'), waitOpened('send', approval()));
    await story.pass(5 * MINUTE, 5000);
    expect(story.shown.map(({ channel }) => channel)).toEqual(['phone']);
    await story.pass(6 * MINUTE, 5000);
    expect(story.shown.map(({ channel }) => channel)).toEqual(['phone', 'tablet']);
    await story.pass(21 * MINUTE, 5000);
    expect(story.shown.map(({ channel }) => channel)).toEqual(['phone', 'tablet', 'tablet', 'tablet']);
    expect(story.shown[3]?.message.body).toContain('Reminder');
    expect(intakesOf(story)).toEqual([]);
    await story.pass(60 * MINUTE, 5000);
    expect(story.shown).toHaveLength(4);
    expect(intakesOf(story)).toMatchObject([
      { kind: 'answer', wait: 'send.ask.1', answer: { verdict: 'denied', by: 'nobody answered' } },
    ]);
  });

  it('nobody is denied anything while no message has arrived', async () => {
    const story = tell(file);
    story.answer(() => ({ status: 'failed', reason: 'down' }));
    await story.append(runStarted('send'), waitOpened('send', approval()));
    await story.pass(300 * MINUTE, MINUTE);
    expect(intakesOf(story)).toEqual([]);
  });

  it('answered anywhere, every other copy is closed, and nothing is repeated', async () => {
    const story = tell(file);
    await story.append(runStarted('paint'), waitOpened('paint', question()));
    await story.pass(11 * MINUTE, 5000);
    await story.append(waitClosed('paint'));
    await story.pass(60 * MINUTE, 5000);
    expect(story.shown.map(({ channel, act }) => [channel, act])).toEqual([
      ['phone', 'ask'],
      ['tablet', 'ask'],
      ['phone', 'close'],
      ['tablet', 'close'],
    ]);
    expect(story.shown[2]?.message).toMatchObject({ replaces: { delivery: 'phone.1', ref: 'r' } });
    expect(story.shown[2]?.message.body).toMatch(/^Answered at \d\d:\d\d\.$/);
  });
});

describe('an answer from a message', () => {
  const both = { channels: { phone, tablet: phone } };

  it('becomes the answer of exactly this wait, with the channel it came through, once', async () => {
    const story = tell({ channels: { phone } });
    await story.append(runStarted('paint'), waitOpened('paint', question(['red', 'blue'])));
    await story.pass(2000);
    const token = asked(story).buttons[1]?.token ?? '';
    const incoming = { message: 'm1', token, from: null, position: 'm1' };
    expect(await story.inbox('phone').answer(incoming)).toMatchObject({ became: 'answer' });
    expect(await story.inbox('phone').answer(incoming)).toMatchObject({ became: 'nothing' });
    expect(intakesOf(story)).toEqual([
      {
        kind: 'answer',
        wait: 'paint.ask.1',
        answer: { verdict: 'answered', text: 'blue', by: 'phone', through: 'phone' },
      },
    ]);
    expect(story.inbox('phone').position()).toBe('m1');
  });

  it('pressed in a browser it counts once, and only through the channel of that browser', async () => {
    const push = { kind: 'push', contact: 'mailto:me@example.org' };
    const story = tell({ channels: { push, phone } });
    await story.append(runStarted('paint'), waitOpened('paint', question(['red', 'blue'])));
    await story.pass(2000);
    const tokenOf = (channel: string): string => {
      const message = story.shown.find((each) => each.channel === channel)?.message;
      return message !== undefined && 'buttons' in message ? (message.buttons[1]?.token ?? '') : '';
    };
    expect(await story.press('push', tokenOf('phone'))).toMatchObject({ became: 'nothing' });
    await expect(story.press('phone', tokenOf('phone'))).rejects.toThrow('no channel phone for Web Push');
    expect(await story.press('push', tokenOf('push'))).toMatchObject({ became: 'answer' });
    expect(await story.press('push', tokenOf('push'))).toMatchObject({ became: 'nothing' });
    expect(intakesOf(story)).toMatchObject([{ wait: 'paint.ask.1', answer: { text: 'blue', through: 'push' } }]);
  });

  it('in words it needs the token of the question', async () => {
    const story = tell({ channels: { phone } });
    await story.append(runStarted('paint'), waitOpened('paint', question()));
    await story.pass(2000);
    const token = asked(story).textToken ?? '';
    await story.inbox('phone').answer({ message: 'm', token, text: ' dark green ', from: 'me@example.org' });
    expect(intakesOf(story)).toMatchObject([{ answer: { text: 'dark green', by: 'me@example.org' } }]);
  });

  it.each([
    ['Blue', { verdict: 'answered', text: 'blue' }],
    ['blue.\n\nThanks, Ann', { verdict: 'answered', text: 'blue' }],
    ['not blue', null],
    ['', null],
  ])('in words it may name an option, and nothing is guessed: %j', async (text, expected) => {
    const story = tell({ channels: { phone } });
    await story.append(runStarted('paint'), waitOpened('paint', question(['red', 'blue'])));
    await story.pass(2000);
    await story.inbox('phone').answer({ message: 'm', token: asked(story).textToken ?? '', text, from: null });
    expect(intakesOf(story)).toMatchObject(expected === null ? [] : [{ answer: expected }]);
  });

  it.each([
    ['Deny.', [], 'denied'],
    ['no', ['external_mutation'], 'denied'],
    ['approve', ['external_mutation'], 'approved'],
    ['approve', [], null],
    ['I do not approve', ['external_mutation'], null],
  ])('in words it denies, and approves where that is allowed: %s %j', async (text, classes, verdict) => {
    const story = tell({ approve_by_button: classes, channels: { phone } });
    await story.append(runStarted('send'), waitOpened('send', approval()));
    await story.pass(2000);
    await story.inbox('phone').answer({ message: 'm', token: asked(story).textToken ?? '', text, from: null });
    expect(intakesOf(story)).toMatchObject(verdict === null ? [] : [{ answer: { verdict } }]);
  });

  it('does not approve what others would get: a message has no room for all of it', async () => {
    const story = tell({ approve_by_button: ['external_mutation'], channels: { phone } });
    const asking = approval();
    const mail = { path: 'The mail', why: 'this is all that its receivers get', text: 'Tulips.' };
    const changes = ['To: bob@x.test', 'Subject: Bulbs'];
    const wanted = {
      tool: 'mail.send',
      class: 'external_mutation',
      author: 'model',
      command: '{"draft":"work/<1@x>"}',
      why: 'it reaches other people',
      changes,
      contents: [mail],
    };
    await story.append(runStarted('send'), waitOpened('send', { ...asking, asked: wanted } as never));
    await story.pass(2000);
    expect(asked(story).body).toContain('mail.send To: bob@x.test; Subject: Bulbs (it reaches other people)');
    expect(asked(story).buttons.map(({ label }) => label)).toEqual(['Deny']);
    await story.inbox('phone').answer({ message: 'm', token: asked(story).textToken ?? '', text: 'yes', from: null });
    expect(intakesOf(story)).toEqual([]);
  });

  it('replayed after the answer, from another channel, forged, or without a token: nothing happens, and it is recorded', async () => {
    const story = tell(both);
    await story.append(runStarted('paint'), waitOpened('paint', question(['red', 'blue'])));
    await story.append(runStarted('other'), waitOpened('other', question(['red', 'blue'])));
    await story.pass(3000);
    const ofPhone = story.shown.filter(({ channel }) => channel === 'phone').map(({ message }) => message);
    const [first, second] = ofPhone as ChannelQuestion[];
    const token = first?.buttons[0]?.token ?? '';
    const stranger = `${second?.delivery}${token.slice(token.indexOf('~'))}`;
    const otherChoice = token.replace('~0~', '~1~');
    const inbox = story.inbox('phone');
    const tries = [
      await story.inbox('tablet').answer({ message: '1', token, from: null }),
      await inbox.answer({ message: '2', token: stranger, from: null }),
      await inbox.answer({ message: '3', token: otherChoice, from: null }),
      await inbox.answer({
        message: '4',
        token: `${token.slice(0, -1)}${token.endsWith('a') ? 'b' : 'a'}`,
        from: null,
      }),
      await inbox.answer({ message: '5', token: 'approve', from: 'the-boss@example.org' }),
    ];
    await story.append(waitClosed('paint'));
    tries.push(await inbox.answer({ message: '6', token, from: null }));
    expect(tries.map(({ became }) => became)).toEqual(Array(6).fill('nothing'));
    expect(intakesOf(story)).toEqual([]);
    expect(story.events.filter(({ type }) => type === 'channel.received')).toHaveLength(6);
    expect(tries.map(({ reason }) => reason)).toEqual([
      'its token is for another channel',
      'its token is not genuine',
      'its token is not genuine',
      'its token is not genuine',
      'it has no token',
      'what it answers is not open any more',
    ]);
  });

  it('a flood of rubbish is not recorded message by message', async () => {
    const story = tell({ channels: { phone } });
    await story.pass(1000);
    for (let index = 0; index < 500; index += 1)
      await story.inbox('phone').answer({ message: `x${index}`, token: 'x', from: null });
    expect(story.events).toHaveLength(20);
  });

  it('denying is always possible; approving only for classes that the operator named, bound to the exact call', async () => {
    const closed = tell({ channels: { phone } });
    await closed.append(runStarted('send'), waitOpened('send', approval()));
    await closed.pass(2000);
    expect(asked(closed).buttons.map(({ label }) => label)).toEqual(['Deny']);

    const open = tell({ approve_by_button: ['external_mutation'], channels: { phone } });
    await open.append(runStarted('send'), waitOpened('send', approval()));
    await open.pass(2000);
    expect(asked(open).buttons.map(({ label }) => label)).toEqual(['Approve', 'Deny']);
    const token = asked(open).buttons[0]?.token ?? '';
    await open.inbox('phone').answer({ message: 'm', token, from: null });
    expect(intakesOf(open)).toMatchObject([{ answer: { verdict: 'approved', binding: 'b'.repeat(64) } }]);
  });

  it('always for a tool of a server is offered where the question offers it, as a button and in words', async () => {
    const policy = { approve_by_button: ['external_mutation' as const], channels: { phone } };
    const asking = approval() as { asked?: object };
    const offering = { ...asking, asked: { ...asking.asked, tool: 'mcp.notes.add', may_be_always: true } } as never;
    const story = tell(policy);
    await story.append(runStarted('send'), waitOpened('send', offering));
    await story.pass(2000);
    const { buttons, textToken } = asked(story);
    expect(buttons.map(({ label }) => label)).toEqual(['Approve', 'Always for this tool', 'Deny']);
    await story.inbox('phone').answer({ message: 'm', token: buttons[1]?.token ?? '', from: null });
    await story.inbox('phone').answer({ message: 'n', token: textToken ?? '', text: 'Always.', from: null });
    const expected = { verdict: 'approved', always_for_tool: 'mcp.notes.add', binding: 'b'.repeat(64) };
    expect(intakesOf(story)).toMatchObject([{ answer: expected }, { answer: expected }]);

    const other = tell(policy);
    await other.append(runStarted('send'), waitOpened('send', approval()));
    await other.pass(2000);
    const words = { message: 'm', token: asked(other).textToken ?? '', text: 'always', from: null };
    expect(await other.inbox('phone').answer(words)).toMatchObject({ became: 'nothing' });
  });

  it('a token for one call does not approve another call of the same wait', async () => {
    const story = tell({ approve_by_button: ['external_mutation'], channels: { phone } });
    await story.append(runStarted('send'), waitOpened('send', approval()));
    await story.pass(2000);
    const token = asked(story).buttons[0]?.token ?? '';
    const other = { ...approval(), binding: 'c'.repeat(64) } as never;
    await story.append(waitOpened('send', other));
    expect(await story.inbox('phone').answer({ message: 'm', token, from: null })).toMatchObject({ became: 'nothing' });
  });
});

describe('by the clock', () => {
  it('the digest is sent once a day at its time, also after a restart', async () => {
    const story = tell({ announce: ['digest'], digest_at: '08:00', time_zone: 'UTC', channels: { phone } });
    await story.pass(60 * MINUTE, MINUTE);
    expect(story.shown).toEqual([]);
    await story.pass(20 * 60 * MINUTE, MINUTE);
    await story.restart();
    await story.pass(24 * 60 * MINUTE, MINUTE);
    expect(story.shown.map(({ message }) => message.kind)).toEqual(['digest', 'digest']);
    const slots = story.events.flatMap((event) => (event.type === 'slot.came' ? [event.data.slot] : []));
    expect(slots).toEqual(['2026-01-05T08:00:00.000Z', '2026-01-06T08:00:00.000Z', '2026-01-07T08:00:00.000Z']);
  });
});
