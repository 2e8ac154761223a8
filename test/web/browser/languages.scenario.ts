/**
 * Every page in a language that only this trial speaks: all letters of what is translated are Greek ones, so what a
 * person would still read in English stands out. And the dashboard in the languages that there are.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { pages } from '../../../src/app/web/pages.ts';
import { browserProgram, type Dashboard, openDashboard, screenshot } from '../../support/dashboard.ts';
import { saidSentences } from '../../support/said-words.ts';

const TASK =
  '---\nid: shown\naccept:\n  - rows: sums.csv >= 1\n---\n# Make 1 table\n\n```bash\nprintf "1,2\\n3,4\\n" > sums.csv\n```\n';
const ASKING = '---\nid: asking\n---\n# Ask 1st\n\n```bash\ncurl -X POST https://example.org/\n```\n';

const paths = [
  ...pages.filter(({ path, name }) => !path.includes(':') && name !== 'design').map(({ path }) => path),
  '/runs/shown',
  '/runs/asking',
  '/compare?a=shown&b=asking',
  '/chat/desk',
  '/no-such-page',
];

/** As another alphabet would have it; places and marks stay. */
const inGreek = (sentence: string): string =>
  sentence.replace(/\{\}|<\/?>|[A-Za-z]/g, (part) => (part.length === 1 ? GREEK : part));
const GREEK = 'ω';

/**
 * Where others speak: people, programs, models and the ledger, and the command line, whose words about the disk Health shows. Times are as the browser writes them, and the bar comes
 * from the server, which speaks German here.
 */
const OTHERS = [
  'code, pre, kbd, time, script, style, noscript, .markdown, header.bar nav a, select[name], #calls, .path',
  '.attention p, .result-line, .suggestions, .sentence, .type, .findings, .egress small, .file-name, .by, .parts td',
].join(', ');
/** Titles and files of this home, names, and units of numbers. */
const NAMES =
  /Ask 1st|Make 1 table|ask-1st|make-1-table|gpt-5-mini|the kernel offers it|Chrome on Linux|sums\.csv|example\.org|\boka\b|@\w+|\b(?:asking|shown|desk|chromium|OpenAI|POLICY\.md|JSON|UTC|Ctrl K)\b|[\d.,]+\s?(?:ms|min|kB|MB|GB|B|s|h)\b/g;

describe.skipIf(browserProgram === null)('languages', () => {
  let dashboard: Dashboard;
  beforeAll(async () => {
    dashboard = await openDashboard();
    dashboard.story.drop('shown.md', TASK);
    dashboard.story.drop('asking.md', ASKING);
    await dashboard.story.ended('shown');
    await dashboard.story.asked('approval');
  });
  afterAll(() => dashboard.close());

  it.each([...new Set(paths)])('%s says nothing in English', async (path) => {
    const page = await openInGreek(dashboard, path);
    expect(await englishOn(page)).toEqual([]);
    await page.context().close();
  });

  it('follows the browser, and loads no catalogue for English', async () => {
    dashboard.errors(); // of pages that are not there
    const page = await dashboard.open('', { locale: 'de-AT' });
    expect(await page.locator('html').getAttribute('lang')).toBe('de');
    await page.getByRole('heading', { name: 'Fertig' }).waitFor();
    await page.getByRole('link', { name: 'Läufe' }).click();
    await page.waitForURL(/runs$/);
    await expect.poll(() => page.title()).toBe('Läufe · oka');
    await screenshot(page, 'runs-german');
    await page.context().close();
    const english = await dashboard.open('', { locale: 'it-IT' });
    expect(await english.locator('html').getAttribute('lang')).toBe('en');
    expect(
      await english.evaluate(
        'performance.getEntriesByType("resource").filter(({ name }) => /words/.test(name) && name.endsWith(".json")).length',
      ),
    ).toBe(0);
    await english.context().close();
    expect(dashboard.errors()).toEqual([]);
  });

  it('is in the language of the setting, whatever the browser asks for', async () => {
    const { story } = dashboard;
    writeFileSync(join(story.home.oka, 'rules/config.json'), JSON.stringify({ language: 'de' }));
    for (const path of ['', 'runs/shown', 'settings']) {
      const page = await dashboard.open(path, { locale: 'en-US' });
      expect(await page.locator('html').getAttribute('lang')).toBe('de');
      await screenshot(page, `german-${path.replaceAll('/', '-')}`);
      await page.context().close();
    }
  });
});

async function openInGreek(dashboard: Dashboard, path: string): Promise<Page> {
  const words = Object.fromEntries([...saidSentences()].map((sentence) => [sentence, inGreek(sentence)]));
  const page = await dashboard.open('', { locale: 'de-DE' });
  await page.route('**/words/de.json', (route) =>
    route.fulfill({ contentType: 'text/javascript', body: `okaWords = ${JSON.stringify(words)}` }),
  );
  await page.goto(dashboard.address + path.slice(1));
  await page.locator('main[aria-busy=false]').waitFor();
  return page;
}

/** Texts and attributes with two letters of our alphabet in a row, except where others speak. */
async function englishOn(page: Page): Promise<string[]> {
  const names = `${NAMES.source}|${hostname()}`;
  return (await page.evaluate(`(${FIND_ENGLISH})(${JSON.stringify(OTHERS)}, ${JSON.stringify(names)})`)) as string[];
}

/** Run by the browser. */
const FIND_ENGLISH = `(others, names) => {
  const found = [];
  const isOurs = (element) => element !== null && element.closest(others) === null;
  const look = (text, at) => {
    if (/[A-Za-z]{2}/.test(text.replaceAll(new RegExp(names, 'g'), '')))
      found.push(at.tagName.toLowerCase() + '.' + at.className + ': ' + text.trim());
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode())
    if (isOurs(node.parentElement)) look(node.textContent, node.parentElement);
  for (const element of document.querySelectorAll('[title],[aria-label],[placeholder]'))
    if (isOurs(element))
      for (const name of ['title', 'aria-label', 'placeholder']) look(element.getAttribute(name) ?? '', element);
  return found;
}`;
