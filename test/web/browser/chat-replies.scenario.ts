import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { axeFindings, looks } from '../../support/axe.ts';
import { persona } from '../../support/chat-story.ts';
import { browserProgram, type Dashboard, openDashboard, screenshot } from '../../support/dashboard.ts';
import { call, say, type WireReply, type WireRequest } from '../../support/wire-server-reply.ts';

const ASKS = (policy: string): string => policy.replace('rules: []', 'rules:\n  - { effect: ask, tool: files.write }');
const TAGS = '<img src=x onerror="document.title=1"> and **bold** and [a link](javascript:alert(1))';

/** Conversations, and what there is to see in each. */
const THREADS = {
  stories: 'stopped',
  markup: 'is queued',
  'axe-words': 'is thinking…',
  'axe-approval': 'Review and approve…',
};

/** What is asked decides what is answered; each conversation asks one thing. */
function answer({ text }: WireRequest): WireReply {
  if (text.includes('a long story')) return { do: 'stall', first: 'Once upon a time ' };
  if (text.includes('show me tags')) return say(TAGS);
  if (text.includes('write a file') && !text.includes('which the others do not see'))
    return call('files_write', { path: 'sword.txt', content: 'steel' });
  return say('It is made.');
}

describe.skipIf(browserProgram === null)('replies on the page of conversations', () => {
  let dashboard: Dashboard;
  let page: Page;
  beforeAll(async () => {
    dashboard = await openDashboard({ model: answer, policy: ASKS });
    dashboard.story.write('.oka/rules/agents/gendry.md', persona('Makes things.', 'role: writer\n'));
    page = await dashboard.open('/chat');
  });
  afterAll(() => dashboard.close());
  afterEach(() => expect(dashboard.errors()).toEqual([]));

  async function ask(name: string, text: string): Promise<void> {
    await page.getByLabel('Name of a new conversation').fill(name);
    await page.getByRole('button', { name: 'Begin' }).click();
    await page.getByRole('heading', { name }).waitFor();
    await page.getByLabel('Your message').fill(text);
    await page.getByLabel('Your message').press('Enter');
    await messages().getByText(text).waitFor();
    await expect.poll(() => page.getByLabel('Your message').inputValue()).toBe('');
  }
  const messages = () => page.getByRole('log', { name: 'Messages' });
  const replies = () => page.getByRole('list', { name: 'Replies to come' });

  it('come as they are written, and one that does not end can be stopped', async () => {
    await ask('stories', '@gendry tell me a long story');
    await replies().getByText('is thinking…').waitFor();
    await replies().getByText('Once upon a time').waitFor();
    await screenshot(page, 'chat-live');
    await replies().getByRole('button', { name: 'Stop' }).click();
    await messages().getByText('stopped').first().waitFor();
    await replies().waitFor({ state: 'detached' });
  });

  it('are shown with their form, and with markup as text', async () => {
    await ask('markup', '@gendry show me tags');
    const reply = messages().locator('.message.agent');
    await reply.locator('strong', { hasText: 'bold' }).waitFor();
    expect(await reply.textContent()).toContain('<img src=x onerror="document.title=1">');
    expect(await reply.locator('img, a[href^=javascript]').count()).toBe(0);
    await reply.getByRole('link', { name: 'How it was answered' }).waitFor();
  });

  it('that need an approval are decided in place, and go on', async () => {
    await ask('forge', '@gendry write a file');
    await replies().getByText('waits for you').waitFor();
    await page.getByRole('button', { name: 'Review and approve…' }).click();
    await page.getByRole('dialog').getByText('sword.txt').first().waitFor();
    await screenshot(page, 'chat-approval');
    await page.getByRole('dialog').getByRole('button', { name: 'Approve', exact: true }).click();
    await messages().getByText('It is made.').waitFor();
    expect(dashboard.story.deskText('sword.txt')).toBe('steel');
  });

  it('wait while the conversation is paused, and come when it is resumed', async () => {
    await ask('patience', 'We begin in a moment.');
    await messages().getByText('It is made.').waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('Paused: what is asked is queued').waitFor();
    await page.getByLabel('Your message').fill('@gendry and now?');
    await page.getByLabel('Your message').press('Enter');
    await replies().getByText('is queued').waitFor();
    await page.getByRole('button', { name: 'Resume' }).click();
    await replies().waitFor({ state: 'detached' });
    await messages().locator('.message.agent', { hasText: 'gendry' }).getByText('It is made.').waitFor();
  });

  it('and the conversation around them have nothing that axe objects to', async () => {
    await ask('axe-words', '@gendry tell me a long story');
    await replies().getByText('Once upon a time').waitFor();
    await ask('axe-approval', '@gendry write a file');
    await replies().getByText('waits for you').waitFor();
    await page.goto(`${dashboard.address}chat/markup`);
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('Paused: what is asked is queued').waitFor();
    await page.getByLabel('Your message').fill('@gendry later');
    await page.getByLabel('Your message').press('Enter');
    await replies().getByText('is queued').waitFor();
    for (const { name: look, ...options } of looks.filter(({ name }) => name !== 'phone'))
      for (const [name, shown] of Object.entries(THREADS)) {
        const thread = await dashboard.open(`/chat/${name}`, { ...options, bypassCSP: true, reducedMotion: 'reduce' });
        await thread.locator('.thread').getByText(shown).first().waitFor();
        expect({ name, look, found: await axeFindings(thread) }).toEqual({ name, look, found: [] });
        expect(await thread.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
        await thread.context().close();
      }
  });
});
