import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeFindings } from '../../support/axe.ts';
import { browserProgram, type Dashboard, openDashboard, screenshot } from '../../support/dashboard.ts';

describe.skipIf(browserProgram === null)('Ctrl-K', () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await openDashboard();
    const { story } = dashboard;
    mkdirSync(join(story.home.workspace, 'desk/reports'), { recursive: true });
    writeFileSync(join(story.home.workspace, 'desk/reports/totals.csv'), 'a\n');
    story.drop('totals.md', '---\nid: totals\n---\n# Totals by month\n\n```bash\nprintf "12" > sum.txt\n```\n');
    await story.ended('totals');
  });
  afterAll(() => dashboard.close());

  it('finds runs and files while a person types, and opens them by keys alone', async () => {
    const page = await dashboard.open('/', { bypassCSP: true, viewport: { width: 1280, height: 800 } });
    await page.keyboard.press('Control+k');
    const field = page.getByRole('combobox', { name: 'Search, or say what to do' });
    await field.waitFor();
    await page.keyboard.type('tot');
    await page.getByRole('option', { name: /Totals by month/ }).waitFor();
    await page.getByRole('option', { name: /totals\.csv/ }).waitFor();
    await screenshot(page, 'palette');
    expect(await axeFindings(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Totals by month' }).waitFor();
    await page.keyboard.press('Control+k');
    await field.waitFor();
    await page.keyboard.type('totals csv');
    await expect.poll(() => page.locator('#choices [role=option]').first().textContent()).toContain('totals.csv');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'totals.csv' }).waitFor();
    expect(dashboard.errors()).toEqual([]);
  });

  it('opens pages by other words, and is left by Escape', async () => {
    const page = await dashboard.open('/');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search, or say what to do' }).waitFor();
    await page.keyboard.type('policy');
    await page.getByRole('option', { name: /what is allowed/ }).waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.locator('dialog.palette').count()).toBe(0);
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search, or say what to do' }).waitFor();
    await page.keyboard.type('schedules');
    await page.getByRole('option', { name: /^Schedules/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Schedules' }).waitFor();
    expect(dashboard.errors()).toEqual([]);
  });

  it('takes a sentence as a new task; on a phone, by its button', async () => {
    const page = await dashboard.open('/runs', { viewport: { width: 390, height: 844 }, colorScheme: 'dark' });
    await page.getByRole('banner').getByRole('button', { name: 'Search' }).click();
    await page.getByRole('combobox', { name: 'Search, or say what to do' }).waitFor();
    await page.keyboard.type('Write a poem about the first snow');
    await page.getByRole('option', { name: /Write a poem/ }).waitFor();
    await screenshot(page, 'palette-phone');
    await page.keyboard.press('Enter');
    await page.getByText('Added: Write a poem about the first snow').waitFor();
    expect(dashboard.errors()).toEqual([]);
  });
});
