import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { browserProgram, type Dashboard, openDashboard, screenshot } from '../../support/dashboard.ts';

const PAYLOAD =
  '<img src=x onerror="document.title=\'hacked\'"><script>document.title="hacked"</script> [x](javascript:1)';

describe.skipIf(browserProgram === null)('the page of conversations', () => {
  let dashboard: Dashboard;
  let page: Page;
  beforeAll(async () => {
    dashboard = await openDashboard();
    page = await dashboard.open('/chat');
  });
  afterAll(() => dashboard.close());
  afterEach(() => expect(dashboard.errors()).toEqual([]));

  const messages = (on = page) => on.getByRole('log', { name: 'Messages' });

  it('says what to do where nothing is yet, and begins a conversation', async () => {
    await page.getByText('There is no conversation yet.').waitFor();
    await page.getByLabel('Name of a new conversation').fill('garden');
    await page.getByRole('button', { name: 'Begin' }).click();
    await page.getByRole('heading', { name: 'garden' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/chat/garden');
  });

  it('shows what is written in every tab, and markup in it as text', async () => {
    const other = await dashboard.open('/chat/garden', { colorScheme: 'dark' });
    await page.getByLabel('Your message').fill(PAYLOAD);
    await page.getByRole('button', { name: 'Send' }).click();
    for (const tab of [page, other]) await messages(tab).getByText(PAYLOAD).waitFor();
    expect(await messages(other).locator('img, script, a[href^=javascript]').count()).toBe(0);
    expect(await other.title()).not.toBe('hacked');
    await expect.poll(() => page.getByLabel('Your message').inputValue()).toBe('');
    await screenshot(other, 'chat-dark');
    await other.context().close();
  });

  it('is paused and resumed, and says so', async () => {
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('Paused: what is asked is queued').waitFor();
    await page.getByRole('navigation', { name: 'Conversations' }).getByText('paused').waitFor();
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByText('Paused: what is asked is queued').waitFor({ state: 'detached' });
    expect((await dashboard.story.eventsOf('chat.paused')).length).toBe(1);
  });

  it('lists who is asked while it is paused, and a queued reply can be stopped', async () => {
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('Paused: what is asked is queued').waitFor();
    await page.getByRole('button', { name: '@oka' }).click();
    await page.keyboard.type('how are the beans?');
    await page.keyboard.press('Enter');
    const replies = page.getByRole('list', { name: 'Replies to come' });
    await replies.getByText('is queued').first().waitFor();
    await screenshot(page, 'chat-queue');
    await page.getByRole('button', { name: 'Stop all replies' }).click();
    await replies.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByText('Paused: what is asked is queued').waitFor({ state: 'detached' });
  });

  it('fits on a phone, where the list and a conversation are one after the other', async () => {
    const phone = await dashboard.open('/chat', { viewport: { width: 360, height: 740 } });
    await phone.getByRole('link', { name: /garden/ }).click();
    await phone.getByRole('heading', { name: 'garden' }).waitFor();
    expect(await phone.getByRole('navigation', { name: 'Conversations' }).isVisible()).toBe(false);
    expect(await phone.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
    await screenshot(phone, 'chat-phone');
    await phone.getByRole('link', { name: 'All conversations' }).click();
    await phone.getByRole('navigation', { name: 'Conversations' }).waitFor();
    await phone.context().close();
  });

  it('is used by keyboard alone: begin, write, delete', async () => {
    await page.locator('main').focus();
    await page.keyboard.press('n');
    await page.keyboard.type('short-lived');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'short-lived' }).waitFor();
    await page.locator('main').focus();
    await page.keyboard.press('w');
    await page.keyboard.type('first line');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('second line');
    await page.keyboard.press('Enter');
    await messages().getByText('first line\nsecond line').waitFor();
    await page.getByRole('button', { name: 'Delete…' }).press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).press('Enter');
    await page.getByText('No conversation is open.').waitFor();
    await page.getByRole('link', { name: /short-lived/ }).waitFor({ state: 'detached' });
  });
});
