/** Acts on many runs in the browser, with a real worker: what is shown first is what is done, run by run. */
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { submit } from '../../../src/kit/requests/submit-request.ts';
import { browserProgram, type Dashboard, openDashboard, screenshot } from '../../support/dashboard.ts';

const GRAPH = {
  id: 'paint',
  title: 'Paint it',
  nodes: [{ kind: 'wait', id: 'why', for: { kind: 'question', text: 'Which colour?', options: ['red', 'blue'] } }],
};
const writing = (name: string): string =>
  `---\nid: ${name}\n---\n# Write ${name}\n\n\`\`\`bash\necho ${name} > ${name}.txt\n\`\`\`\n`;

describe.skipIf(browserProgram === null)('acts on many runs', () => {
  let dashboard: Dashboard;
  let page: Page;
  beforeAll(async () => {
    dashboard = await openDashboard();
    const { story } = dashboard;
    story.write('workspace/graphs/paint.json', JSON.stringify(GRAPH));
    for (const id of ['paint-1', 'paint-2', 'paint-3'])
      submit(join(story.home.oka, 'intake'), { kind: 'run_graph', id, graph: 'paint', input: {} });
    await story.until('three questions', async () => ((await story.waiting()).length === 3 ? true : undefined));
    page = await dashboard.open('/runs?text=Paint');
    await page.getByText('3 runs', { exact: true }).waitFor();
  });
  afterAll(() => dashboard.close());

  const dialog = () => page.getByRole('dialog');
  const statuses = () => page.locator('.run-lines.long .run-line .status').allInnerTexts();

  async function confirm(word: string, count: number): Promise<void> {
    const title = word === 'Run again' ? `Run ${count} runs again` : `${word} ${count} runs`;
    await page.getByRole('button', { name: `${word}…`, exact: true }).click();
    await dialog().getByRole('heading', { name: title }).waitFor();
    expect(await dialog().locator('.bulk > ul li').count()).toBe(count);
    await dialog().getByRole('button', { name: title }).click();
  }

  it.each([
    ['Pause', 'paused'],
    ['Resume', 'blocked'],
  ])('%s: the list first, then every run is %s, without a reload', async (word, status) => {
    await confirm(word, 3);
    await dialog().getByText('3 of 3 done', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(statuses).toEqual(Array.from({ length: 3 }, () => expect.stringContaining(status) as string));
    expect(dashboard.errors()).toEqual([]);
  });

  it('a run that was over before the act was confirmed fails by itself, with its reason', async () => {
    await page.getByRole('button', { name: 'Cancel…', exact: true }).click();
    await dialog().getByRole('heading', { name: 'Cancel 3 runs' }).waitFor();
    await dashboard.story.oka('cancel', 'paint-2');
    await dashboard.story.until('the end of paint-2', async () =>
      (await dashboard.story.eventsOf('run.ended', 'paint-2')).length > 0 ? true : undefined,
    );
    await dialog().getByRole('button', { name: 'Cancel 3 runs' }).click();
    await dialog().getByText('2 of 3 done, 1 failed', { exact: true }).waitFor();
    expect(await dialog().locator('.failed li').allInnerTexts()).toEqual([expect.stringMatching(/^paint-2: \w+/)]);
    await screenshot(page, 'bulk-failed');
    await page.keyboard.press('Escape');
    await expect
      .poll(statuses)
      .toEqual(Array.from({ length: 3 }, () => expect.stringContaining('cancelled') as string));
    expect(dashboard.errors()).toEqual([]);
  });

  it('runs of a graph run again, and what cannot be is left out with its reason', async () => {
    await page.getByLabel('Status').selectOption('cancelled');
    await page.waitForURL(/status=cancelled/);
    await confirm('Run again', 3);
    await dialog().getByText('3 of 3 done', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    expect(await dashboard.story.eventsOf('run.started')).toHaveLength(6);
    await page.goto(`${dashboard.address}runs?text=Paint`);
    await page.getByText('6 runs', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Cancel…', exact: true }).click();
    await dialog().getByText('3 left out').click();
    await dialog().getByText('it is cancelled already').first().waitFor();
    await page.keyboard.press('Escape');
    expect(dashboard.errors()).toEqual([]);
  });

  it('runs that no longer fit the filter leave the list', async () => {
    await page.goto(`${dashboard.address}runs?status=blocked`);
    await page.getByText('3 runs', { exact: true }).waitFor();
    await page.getByRole('checkbox', { name: 'Select Paint it' }).last().check();
    await page.getByRole('button', { name: 'Cancel…', exact: true }).click();
    await dialog().getByRole('button', { name: 'Cancel 1 run', exact: true }).click();
    await dialog().getByText('1 of 1 done', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('2 runs', { exact: true }).waitFor();
    expect(await statuses()).toHaveLength(2);
    expect(dashboard.errors()).toEqual([]);
  });

  it('the selected tasks are undone, the last one first, and run again', async () => {
    for (const name of ['one', 'two']) {
      dashboard.story.drop(`${name}.md`, writing(name));
      await dashboard.story.ended(name);
    }
    await page.goto(`${dashboard.address}runs`);
    const select = async (): Promise<void> => {
      for (const name of ['one', 'two'])
        await page
          .getByRole('checkbox', { name: `Select Write ${name}` })
          .last()
          .check();
    };
    await select();
    await confirm('Undo', 2);
    await dialog().getByText('2 of 2 done', { exact: true }).waitFor();
    expect([dashboard.story.deskText('one.txt'), dashboard.story.deskText('two.txt')]).toEqual([null, null]);
    await page.keyboard.press('Escape');
    await select();
    await confirm('Run again', 2);
    await dialog()
      .getByText(/^2 of 2 done/)
      .waitFor();
    await expect.poll(() => dashboard.story.deskText('one.txt'), { timeout: 30_000 }).toBe('one\n');
    await expect.poll(() => dashboard.story.deskText('two.txt'), { timeout: 30_000 }).toBe('two\n');
    expect(dashboard.errors()).toEqual([]);
  });
});
