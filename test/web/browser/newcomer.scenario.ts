/**
 * The first day of somebody who has typed `npm start` and nothing after it: the first result, a table of their own, a task
 * that was suggested, and a report that comes every Monday and is read on the phone. The pictures of it are in
 * test-artifacts/web, and with OKA_PICTURE=docs those of the README are written to docs.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { temporaryFolder, type TemporaryFolder } from '../../support/cli.ts';
import { browserProgram, screenshot } from '../../support/dashboard.ts';

const TOP = join(import.meta.dirname, '../../..');
const SALES = 'date,shop,sum\n2026-08-03,Graz,812.40\n2026-09-07,Wien,640.10\n2026-10-05,Graz,990.00\n';

async function show(page: Page, name: string): Promise<void> {
  const picture = await screenshot(page, `newcomer-${name}`);
  if (process.env['OKA_PICTURE'] === 'docs') copyFileSync(picture, join(TOP, 'docs', `${name}.png`));
}

describe.skipIf(browserProgram === null)('the first day, after npm start', () => {
  let folder: TemporaryFolder;
  let server: ChildProcess;
  let browser: Browser;
  let page: Page;
  const errors: string[] = [];

  beforeAll(async () => {
    folder = temporaryFolder();
    const env = { ...process.env, OKA_DIR: folder.dir, OKA_MODEL: '' };
    server = spawn('npm', ['start'], { cwd: TOP, env, detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
    let printed = '';
    server.stdout?.setEncoding('utf8').on('data', (text: string) => (printed += text));
    await vi.waitUntil(() => /Dashboard: http\S+login#\S+/.test(printed), { timeout: 200_000 });
    browser = await chromium.launch({ executablePath: browserProgram ?? '' });
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: 'reduce' });
    context.setDefaultTimeout(120_000);
    page = await context.newPage();
    page.on('pageerror', (error) => errors.push(error.message));
    page.on('console', (message) => (message.type() === 'error' ? errors.push(message.text()) : undefined));
    await page.goto(/http\S+login#\S+/.exec(printed)?.[0] ?? '');
    await page.waitForURL((url) => !url.pathname.endsWith('/login'));
  });
  afterAll(async () => {
    const gone = once(server, 'exit');
    process.kill(-(server.pid ?? 0), 'SIGTERM');
    await gone;
    await browser.close();
    folder[Symbol.dispose]();
  });

  const finished = (title: string) =>
    page.getByRole('region', { name: /Finished/ }).locator('article', { hasText: title });
  const box = () => page.getByLabel('What would you like done?');

  it('a first result is there, with its picture, and can be opened', async () => {
    await finished('Welcome to oka').locator('img').waitFor();
    await finished('Welcome to oka').getByRole('link').click();
    await page.getByText('Done: 3 of 3 things that were asked for are there.').waitFor();
    await page.locator('#result img').waitFor();
    await show(page, 'result');
  });

  it('a table of their own gets a chart and a summary, without a word', async () => {
    await page.goBack();
    const sales = { name: 'sales.csv', mimeType: 'text/csv', buffer: Buffer.from(SALES) };
    await page.locator('input[type=file]').first().setInputFiles(sales);
    await page.getByText('draws a chart and writes a summary').waitFor();
    await box().press('Enter');
    await finished('sales.csv').getByText('The total of sum is 2,442.5').waitFor();
  });

  it('what is suggested can be read before it is done', async () => {
    await page
      .getByRole('button', { name: /on the desk$/ })
      .last()
      .click();
    expect(await box().inputValue()).toMatch(/^# [^]*```bash\n/);
    await page.getByRole('button', { name: 'Do it' }).click();
    await finished('on the desk').getByText('done').waitFor();
  });

  it('a report comes every Monday, and is read on the phone', async () => {
    await box().fill('# What is new on the desk\n\n```bash\nls -l > report.txt\ncat report.txt\n```\n');
    await page.getByLabel(/Repeat/).fill('every Monday 08:00');
    await page.getByText(/Next: Mon /).waitFor();
    await page.getByRole('button', { name: 'Schedule it' }).click();
    await page.getByText(/Added: What is new on the desk\. First: Mon/).waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole('link', { name: 'Schedules' }).click();
    await page.getByText(/Every Monday at 8:00/i).waitFor();
    await page.getByRole('button', { name: 'Run now' }).click();
    await page.getByRole('link', { name: 'Now', exact: true }).click();
    await finished('What is new on the desk').waitFor();
    await finished('What is new on the desk').getByRole('link').click();
    await page.locator('#result').getByText('report.txt').first().waitFor();
    await show(page, 'phone');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    expect(existsSync(join(folder.dir, 'workspace/desk/report.txt'))).toBe(true);
    expect(errors).toEqual([]);
  });
});
