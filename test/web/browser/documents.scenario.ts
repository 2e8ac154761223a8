/** The site of the documents, opened from the disk in a real browser: what is on it, whether its links lead somewhere, its search. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildSite } from '../../../pack/site/build-site.ts';
import { axeFindings, looks } from '../../support/axe.ts';
import { browserProgram, screenshot } from '../../support/dashboard.ts';

const TOP = join(import.meta.dirname, '../../..');
const folder = mkdtempSync(join(tmpdir(), 'oka-site-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('every document is on a page, and every link leads to a page, a heading or a file that is there', () => {
  const built = buildSite(TOP, join(folder, 'site'));
  expect(built.problems).toEqual([]);
  expect(built.pages).toBeGreaterThan(25);
});

it('a page, a heading and a file that are not there are named, and so is a document that no page shows', () => {
  const top = join(folder, 'broken');
  for (const part of ['README.md', 'CHANGELOG.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'AGENTS.md', 'package.json'])
    cpSync(join(TOP, part), join(top, part));
  for (const part of ['docs', 'share', 'src', 'convex', 'LICENSE'])
    cpSync(join(TOP, part), join(top, part), { recursive: true });
  const hooks = join(top, 'docs/HOOKS.md');
  writeFileSync(
    hooks,
    `${readFileSync(hooks, 'utf8')}\n[a](MAILS.md) [b](MAIL.md#no-such-part) [c](../share/none.txt)\n`,
  );
  writeFileSync(join(top, 'docs/NEW.md'), '# New\n');
  expect(buildSite(top, join(folder, 'broken-site')).problems.toSorted()).toEqual([
    'docs/HOOKS.md links to "no-such-part" on mail.html, where no heading has that name',
    'docs/HOOKS.md links to ../share/none.txt, which is not there',
    'docs/HOOKS.md links to MAILS.md, which is not there',
    'docs/NEW.md is on no page: name it in pack/site/site-pages.ts',
  ]);
});

describe.skipIf(browserProgram === null)('in a browser', () => {
  let browser: Browser;
  let at: string;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: browserProgram ?? '' });
    at = pathToFileURL(buildSite(TOP, join(folder, 'site')).dir).href;
  });
  afterAll(() => browser.close());

  it.each(looks)('$name: pages have nothing that axe objects to, and nothing sticks out', async ({ name, ...look }) => {
    const context = await browser.newContext({ ...look, reducedMotion: 'reduce' });
    for (const path of ['index', 'tutorial', 'settings']) {
      const page = await context.newPage();
      await page.goto(`${at}/${path}.html`);
      await screenshot(page, `documents-${path}-${name}`);
      expect([path, await axeFindings(page)]).toEqual([path, []]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(look.viewport.width);
    }
    await context.close();
  });

  it('a few letters find a part of a page, and Enter opens it', async () => {
    const page = await browser.newPage();
    await page.goto(`${at}/index.html`);
    await page.keyboard.press('/');
    await page.keyboard.type('back rest mov');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(/operate\.html#backup-restore-moving$/);
    await page.getByRole('combobox').fill('zzzz');
    await page.getByText('Nothing has all of these words.').waitFor();
    await page.close();
  });

  it('on paper there is the text alone', async () => {
    const page = await browser.newPage();
    await page.goto(`${at}/tasks.html`);
    await page.emulateMedia({ media: 'print' });
    expect(await page.getByRole('navigation').count()).toBe(0);
    await page.getByRole('heading', { name: 'Writing a task' }).waitFor();
    await page.close();
  });
});
