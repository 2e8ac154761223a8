/**
 * Looking at a result asks no name server for anything, and connects to nobody, whatever a task has put into it. The browser
 * predicts as people's browsers do: the flags that tests are usually run with switch that off. Each form is shown as it is
 * first, by another server, to know which of them a browser would follow.
 */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserProgram, type Dashboard, openDashboard } from '../../support/dashboard.ts';
import { canHaveDnsCanary, type DnsCanary, openDnsCanary } from '../../support/dns-canary.ts';

const hint =
  (rel: string, more = '') =>
  (host: string): string =>
    `<link rel="${rel}" href="http://${host}/x"${more}>`;
/** Ways of a page to lead to a host. */
const IN_PAGES: ((host: string) => string)[] = [
  hint('preconnect'),
  hint('dns-prefetch'),
  hint('prefetch'),
  hint('preload', ' as="image"'),
  hint('modulepreload'),
  hint('prerender'),
  hint('stylesheet'),
  hint('icon'),
  hint('manifest'),
  hint('preconnect dns-prefetch', ' crossorigin'),
  (host) => `<LINK/REL=preconnect/HREF=//${host}>`,
  (host) => `<p><link rel=dns-prefetch href=//${host}`,
  (host) => `<svg><style><link rel=preconnect href=http://${host}></style></svg>`,
  (host) => `<svg><foreignObject><link rel="preconnect" href="http://${host}"/></foreignObject></svg>`,
  (host) => `<noscript><link rel=preconnect href=http://${host}></noscript>`,
  (host) => `<template><link rel=preconnect href=http://${host}></template>`,
  (host) => `<!--><link rel=preconnect href=http://${host}>-->`,
  (host) => `<meta http-equiv=refresh content="0;url=http://${host}/">`,
  (host) => `<meta http-equiv=x-dns-prefetch-control content=on><a href="http://${host}/">x</a>`,
  (host) => `<base href="http://${host}/"><img src="x.png">`,
  (host) => `<a href="http://${host}/" ping="http://${host}/">x</a>`,
  (host) => `<img src="http://${host}/x.png">`,
  (host) => `<img srcset="http://${host}/x.png 2x" src="data:,">`,
  (host) => `<picture><source srcset="http://${host}/x.png"><img></picture>`,
  (host) => `<iframe src="http://${host}/"></iframe>`,
  (host) => `<iframe srcdoc="<img src=http://${host}/>"></iframe>`,
  (host) => `<object data="http://${host}/"></object>`,
  (host) => `<embed src="http://${host}/">`,
  (host) => `<video src="http://${host}/" poster="http://${host}/x.png"></video>`,
  (host) => `<audio src="http://${host}/"></audio>`,
  (host) => `<video><track default src="http://${host}/"></video>`,
  (host) => `<input type=image src="http://${host}/">`,
  (host) => `<body background="http://${host}/">`,
  (host) => `<table background="http://${host}/"><tr><td>x</td></tr></table>`,
  (host) => `<style>@import "http://${host}/x.css";</style>`,
  (host) => `<style>p{background:url(http://${host}/)}</style><p>x</p>`,
  (host) => `<style>@font-face{font-family:f;src:url(http://${host}/f)} p{font-family:f}</style><p>x</p>`,
  (host) => `<p style="background:image-set('http://${host}/x.png' 1x)">x</p>`,
  (host) => `<p style="background:u\\72l(http://${host}/)">x</p>`,
  (host) => `<p style="content:url(http://${host}/)">x</p>`,
  (host) => `<style>p::before{content:url(http://${host}/)}</style><p>x</p>`,
  (host) => `<style>ul{list-style-image:url(http://${host}/)}</style><ul><li>x</ul>`,
  (host) => `<style>p{cursor:url(http://${host}/),auto}</style><p>x</p>`,
  (host) => `<script>fetch("http://${host}/")</script>`,
  (host) => `<script src="http://${host}/"></script>`,
  (host) =>
    `<script type=speculationrules>{"prefetch":[{"urls":["http://${host}/"],"eagerness":"immediate"}]}</script>`,
  (host) => `<script type=speculationrules>{"prerender":[{"urls":["http://${host}/"]}]}</script>`,
  (host) => `<img src=x onerror="new Image().src='http://${host}/'">`,
  (host) => `<script>new RTCPeerConnection({iceServers:[{urls:"stun:${host}"}]}).createDataChannel("x")</script>`,
  (host) => `<script>new WebSocket("ws://${host}/")</script>`,
  (host) =>
    `<form action="http://${host}/"><button autofocus>x</button></form><script>document.forms[0].submit()</script>`,
  (host) => `<portal src="http://${host}/"></portal>`,
];
/** And of a drawing. */
const IN_DRAWINGS: ((host: string) => string)[] = [
  (host) => `<h:link xmlns:h="http://www.w3.org/1999/xhtml" rel="preconnect" href="http://${host}"/>`,
  (host) => `<h:link xmlns:h="http://www.w3.org/1999/xhtml" rel="dns-prefetch" href="//${host}"/>`,
  (host) => `<h:img xmlns:h="http://www.w3.org/1999/xhtml" src="http://${host}/"/>`,
  (host) => `<image href="http://${host}/x.png" width="9" height="9"/>`,
  (host) => `<image xmlns:l="http://www.w3.org/1999/xlink" l:href="http://${host}/x.png" width="9" height="9"/>`,
  (host) => `<use href="http://${host}/x.svg#a"/>`,
  (host) => `<feImage href="http://${host}/x.png"/>`,
  (host) =>
    `<filter id="f"><feImage href="http://${host}/x.png"/></filter><rect width="9" height="9" filter="url(#f)"/>`,
  (host) => `<style>@import url(http://${host}/x.css);</style>`,
  (host) => `<rect width="9" height="9" fill="url(http://${host}/x.svg#a)"/>`,
  (host) => `<rect width="9" height="9" style="fill:url(http://${host}/x.svg#a)"/>`,
  (host) => `<script href="http://${host}/x.js"/>`,
  (host) => `<script>fetch("http://${host}/")</script>`,
  (host) =>
    `<foreignObject width="9" height="9"><h:iframe xmlns:h="http://www.w3.org/1999/xhtml" src="http://${host}/"/></foreignObject>`,
  (host) => `<a href="http://${host}/"><text y="9">x</text></a>`,
];
/** And of a text that is shown as markdown. */
const IN_TEXTS: ((host: string) => string)[] = [
  (host) => `![x](http://${host}/x.png)`,
  (host) => `![x][1]\n\n[1]: http://${host}/x.png`,
  (host) => `[x](http://${host}/)`,
  (host) => `<http://${host}/>`,
  (host) => `http://${host}/`,
  (host) => `<img src="http://${host}/x.png">`,
  (host) => `<link rel="preconnect" href="http://${host}/">`,
  (host) => `[![x](http://${host}/x.png)](http://${host}/)`,
  (host) => `![x](//${host}/x.png)`,
  (host) => `<svg><image href="http://${host}/"/></svg>`,
  (host) => `[x](javascript:fetch("http://${host}/"))`,
  (host) => `![x](data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg"><image href="http://${host}/"/></svg>)`,
];
const drawn = (inside: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="90" height="20"><text y="15">Drawn</text>${inside}</svg>`;
const files: [string, string][] = [
  ...IN_PAGES.map((form, n): [string, string] => [`p${n}.html`, `<h1>Sum</h1>${form(`p${n}.evil.example`)}`]),
  ...IN_DRAWINGS.map((form, n): [string, string] => [`s${n}.svg`, drawn(form(`s${n}.evil.example`))]),
  ...IN_TEXTS.map((form, n): [string, string] => [`m${n}.md`, `# Sum\n\n${form(`m${n}.evil.example`)}\n`]),
];
/** A result has at most 50 files. */
const runs = [files.slice(0, 40), files.slice(40)];
const taskOf = (own: readonly [string, string][], n: number): string =>
  `---\nid: page${n}\n---\n# Make pages and drawings\n\n\`\`\`bash\n${own
    .map(([name, text]) => `echo ${Buffer.from(text).toString('base64')} | base64 -d > ${name}`)
    .join('\n')}\n\`\`\`\n`;
