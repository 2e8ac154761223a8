import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserProgram, type Dashboard, openDashboard, screenshot } from '../../support/dashboard.ts';

describe.skipIf(browserProgram === null)('memory in the browser', () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await openDashboard();
    const { oka } = dashboard.story.home;
    mkdirSync(join(oka, 'memory'), { recursive: true });
    const link = '[result](../../workspace/outbox/r1/RESULT.md)';
    writeFileSync(join(oka, 'memory', '2026-01-01.md'), `# Thursday\n\n- ✓ Trip — done (${link})\n`);
    writeFileSync(join(oka, 'memory', '2026-01-02.md'), '# Friday\n\nNothing.\n');
  });
  afterAll(() => dashboard.close());

  it('something is remembered, found, changed, traced to its event, and struck', async () => {
    const page = await dashboard.open('/memory');
    await page.getByText('Nothing is known yet').waitFor();
    await page.keyboard.press('n');
    await page.getByLabel('In a sentence').fill('The dentist is in Graz.');
    await page.getByRole('button', { name: 'Remember it' }).click();
    await page.getByText('The dentist is in Graz.').first().waitFor();
    await page.getByRole('button', { name: /^Change/ }).click();
    await page.getByLabel('In a sentence').fill('The dentist is in Linz.');
    await page.getByRole('button', { name: 'Change it' }).click();
    await page.locator('.fact-text', { hasText: 'Linz' }).waitFor();
    expect(await page.locator('.fact-text', { hasText: 'Graz' }).count()).toBe(0);
    await page.keyboard.press('/');
    await page.keyboard.type('dent');
    await page.waitForURL(/q=dent/);
    const link = page.getByRole('link', { name: 'you asked oka to remember it' });
    expect(await link.getAttribute('href')).toMatch(/\/ledger\?pen=run&seq=\d+$/);
    await screenshot(page, 'memory');
    await page.getByRole('button', { name: /^Forget/ }).click();
    await page.getByText('Nothing like that is known').waitFor();
    expect(dashboard.errors()).toEqual([]);
  });

  it('what was learned lately is undone with a button', async () => {
    await dashboard.story.oka('memory', 'fact', 'add', 'Likes trains.');
    const page = await dashboard.open('/memory/learned');
    await page.getByRole('button', { name: /^Undo “Remembers \(general\): Likes trains/ }).click();
    await page.getByText('Forgotten.').waitFor();
    await screenshot(page, 'learned');
    expect(dashboard.errors()).toEqual([]);
  });

  it('days are read one after the other, and a result leads to its run', async () => {
    const page = await dashboard.open('/memory/days');
    await page.getByRole('heading', { name: 'Friday' }).waitFor();
    await page.keyboard.press('j');
    await page.getByRole('heading', { name: 'Thursday' }).waitFor();
    expect(await page.getByRole('link', { name: 'the run' }).getAttribute('href')).toBe(`${dashboard.address}runs/r1`);
    await page.goto(`${dashboard.address}memory/procedures`);
    await page.getByText('No procedures yet').waitFor();
    expect(dashboard.errors()).toEqual([]);
  });
});
