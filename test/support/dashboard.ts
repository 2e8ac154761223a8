/**
 * A home with a worker, its dashboard, and a browser that is logged in: all of them real processes.
 * Without a browser on this machine the scenarios are skipped, loudly.
 */
import { type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { openStory, type Story, type StoryOptions } from './story.ts';

const PROGRAMS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
/** Where the browser is; null when there is none. */
export const browserProgram: string | null =
  [process.env['OKA_BROWSER'] ?? '', ...PROGRAMS].find((path) => path !== '' && existsSync(path)) ?? null;

/** How many times slower the scripts of pages run than they could, such as 6, to find scenarios that depend on speed. */
const SLOWNESS = Number(process.env['OKA_BROWSER_SLOWNESS'] ?? 1);

/** Nothing on a page takes longer, however busy the machine is. */
const PATIENCE_MS = 120_000;

/** Pictures of the scenarios, for whoever wants to see them. */
export const SCREENSHOTS = join(import.meta.dirname, '..', '..', 'test-artifacts', 'web');

if (browserProgram === null)
  process.stderr.write(
    'SKIPPED: no Chromium here, so the dashboard is not tried in a browser (apt-get install chromium)\n',
  );

export type Dashboard = {
  story: Story;
  /** The process of the dashboard. */
  server: ChildProcess;
  /** Ends with a slash. */
  address: string;
  browser: Browser;
  /** Opens a page of the dashboard in a browser of its own that is logged in. */
  open: (path?: string, options?: BrowserContextOptions) => Promise<Page>;
  /** A link that logs in once. */
  newLink: () => Promise<string>;
  /** Errors of scripts, failed requests and messages of the console, in all pages since the last call. */
  errors: () => string[];
  startWorker: () => ChildProcess;
  close: () => Promise<void>;
};

export type DashboardOptions = StoryOptions & { isWithoutWorker?: boolean };

export async function openDashboard(options: DashboardOptions = {}): Promise<Dashboard> {
  if (browserProgram === null) throw new Error('there is no browser');
  const story = await openStory(options);
  const startWorker = (): ChildProcess => story.start(['worker']);
  if (options.isWithoutWorker !== true) startWorker();
  const { server, address } = await startServer(story);
  const browser = await launchBrowser(browserProgram);
  const errors: string[] = [];
  const newLink = async (): Promise<string> => (await story.oka('web', 'link')).out.trim();

  async function open(path = '', contextOptions: BrowserContextOptions = {}): Promise<Page> {
    const context = await browser.newContext(contextOptions);
    const page = await logIn(context, await newLink());
    watch(page, errors);
    await page.goto(address + path.replace(/^\//, ''));
    await page.locator('main[aria-busy=false]').waitFor();
    return page;
  }
  return {
    story,
    server,
    address,
    browser,
    open,
    newLink,
    errors: () => errors.splice(0),
    startWorker,
    close: async () => {
      await browser.close();
      await story[Symbol.asyncDispose]();
    },
  };
}

async function launchBrowser(executablePath: string): Promise<Browser> {
  const browser = await chromium.launch({ executablePath, timeout: PATIENCE_MS });
  browser.on('context', (context) => {
    context.setDefaultTimeout(PATIENCE_MS);
    if (SLOWNESS > 1) context.on('page', (page) => void slowDown(page));
  });
  return browser;
}

async function slowDown(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWNESS });
}

async function startServer(story: Story): Promise<{ server: ChildProcess; address: string }> {
  const server = story.start(['web', '--port', '0', '--json']);
  let text = '';
  server.stdout?.setEncoding('utf8');
  for await (const chunk of server.stdout as AsyncIterable<string>) {
    text += chunk;
    if (text.includes('\n')) break;
  }
  server.stdout?.resume();
  return { server, address: (JSON.parse(text.split('\n')[0] ?? '{}') as { address: string }).address };
}

async function logIn(context: BrowserContext, link: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(link);
  await page.waitForURL((url) => !url.pathname.endsWith('/login'));
  return page;
}

function watch(page: Page, errors: string[]): void {
  page.on('pageerror', (error) => errors.push(`script: ${error.message}`));
  page.on('console', (message) => (message.type() === 'error' ? errors.push(`console: ${message.text()}`) : undefined));
  page.on('response', (response) =>
    response.status() >= 500 ? errors.push(`${response.status()} ${response.url()}`) : undefined,
  );
}

/** Takes a picture of the page, as an artifact of the run. */
export async function screenshot(page: Page, name: string): Promise<string> {
  mkdirSync(SCREENSHOTS, { recursive: true });
  const path = join(SCREENSHOTS, `${name}.png`);
  rmSync(path, { force: true });
  await page.screenshot({ path });
  return path;
}

/** Ends a process at once, as a power cut would. */
export async function killProcess(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}
