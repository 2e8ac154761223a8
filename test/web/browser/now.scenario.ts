import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { submit } from '../../../src/kit/requests/submit-request.ts';
import { browserProgram, type Dashboard, openDashboard, screenshot } from '../../support/dashboard.ts';

const ASKS = (policy: string): string => policy.replace('rules: []', 'rules:\n  - { effect: ask, tool: shell }');
const runbook = (title: string, line: string): string => `# ${title}\n\n\`\`\`bash\n${line}\n\`\`\`\n`;

describe.skipIf(browserProgram === null)('the page Now', () => {
  let dashboard: Dashboard;
  let page: Page;
  beforeAll(async () => {
    dashboard = await openDashboard({ policy: ASKS });
    page = await dashboard.open();
  });
  afterAll(() => dashboard.close());
  afterEach(() => expect(dashboard.errors()).toEqual([]));

  const waiting = (title: string) =>
    page.getByRole('region', { name: /Needs you/ }).locator('article', { hasText: title });
  const recent = (title: string) =>
    page.getByRole('region', { name: /Finished/ }).locator('article', { hasText: title });

  it('says what to do where nothing is yet', async () => {
    await page.getByText('Nothing needs you right now.').waitFor();
    await page.getByText('No results yet.').waitFor();
    await page.getByText('No language model is set up.').waitFor();
  });

  it('a dropped file is a task; approving shows the bound call, and the result appears without a reload', async () => {
    await page
      .locator('input[type=file]')
      .first()
      .setInputFiles({
        name: 'greet.md',
        mimeType: 'text/markdown',
        buffer: Buffer.from(runbook('Greet', 'echo hello > greeting.txt')),
      });
    await page.getByRole('button', { name: 'Do it' }).click();
    await page.getByText('Added: Greet').waitFor();
    await waiting('Greet').getByRole('button', { name: 'Review and approve…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('echo hello > greeting.txt').first().waitFor();
    expect(await dialog.locator('.binding').textContent()).toMatch(/^[0-9a-f]{64}$/);
    await screenshot(page, 'now-approve');
    await dialog.getByRole('button', { name: 'Approve', exact: true }).click();
    await recent('Greet').getByText('done').waitFor();
    expect(dashboard.story.deskText('greeting.txt')).toBe('hello\n');
  });

  it('files beside a TASK.md are a folder, and an answer with another binding is refused with a reason', async () => {
    await page
      .locator('input[type=file]')
      .first()
      .setInputFiles([
        { name: 'TASK.md', mimeType: 'text/markdown', buffer: Buffer.from(runbook('Count', 'wc -l data.csv')) },
        { name: 'data.csv', mimeType: 'text/csv', buffer: Buffer.from('a\nb\n') },
      ]);
    await page.getByRole('button', { name: 'Do it' }).click();
    await waiting('Count').getByRole('button', { name: 'Review and approve…' }).click();
    await page.route('**/api/v1/intakes', async (route) => {
      const body = route.request().postDataJSON() as { answer: object };
      const changed = { ...body, answer: { ...body.answer, binding: '0'.repeat(64) } };
      await route.continue({ postData: JSON.stringify(changed) });
    });
    await page.getByRole('dialog').getByRole('button', { name: 'Approve', exact: true }).click();
    await page.getByRole('dialog').getByText('its binding belongs to another question').waitFor();
    await page.unroute('**/api/v1/intakes');
    await page.keyboard.press('Escape');
    expect(await waiting('Count').count()).toBe(1);
    expect(dashboard.errors().filter((each) => !each.includes('409'))).toEqual([]);
  });

  it('is used by keyboard alone: choose, deny with a reason, write a new task', async () => {
    await page.locator('main').focus();
    await page.keyboard.press('j');
    await page.keyboard.press('d');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason').fill('not today');
    await dialog.getByRole('button', { name: 'Deny', exact: true }).press('Enter');
    await recent('Count').waitFor();
    const closed = await dashboard.story.eventsOf('wait.closed');
    expect(closed.some(({ data: { answer } }) => answer.verdict === 'denied' && answer.text === 'not today')).toBe(
      true,
    );
    await page.locator('main').focus();
    await page.keyboard.press('n');
    await page.keyboard.type('Write a poem about the sea');
    await page.keyboard.press('Control+Enter');
    await waiting('Write a poem').getByText('needs a language model').waitFor();
  });

  it('shows the next times of a schedule before it is added, and what is wrong with one that is none', async () => {
    await page.getByLabel('What would you like done?').fill('Say hello');
    const again = page.getByLabel(/Repeat/);
    await again.fill('now and then');
    await page.getByText('"now" is not understood here').waitFor();
    await again.fill('every Monday 08:00');
    await page.getByText(/Next: Mon /).waitFor();
    await page.getByRole('button', { name: 'Schedule it' }).click();
    await page.getByText(/Added: Say hello\. First: Mon/).waitFor();
    await dashboard.story.until('the schedule', async () =>
      (await dashboard.story.eventsOf('schedule.changed')).length > 0 ? true : undefined,
    );
    expect(dashboard.errors().filter((each) => !each.includes('400'))).toEqual([]);
  });

  it('answers a question by one of its options', async () => {
    const graph = {
      id: 'paint',
      title: 'Paint it',
      nodes: [{ kind: 'wait', id: 'why', for: { kind: 'question', text: 'Which colour?', options: ['red', 'blue'] } }],
    };
    dashboard.story.write('workspace/graphs/paint.json', JSON.stringify(graph));
    submit(join(dashboard.story.home.oka, 'intake'), { kind: 'run_graph', id: 'paint-1', graph: 'paint', input: {} });
    await waiting('Paint it').getByRole('button', { name: 'blue' }).click();
    await recent('Paint it').getByText('done').waitFor();
  });

  it('fits a phone, and has a picture in the dark', async () => {
    const phone = await dashboard.open('/', { viewport: { width: 360, height: 740 }, colorScheme: 'dark' });
    await phone.getByRole('heading', { name: 'Finished' }).waitFor();
    expect(await phone.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await screenshot(phone, 'now-phone-dark');
    await screenshot(page, 'now');
    await phone.close();
  });

  it('axe finds nothing on Now and on Set-up', async () => {
    const axe = readFileSync(new URL('../../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');
    for (const path of ['/', '/setup']) {
      const tested = await dashboard.open(path, { bypassCSP: true });
      await tested.evaluate(axe);
      const found = (await tested.evaluate('axe.run()')) as { violations: { id: string; nodes: { html: string }[] }[] };
      expect(
        found.violations.map(({ id, nodes }) => `${path} ${id}: ${nodes.map(({ html }) => html).join(' ')}`),
      ).toEqual([]);
      await tested.close();
    }
  });

  it('Set-up explains a model that does not answer, and "Not now" is remembered', async () => {
    await page.goto(`${dashboard.address}setup`);
    await page.getByLabel('Provider').selectOption('ollama');
    await page.getByLabel('Address').fill('http://127.0.0.1:9');
    await page.getByLabel('Model').last().fill('nothing');
    await page.getByRole('button', { name: 'Try it and use it' }).click();
    await page.getByRole('button', { name: 'Use it all the same' }).waitFor();
    await screenshot(page, 'setup');
    await page.getByRole('button', { name: 'Not now' }).click();
    await page.getByRole('heading', { name: 'Finished' }).waitFor();
    expect(await page.getByText('No language model is set up.').count()).toBe(0);
  });
});
