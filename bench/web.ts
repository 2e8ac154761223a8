/**
 * The dashboard: what a browser has to load, how soon something is on the screen, and how much of that is ours. The same
 * bytes from a bare server are the floor. Needs Chromium; without it, only what can be measured without one.
 */
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { type Browser, chromium, type Page } from 'playwright-core';
import type { Home } from '../src/core/schema/home.ts';
import type { NewEvent } from '../src/core/schema/event.ts';
import { openBrowserFiles } from '../src/kit/web/assets/browser-files.ts';
import { openAccess } from '../src/kit/web/login/access.ts';
import { pages } from '../src/app/web/pages.ts';
import { startWeb, type Web } from '../src/app/web/web-server.ts';
import { browserProgram } from '../test/support/dashboard.ts';
import { type Figure, median } from './figure.ts';
import { storesIn, temporaryHome } from './support/home.ts';
import { fillHome } from './views.ts';

const EVENTS = Number(process.env['OKA_BENCH_EVENTS'] ?? 1_000_000);
const RUN_EVENTS = 10_000;
const TIMES = 11;
const IDLE_MS = 5000;

export async function measure(note: (text: string) => void): Promise<Figure[]> {
  using home = temporaryHome(process.env['TMPDIR'] ?? '/tmp');
  await fillHome(home.home, EVENTS);
  await addLongRun(home.home);
  note(`${EVENTS} events of about ${Math.round(EVENTS / 10)} runs, and one run of ${RUN_EVENTS} events`);
  const web = await startWeb({ home: home.home, host: '127.0.0.1', port: 0, address: null, log: note });
  try {
    const figures = [scriptSize(), await documentCost(web, home.home, note)];
    if (browserProgram === null) {
      note('SKIPPED: no Chromium here, so nothing is measured in a browser');
      return figures;
    }
    const browser = await chromium.launch({ executablePath: browserProgram });
    try {
      figures.push(...(await inBrowser(browser, web, home.home, note)));
    } finally {
      await browser.close();
    }
    return figures;
  } finally {
    await web.close();
  }
}

function scriptSize(): Figure {
  const files = openBrowserFiles();
  const scripts = files.paths
    .filter((path) => !path.startsWith('words/')) // a browser loads those of one language, or none
    .flatMap((path) => files.find(path) ?? [])
    .filter(({ type }) => type.includes('javascript'));
  const bytes = scripts.reduce((sum, { gzipped }) => sum + gzipped.length, 0);
  return {
    name: 'web_script_kb',
    value: bytes / 1000,
    unit: 'kB',
    bar: { most: 120 },
    about: 'all scripts of all pages together, gzipped one by one',
  };
}

/** Our document against a bare server that sends the same bytes. */
async function documentCost(web: Web, home: Home, note: (text: string) => void): Promise<Figure> {
  const { secret } = openAccess(home).start('token', 'bench', 'read');
  const headers = { authorization: `Bearer ${secret}` };
  const body = await fetchText(web.port, headers);
  const bare = createServer((_request, response) => response.end(body));
  await new Promise<void>((done) => bare.listen(0, '127.0.0.1', done));
  const { port } = bare.address() as AddressInfo;
  const [ours, floor]: [number[], number[]] = [[], []];
  for (let time = 0; time < 10 * TIMES; time += 1) {
    ours.push(await timeOf(() => fetchText(web.port, headers)));
    floor.push(await timeOf(() => fetchText(port, headers)));
  }
  bare.close();
  bare.closeAllConnections();
  note(
    `document of ${(body.length / 1000).toFixed(0)} kB (${(gzipSync(body).length / 1000).toFixed(0)} gzipped): ${median(ours).toFixed(1)} ms, bare server ${median(floor).toFixed(1)} ms`,
  );
  return {
    name: 'web_document_ms',
    value: median(ours),
    unit: 'ms',
    bar: { most: 50 },
    about: `the page Now with its data; a bare server sends the same bytes in ${median(floor).toFixed(1)} ms`,
  };
}

