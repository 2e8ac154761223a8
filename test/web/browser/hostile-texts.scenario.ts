/** Texts that try to run, in every field that a task, a file name, a command, a model or memory can bring to a page. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Frame, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserProgram, type Dashboard, openDashboard } from '../../support/dashboard.ts';
import { SCRIPT_PAYLOADS } from '../../support/script-payloads.ts';

const PAGES = ['', 'runs', 'graphs', 'schedules', 'memory', 'figures', 'ledger', 'health', 'setup'];

/** A payload as text that a shell prints as it is. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
const encoded = (text: string): string => Buffer.from(text).toString('base64');

/** Its title, what its command prints, the names and contents of its files: all of them are the payload. */
function taskWith(payload: string, number: number): string {
  const name = payload
    .replaceAll('/', '_')
    .split('')
    .map((each) => (each < ' ' ? ' ' : each))
    .join('')
    .slice(0, 80);
  return [
    '---',
    `id: hostile-${number}`,
    `title: ${JSON.stringify(payload)}`,
    `tags: [${JSON.stringify(payload.slice(0, 30))}]`,
    '---',
    `# ${payload.replaceAll('\n', ' ')}`,
    '',
    '```bash',
    `printf '%s' ${encoded(payload)} | base64 -d`,
    `printf '%s' ${encoded(payload)} | base64 -d > ${quoted(`${number} ${name}.md`)}`,
    ...['html', 'svg', 'csv', 'json', 'txt'].map(
      (ending) => `printf '%s' ${encoded(payload)} | base64 -d > page-${number}.${ending}`,
    ),
    '```',
    '',
  ].join('\n');
}

/** A frame that may run no script does not answer at all. */
function ranIn(frame: Frame): Promise<unknown> {
  const value = frame.evaluate('globalThis.ran').catch(() => undefined);
  return frame === frame.page().mainFrame() ? value : Promise.race([value, sleep(200, undefined)]);
}

describe.skipIf(browserProgram === null)('hostile texts', () => {
  let dashboard: Dashboard;
  let page: Page;
  const asked: string[] = [];
  beforeAll(async () => {
    dashboard = await openDashboard();
    for (const [number, payload] of SCRIPT_PAYLOADS.entries())
      dashboard.story.drop(`hostile-${number}.md`, taskWith(payload, number));
    await dashboard.story.until('all tasks', async () =>
      (await dashboard.story.eventsOf('run.ended')).length >= SCRIPT_PAYLOADS.length ? true : undefined,
    );
    for (const payload of SCRIPT_PAYLOADS.slice(0, 20)) await dashboard.story.oka('memory', 'fact', 'add', payload);
    page = await dashboard.open();
    await page.context().route(
      (url) => !url.href.startsWith(dashboard.address),
      (route) => {
        asked.push(route.request().url()); // it has passed every policy and would go out now
        return route.abort();
      },
    );
    page.on('dialog', (dialog) => {
      asked.push(`a dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
  }, 600_000);
  afterAll(() => dashboard.close());

  /** Whether a script of a payload ran, in the page or in a frame of it, or something elsewhere was asked for. */
  async function effects(): Promise<string[]> {
    const ran = await Promise.all(page.frames().map(ranIn));
    return [...ran.filter((each) => each !== undefined).map(String), ...asked];
  }

  it('the trial can see an effect: a page without protection runs most of them', async () => {
    const bare = await dashboard.browser.newPage();
    await bare.route('**/*', (route) => route.fulfill({ contentType: 'text/html', body: SCRIPT_PAYLOADS[2] ?? '' }));
    await bare.goto('http://bare.test/');
    await bare.waitForFunction('globalThis.ran === 1');
    await bare.close();
  });

  it.each(PAGES)('the page /%s shows them as text', async (path) => {
    await page.goto(dashboard.address + path);
    await page.locator('main[aria-busy=false]').waitFor();
    await page.waitForTimeout(400);
    expect(await effects()).toEqual([]);
  });

  it('the pages of all runs show them as text, with their results, files and calls', async () => {
    for (const [number] of SCRIPT_PAYLOADS.entries()) {
      await page.goto(`${dashboard.address}runs/hostile-${number}`);
      await page.locator('main[aria-busy=false] h1').first().waitFor();
      expect(await effects(), SCRIPT_PAYLOADS[number]).toEqual([]);
    }
    for (const control of await page.locator('main details > summary').all())
      await control.click({ timeout: 2000 }).catch(() => undefined);
    await page.waitForTimeout(300);
    expect(await effects()).toEqual([]);
  }, 600_000);
});
