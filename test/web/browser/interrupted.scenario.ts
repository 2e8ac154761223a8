/** What a page shows when something between it and the worker goes away and comes back. */
import type { ChildProcess } from 'node:child_process';
import type { Page } from 'playwright-core';
import { afterEach, describe, expect, it } from 'vitest';
import { browserProgram, type Dashboard, killProcess, openDashboard } from '../../support/dashboard.ts';

const task = (id: string, command = 'true'): string =>
  `---\nid: ${id}\n---\n# ${id} has a title\n\n\`\`\`bash\n${command}\n\`\`\`\n`;

describe.skipIf(browserProgram === null)('interruptions', () => {
  let dashboard: Dashboard;
  afterEach(() => dashboard.close());

  it('two tabs of one browser share a stream and both show what happens', async () => {
    dashboard = await openDashboard();
    const first = await dashboard.open();
    const second = await first.context().newPage();
    await second.goto(dashboard.address);
    await second.locator('main[aria-busy=false]').waitFor();
    dashboard.story.drop('both.md', task('both'));
    for (const tab of [first, second]) await tab.getByText('both has a title').first().waitFor();
    await first.close();
    dashboard.story.drop('left.md', task('left'));
    await second.getByText('left has a title').first().waitFor();
    expect(dashboard.errors()).toEqual([]);
  });

  it.each([
    ['is read again', '**/api/v1/runs*', 'runs', (page: Page) => page.bringToFront()],
    ['is opened by a link', '**/api/v1/runs*', '', (page: Page) => page.getByRole('link', { name: 'Runs' }).click()],
    ['is loaded', '**/runs-view.ts', 'runs', (page: Page) => page.reload({ waitUntil: 'commit' })],
  ])('what happens while a page %s is on it afterwards', async (_, answers, path, act) => {
    dashboard = await openDashboard();
    const page = await dashboard.open(path);
    const other = await page.context().newPage();
    await other.goto(`${dashboard.address}runs`);
    await other.getByText('There are no runs yet.').waitFor();
    const hold = await holdAnswers(page, answers);
    await act(page);
    dashboard.story.drop('late.md', task('late', 'until [ -e go.txt ]; do sleep 0.1; done'));
    await hold.held;
    await other.locator('.run-line .status.running').waitFor(); // so the stream has brought it to all tabs
    dashboard.story.write('workspace/desk/go.txt', 'go\n');
    await other.locator('.run-line .status.done').waitFor();
    hold.release();
    await page.locator('.run-line .status.done').waitFor();
    expect(dashboard.errors()).toEqual([]);
  });

  it('a page that slept, without a network, shows what happened meanwhile as soon as it wakes', async () => {
    dashboard = await openDashboard();
    const page = await dashboard.open();
    await page.context().setOffline(true);
    dashboard.story.drop('asleep.md', task('asleep'));
    await dashboard.story.ended('asleep');
    await page.context().setOffline(false);
    await page.getByText('asleep has a title').first().waitFor();
  });

  it('the worker is killed and comes back: the page says so, and the task goes on', async () => {
    dashboard = await openDashboard({ isWithoutWorker: true });
    const worker = dashboard.startWorker();
    const page = await dashboard.open();
    dashboard.story.drop('long.md', task('long', 'sleep 3; echo done > long.txt'));
    await page.getByText('long has a title').first().waitFor();
    await killProcess(worker);
    dashboard.startWorker();
    await dashboard.story.ended('long');
    await page.locator('section, .card', { hasText: 'long has a title' }).getByText('done').first().waitFor();
    expect(dashboard.errors().filter((error) => error.startsWith('script'))).toEqual([]);
  });

  it('the dashboard itself is killed and comes back: the page goes on where it was, without logging in again', async () => {
    dashboard = await openDashboard();
    const { port } = new URL(dashboard.address);
    const page = await dashboard.open();
    await killProcess(dashboard.server);
    await page.getByText('connecting…').waitFor();
    dashboard.story.drop('unseen.md', task('unseen'));
    await dashboard.story.ended('unseen');
    const again: ChildProcess = dashboard.story.start(['web', '--port', port]);
    expect(again.pid).toBeDefined();
    await page.getByText('unseen has a title').first().waitFor();
    await page.getByText('connecting…').waitFor({ state: 'detached' });
  });
});

/** Takes answers for a page from the server at once, and hands them over when they are released. */
async function holdAnswers(page: Page, pattern: string): Promise<{ held: Promise<void>; release: () => void }> {
  const held = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  await page.route(pattern, async (route) => {
    const response = await route.fetch();
    held.resolve();
    await released.promise;
    await route.fulfill({ response });
  });
  return { held: held.promise, release: released.resolve };
}
