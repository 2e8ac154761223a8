/** Files and folders that are dragged onto the page Now, as a browser hands them over, and a program that is installed. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserProgram, type Dashboard, openDashboard, screenshot } from '../../support/dashboard.ts';

/** A program of the system that no machine of a developer has by chance. */
const MISSING = 'ebook-convert';
type Place = { x: number; y: number };
const runbook = (title: string, line: string): string => `# ${title}\n\n\`\`\`bash\n${line}\n\`\`\`\n`;

describe.skipIf(browserProgram === null)('what is dropped onto the page Now', () => {
  let dashboard: Dashboard;
  let page: Page;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'oka-dragged-'));
    dashboard = await openDashboard();
    page = await dashboard.open();
  });
  afterAll(async () => {
    await dashboard.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const recent = (title: string) =>
    page.getByRole('region', { name: /Finished/ }).locator('article', { hasText: title });

  /** Drags files or folders of the disk onto the page: over the box for new tasks, unless `place` is given. */
  async function drag(paths: string[], types: ('dragEnter' | 'dragOver' | 'drop')[], place?: Place): Promise<void> {
    const box = await page.getByRole('form', { name: 'New task' }).boundingBox();
    if (box === null) throw new Error('the box for new tasks is not shown');
    const at = place ?? { x: box.x + box.width / 2, y: box.y + 20 };
    const session = await page.context().newCDPSession(page);
    const data = { items: [], files: paths, dragOperationsMask: 1 };
    for (const type of types) await session.send('Input.dispatchDragEvent', { type, ...at, data });
    await session.detach();
  }

  it('a file: the box shows that it would take it, lists it, and its task is done', async () => {
    const file = join(folder, 'greet.md');
    writeFileSync(file, runbook('Greet', 'echo hello > greeting.txt'));
    await drag([file], ['dragEnter', 'dragOver']);
    await page.locator('.task-box.chosen').waitFor();
    await drag([file], ['drop']);
    await page.locator('.files .tag', { hasText: 'greet.md' }).waitFor();
    await page.locator('.task-box.chosen').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Do it' }).click();
    await recent('Greet').getByText('done').waitFor();
    expect(dashboard.story.deskText('greeting.txt')).toBe('hello\n');
    expect(page.url()).toBe(dashboard.address);
    expect(dashboard.errors()).toEqual([]);
  });

  it('a folder: with everything below it, as one task', async () => {
    const dragged = join(folder, 'count');
    mkdirSync(join(dragged, 'data', 'deep'), { recursive: true });
    writeFileSync(
      join(dragged, 'TASK.md'),
      runbook('Count lines', 'cat data/a.csv data/deep/b.csv | wc -l > lines.txt'),
    );
    writeFileSync(join(dragged, 'data', 'a.csv'), '1\n2\n');
    writeFileSync(join(dragged, 'data', 'deep', 'b.csv'), '3\n');
    await drag([dragged], ['dragEnter', 'dragOver', 'drop']);
    await page.locator('.files .tag', { hasText: 'count/data/deep/b.csv' }).waitFor();
    await screenshot(page, 'now-dropped-folder');
    await page.getByRole('button', { name: 'Do it' }).click();
    await recent('Count lines').getByText('done').waitFor();
    expect(dashboard.errors()).toEqual([]);
  });

  it('a file beside the box is taken, too, and is not opened in place of the page or in a tab', async () => {
    const file = join(folder, 'stray.html');
    writeFileSync(file, '<title>stray</title>');
    await drag([file], ['dragEnter', 'dragOver', 'drop'], { x: 600, y: 700 });
    await page.locator('.files .tag', { hasText: 'stray.html' }).waitFor();
    await page.getByRole('button', { name: 'Remove' }).click();
    expect(page.url()).toBe(dashboard.address);
    expect(page.context().pages()).toHaveLength(1);
    expect(dashboard.errors()).toEqual([]);
  });

  it('a program that is missing: "It is installed now" is checked, and the task goes on when it is', async () => {
    dashboard.story.drop('convert.md', runbook('Convert the book', `${MISSING} book`));
    const card = page.getByRole('region', { name: /Needs you/ }).locator('article', { hasText: 'Convert the book' });
    await card.getByText(MISSING).first().waitFor();
    await card.getByRole('button', { name: 'It is installed now' }).click();
    await card.getByText(/Last check: /).waitFor();
    await screenshot(page, 'now-requirement');
    const bin = join(dashboard.story.home.oka, 'tools', 'bin');
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, MISSING), '#!/bin/sh\necho converted\n');
    chmodSync(join(bin, MISSING), 0o755);
    await card.getByRole('button', { name: 'It is installed now' }).click();
    await recent('Convert the book').getByText('done').waitFor();
    expect(dashboard.errors()).toEqual([]);
  });
});
