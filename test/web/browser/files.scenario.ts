import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeFindings } from '../../support/axe.ts';
import { browserProgram, type Dashboard, openDashboard, screenshot } from '../../support/dashboard.ts';

const runbook = (title: string, command: string): string => `# ${title}\n\n\`\`\`bash\n${command}\n\`\`\`\n`;
const DRAWING =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 240 100"><rect x="10" y="40" width="60" height="60" fill="#3646c8"/><rect x="90" y="20" width="60" height="80" fill="#6cc792"/><rect x="170" y="55" width="60" height="45" fill="#e3b341"/></svg>';

describe.skipIf(browserProgram === null)('the page Files', () => {
  let dashboard: Dashboard;
  const onDesk = (path: string): string => join(dashboard.story.home.workspace, 'desk', path);
  const ended = async (many: number): Promise<unknown> =>
    dashboard.story.until(`${many} results`, async () =>
      (await dashboard.story.eventsOf('run.ended')).length >= many ? true : undefined,
    );
  beforeAll(async () => {
    dashboard = await openDashboard();
    mkdirSync(onDesk('invoices'), { recursive: true });
    writeFileSync(onDesk('invoices/2026-10.csv'), 'date,amount\n2026-10-02,812.40\n2026-10-19,64.00\n');
    writeFileSync(onDesk('notes.md'), '# Notes\n\nCall the **tax office** about October.\n');
  });
  afterAll(() => dashboard.close());

  it('shows a desk, and says which task made and changed a file', async () => {
    const { story } = dashboard;
    story.drop(
      'totals.md',
      runbook(
        'Totals by month',
        `mkdir -p reports\nprintf 'month,total\\n2026-09,640.10\\n2026-10,812.40\\n' > reports/totals.csv\ncat > reports/chart.svg <<'END'\n${DRAWING}\nEND`,
      ),
    );
    await ended(2);
    story.drop('correct.md', runbook('Add November', `printf '2026-11,99.00\\n' >> reports/totals.csv`));
    await ended(4);
    const page = await dashboard.open('/desk', { bypassCSP: true, viewport: { width: 1280, height: 800 } });
    await page.getByRole('link', { name: 'reports Add November' }).waitFor();
    await page.getByText('Changed lately', { exact: true }).waitFor();
    await screenshot(page, 'files');
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('link', { name: 'reports Add November' }).click();
    await page.getByRole('link', { name: /^totals.csv/ }).click();
    await page.getByRole('cell', { name: '812.40' }).waitFor();
    await page.getByText('Changed by Add November').waitFor();
    await page.getByText('Made by Totals by month').waitFor();
    await page.getByRole('button', { name: 'What changed' }).first().click();
    await page.getByText('+2026-11,99.00').waitFor();
    await screenshot(page, 'files-file');
    expect(await axeFindings(page)).toEqual([]);
    expect(dashboard.errors()).toEqual([]);
  });

  it('undoes the task that changed a file, and the file is as it was', async () => {
    const page = await dashboard.open('/desk?path=reports/totals.csv');
    await page.getByText('Changed by Add November').waitFor();
    await page.getByRole('button', { name: 'Undo…' }).first().click();
    await page.getByRole('heading', { name: 'Undo what this run changed?' }).waitFor();
    await page.getByRole('button', { name: 'Undo it' }).click();
    await page.getByText('undone', { exact: true }).waitFor();
    expect(readFileSync(onDesk('reports/totals.csv'), 'utf8')).not.toContain('2026-11');
    expect(dashboard.errors()).toEqual([]);
  });

  it('puts files of a person into the folder that is shown, as a task that can be undone', async () => {
    const page = await dashboard.open('/desk?path=invoices');
    await page.locator('#added-files').setInputFiles([
      { name: "it's new.csv", mimeType: 'text/csv', buffer: Buffer.from('a,b\n1,2\n') },
      { name: '$(id).txt', mimeType: 'text/plain', buffer: Buffer.from('plain') },
    ]);
    await page.getByText('Add 2 files').waitFor();
    await screenshot(page, 'files-add');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('link', { name: /^it's new.csv/ }).waitFor();
    expect(readFileSync(onDesk('invoices/$(id).txt'), 'utf8')).toBe('plain');
    await dashboard.story.until('the folder of the task to be gone', async () =>
      Promise.resolve(existsSync(onDesk('put-2-files-into-invoices')) ? undefined : true),
    );
    await page.getByRole('link', { name: /^it's new.csv/ }).click();
    await page.getByText('Made by Put 2 files into invoices').first().waitFor();
    expect(dashboard.errors()).toEqual([]);
  });

  it('takes a sentence about a file as a task', async () => {
    const page = await dashboard.open('/desk?path=notes.md');
    await page.getByText('No task made or changed it: it is yours.').waitFor();
    await page.getByRole('button', { name: 'Do something with it…' }).click();
    await page.getByRole('button', { name: 'Correct spelling and grammar' }).click();
    await screenshot(page, 'files-do');
    await page.getByRole('button', { name: 'Do it' }).click();
    await page.getByText('Added: Correct spelling and grammar').waitFor();
    await dashboard.story.until('the task', async () =>
      (await dashboard.story.eventsOf('task.received')).find(({ data }) =>
        JSON.stringify(data).includes('correct-spelling'),
      ),
    );
    expect(dashboard.errors()).toEqual([]);
  });

  it('finds files, downloads them, and is used by keys; on a phone and in the dark', async () => {
    const page = await dashboard.open('/', {
      viewport: { width: 390, height: 844 },
      colorScheme: 'dark',
      bypassCSP: true,
    });
    await Promise.all(['g', 'd'].map((key) => page.keyboard.press(key)));
    await page.getByRole('heading', { name: 'Files', exact: true, level: 1 }).waitFor();
    await screenshot(page, 'files-phone');
    await page.keyboard.press('/');
    await page.keyboard.type('chart');
    await page.getByRole('link', { name: 'reports/chart.svg' }).click();
    await page.getByRole('img', { name: 'reports/chart.svg' }).waitFor();
    await screenshot(page, 'files-phone-file');
    expect(await axeFindings(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('chart.svg');
    expect(dashboard.errors()).toEqual([]);
  });

  it('shows nothing outside of the desk', async () => {
    const page = await dashboard.open('/desk?path=../inbox');
    await page.getByText('There is no such file on the desk.').waitFor();
  });
});
