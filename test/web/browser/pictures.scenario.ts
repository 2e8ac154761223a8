/**
 * Every page in every size and light, in a home that is empty, one that is ordinary and one with 20,000 runs: looked at
 * with axe, and compared with the pictures in test/web/pictures. OKA_PICTURES=store stores them as they are now.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pages } from '../../../src/app/web/pages.ts';
import { rebuildViews } from '../../../src/kit/house/open-views.ts';
import { openStores } from '../../../src/kit/house/stores.ts';
import { loadConfig } from '../../../src/kit/settings.ts';
import { axeFindings } from '../../support/axe.ts';
import { browserProgram, type Dashboard, openDashboard, screenshot } from '../../support/dashboard.ts';
import { differenceOf, shrink } from '../../support/picture-difference.ts';
import { oneIn } from '../../support/thorough.ts';
import { fillHome } from '../../support/typical-home.ts';

const STORED = join(import.meta.dirname, '../pictures');

/** Times and figures differ from run to run; more than that is another look. */
const MOST_DIFFERENT = 0.02;
/** Its rows are events, most of which are figures and hashes. */
const MOST_IN_LEDGER = 0.05;

const font = readFileSync(
  createRequire(import.meta.url).resolve('@fontsource-variable/inter/files/inter-latin-wght-normal.woff2'),
).toString('base64');

/** The same letters on every machine, and no moments. */
const PINNED = `@font-face { font-family: Pinned; font-weight: 100 900; src: url(data:font/woff2;base64,${font}); }
  :root { --font: Pinned !important; --mono: Pinned !important; } time { visibility: hidden; }`;

const SIZES = { phone: [390, 844], desk: [1280, 800], wide: [1920, 1080] } as const;
const looks = (['light', 'dark'] as const).flatMap((colorScheme) =>
  Object.entries(SIZES).map(([size, [width, height]]) => ({
    name: `${size}-${colorScheme}`,
    colorScheme,
    viewport: { width, height },
  })),
);
const shown = pages.filter(({ path }) => !path.includes(':')).map(({ path }) => path);

const HOMES: Record<string, { paths: string[]; fill: (dashboard: Dashboard) => Promise<void> }> = {
  empty: { paths: shown, fill: () => Promise.resolve() },
  ordinary: { paths: [...shown, '/graphs/weekly-report'], fill: ({ story }) => fillHome(story) },
  large: { paths: ['/', '/runs', '/figures', '/ledger', '/health'], fill: fillLarge },
};
const RUNS = 20_000;

async function fillLarge({ story: { home } }: Dashboard): Promise<void> {
  const stores = await openStores(home, await loadConfig(home));
  const graph = { id: 'oka.task', sha256: '0'.repeat(64) };
  for (let from = 0; from < RUNS; from += 1000)
    await stores.ledger.append(
      Array.from({ length: 1000 }, (_, index) => `run-${from + index}`).flatMap((run) => [
        { type: 'run.started', run, data: { title: `Task ${run.slice(4)}`, graph } } as const,
        { type: 'run.ended', run, data: { status: 'done', reason: 'every step is settled' } } as const,
      ]),
    );
  await stores.close();
  await rebuildViews(home);
}

async function pinned(page: Page): Promise<Buffer> {
  await page.addStyleTag({ content: PINNED });
  await page.evaluate('document.fonts.ready');
  await expect.poll(() => page.getByText(/^(?:Reading|Examining|Trying|Looking at every file) ?…$/).count()).toBe(0);
  return page.screenshot({ animations: 'disabled', caret: 'hide' });
}

describe.skipIf(browserProgram === null).each(Object.entries(HOMES))('pictures of a home that is %s', (kind, home) => {
  let dashboard: Dashboard;
  const open = new Map<string, Page>();
  const cases = oneIn(
    12,
    looks.flatMap((look) => home.paths.map((path) => ({ path, look }))),
  );
  beforeAll(async () => {
    dashboard = await openDashboard({ isWithoutWorker: kind === 'large' });
    await home.fill(dashboard);
  }, 900_000);
  afterAll(() => dashboard.close());

  it.each(cases.map(({ path, look }) => [path, look.name, look] as const))('%s, %s', async (path, name, look) => {
    const page = open.get(name) ?? (await dashboard.open('', { ...look, bypassCSP: true, reducedMotion: 'reduce' }));
    open.set(name, page);
    await page.goto(dashboard.address + path.slice(1));
    await page.locator('main[aria-busy=false]').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    const small = await shrink(page, await pinned(page));
    const file = join(STORED, kind, `${name}${path.replaceAll(/\W+/g, '-')}.png`);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(look.viewport.width);
    expect(dashboard.errors().filter((each) => !/status of 40[04]/.test(each))).toEqual([]);
    if (process.env['OKA_PICTURES'] === 'store') {
      mkdirSync(dirname(file), { recursive: true });
      return writeFileSync(file, Buffer.from(small, 'base64'));
    }
    if (!existsSync(file)) throw new Error(`there is no picture ${file} yet; OKA_PICTURES=store stores it`);
    const difference = await differenceOf(page, small, readFileSync(file).toString('base64'));
    if (difference > MOST_DIFFERENT) await screenshot(page, `differs-${kind}-${name}${path.replaceAll(/\W+/g, '-')}`);
    if (process.env['OKA_PICTURES'] === 'measure') console.log(`${file} ${difference}`);
    expect(difference, 'the share that looks different').toBeLessThanOrEqual(
      path === '/ledger' ? MOST_IN_LEDGER : MOST_DIFFERENT,
    );
    return undefined;
  });

  it.runIf(kind === 'empty').each([
    ['larger letters', 'html { font-size: 120% }'],
    ['a menu on the other side', '.bar { left: auto !important; right: 0 !important }'],
    ['another ground', ':root { --paper: #dfe8ff }'],
    ['blocks that have moved', 'main { padding-top: 5rem }'],
  ])('what is plainly another look is seen: %s', async (_, style) => {
    const page = await dashboard.open('settings', { ...looks[1], bypassCSP: true, reducedMotion: 'reduce' });
    const before = await shrink(page, await pinned(page));
    expect(await differenceOf(page, before, await shrink(page, await pinned(page)))).toBeLessThan(0.005);
    await page.addStyleTag({ content: style });
    expect(await differenceOf(page, before, await shrink(page, await pinned(page)))).toBeGreaterThan(MOST_DIFFERENT);
    await page.context().close();
  });
});
