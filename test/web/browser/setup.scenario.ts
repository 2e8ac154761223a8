/** Choosing a model in the browser: the key that is typed there is nowhere in the home but in the sealed vault. */
import { cpSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { vaultOf } from '../../../src/kit/vault/home-vault.ts';
import { browserProgram, type Dashboard, openDashboard, screenshot } from '../../support/dashboard.ts';
import { filesWhere } from '../../support/live-files.ts';
import { shows } from '../../support/secret-forms.ts';
import { openWireServer, type WireServer } from '../../support/wire-server.ts';
import { fail, say } from '../../support/wire-server-reply.ts';

const KEY = 'sk-proj-zK9wQ2vX7pL4mN8';
const WRONG = 'sk-proj-aB3cD4eF5gH6iJ7';
const WELCOME = join(import.meta.dirname, '..', '..', '..', 'share', 'welcome');

describe.skipIf(browserProgram === null)('the page Set-up', () => {
  let dashboard: Dashboard;
  let model: WireServer;
  let page: Page;
  beforeAll(async () => {
    vi.stubEnv('OKA_MODEL', '');
    model = await openWireServer(({ headers }) =>
      headers['authorization'] === `Bearer ${KEY}`
        ? say('ready')
        : fail(401, { message: `Incorrect API key provided: ${headers['authorization']}` }),
    );
    dashboard = await openDashboard();
    page = await dashboard.open('/setup');
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await dashboard.close();
    await model.close();
  });

  async function choose(key: string): Promise<void> {
    await page.getByLabel('Provider').selectOption('custom');
    await page.getByLabel('Address').fill(`${model.url}/v1`);
    await page.getByLabel('Key', { exact: true }).fill(key);
    await page.getByLabel('Model', { exact: true }).last().fill('thinker');
    await page.getByRole('button', { name: 'Try it and use it' }).click();
  }

  const filesShowing = (value: string): string[] => filesWhere(dashboard.story.home.dir, (text) => shows(text, value));

  it('shows the welcome run and leads to it', async () => {
    cpSync(WELCOME, join(dashboard.story.home.workspace, 'inbox', 'welcome'), { recursive: true });
    await page.getByRole('link', { name: 'Welcome to oka' }).waitFor();
    await page.locator('.setup .status.done').waitFor();
    await page.getByRole('link', { name: 'Welcome to oka' }).click();
    await page.waitForURL(/\/runs\//);
    await page.getByRole('heading', { name: 'Welcome to oka', level: 1 }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'Choose a model' }).waitFor();
    expect(dashboard.errors()).toEqual([]);
  });

  it('the first result is a picture: on Now, and on its page before anything else', async () => {
    await page.goto(dashboard.address);
    const card = page.getByRole('region', { name: /Finished/ }).locator('article', { hasText: 'Welcome to oka' });
    await card.getByText('The total of amount is 4,587.4').waitFor();
    const width = (selector: string): Promise<unknown> =>
      page.evaluate(`document.querySelector('${selector}')?.naturalWidth`);
    await expect.poll(() => width('.thumbnail')).toBe(800);
    await page.setViewportSize({ width: 390, height: 780 });
    await card.getByRole('link', { name: 'Welcome to oka' }).click();
    await page.getByText('Done: 3 of 3 things that were asked for are there.').waitFor();
    await expect.poll(() => width('#result .markdown img')).toBe(800);
    await page.getByRole('button', { name: 'Show all of it' }).waitFor();
    const top = `document.querySelector('[role=tablist]').getBoundingClientRect().top + scrollY`;
    expect(await page.evaluate(top)).toBeLessThanOrEqual(1.5 * 780);
    await screenshot(page, 'first-result-phone');
    await page.setViewportSize({ width: 1280, height: 720 });
    expect(dashboard.errors()).toEqual([]);
  });

  it('a table that is dropped without a word gets a chart and a summary, too', async () => {
    await page.goto(dashboard.address);
    const buffer = Buffer.from('team,points\nred,3\nblue,4\n');
    await page.locator('input[type=file]').first().setInputFiles({ name: 'points.csv', mimeType: 'text/csv', buffer });
    await page.getByText('draws a chart and writes a summary').waitFor();
    await page.getByLabel('What would you like done?').press('Enter');
    await page.getByText('Added: Chart and summary of points.csv').waitFor();
    await page.getByText('The total of points is 7. The highest is blue with 4, the lowest red with 3.').waitFor();
    expect(dashboard.errors()).toEqual([]);
  });

  it('"Not now" is remembered, by a browser that was never here, too', async () => {
    await page.goto(dashboard.address);
    await page.getByText('No language model is set up.').waitFor();
    await page.goto(`${dashboard.address}setup`);
    await page.getByRole('button', { name: 'Not now' }).click();
    await page.getByRole('heading', { name: 'Finished' }).waitFor();
    const other = await dashboard.open('/');
    await other.getByRole('heading', { name: 'Finished' }).waitFor();
    for (const each of [page, other]) expect(await each.getByText('No language model is set up.').count()).toBe(0);
    await other.context().close();
    expect(dashboard.errors()).toEqual([]);
  });

  it('a key that the server refuses is not stored, and what the server says is shown without it', async () => {
    await page.goto(`${dashboard.address}setup`);
    await choose(WRONG);
    const problem = page.locator('.setup .problem');
    await problem.waitFor();
    expect(await problem.innerText()).toContain('401');
    expect(shows(await page.locator('main').innerText(), WRONG)).toBe(false);
    expect(filesShowing(WRONG)).toEqual([]);
    await screenshot(page, 'setup-refused');
    expect(dashboard.errors()).toEqual([]);
  });

  it('a key that works is in the vault, sealed, and in no other file, page or answer', async () => {
    const answers: string[] = [];
    page.on('response', async (response) => {
      if (response.url().includes('/api/v1/') && !response.url().includes('/events'))
        answers.push(await response.text().catch(() => ''));
    });
    await choose(KEY);
    await page.getByText('It answered').waitFor();
    await page.getByText('custom:thinker').first().waitFor();
    await screenshot(page, 'setup-done');
    const contents = await (await vaultOf(dashboard.story.home)).read();
    expect(Object.values(contents?.secrets ?? {}).map(({ value }) => value)).toEqual([KEY]);
    expect(existsSync(dashboard.story.home.config)).toBe(true);
    expect(filesShowing(KEY)).toEqual([]);
    expect(answers.length).toBeGreaterThan(0);
    expect(answers.filter((answer) => shows(answer, KEY))).toEqual([]);
    await page.reload();
    await page.getByText('custom:thinker').first().waitFor();
    expect(shows(await page.content(), KEY)).toBe(false);
    expect(dashboard.errors()).toEqual([]);
  });
});
