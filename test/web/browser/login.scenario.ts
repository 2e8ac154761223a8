import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openAccess } from '../../../src/kit/web/login/access.ts';
import { browserProgram, type Dashboard, openDashboard } from '../../support/dashboard.ts';

describe.skipIf(browserProgram === null)('logging in', () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await openDashboard({ isWithoutWorker: true });
  });
  afterAll(() => dashboard.close());

  it('a link logs in once, leaves no secret in the address or the history, and is worth nothing afterwards', async () => {
    const link = await dashboard.newLink();
    const first = await dashboard.browser.newContext();
    const page = await first.newPage();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(`${request.url()} ${request.headers()['referer'] ?? ''}`));
    await page.goto(link);
    await page.waitForURL((url) => url.pathname === '/');
    const secret = link.split('#')[1] ?? '';
    expect(secret).not.toBe('');
    expect(asked.filter((each) => each.includes(secret))).toEqual([]);
    expect(page.url()).not.toContain('#');
    expect(await page.evaluate('document.cookie')).toBe('');
    const second = await (await dashboard.browser.newContext()).newPage();
    await second.goto(link);
    await second.getByText('This link was used before, or is too old.').waitFor();
    await first.close();
  });

  it('without a session every page is the login page, and the API answers nothing', async () => {
    const page = await (await dashboard.browser.newContext()).newPage();
    await page.goto(`${dashboard.address}runs`);
    await page.getByText('oka web link', { exact: true }).waitFor();
    const { status } = await page.request
      .get(`${dashboard.address}api/v1/events`)
      .then((answer) => ({ status: answer.status() }));
    expect(status).toBe(401);
  });

  it('the passphrase logs in; wrong ones are slowed down', async () => {
    openAccess(dashboard.story.home).setPassphrase('correct horse battery');
    const page = await (await dashboard.browser.newContext()).newPage();
    await page.goto(dashboard.address);
    const attempt = async (passphrase: string): Promise<number> => {
      await page.getByLabel('Passphrase').fill(passphrase);
      const answered = page.waitForResponse('**/api/v1/login');
      await page.getByRole('button', { name: 'Log in' }).click();
      return (await answered).status();
    };
    const statuses: number[] = [];
    // Few at a fast machine; at a slow one the first waits are over before the next attempt, and each is twice as long.
    while (statuses.at(-1) !== 429) statuses.push(await attempt(`wrong ${statuses.length}`));
    expect(statuses.filter((status) => status !== 401)).toEqual([429]);
    expect(statuses.length).toBeGreaterThan(3);
    await expect.poll(() => attempt('correct horse battery'), { interval: 500 }).toBe(200);
    await page.locator('.bar').waitFor();
  });

  it('a session that is revoked ends at once', async () => {
    const page = await dashboard.open();
    const { out } = await dashboard.story.oka('web', 'revoke', 'all');
    expect(out).toContain('Ended');
    await page.reload();
    await page.getByText('oka web link', { exact: true }).waitFor();
  });
});