const TYPES: Record<string, string> = { html: 'text/html', svg: 'image/svg+xml', md: 'text/plain' };

describe.skipIf(browserProgram === null || !canHaveDnsCanary)(
  `${files.length} results that name hosts`,
  { timeout: 600_000 },
  () => {
    let dashboard: Dashboard;
    let canary: DnsCanary;
    let raw: Server;
    beforeAll(async () => {
      dashboard = await openDashboard();
      canary = await openDnsCanary(browserProgram ?? '', dashboard.story.home.dir);
      raw = createServer(({ url = '' }, answer) => {
        const [name = '', text = ''] = files.find(([each]) => url === `/${each}`) ?? [];
        answer.setHeader('content-type', TYPES[name.split('.').at(-1) ?? ''] ?? 'text/plain').end(text);
      }).listen(0, '127.0.0.1');
      await once(raw, 'listening');
      for (const [n, own] of runs.entries()) {
        dashboard.story.drop(`page${n}.md`, taskOf(own, n));
        await dashboard.story.ended(`page${n}`);
      }
    });
    afterAll(async () => {
      raw.closeAllConnections();
      raw.close();
      await canary[Symbol.asyncDispose]();
      await dashboard.close();
    });

    /** With a profile of its own: a browser connects to where pages of the same host have led before. */
    const openBrowser = (name: string): Promise<BrowserContext> => {
      const profile = join(dashboard.story.home.dir, `browser-${name}`);
      return chromium.launchPersistentContext(profile, {
        executablePath: canary.program,
        ignoreDefaultArgs: true,
        args: ['--headless=new', '--no-sandbox', '--disable-gpu', '--no-first-run', '--remote-debugging-pipe'].concat(
          `--user-data-dir=${profile}`,
        ),
      });
    };
    const showEach = async (page: Page, addresses: readonly string[]): Promise<void> => {
      for (const address of addresses) {
        await page.goto(address).catch(() => undefined); // some lead elsewhere at once
        await sleep(150);
      }
      await page.goto('about:blank');
    };

    it('would be followed as they are, for the most part', async () => {
      const { port } = raw.address() as AddressInfo;
      await using browser = await openBrowser('bare');
      const page = await browser.newPage();
      await showEach(
        page,
        files.map(([name]) => `http://127.0.0.1:${port}/${name}`),
      );
      await sleep(3000);
      const { names, connections } = canary.noticed();
      expect(names.length).toBeGreaterThan(30);
      expect(connections).toBeGreaterThan(20);
    });

    it('lead nowhere where oka shows them', async () => {
      await using browser = await openBrowser('shown');
      const page = await browser.newPage();
      await page.goto(await dashboard.newLink());
      await page.waitForURL((url) => !url.pathname.endsWith('/login'));
      await sleep(3000);
      canary.noticed(); // what the pages before have asked for
      for (const [n, own] of runs.entries()) {
        await page.goto(`${dashboard.address}runs/page${n}`);
        await page
          .locator('#result .file')
          .nth(own.length - 1)
          .waitFor();
        await page.evaluate(`for (const each of document.querySelectorAll('#result details')) each.open = true`);
        const pages = own.filter(([name]) => name.endsWith('.html')).length;
        const texts = own.filter(([name]) => name.endsWith('.md')).length;
        if (pages > 0)
          await page
            .locator('iframe.deliverable')
            .nth(pages - 1)
            .waitFor();
        if (texts > 0)
          await page
            .locator('#result h1', { hasText: 'Sum' })
            .nth(texts - 1)
            .waitFor();
        for (const shown of await page.locator('.deliverable').all()) {
          await shown.scrollIntoViewIfNeeded();
          await sleep(50);
        }
        await sleep(3000);
        expect({ run: n, ...canary.noticed() }).toEqual({ run: n, names: [], connections: 0 });
        const frames = `[...document.querySelectorAll('iframe.deliverable')].map((each) => each.src)`;
        await showEach(page, await page.evaluate<string[]>(frames)); // without the frame around it
      }
      await sleep(3000);
      expect(canary.noticed()).toEqual({ names: [], connections: 0 });
    });
  },
);
