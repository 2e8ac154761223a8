import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type ChatPageAnswer, chatQuery } from '../../src/rooms/chat/page/chat-page-query.ts';
import { openChatStory } from '../support/chat-story.ts';
import { askQuery } from '../support/ask-query.ts';
import { dayWaits, firstWait, good, task, withDayBudget } from '../support/day-budget-story.ts';
import { openStory, type Story } from '../support/story.ts';

const setPolicy = (story: Story, change: (text: string) => string): void =>
  writeFileSync(story.home.policy, change(readFileSync(story.home.policy, 'utf8')));

describe('the budget of a day', () => {
  it('used up in the middle of a task makes it wait, says so everywhere, and is over when the operator raises it', async () => {
    await using story = await openStory({ model: good, policy: withDayBudget('{ calls: 1 }') });
    story.drop('one.md', task('one'));
    story.work();
    const { data } = await firstWait(story);
    expect(data.for).toMatchObject({ why: expect.stringMatching(/^tomorrow's budget: 1 calls? of models of the 1/) });
    expect(story.model.requests).toHaveLength(1);
    const page = await story.until('the page', async () =>
      [story.page('one') ?? ''].find((text) => text.includes("tomorrow's budget")),
    );
    expect(page).toContain('it continues automatically');
    story.drop('two.md', '---\nid: two\n---\n```bash\necho ok > two.txt\n```\n');
    expect((await story.ended('two')).status, 'what needs no model goes on').toBe('done');
    const { out } = await story.oka('status');
    expect(out).toContain("tomorrow's budget");
    expect(out).toContain('used up: 0 of 1 calls of models left today');
    const left = { limits: { calls: 1 }, spent: { calls: 1 }, left: { calls: 0, usd: null } };
    expect(JSON.parse((await story.oka('status', '--json')).out)).toMatchObject({ day_budget: left });
    expect(JSON.parse((await story.oka('metrics', '--json')).out)).toMatchObject({ day_budget: left });
    const low = await story.until('the note at 80 %', async () => {
      const found = await story.eventsOf('budget.low');
      return found.length > 0 ? found : undefined;
    });
    expect(low.map(({ data: { of, limit, spent } }) => [of, limit, spent])).toEqual([['calls', 1, 1]]);
    setPolicy(story, (text) => text.replace('{ calls: 1 }', '{ calls: 100 }'));
    expect((await story.ended('one')).status).toBe('done');
    expect(story.deskText('one.txt')).toBe('patience\n');
    expect(await dayWaits(story), 'one question, asked once more').toHaveLength(1);
  });

  it('used up between two messages of a conversation lets the reply wait, and does not fail it', async () => {
    await using chat = await openChatStory({}, () => 'Yes.', { policy: withDayBudget('{ calls: 1 }') });
    chat.story.work();
    chat.open('talk');
    chat.post('talk', '@oka are you there?');
    await chat.settled('talk', 3);
    chat.post('talk', '@oka still?');
    const { run } = await firstWait(chat.story);
    const { open } = await askQuery<ChatPageAnswer>(chatQuery, chat.story.home, { conversation: 'talk' });
    expect(open?.delays[run ?? '']).toContain("tomorrow's budget");
    setPolicy(chat.story, (text) => text.replace('{ calls: 1 }', '{ calls: 100 }'));
    const messages = await chat.settled('talk', 5);
    expect(messages.filter(({ from }) => from === 'oka').map(({ content }) => content)).toEqual(['Yes.', 'Yes.']);
  });
});
