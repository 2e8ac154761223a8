import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeFindings } from '../../support/axe.ts';
import { browserProgram, type Dashboard, openDashboard, screenshot } from '../../support/dashboard.ts';

describe.skipIf(browserProgram === null)('the page Settings', () => {
  let dashboard: Dashboard;
  const rules = (name: string): string => join(dashboard.story.home.oka, 'rules', name);
  const policy = (): string => readFileSync(rules('POLICY.md'), 'utf8');
  const addRule = async (page: Page, program: string): Promise<void> => {
    await page.getByRole('form', { name: 'Add a rule' }).getByLabel('Which one').fill(program);
    await page.getByRole('form', { name: 'Add a rule' }).getByLabel('Why').fill('I want to know');
    await page.getByRole('form', { name: 'Add a rule' }).getByRole('button', { name: 'Add…' }).click();
    await page.getByRole('dialog').getByText(`+    program: ${program}`).waitFor();
  };
  beforeAll(async () => {
    dashboard = await openDashboard();
    writeFileSync(rules('mcp.json'), JSON.stringify({ mcpServers: { notes: { command: 'npx', args: ['notes'] } } }));
  });
  afterAll(() => dashboard.close());

  it('a rule is added after its difference was shown, with a link for this one change, and counts', async () => {
    const page = await dashboard.open('/settings');
    const before = policy();
    await addRule(page, 'git');
    await screenshot(page, 'settings-rule');
    expect(policy()).toBe(before);
    const field = page.getByRole('dialog').getByLabel(/fresh link/);
    await field.fill('not-the-passphrase');
    await page.getByRole('button', { name: 'Change the rules' }).click();
    await page.getByText('That is not the passphrase.').waitFor();
    expect(policy()).toBe(before);
    const link = await dashboard.newLink();
    await field.fill(link);
    await field.press('Enter');
    await page.getByText('The rules are changed.').waitFor();
    await page.locator('ol.entries li', { hasText: 'the program git' }).getByText('I want to know').waitFor();
    expect(policy()).toContain('rules:\n  - effect: ask\n    program: git\n    why: "I want to know"\n');
    await dashboard.story.until('the worker has the rule', async () =>
      (await dashboard.story.eventsOf('policy.loaded')).at(-1)?.data.rules === 1 ? true : undefined,
    );
    const [received] = await dashboard.story.eventsOf('intake.received');
    expect(received?.data.intake).toMatchObject({ kind: 'write_rules', by: expect.stringContaining('dashboard') });

    await addRule(page, 'zip'); // the link is used up
    await field.fill(link);
    await field.press('Enter');
    await page.getByText('This link was used before, or is too old.').waitFor();
    expect(policy()).not.toContain('program: zip');
    expect(dashboard.errors().filter((each) => !each.includes('403'))).toEqual([]);
  });

  it('nothing but a login for the change makes it: no session, no token, no request of a page, no GET', async () => {
    const page = await dashboard.open('/settings');
    const before = policy();
    const change = { change: 'add_rule', effect: 'allow', about: 'program', value: 'rm', why: '' };
    const ask = (path: string, body: unknown): Promise<number> =>
      page.evaluate(
        `fetch('/api/v1/${path}', { method: 'POST', headers: { 'Content-Type': 'application/json', 'X-Oka-Key': localStorage.getItem('oka /') }, body: ${JSON.stringify(JSON.stringify(body))} }).then((answer) => answer.status)`,
      );
    const replaces = (await page.evaluate(
      `fetch('/api/v1/rules-preview', { method: 'POST', headers: { 'Content-Type': 'application/json', 'X-Oka-Key': localStorage.getItem('oka /') }, body: ${JSON.stringify(JSON.stringify({ change }))} }).then((answer) => answer.json()).then((answer) => answer.replaces)`,
    )) as string;
    expect(replaces).toMatch(/^[0-9a-f]{64}$/);
    expect(await ask('rules', { change, replaces })).toBe(400);
    expect(await ask('rules', { change, replaces, proof: 'A'.repeat(43) })).toBe(403);
    const text = before.replace('external_mutation: ask', 'external_mutation: allow');
    expect(await ask('intakes', { kind: 'write_rules', file: 'POLICY.md', text, replaces, by: 'me' })).toBe(403);
    const link = (await dashboard.newLink()).split('#')[1] ?? '';
    for (const path of [
      `rules?proof=${link}`,
      `rules?change=${encodeURIComponent(JSON.stringify(change))}&proof=${link}`,
    ])
      expect(await page.evaluate(`fetch('/api/v1/${path}').then((answer) => answer.status)`)).not.toBe(200);
    const stale = { change, replaces: '0'.repeat(64), proof: link };
    expect(await ask('rules', stale)).toBe(409);
    expect(policy()).toBe(before);
    dashboard.errors();
  });

  it('a server is switched off, a folder is opened, and a mistake in the file is shown before anybody logs in', async () => {
    const page = await dashboard.open('/settings', { viewport: { width: 390, height: 844 }, bypassCSP: true });
    await page.getByRole('button', { name: 'Switch off notes' }).click();
    await page.getByRole('dialog').getByText('+      "disabled": true').waitFor();
    await page.getByLabel(/fresh link/).fill(await dashboard.newLink());
    await page.getByRole('button', { name: 'Change the rules' }).click();
    await page.getByRole('button', { name: 'Switch on notes' }).waitFor();
    expect(readFileSync(rules('mcp.json'), 'utf8')).toContain('"disabled": true');

    await page.getByRole('form', { name: 'Add a folder' }).getByLabel('Folder').fill('~/Documents');
    await page.getByRole('form', { name: 'Add a folder' }).getByRole('button').click();
    await page.getByRole('dialog').getByText('+  - path: "~/Documents"').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await screenshot(page, 'settings-phone');
    await page.keyboard.press('Escape');

    await page.getByRole('button', { name: 'Edit the file…' }).click();
    await page.getByLabel('The file').fill(policy().replace('version: 1', 'version: 2'));
    await page.getByRole('button', { name: 'Show the change' }).click();
    await page
      .getByRole('alert')
      .getByText(/version/)
      .waitFor();
    expect(await page.getByLabel(/fresh link/).count()).toBe(0);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    expect(dashboard.errors()).toEqual([]);
  });
});
