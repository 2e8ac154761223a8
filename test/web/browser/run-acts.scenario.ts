/** What a person does with a run on its page, and the words of a model while it writes them. */
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { submit } from '../../../src/kit/requests/submit-request.ts';
import { browserProgram, type Dashboard, openDashboard, screenshot } from '../../support/dashboard.ts';
import { goal, inParts, plan, refusing } from '../../support/story-model.ts';

const TASK = '---\nid: greet\n---\n# Greet the guests\n\n```bash\necho hello > greeting.txt\n```\n';
const WORDS = 'First I count the tulips in the garden.\nThen ';
const PLAN = plan([goal('count', 'Count the tulips', ['files.write'])], ['The tulips are counted']);

describe.skipIf(browserProgram === null)('the acts on the page of a run', () => {
  let dashboard: Dashboard;
  let page: Page;
  const watching = Promise.withResolvers<void>();
  beforeAll(async () => {
    dashboard = await openDashboard({
      model: inParts({
        planner: () => watching.promise.then(() => PLAN),
        executor: () => ({ do: 'stall', first: WORDS }),
        critic: refusing,
      }),
    });
    dashboard.story.drop('greet.md', TASK);
    await dashboard.story.ended('greet');
    page = await dashboard.open('runs/greet');
  });
  afterAll(() => dashboard.close());

  const tasks = async (): Promise<string[]> =>
    (await dashboard.story.eventsOf('task.received')).map(({ run }) => run ?? '');

  it('Run again does the same task once more', async () => {
    dashboard.story.write('workspace/desk/greeting.txt', 'changed\n');
    await page.getByRole('button', { name: 'Run again' }).click();
    await page.getByText('Added again: Greet the guests').waitFor();
    await expect.poll(() => dashboard.story.deskText('greeting.txt'), { timeout: 30_000 }).toBe('hello\n');
    expect((await tasks()).length).toBe(2);
    expect(dashboard.errors()).toEqual([]);
  });

  it('Save as graph writes a graph that can be run', async () => {
    await page.getByRole('button', { name: 'Save as graph' }).click();
    const dialog = page.getByRole('dialog');
    const name = dialog.getByRole('textbox');
    expect(await name.inputValue()).toBe('greet-graph');
    await name.fill('greeting');
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await page.waitForURL(/\/graphs/);
    await page.getByRole('link', { name: 'greeting' }).first().waitFor();
    dashboard.story.write('workspace/desk/greeting.txt', 'changed\n');
    const intakes = join(dashboard.story.home.oka, 'intake');
    submit(intakes, { kind: 'run_graph', id: 'greeting-1', graph: 'greeting', input: {} });
    await dashboard.story.until('its end', async () => (await dashboard.story.eventsOf('run.ended', 'greeting-1'))[0]);
    expect(dashboard.story.deskText('greeting.txt')).toBe('hello\n');
    await page.goto(`${dashboard.address}runs/greet`);
    await page.getByRole('button', { name: 'Save as graph' }).click();
    await name.fill('not a name!');
    await dialog.getByRole('button', { name: 'Save', exact: true }).click();
    await page
      .locator('.notice')
      .filter({ hasText: /name|id/i })
      .first()
      .waitFor();
    await screenshot(page, 'run-save-refused');
    expect(dashboard.errors().filter((each) => !each.includes('400'))).toEqual([]);
  });

  it('the words of a model are on Now and on the page of the run while it writes them', async () => {
    const now = await dashboard.open('/');
    dashboard.story.drop('tulips.md', '---\nid: tulips\n---\n# Count the tulips\n\nCount the tulips in the garden.\n');
    await dashboard.story.until('the run', async () => (await dashboard.story.eventsOf('run.started', 'tulips'))[0]);
    const watched = await dashboard.open('runs/tulips');
    await watched.locator('.run-head .status.running').waitFor();
    await now.getByText('Count the tulips').first().waitFor(); // words that come before its card are not shown
    watching.resolve();
    await now.getByText('First I count the tulips in the garden.', { exact: true }).waitFor();
    await watched.locator('.live pre', { hasText: 'First I count the tulips in the garden.' }).waitFor();
    await now.close();
    await screenshot(watched, 'run-words');
    await watched.getByRole('button', { name: 'Cancel' }).click();
    await watched.getByRole('button', { name: 'Cancel the run' }).click();
    await watched.locator('.run-head .status.cancelled').waitFor();
    await watched.locator('.live').waitFor({ state: 'detached' });
    expect(dashboard.errors()).toEqual([]);
  });

  it('Correct adds a task that names what is wrong and leads back to the run', async () => {
    await page.goto(`${dashboard.address}runs/greet`);
    await page.getByRole('button', { name: 'Correct', exact: true }).click();
    await page.getByRole('dialog').getByRole('textbox').fill('It must say goodbye');
    await page.getByRole('button', { name: 'Correct it' }).click();
    await page.getByText(/^Added: /).waitFor();
    await dashboard.story.until('the task', async () => ((await tasks()).length > 3 ? true : undefined));
    const started = await dashboard.story.until('its run', async () =>
      (await dashboard.story.eventsOf('run.started')).find(({ data }) =>
        JSON.stringify(data.input).includes('"corrects":"greet"'),
      ),
    );
    await page.getByRole('tab', { name: 'Why' }).click();
    await page.locator(`#tab-panel a[href$="/runs/${started.run}"]`).first().waitFor();
    expect(dashboard.errors()).toEqual([]);
  });

  it('Pause keeps the next step from running until Resume', async () => {
    const steps = ['until [ -e go.txt ]; do sleep 0.2; done', 'echo two > two.txt'];
    const blocks = steps.map((line) => `\`\`\`bash\n${line}\n\`\`\`\n`).join('\n');
    dashboard.story.drop('slow.md', `---\nid: slow\n---\n# Two steps\n\n${blocks}`);
    await dashboard.story.until('its first call', async () =>
      (await dashboard.story.eventsOf('call.started')).find(({ data }) => data.call.startsWith('slow.execute')),
    );
    const watched = await dashboard.open('runs/slow');
    await watched.getByRole('button', { name: 'Pause' }).click();
    await watched.getByText('It pauses after what is running now.').waitFor();
    dashboard.story.write('workspace/desk/go.txt', 'go\n');
    await watched.locator('.run-head .status.paused').waitFor();
    expect(dashboard.story.deskText('two.txt')).toBe(null);
    await watched.getByRole('button', { name: 'Resume' }).click();
    await watched.locator('.run-head .status.done').waitFor();
    expect(dashboard.story.deskText('two.txt')).toBe('two\n');
    expect(dashboard.errors()).toEqual([]);
  });
});
