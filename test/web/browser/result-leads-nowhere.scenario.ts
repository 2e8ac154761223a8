/**
 * Looking at a result tells nobody anything: a browser that predicts what it will need, as people's browsers do, makes no
 * connection because of a page or a drawing that a task made.
 */
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { join } from 'node:path';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BrowserContext, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserProgram, type Dashboard, openDashboard } from '../../support/dashboard.ts';

const HOSTILE = '<h1>Sum</h1><link rel=preconnect href=http://evil.example><link rel=dns-prefetch href=//evil.example>';
const DRAWING = `<svg xmlns="http://www.w3.org/2000/svg" width="90" height="20"><h:link xmlns:h="http://www.w3.org/1999/xhtml" rel="preconnect" href="http://evil.example"/><text y="15">Drawn</text></svg>`;
const TASK = `---
id: page
---
# Make a page and a drawing

\`\`\`bash
echo '${HOSTILE}' > page.html
echo '${DRAWING}' > drawing.svg
echo '[a link](http://evil.example/)' > links.md
\`\`\`
`;

describe.skipIf(browserProgram === null)('a result that wants to be noticed', { timeout: 300_000 }, () => {
  let dashboard: Dashboard;
  let canary: Server;
  let connections = 0;
  let browser: BrowserContext;
  beforeAll(async () => {
    canary = createServer((socket) => {
      connections += 1;
      socket.on('error', () => undefined).end();
    }).listen(0, '127.0.0.1');
    await once(canary, 'listening');
    dashboard = await openDashboard();
    dashboard.story.drop('page.md', TASK);
    await dashboard.story.ended('page');
    const { port } = canary.address() as AddressInfo;
    const profile = join(dashboard.story.home.dir, 'browser');
    // The flags that tests are usually run with switch prediction off, and so do private windows.
    browser = await chromium.launchPersistentContext(profile, {
      executablePath: browserProgram ?? '',
      ignoreDefaultArgs: true,
      args: [
        '--headless=new',
        '--no-sandbox',
        '--disable-gpu',
        '--no-first-run',
        '--remote-debugging-pipe',
        `--user-data-dir=${profile}`,
        `--host-resolver-rules=MAP evil.example 127.0.0.1:${port}`,
      ],
    });
  });
  afterAll(async () => {
    await browser.close();
    canary.close();
    await dashboard.close();
  });

  it('is noticed when its original is opened, and not on the page of its run', async () => {
    const page = await browser.newPage();
    const raw = createHttpServer((_, answer) => answer.setHeader('content-type', 'text/html').end(HOSTILE));
    raw.listen(0, '127.0.0.1');
    await once(raw, 'listening');
    await page.goto(`http://127.0.0.1:${(raw.address() as AddressInfo).port}/`);
    await expect.poll(() => connections, { timeout: 60_000 }).toBeGreaterThan(0); // so the canary works
    raw.closeAllConnections();
    raw.close();
    const other = await browser.newPage();
    await other.goto(await dashboard.newLink());
    await other.waitForURL((url) => !url.pathname.endsWith('/login'));
    await sleep(3000); // connections of the page before
    connections = 0;
    await other.goto(`${dashboard.address}runs/page`);
    for (const name of ['page.html', 'drawing.svg']) await other.locator('summary', { hasText: name }).first().click();
    await other.frameLocator('iframe[title$="page.html"]').getByRole('heading', { name: 'Sum' }).waitFor();
    const drawn = `document.querySelector('img[alt$="drawing.svg"]')?.naturalWidth`;
    await expect.poll(() => other.evaluate(drawn)).toBe(90);
    await other.getByRole('link', { name: 'a link' }).waitFor();
    await sleep(3000);
    expect(connections).toBe(0);
  });
});
