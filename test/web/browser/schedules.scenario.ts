import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeFindings } from '../../support/axe.ts';
import { browserProgram, type Dashboard, openDashboard, screenshot } from '../../support/dashboard.ts';

const report = '---\ntitle: Weekly report\nevery: daily at 23:30\n---\n\n```bash\necho report > report.txt\n```\n';

describe.skipIf(browserProgram === null)('the page Schedules', () => {
  let dashboard: Dashboard;
  const file = (name: string): string => join(dashboard.story.home.workspace, 'schedules', name);
  beforeAll(async () => {
    dashboard = await openDashboard();
    mkdirSync(join(dashboard.story.home.workspace, 'schedules'), { recursive: true });
    writeFileSync(file('report.md'), report);
    writeFileSync(file('often.md'), '---\ntitle: Look for mail\nevery: every 30 minutes\n---\n\n```bash\ntrue\n```\n');
  });
  afterAll(() => dashboard.close());

  it('shows a week with what ran and what is due, and when next in words', async () => {
    const page = await dashboard.open('/schedules', { bypassCSP: true, viewport: { width: 1280, height: 900 } });
    await page.getByRole('heading', { name: 'Weekly report' }).waitFor();
    await page.getByText(/Every day at 23:30, next (?:today|tomorrow) at/).waitFor();
    await page.locator('article[aria-label=report]').getByRole('button', { name: 'Run now' }).click();
    await page.locator('.week .today').getByText('done').first().waitFor();
    await page
      .locator('.week')
      .getByText(/^\d+ times$/)
      .first()
      .waitFor();
    expect(await page.locator('.week .day').count()).toBe(7);
    await screenshot(page, 'schedules');
    expect(await axeFindings(page)).toEqual([]);
    expect(dashboard.errors()).toEqual([]);
  });

  it('makes a new one and changes one in place', async () => {
    const page = await dashboard.open('/schedules');
    await page.getByRole('button', { name: 'New schedule…' }).click();
    await page.getByLabel('What should be done?').fill('Read the news and write five lines');
    await page.getByLabel('When?').fill('every Monday 08:00');
    await page.getByText(/^Next: Mon/).waitFor();
    await screenshot(page, 'schedules-new');
    await page.getByRole('button', { name: 'Schedule it' }).click();
    await page.getByRole('heading', { name: 'Read the news and write five lines' }).waitFor();
    await page.locator('article[aria-label=report]').getByRole('button', { name: 'Change…' }).click();
    await page.getByLabel('When?').fill('every Friday 17:00');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/Every Friday at 17:00, next (?:on|to)/).waitFor();
    expect(readFileSync(file('report.md'), 'utf8')).toContain('every Friday 17:00');
    expect(readFileSync(file('report.md'), 'utf8')).toContain('echo report');
    expect(dashboard.errors()).toEqual([]);
  });

  it('fits a phone in the dark', async () => {
    const page = await dashboard.open('/schedules', {
      viewport: { width: 390, height: 844 },
      colorScheme: 'dark',
      bypassCSP: true,
    });
    await page.getByRole('heading', { name: 'Weekly report' }).waitFor();
    await screenshot(page, 'schedules-dark-phone');
    expect(await axeFindings(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
  });
});
