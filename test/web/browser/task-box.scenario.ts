import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeFindings } from '../../support/axe.ts';
import { browserProgram, type Dashboard, openDashboard, screenshot } from '../../support/dashboard.ts';

describe.skipIf(browserProgram === null)('the box for new work', () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await openDashboard();
  });
  afterAll(() => dashboard.close());

  it('says what a sentence becomes before Enter, and then does just that', async () => {
    const page = await dashboard.open('/', { bypassCSP: true, viewport: { width: 1280, height: 800 } });
    const box = page.getByLabel('What would you like done?');
    await box.fill('Summarize the invoices of October');
    await page.getByText('begins it now').waitFor();
    await box.fill('Who sent the largest invoice?');
    await page.getByText('finds the answer').waitFor();
    await box.fill('Every Monday 8:00 send me the open invoices');
    await page.getByText('schedules it every Monday 8:00').waitFor();
    await page.getByText(/first .* at 8:00/).waitFor();
    await screenshot(page, 'task-box');
    expect(await axeFindings(page)).toEqual([]);
    await box.press('Enter');
    await page.getByText(/^Added: Send me the open invoices\. First:/).waitFor();
    const folder = join(dashboard.story.home.workspace, 'schedules');
    await dashboard.story.until('the schedule', () =>
      Promise.resolve(readdirSync(folder).find((name) => name.includes('send-me'))),
    );
    expect(dashboard.errors()).toEqual([]);
  });

  it('does a sentence once when a person says so, and begins a line with Shift+Enter', async () => {
    const page = await dashboard.open('/', { viewport: { width: 390, height: 844 }, colorScheme: 'dark' });
    const box = page.getByLabel('What would you like done?');
    await box.fill('Water the plants every Friday 17:00');
    await page.getByRole('button', { name: 'Only once, now' }).click();
    await page.getByText('begins it now').waitFor();
    await screenshot(page, 'task-box-phone');
    await box.press('Shift+Enter');
    await box.pressSequentially('and look whether they grew');
    expect(await box.inputValue()).toContain('\n');
    await page.getByRole('button', { name: 'Do it' }).click();
    await page.getByText(/^Added: Water the plants every Friday 17:00$/).waitFor();
    expect(dashboard.errors()).toEqual([]);
  });
});
