/** The service worker of Web Push in a real browser: it is served for the whole dashboard, and starts under its policy. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserProgram, type Dashboard, openDashboard } from '../../support/dashboard.ts';

describe.skipIf(browserProgram === null)('Web Push', () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await openDashboard();
    const channels = { push: { kind: 'push', contact: 'mailto:me@example.org' } };
    writeFileSync(join(dashboard.story.home.oka, 'rules', 'channels.json'), JSON.stringify({ channels }));
  });
  afterAll(() => dashboard.close());

  it('Settings offer to notify this browser, and the service worker starts', async () => {
    const page = await dashboard.open('/settings');
    await expect
      .poll(() => page.getByRole('button', { name: 'Notify this browser' }).count(), { timeout: 60_000 })
      .toBe(1);
    const state = await page.evaluate(`(async () => {
      const app = document.querySelector('script[type=module][src]').src;
      await navigator.serviceWorker.register(new URL('push-worker.ts', app), { type: 'module', scope: '/' });
      return (await navigator.serviceWorker.ready).active.state;
    })()`);
    expect(['activating', 'activated']).toContain(state);
    expect(dashboard.errors()).toEqual([]);
  });
});
