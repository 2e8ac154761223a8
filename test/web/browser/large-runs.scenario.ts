/** A run of 10,000 events, a graph of 200 steps, and a run that is exported and opened from the disk. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../../src/kit/settings.ts';
import { openStores } from '../../../src/kit/house/stores.ts';
import { rebuildViews } from '../../../src/kit/house/open-views.ts';
import { submit } from '../../../src/kit/requests/submit-request.ts';
import type { NewEvent } from '../../../src/core/schema/event.ts';
import { browserProgram, type Dashboard, openDashboard, screenshot } from '../../support/dashboard.ts';

const CALLS = 5000;
const STEPS = 200;
const sha256 = 'a'.repeat(64);
type Box = { x: number; y: number; width: number; height: number };
const HOSTILE = `<script>document.title = 'taken'</script><img src="x" onerror="document.title = 'taken'">`;

function longRun(): NewEvent[] {
  const run = 'long-run';
  const input = { name: run, title: HOSTILE, dir: null, body: sha256, fields: {}, first_line: 1 };
  const calls = Array.from({ length: CALLS }, (_, index) => {
    const about = { call: `${run}.work.0.${index}`, node: 'work' };
    const started = { ...about, attempt: 1, tool: 'shell', class: 'read', input: { line: `echo ${index}${HOSTILE}` } };
    return [
      { type: 'call.started', run, data: started },
      { type: 'call.ended', run, data: { ...about, status: 'ok', output: { stdout: `line ${index}${HOSTILE}` } } },
    ];
  });
  return [
    { type: 'run.started', run, data: { title: HOSTILE, graph: { id: 'oka.task', sha256 }, input } },
    ...calls.flat(),
    { type: 'run.ended', run, data: { status: 'done', reason: 'all is said' } },
  ] as NewEvent[];
}

/** Ten rows of steps, each of which needs one of the row above; the first asks, so nothing else runs. */
const largeGraph = (): string =>
  JSON.stringify({
    id: 'large',
    title: 'Many steps',
    nodes: Array.from({ length: STEPS }, (_, index) =>
      index === 0
        ? { kind: 'wait', id: 'step-0', for: { kind: 'question', text: 'Shall it begin?' } }
        : {
            kind: 'tool',
            id: `step-${index}`,
            needs: [`step-${index < 20 ? 0 : index - 20}`],
            tool: 'shell',
            input: { line: `echo ${index}` },
            timeout_seconds: 60,
            max_retries: 0,
          },
    ),
  });

describe.skipIf(browserProgram === null)('large runs', () => {
  let dashboard: Dashboard;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'oka-exported-'));
    dashboard = await openDashboard({ isWithoutWorker: true });
    const { home } = dashboard.story;
    const stores = await openStores(home, await loadConfig(home));
    await stores.ledger.append(longRun());
    await stores.close();
    await rebuildViews(home);
  });
  afterAll(async () => {
    await dashboard.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('a run of 10,000 events opens with few lines in the document, and more come when they are asked for', async () => {
    const page = await dashboard.open('runs/long-run');
    await page
      .getByText(`${CALLS.toLocaleString('en')} calls`)
      .first()
      .waitFor();
    await page.locator('#calls details').first().waitFor();
    const before = await page.locator('#calls details').count();
    expect(before).toBeLessThan(500);
    await page
      .locator('#calls')
      .getByRole('button', { name: /more|earlier|later/i })
      .first()
      .click();
    await expect.poll(() => page.locator('#calls details').count()).toBeGreaterThan(before);
    expect(await page.evaluate('document.querySelectorAll("*").length')).toBeLessThan(20_000);
    expect(await page.title()).not.toBe('taken');
    await screenshot(page, 'run-10000-events');
    expect(dashboard.errors()).toEqual([]);
  });

  it('on a phone it scrolls only downwards', async () => {
    const page = await dashboard.open('runs/long-run', { viewport: { width: 360, height: 740 }, colorScheme: 'dark' });
    await page.locator('#calls details').first().waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    expect(dashboard.errors()).toEqual([]);
  });

  it('exported as HTML and opened from the disk it runs no script and fetches nothing', async () => {
    const page = await dashboard.open('runs/long-run');
    await page.getByRole('tab', { name: 'Cost and limits' }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Export as HTML' }).click(),
    ]);
    const file = join(folder, download.suggestedFilename());
    expect(file).toMatch(/long-run\.html$/);
    await download.saveAs(file);
    const opened = await (await dashboard.browser.newContext()).newPage();
    const requests: string[] = [];
    opened.on('request', (request) => requests.push(request.url()));
    await opened.goto(pathToFileURL(file).href);
    await opened.getByRole('heading', { level: 1 }).getByText('<script>').waitFor();
    await opened.getByText('line 4999').first().waitFor({ state: 'attached' });
    expect(await opened.title()).toBe(HOSTILE);
    expect(await opened.locator('script, img, iframe').count()).toBe(0);
    expect(requests).toEqual([pathToFileURL(file).href]);
    expect(dashboard.errors()).toEqual([]);
  });

  it('a graph of 200 steps opens where the work is, at a size that can be read, and fits when asked', async () => {
    dashboard.startWorker();
    dashboard.story.write('workspace/graphs/large.json', largeGraph());
    submit(join(dashboard.story.home.oka, 'intake'), { kind: 'run_graph', id: 'large-1', graph: 'large', input: {} });
    await dashboard.story.asked('question');
    const page = await dashboard.open('runs/large-1');
    const node = page.locator('.diagram .node');
    await expect.poll(() => node.count()).toBe(STEPS);
    const boxOf = async (selector: string): Promise<Box> =>
      (await page.locator(selector).last().boundingBox()) ?? { x: -1, y: -1, width: 0, height: 0 };
    const isInside = async (selector: string): Promise<boolean> => {
      const [frame, box] = [await boxOf('.diagram'), await boxOf(selector)];
      const isWide = box.x >= frame.x - 1 && box.x + box.width <= frame.x + frame.width + 1;
      return isWide && box.y >= frame.y - 1 && box.y + box.height <= frame.y + frame.height + 1;
    };
    await expect.poll(() => isInside('.diagram .node.waiting')).toBe(true);
    expect((await boxOf('.diagram .node.waiting')).height).toBeGreaterThan(24);
    await screenshot(page, 'run-200-steps');
    await page.getByRole('button', { name: 'Fit' }).click();
    await expect.poll(() => isInside('.diagram .node')).toBe(true);
    expect(dashboard.errors()).toEqual([]);
  });
});
