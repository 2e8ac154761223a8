import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserProgram, type Dashboard, openDashboard, screenshot } from '../../support/dashboard.ts';

const bounds = { timeout_seconds: 20, max_retries: 0 };
const report = {
  id: 'report',
  title: 'List a folder',
  inputs: {
    type: 'object',
    properties: {
      where: { type: 'string', description: 'Which folder.' },
      depth: { type: 'integer' },
      kinds: { type: 'array', items: { type: 'string' } },
      mode: { enum: ['short', 'long'] },
    },
    required: ['where'],
  },
  nodes: [
    { kind: 'write_state', id: 'note', key: 'last', value: '{{input.where}}', ...bounds },
    { kind: 'tool', id: 'look', tool: 'files.list', input: { path: '{{input.where}}' }, needs: ['note'], ...bounds },
  ],
};

describe.skipIf(browserProgram === null)('graphs and schedules in the browser', () => {
  let dashboard: Dashboard;
  let folder = '';
  beforeAll(async () => {
    dashboard = await openDashboard();
    folder = dashboard.story.home.workspace;
    for (const name of ['graphs', 'schedules', 'desk/here']) mkdirSync(join(folder, name), { recursive: true });
    writeFileSync(join(folder, 'graphs/report.json'), `${JSON.stringify(report, null, 2)}\n`);
    const daily = { graph: 'report', every: 'day 08:00', timezone: 'UTC', input: { where: 'here' } };
    writeFileSync(join(folder, 'schedules/daily.json'), JSON.stringify(daily));
  });
  afterAll(() => dashboard.close());

  it('a graph is run with a form made from its schema, and the picture shows how it went', async () => {
    const page = await dashboard.open('/graphs');
    await page.getByRole('link', { name: 'List a folder' }).click();
    await page.getByText('It can run.').waitFor();
    await page.getByRole('button', { name: 'Run…' }).click();
    await page.getByLabel('where').fill('here');
    await page.getByRole('button', { name: 'Add' }).click();
    await page.getByRole('textbox', { name: 'kinds 1' }).fill('md');
    await page.getByLabel('mode (optional)').selectOption('long');
    await screenshot(page, 'graph-run-form');
    await page.getByRole('dialog').getByRole('button', { name: 'Run', exact: true }).click();
    await page.waitForURL(/runs\/report-/);
    const run = page.url().split('/').at(-1) ?? '';
    await page.goto(`${dashboard.address}graphs/report?run=${run}`);
    await page.locator('.node.done').nth(1).waitFor();
    await page.getByText('"here"').waitFor();
    await screenshot(page, 'graph');
    // A worker that is busy begins the run a moment after its page was opened.
    expect(dashboard.errors().filter((each) => !each.includes('404'))).toEqual([]);
  });

  it('a graph is edited with the help of its schema; a problem has its place, and saving makes a version', async () => {
    const page = await dashboard.open('/graphs/report');
    await page.keyboard.press('e');
    const area = page.getByLabel('The graph as JSON');
    const text = await area.inputValue();
    const at = text.indexOf('"files.list"') + 3;
    const moveCursor = `(() => { const field = document.getElementById('graph-text'); field.focus();
      field.setSelectionRange(${at}, ${at}); field.dispatchEvent(new Event('select')); })()`;
    await page.evaluate(moveCursor);
    await page.getByRole('button', { name: 'files.read', exact: true }).waitFor();
    await area.press('Control+Space');
    await expect.poll(() => page.evaluate('document.activeElement.parentElement.className')).toBe('suggestions');
    await area.fill(text.replace('"files.list"', '"files.lost"'));
    await page.getByText('1 problem').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page
      .getByText(/cannot run/)
      .first()
      .waitFor();
    await area.fill(text.replace('List a folder', 'List one folder'));
    await page.getByText('It can run.').waitFor();
    await screenshot(page, 'graph-edit');
    await area.press('Control+s');
    await page.getByRole('heading', { name: 'List one folder' }).waitFor();
    expect(readFileSync(join(folder, 'graphs/report.json'), 'utf8')).toContain('List one folder');
    await page.getByText('edited', { exact: true }).first().waitFor();
    expect(
      dashboard.errors().filter((each) => !each.includes('400') && !each.includes('409') && !each.includes('422')),
    ).toEqual([]);
  });

  it('a graph is changed on its picture: steps are added, connected, named, filled in, undone, and run up to one', async () => {
    const page = await dashboard.open('/graphs/report');
    await page.keyboard.press('e');
    const written = async (): Promise<{ nodes: { id: string; needs?: string[]; input?: unknown }[] }> =>
      JSON.parse(await page.getByLabel('The graph as JSON').inputValue());
    const node = async (id: string) => (await written()).nodes.find((each) => each.id === id);
    await page.getByRole('button', { name: 'The step look' }).click();
    await page.getByLabel('Add a step').selectOption('tool');
    await page.getByRole('button', { name: 'The step step_3' }).waitFor();
    expect((await node('step_3'))?.needs).toEqual(['look']);
    await page.getByLabel('Name', { exact: true }).fill('say');
    await page.getByRole('button', { name: 'Rename' }).click();
    const panel = page.getByRole('region', { name: 'The step say' });
    await panel.getByLabel('tool', { exact: false }).first().selectOption('"files.write"');
    expect((await node('say'))?.input).toEqual({ path: '', content: '' });
    await panel.getByRole('textbox', { name: /^path/ }).fill('{{input.where}}');
    await panel.getByRole('checkbox', { name: 'Write it as JSON' }).check();
    await expect.poll(() => panel.getByRole('textbox', { name: /^input/ }).inputValue()).toContain('{{input.where}}');
    await panel.getByLabel('tool', { exact: false }).first().selectOption('"shell"');
    await panel.getByRole('textbox', { name: /^line/ }).fill('echo counted > count.txt');
    await expect.poll(async () => (await node('say'))?.input).toMatchObject({ line: 'echo counted > count.txt' });
    await page.getByText('It can run.').waitFor();
    await screenshot(page, 'graph-picture');
    // An arrow is drawn from the dot below a step to the step behind it, and removed by the keyboard.
    await page.locator('.drawing').scrollIntoViewIfNeeded();
    const port = await page.locator('.port').first().boundingBox();
    const target = await page.locator('[data-node="say"]').boundingBox();
    if (port === null || target === null) throw new Error('nothing is drawn');
    await page.mouse.move(port.x + port.width / 2, port.y + port.height / 2);
    await page.mouse.down();
    await page.mouse.move(target.x + 20, target.y + 20, { steps: 5 });
    await page.mouse.up();
    await expect.poll(async () => (await node('say'))?.needs).toEqual(['look', 'note']);
    await page.getByRole('button', { name: 'Remove the arrow from note to say' }).press('Enter');
    await expect.poll(async () => (await node('say'))?.needs).toEqual(['look']);
    await page.getByRole('button', { name: 'Undo' }).click();
    expect((await node('say'))?.needs).toEqual(['look', 'note']);
    await page.getByRole('button', { name: 'Redo' }).click();
    expect((await node('say'))?.needs).toEqual(['look']);
    await page.getByRole('button', { name: 'The step note' }).press('Enter');
    await page.getByRole('region', { name: 'The step note' }).getByRole('button', { name: 'Run to here…' }).click();
    await page.getByLabel('where').fill('elsewhere');
    await page.getByRole('dialog').getByRole('button', { name: 'Run', exact: true }).click();
    await page.waitForURL(/runs\/report-/);
    await page.locator('.run-head .status.done').waitFor();
    const ran = (await dashboard.story.eventsOf('call.started', page.url().split('/').at(-1))).map(
      ({ data }) => data.node,
    );
    expect(ran).not.toContain('look');
    expect(dashboard.errors().filter((each) => !each.includes('404'))).toEqual([]);
  });

  it('a new graph starts from a template', async () => {
    const page = await dashboard.open('/graphs');
    await page.keyboard.press('n');
    await page.getByLabel('Name').fill('mine');
    await page.getByRole('button', { name: 'Edit it' }).click();
    await page.getByText('This graph is not saved yet.').waitFor();
    await page.getByText('It can run.').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('This graph is not saved yet.').waitFor({ state: 'detached' });
    expect(JSON.parse(readFileSync(join(folder, 'graphs/mine.json'), 'utf8'))).toMatchObject({ id: 'mine' });
    expect(dashboard.errors()).toEqual([]);
  });

  it('a schedule is triggered, switched off, counted before a backfill, and deleted', async () => {
    const page = await dashboard.open('/schedules', { viewport: { width: 360, height: 740 } });
    await page.getByRole('button', { name: 'Run now' }).click();
    await page.getByText('daily runs now.').waitFor();
    await page.getByRole('button', { name: 'Switch off' }).click();
    await page.getByRole('button', { name: 'Switch on' }).waitFor();
    await page.getByRole('button', { name: 'Backfill…' }).click();
    await page.getByLabel('From').fill('2020-01-01');
    await page.getByLabel('To').fill('2020-01-02');
    await page.getByRole('button', { name: 'Count the runs' }).click();
    await page.getByRole('button', { name: 'Make 2 runs' }).waitFor();
    await page.keyboard.press('Escape');
    await screenshot(page, 'schedules-phone');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
    await page.getByRole('button', { name: 'Delete…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Nothing runs by itself yet').waitFor();
    expect(dashboard.errors()).toEqual([]);
  });
});