async function inBrowser(browser: Browser, web: Web, home: Home, note: (text: string) => void): Promise<Figure[]> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(web.newLink());
  await page.waitForURL((url) => !url.pathname.endsWith('/login'));
  const paints: number[] = [];
  const opened: number[] = [];
  for (let time = 0; time < TIMES; time += 1) {
    paints.push(await firstPaint(page, web.address));
    opened.push(await openRun(page, `${web.address}runs/long-run`));
  }
  note(
    `first paint ${paints.map((ms) => ms.toFixed(0)).join(' ')} ms; the long run ${opened.map((ms) => ms.toFixed(0)).join(' ')} ms`,
  );
  const scripts = await largestScripts(page, web.address);
  note(`scripts by page, gzipped: ${scripts.map(({ path, kb }) => `${path} ${kb.toFixed(0)}`).join(', ')} kB`);
  await page.goto(web.address);
  await page.locator('main[aria-busy=false]').waitFor();
  const idle = await idleShare(page);
  const events = await eventDelays(page, home);
  note(`an event on the screen after ${events.map((ms) => ms.toFixed(0)).join(' ')} ms`);
  return [
    {
      name: 'web_page_script_kb',
      value: Math.max(...scripts.map(({ kb }) => kb)),
      unit: 'kB',
      bar: { most: 120 },
      about: 'the scripts of the page that needs most, gzipped, with what it loads later',
    },
    {
      name: 'web_first_paint_ms',
      value: median(paints),
      unit: 'ms',
      bar: { most: 150 },
      about: `first contentful paint of Now behind ${EVENTS} events, as Chromium tells it`,
    },
    {
      name: 'web_long_run_ms',
      value: median(opened),
      unit: 'ms',
      bar: { most: 500 },
      about: `a run of ${RUN_EVENTS} events, from the address to its heading and steps`,
    },
    {
      name: 'web_idle_percent',
      value: idle,
      unit: '%',
      bar: { most: 1 },
      about: 'CPU of a page on which nothing happens',
    },
    {
      name: 'web_event_ms',
      value: median(events),
      unit: 'ms',
      bar: { most: 250 },
      about: 'from a durable event to the screen',
    },
  ];
}

/** What each page has loaded a moment after it was opened. */
async function largestScripts(page: Page, address: string): Promise<{ path: string; kb: number }[]> {
  const sizes: { path: string; kb: number }[] = [];
  for (const path of [...pages.map((each) => each.path).filter((each) => !each.includes(':')), '/runs/long-run']) {
    await page.goto(address + path.slice(1));
    await page.locator('main[aria-busy=false]').waitFor();
    await page.waitForTimeout(500);
    const bytes = (await page.evaluate(`performance.getEntriesByType('resource')
      .filter(({ name }) => /\\.(ts|js|mjs)$/.test(name)).reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`)) as number;
    sizes.push({ path, kb: bytes / 1000 });
  }
  return sizes;
}

async function firstPaint(page: Page, address: string): Promise<number> {
  await page.goto(address);
  await page.locator('main[aria-busy=false] h1, main[aria-busy=false] h2').first().waitFor();
  return (await page.evaluate(`new Promise((found) => {
    const paint = () => performance.getEntriesByName('first-contentful-paint')[0];
    if (paint()) found(paint().startTime);
    else new PerformanceObserver(() => paint() && found(paint().startTime)).observe({type: 'paint', buffered: true});
  })`)) as number;
}

async function openRun(page: Page, address: string): Promise<number> {
  const start = performance.now();
  await page.goto(address, { waitUntil: 'commit' });
  await page.locator('main[aria-busy=false] h1').first().waitFor();
  return performance.now() - start;
}

/** The share of time in which the page does something. */
async function idleShare(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  const busy = async (): Promise<number> => {
    const { metrics } = await session.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0;
  };
  await page.waitForTimeout(1500);
  const before = await busy();
  await page.waitForTimeout(IDLE_MS);
  return ((await busy()) - before) / (IDLE_MS / 100_000);
}

/** A run starts, and its title appears on Now. */
async function eventDelays(page: Page, home: Home): Promise<number[]> {
  const stores = await storesIn(home);
  const delays: number[] = [];
  for (let time = 0; time < TIMES; time += 1) {
    const title = `appears ${time}`;
    const seen = page.getByText(title).first().waitFor();
    await stores.ledger.append(startOf(`appears-${time}`, title));
    const durable = Date.now();
    await seen;
    delays.push(Date.now() - durable);
    await page.waitForTimeout(200);
  }
  await stores.close();
  return delays;
}

async function addLongRun(home: Home): Promise<void> {
  const stores = await storesIn(home);
  stores.ledger.stage(startOf('long-run', 'A run of many events'));
  for (let call = 1; call <= RUN_EVENTS / 2; call += 1) {
    const about = { call: `long-run.work.0.${call}`, node: 'work' };
    stores.ledger.stage({
      type: 'call.started',
      run: 'long-run',
      data: { ...about, attempt: 1, tool: 'shell.exec', class: 'read', input: { command: `echo ${call}` } },
    });
    stores.ledger.stage({
      type: 'call.ended',
      run: 'long-run',
      data: { ...about, status: 'ok', output: { stdout: `line ${call}` } },
    });
    if (call % 1000 === 0) await stores.ledger.flush();
  }
  await stores.close();
}

function startOf(run: string, title: string): NewEvent {
  return {
    type: 'run.started',
    run,
    data: {
      title,
      mode: 'bounded',
      parent: null,
      depth: 0,
      state: 'EXECUTE',
      graph: { id: 'oka.task', sha256: '0'.repeat(64) },
      nodes: [{ id: 'work', title: 'Work' }],
    },
  } as unknown as NewEvent;
}

async function timeOf(act: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await act();
  return performance.now() - start;
}

function fetchText(port: number, headers: Record<string, string>): Promise<string> {
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path: '/', headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve(text));
    }).on('error', reject);
  });
}
