import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserProgram, type Dashboard, openDashboard, screenshot } from '../../support/dashboard.ts';

describe.skipIf(browserProgram === null)('the context tree in the browser', () => {
  let dashboard: Dashboard;
  const write = (path: string, text: string): void => {
    const file = join(dashboard.story.home.workspace, 'desk/app', path);
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, text);
  };
  beforeAll(async () => {
    dashboard = await openDashboard();
  });
  afterAll(() => dashboard.close());

  it('says what to do before the first scan', async () => {
    const page = await dashboard.open('/tree');
    await page.getByText('Nothing has been scanned yet.').waitFor();
    expect(dashboard.errors()).toEqual([]);
  });

  it('shows stale marks and history, and what a regeneration costs before it is started', async () => {
    write('read-me.md', '# App\n\nIt adds numbers.\n');
    write('lib/add.ts', 'export const add = (a: number, b: number) => a + b;\n');
    await dashboard.story.oka('context', 'scan');
    await dashboard.story.oka('context', 'synthesize', 'desk/app');
    write('read-me.md', '# App\n\nIt multiplies numbers.\n');
    await dashboard.story.oka('context', 'scan');
    const page = await dashboard.open('/tree?path=desk/app');
    await page.getByText('2 stale', { exact: true }).first().waitFor();
    await page.getByText('Renew 2 frames').waitFor();
    await page.getByText('by rules, without a model').waitFor();
    await screenshot(page, 'tree');
    await page.getByRole('link', { name: 'read-me.md' }).click();
    await page.getByText('stale: the content changed').waitFor();
    await page.getByText('It adds numbers.').waitFor();
    await page.getByRole('link', { name: 'app', exact: true }).click();
    await page.getByRole('button', { name: 'Renew 2 frames' }).click();
    await page.getByText('It is done by rules').waitFor();
    await page.getByRole('button', { name: 'Renew', exact: true }).click();
    await page.getByText('nothing to renew here').waitFor();
    await page.getByText('all current').waitFor();
    expect(dashboard.errors()).toEqual([]);
  });

  it('fits a phone, and is reached from the files', async () => {
    const page = await dashboard.open('/desk', { viewport: { width: 360, height: 740 }, colorScheme: 'dark' });
    await page.getByRole('link', { name: 'notes about files' }).click();
    await page.getByRole('heading', { name: 'What is known of the files' }).waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
    await screenshot(page, 'tree-phone');
    expect(dashboard.errors()).toEqual([]);
  });
});
