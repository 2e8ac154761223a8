import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../../src/kit/settings.ts';
import { openStores } from '../../../src/kit/house/stores.ts';
import { rebuildViews } from '../../../src/kit/house/open-views.ts';
import type { NewEvent } from '../../../src/core/schema/event.ts';
import type { Json } from '../../../src/core/schema/json.ts';
import { browserProgram, type Dashboard, killProcess, openDashboard, screenshot } from '../../support/dashboard.ts';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const sha256 = 'a'.repeat(64);
const MANY = 3000;

const taskRun = (run: string, title: string, fields: Json, status: 'done' | 'failed'): NewEvent[] => [
  {
    type: 'run.started',
    run,
    data: {
      title,
      graph: { id: 'oka.task', sha256 },
      input: { name: run, title, dir: null, body: sha256, fields, first_line: 1 },
    },
  },
  { type: 'run.ended', run, data: { status, reason: 'so it is' } },
];

const manyRuns = (): NewEvent[] =>
  Array.from({ length: MANY }, (_, index) =>
    taskRun(`r${index}`, `Report number ${index}`, { tags: ['sales'] }, index % 50 === 0 ? 'failed' : 'done'),
  ).flat();

describe.skipIf(browserProgram === null)('the page Runs', () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await openDashboard({ isWithoutWorker: true });
    const { home } = dashboard.story;
    const stores = await openStores(home, await loadConfig(home));
    await stores.ledger.append(manyRuns());
    await stores.ledger.append(taskRun('better', 'Correct r5', { corrects: 'r5' }, 'done'));
    await stores.close();
    await rebuildViews(home);
  });
  afterAll(() => dashboard.close());

  it('scrolls through all runs, to any place, with few lines in the document', async () => {
    const page = await dashboard.open('/runs');
    await page.getByText(`${(3000).toLocaleString('en')} runs`).waitFor();
    await page.getByRole('link', { name: 'Report number 2999' }).waitFor();
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight / 2)');
    await page
      .getByRole('link', { name: /^Report number 15\d\d$/ })
      .first()
      .waitFor();
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
    await page.getByRole('link', { name: 'Report number 0', exact: true }).waitFor();
    expect(await page.locator('.run-line').count()).toBeLessThan(80);
    expect(dashboard.errors()).toEqual([]);
  });

  it('unfolds what corrects a run, and moves by keyboard', async () => {
    const page = await dashboard.open('/runs');
    await page.getByRole('button', { name: 'What belongs to Report number 5', exact: true }).click();
    await page.getByRole('link', { name: 'Correct r5' }).waitFor();
    for (const key of ['j', 'x']) await page.keyboard.press(key);
    await expect.poll(() => page.getByRole('checkbox', { name: 'Select Correct r5' }).isChecked()).toBe(true);
    await page.keyboard.press('o');
    await page.waitForURL(/\/runs\/better$/);
    expect(dashboard.errors()).toEqual([]);
  });

  it('finds runs by words and filters, which are in the address', async () => {
    const page = await dashboard.open('/runs');
    await page.keyboard.press('/');
    await page.keyboard.type('2950');
    await page.waitForURL(/text=2950/);
    await expect.poll(() => page.locator('.run-lines.long .run-line').count()).toBe(1);
    await page.getByLabel('Status').selectOption('failed');
    await page.getByLabel('Search runs').fill('');
    await page.waitForURL(/\/runs\?status=failed$/);
    await page.getByRole('link', { name: 'Report number 2950' }).waitFor();
    await expect.poll(() => page.locator('.run-lines.long .run-line').count()).toBeGreaterThan(10);
    await page.reload();
    await page.getByRole('link', { name: 'Report number 2900' }).waitFor();
    await screenshot(page, 'runs');
    expect(dashboard.errors()).toEqual([]);
  });

  it('archives what fits a filter after showing it, with a worker', async () => {
    const worker = dashboard.startWorker();
    const page = await dashboard.open('/runs?status=failed');
    await page.getByRole('button', { name: 'Archive…' }).click();
    await page.getByRole('heading', { name: 'Archive 60 runs' }).waitFor();
    await screenshot(page, 'runs-bulk');
    await page.getByRole('button', { name: 'Archive 60 runs' }).click();
    await page.getByText('60 of 60 done').waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('No run fits.').waitFor();
    await page.goto(`${dashboard.address}runs?archived=only`);
    await page.getByRole('link', { name: 'Report number 2950' }).waitFor();
    expect(dashboard.errors()).toEqual([]);
    await killProcess(worker); // the next runs take the pen themselves
  });

  it('new runs appear without a jump of what is being read', async () => {
    const page = await dashboard.open('/runs');
    await page.getByRole('link', { name: 'Report number 2999' }).waitFor();
    await page.evaluate('scrollTo(0, 20000)');
    const name = await nameInTheMiddle(page);
    const read = page.getByRole('link', { name, exact: true });
    const before = (await read.boundingBox())?.y ?? 0;
    await dashboard.story.oka('run', '# New\n\n```sh\necho 1 > one.txt\n```\n');
    await page.getByText(`${(2941).toLocaleString('en')} runs`).waitFor();
    await expect.poll(async () => Math.abs(((await read.boundingBox())?.y ?? 0) - before)).toBeLessThan(2);
    dashboard.errors();
  });

  it('compares two runs that are selected', async () => {
    for (const name of ['One', 'Two'])
      await dashboard.story.oka('run', `# ${name}\n\n\`\`\`sh\necho ${name} > one.txt\n\`\`\`\n`);
    const page = await dashboard.open('/runs');
    for (const name of ['One', 'Two'])
      await page
        .getByRole('checkbox', { name: `Select ${name}` })
        .first()
        .check();
    await page.getByRole('link', { name: 'Compare' }).click();
    await page.getByText('They differ.').waitFor();
    await page.getByRole('rowheader', { name: 'one.txt' }).waitFor();
    await screenshot(page, 'compare');
    expect(dashboard.errors()).toEqual([]);
  });

  it.each(['/runs', '/runs?tag=sales'])('%s: axe finds nothing, and a phone scrolls only downwards', async (path) => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await dashboard.open(path, { colorScheme, bypassCSP: true, viewport: { width: 360, height: 740 } });
      await page
        .getByRole('link', { name: /^Report/ })
        .first()
        .waitFor();
      expect(await violations(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
      await screenshot(page, `runs-phone-${colorScheme}`);
    }
  });
});

/** The run that stands in the middle of the window once the lines of this place have arrived; those of the place before are not in sight. */
async function nameInTheMiddle(page: Page): Promise<string> {
  const names = page.locator('.run-lines.long .run-line a');
  const inTheMiddle = () =>
    names.evaluateAll(
      (links: { getBoundingClientRect(): { y: number }; textContent: string | null }[]) =>
        links.find((link) => link.getBoundingClientRect().y > 200)?.textContent ?? '',
    );
  await expect.poll(inTheMiddle).toMatch(/^Report number (?!29)/);
  return inTheMiddle();
}

async function violations(page: Page): Promise<string[]> {
  await page.addScriptTag({ path: AXE });
  const found = (await page.evaluate('axe.run()')) as { violations: { id: string; nodes: { html: string }[] }[] };
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
}
