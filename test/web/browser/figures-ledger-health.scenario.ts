import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserProgram, type Dashboard, openDashboard, screenshot } from '../../support/dashboard.ts';
import { openPlain } from '../../support/ledger-samples.ts';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const TASK = '# Count\n\n```sh\necho 3 > count.txt\n```\n\n- [ ] file count.txt exists\n';
const WRONG = '# Fail\n\n```sh\nexit 7\n```\n';

describe.skipIf(browserProgram === null)('the pages Figures, Ledger and Health', () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await openDashboard({ isWithoutWorker: true });
    await dashboard.story.oka('run', TASK);
    await dashboard.story.oka('run', WRONG);
  });
  afterAll(() => dashboard.close());

  it('three figures come first, none is drawn with few points, and each leads to its runs by keyboard', async () => {
    const page = await dashboard.open('/figures');
    const card = page.getByRole('region', { name: 'completion', exact: true });
    await page.getByRole('region', { name: 'first try', exact: true }).getByText('50 %').first().waitFor();
    expect(await page.locator('.figures .chart').count()).toBe(0);
    expect(await card.isVisible()).toBe(false);
    await page.getByText('More figures').click();
    await card.getByText('50 %').first().waitFor();
    await card.getByText('Numbers').focus();
    await page.keyboard.press('Enter');
    await card.getByRole('link', { name: /^\d{4}-/ }).focus();
    await page.keyboard.press('Enter');
    await card.getByRole('link', { name: 'Fail' }).waitFor();
    expect(page.url()).toContain('figure=completion&day=');
    await page.goBack();
    await card.getByRole('link', { name: 'Fail' }).waitFor({ state: 'detached' });
    await screenshot(page, 'figures');
    expect(dashboard.errors()).toEqual([]);
  });

  it('a day leads to what it cost: run, step and answer', async () => {
    await askModels(dashboard.story.home.ledgers.run);
    const page = await dashboard.open('/figures');
    const cost = page.getByRole('region', { name: 'Cost by day and model' });
    await cost.locator('.chart canvas').waitFor();
    await cost.getByText('Numbers').click();
    await cost.getByRole('link', { name: /^\d{4}-/ }).click();
    await cost.getByRole('link', { name: 'A report' }).click();
    await cost.getByText('Think hard').waitFor();
    await cost.getByText('openai:large').last().waitFor();
    expect(page.url()).toContain('cost_run=report');
    expect(await cost.getByText('$0.75').count()).toBeGreaterThan(0);
    await screenshot(page, 'figures-cost');
    expect(dashboard.errors()).toEqual([]);
  });

  it('the ledger is filtered, an event opened as it is stored, and its link shows the same', async () => {
    const page = await dashboard.open('/ledger');
    const events = page.getByRole('list', { name: 'Events, the latest first' }).getByRole('listitem');
    await events.first().waitFor();
    await page.getByLabel('Type').fill('run.ended');
    await page.keyboard.press('Enter');
    await page.waitForURL(/type=run\.ended/);
    await expect
      .poll(async () => (await events.allInnerTexts()).every((text) => text.includes('run.ended')))
      .toBe(true);
    await page.getByText('Ended, failed').first().click();
    await page.getByText('The line as it is stored').click();
    const raw = await page.locator('pre.raw').innerText();
    expect(readFileSync(dashboard.story.home.ledgers.run, 'utf8').split('\n')).toContain(raw);
    await page.getByRole('link', { name: 'Link to this event' }).click();
    await page.locator('.event.chosen').getByText('"status": "failed"').waitFor();
    await screenshot(page, 'ledger');
    expect(dashboard.errors()).toEqual([]);
  });

  it('the chain is checked in the browser, and a changed line is found', async () => {
    const page = await dashboard.open('/ledger');
    await page.getByRole('button', { name: 'Check in this browser' }).click();
    const { ledgers } = dashboard.story.home;
    const intact = readFileSync(ledgers.run, 'utf8');
    const lines = intact.split('\n').slice(0, -1);
    await page.getByText('Verified up to here').waitFor();
    expect(await page.locator('.hash').innerText()).toBe((JSON.parse(lines.at(-1) ?? '') as { hash: string }).hash);
    await page.reload();
    await page.getByRole('button', { name: 'Check what is new' }).waitFor();
    writeFileSync(
      ledgers.run,
      [lines[0], lines[1], lines[2]?.replace('"data":{', '"data":{ '), ...lines.slice(3), ''].join('\n'),
    );
    await page.getByRole('button', { name: 'Check all again' }).click();
    await page.getByText('Bad line: event 3').waitFor();
    writeFileSync(ledgers.run, intact);
    dashboard.errors();
  });

  it('health shows findings; settings try a command without doing it, and end another session', async () => {
    const other = await dashboard.open('/health');
    const page = await dashboard.open('/health');
    await page.getByText('is not running. Start it: oka up').waitFor();
    await page.getByText(/^\d+ things are good$/).click();
    await page.getByText('seccomp', { exact: true }).waitFor();
    await screenshot(page, 'health');
    await page.goto(`${dashboard.address}settings`);
    await page.getByLabel('What if oka wanted to run').fill('rm -rf /');
    await page.keyboard.press('Enter');
    await page.locator('.tried .verdict.deny').waitFor();
    await page.getByLabel('What if oka wanted to run').fill('https://example.org/');
    await page.getByRole('button', { name: 'Try' }).click();
    await page.getByText('From a command').waitFor();
    const others = page.locator('.sessions li').filter({ hasNotText: 'this browser' });
    for (let left = await others.count(); left > 0; left -= 1) {
      await others.first().getByRole('button', { name: /^End/ }).click();
      await page.getByRole('button', { name: 'End it' }).click();
      await expect.poll(() => others.count()).toBe(left - 1);
    }
    expect(dashboard.errors()).toEqual([]);
    await other.reload();
    await other.getByText('oka web link', { exact: true }).waitFor();
    // Pages whose session has ended go on asking.
    const ended = (page.context().browser()?.contexts() ?? []).filter((context) => context !== page.context());
    await Promise.all(ended.map((context) => context.close()));
    dashboard.errors();
  });

  it.each(['/figures', '/ledger', '/health', '/settings'])(
    '%s: axe finds nothing, light and dark, and a phone scrolls only downwards',
    async (path) => {
      for (const colorScheme of ['light', 'dark'] as const) {
        const page = await dashboard.open(path, {
          colorScheme,
          bypassCSP: true,
          viewport: { width: 360, height: 740 },
        });
        await expect.poll(() => page.getByText(/^(?:Reading|Examining)…$/).count()).toBe(0);
        expect(await violations(page)).toEqual([]);
        expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
        await screenshot(page, `${path.slice(1)}-phone-${colorScheme}`);
      }
      expect(dashboard.errors()).toEqual([]);
    },
  );
});

/** Events of a run that asked a model twice, as a worker would have written them. */
async function askModels(file: string): Promise<void> {
  const ledger = await openPlain(file);
  const run = 'report';
  const graph = { id: 'g', sha256: 'a'.repeat(64) };
  const answer = (model: string, usd: number) => ({
    type: 'call.ended' as const,
    run,
    data: {
      call: `${run}.think`,
      node: 'think',
      status: 'ok' as const,
      output: { text: 'yes', model },
      usage: { usd, tokens_in: 900, tokens_out: 100, ms: 1200 },
    },
  });
  await ledger.append([
    { type: 'run.started', run, data: { title: 'A report', graph, nodes: [{ id: 'think', title: 'Think hard' }] } },
    answer('openai:small', 0.25),
    answer('openai:large', 0.5),
    { type: 'run.ended', run, data: { status: 'done', reason: '' } },
  ]);
  await ledger.close();
}

async function violations(page: Page): Promise<string[]> {
  await page.addScriptTag({ path: AXE });
  const { violations: found } = (await page.evaluate('axe.run()')) as {
    violations: { id: string; nodes: { html: string; failureSummary: string }[] }[];
  };
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary}`),
  );
}
