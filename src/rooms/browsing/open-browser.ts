/**
 * Owns: starting a Chromium with a fresh profile, so that it reaches nothing but oka's proxy. The only door to playwright.
 *
 * C1 It has no name server, no QUIC and no WebRTC past the proxy. The proxy is asked for http and https alone, so that no
 *    WebSocket is connected (an address without a server stands in its place).
 * C2 Every request of every page, frame and worker is paused at one place, that of the whole browser, and goes through the
 *    gate (request-gate.ts).
 * C3 It ends with this process, and its profile with it (the launcher sees to that).
 */
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BrowserContext, Page } from 'playwright-core';
import { importFromAddOn } from '../../kit/add-ons.ts';
import type { BrowserRequest } from './shown-request.ts';
import { type Paused, RequestGate } from './request-gate.ts';

type BrowserLaunch = {
  program: string;
  /** A folder of its own, which is removed with it. */
  folder: string;
  /** The words in front of the program that put it under the launcher. */
  launcher: readonly string[];
  /** The proxy with the ticket that this browser has now, as an address. */
  proxy: () => URL;
  /** Lets the proxy connect to a host. */
  allow: (url: URL) => void;
  /** Ends all its connections, and no host is open any more. */
  shut: () => Promise<void>;
};

export type OpenBrowser = {
  context: BrowserContext;
  gate: RequestGate;
  shut: BrowserLaunch['shut'];
  close: () => Promise<void>;
};

const START_MS = 60_000;
/** Its folder, in few letters: it has sockets there, whose paths must be short however long that of the home is. */
const CWD = '/proc/self/cwd';
/** Nothing listens there. */
const NOBODY = '127.0.0.1:1';

export async function openBrowser(launch: BrowserLaunch): Promise<OpenBrowser> {
  const { chromium } = await importFromAddOn('browser', 'playwright-core', () => import('playwright-core'));
  const { folder, proxy, shut } = launch;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const context = await chromium.launchPersistentContext(join(folder, 'profile'), {
    executablePath: startScript(launch),
    headless: true,
    chromiumSandbox: process.getuid?.() !== 0,
    args: [...switches(proxy())],
    env: { HOME: folder, TMPDIR: CWD, PATH: '/usr/bin:/bin', LANG: 'C.UTF-8' },
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
    acceptDownloads: false,
    timeout: START_MS,
    viewport: { width: 1280, height: 900 },
  });
  const close = async (): Promise<void> => {
    await context.close().catch(() => undefined); // it has ended already
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    return { context, gate: await pauseRequests(context, launch), shut, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** WebSockets, and whatever else is neither http nor https, go by the last of the proxies, where nobody listens (C1). */
function switches({ host }: URL): string[] {
  return [
    `--proxy-server=http=${host};https=${host};socks=socks5://${NOBODY}`,
    '--proxy-bypass-list=<-loopback>',
    '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE ::1',
    '--disable-quic',
    '--webrtc-ip-handling-policy=disable_non_proxied_udp',
    '--force-webrtc-ip-handling-policy=disable_non_proxied_udp', // its name before
    '--disable-breakpad',
    '--disable-crash-reporter',
    '--no-pings',
  ];
}

/** Reports about pages are sent past the pages, where nothing can be paused. */
const WITHOUT = 'Reporting,NetworkErrorLogging';

/**
 * The driver speaks over two pipes, which the launcher passes on as input and output. Of two lists of features Chromium takes
 * the last, so what is switched off is added to that of the driver.
 */
function startScript({ program, folder, launcher }: BrowserLaunch): string {
  const file = join(folder, 'start');
  const inside = `exec "$0" "$@" 3<&0 4>&1 1>&2 </dev/null`;
  const words = [...launcher, '/bin/sh', '-c', inside, program].map(quoted).join(' ');
  const merge = `for word do shift; case $word in --disable-features=*) word=$word,${WITHOUT};; esac; set -- "$@" "$word"; done`;
  writeFileSync(file, `#!/bin/sh\n${merge}\nexec ${words} "$@" <&3 >&4\n`);
  chmodSync(file, 0o700);
  return file;
}

const quoted = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`;

async function pauseRequests(context: BrowserContext, { proxy, allow }: BrowserLaunch): Promise<RequestGate> {
  const session = await context.browser()?.newBrowserCDPSession();
  if (session === undefined) throw new Error('this browser cannot be driven as a whole');
  const tabs = new Map<string, Page | null>();
  const addPage = async (page: Page): Promise<void> => {
    const own = await context.newCDPSession(page);
    const { targetInfo } = await own.send('Target.getTargetInfo');
    tabs.set(targetInfo.targetId, page);
    await own.detach();
  };
  const add = (page: Page): void => void addPage(page).catch(() => undefined); // it is closed already
  context.on('page', add);
  context.pages().forEach(add);
  const gate = new RequestGate({
    go: (requestId, { isTold = false, as } = {}) =>
      session.send('Fetch.continueRequest', {
        requestId,
        interceptResponse: isTold,
        ...(as === undefined ? {} : changedRequest(as)),
      }),
    refuse: (requestId, how) =>
      session.send('Fetch.failRequest', { requestId, errorReason: how === 'end' ? 'Aborted' : 'BlockedByClient' }),
    navigate: (frameId, url) => navigate(tabs.get(frameId), url),
    open: allow,
    isTab: (frame) => tabs.has(frame),
  });
  session.on('Target.targetCreated', ({ targetInfo: { targetId, type } }) => {
    if (type === 'page' && !tabs.has(targetId)) tabs.set(targetId, null);
  });
  session.on('Fetch.requestPaused', (paused) => gate.take(paused as Paused));
  const answered = new Map<string, string>();
  session.on('Fetch.authRequired', ({ requestId, authChallenge }) => {
    const [username, password] = [proxy().username, proxy().password].map(decodeURIComponent) as [string, string];
    // A site that says that it is the proxy would ask for ever.
    const isProxy = authChallenge.source === 'Proxy' && answered.get(requestId) !== password;
    answered.set(requestId, password);
    const authChallengeResponse = isProxy
      ? { response: 'ProvideCredentials' as const, username, password }
      : { response: 'CancelAuth' as const };
    session.send('Fetch.continueWithAuth', { requestId, authChallengeResponse }).catch(() => undefined); // it is gone
  });
  await session.send('Target.setDiscoverTargets', { discover: true });
  await session.send('Fetch.enable', { handleAuthRequests: true, patterns: [{ urlPattern: '*' }] });
  return gate;
}

function changedRequest({ method, headers, body }: BrowserRequest): object {
  const list = Object.entries(headers).map(([name, value]) => ({ name, value }));
  return {
    method,
    headers: list,
    ...(body === null || body.length === 0 ? {} : { postData: body.toString('base64') }),
  };
}

const NAVIGATE_MS = 5000;

/** As the page itself would; a page that does not react goes by the browser. */
async function navigate(page: Page | null | undefined, url: string): Promise<void> {
  if (page === null || page === undefined || page.isClosed()) throw new Error('its tab is closed');
  // A string, since it runs in the page.
  const asked = page.evaluate(`void setTimeout(() => location.assign(${JSON.stringify(url)}))`).then(() => true);
  const isAsked = await Promise.race([asked.catch(() => false), sleep(NAVIGATE_MS, false, { ref: false })]);
  if (!isAsked) await page.goto(url, { waitUntil: 'commit', timeout: NAVIGATE_MS }).catch(() => undefined); // it shows
}
