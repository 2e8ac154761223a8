/** Pages and a mind that does as they say, in a real Chromium, against what oka promises of its browser (docs/BROWSER.md). */
import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { egressRule } from '../../../src/core/guard/egress-rule.ts';
import { BrowserConfig } from '../../../src/core/schema/browser.ts';
import type { Json } from '../../../src/core/schema/json.ts';
import type { Outcome, Tool, ToolCall } from '../../../src/core/schema/tool.ts';
import type { TicketOwner } from '../../../src/kit/egress/proxy-tickets.ts';
import { openEgress } from '../../../src/kit/egress/open-egress.ts';
import { homeAt } from '../../../src/kit/settings.ts';
import { browserTools } from '../../../src/rooms/browsing/browser-tools.ts';
import { openSessions } from '../../../src/rooms/browsing/browser-sessions.ts';
import { findChromium } from '../../../src/rooms/browsing/find-chromium.ts';
import { temporaryFolder } from '../../support/cli.ts';
import { oneIn } from '../../support/thorough.ts';
import type { Mind, Place } from './attack.ts';
import { CHANGES, REACHES } from './changes.ts';
import { LEAKS } from './leaks.ts';
import { type Answer, type HostileWeb, openHostileWeb } from './hostile-web.ts';

/** Certificates of a test are taken, and reports go out at once. */
const SWITCHES = ['--ignore-certificate-errors', '--short-reporting-delay'];
const AT_ONCE = 4;
/** Nothing takes longer, however busy the machine is. */
const ACT_MS = 60_000;
const ATTACKS = [...LEAKS, ...CHANGES, ...REACHES];
/** Some of the rows, by a pattern. */
const only = process.env['OKA_ATTACK'];
const attacks = (
  only === undefined ? oneIn(4, ATTACKS) : ATTACKS.filter(({ aim, name }) => new RegExp(only).test(`${aim}: ${name}`))
).map((attack, index) => ({ ...attack, id: `r${index}x`, canary: `canary${index}x` }));
type Row = (typeof attacks)[number];

const program = findChromium();
/** Calls that did not come back. */
const hung: string[] = [];
let web: HostileWeb;

beforeAll(async () => {
  web = await openHostileWeb(answerAt);
});
afterAll(() => web[Symbol.asyncDispose]());

function answerAt(path: string): Answer | undefined {
  const [, id = '', rest = ''] = /^\/(r\d+x)?(\/[^?]*)?/.exec(path) ?? [];
  const leads = /^\/(30\d)$/.exec(rest)?.[1];
  if (leads !== undefined)
    return { status: Number(leads), headers: { location: decodeURIComponent(path.split('?')[1] ?? '') } };
  if (rest === '/attached') return { headers: { 'content-disposition': 'attachment; filename=x.txt' } };
  if (rest === '/login') return { status: 401, headers: { 'www-authenticate': 'Basic realm=x' } };
  if (path === '/loop') return { body: '<p>Read this<script>for (;;);</script>' };
  if (path === '/never') return { hold: true, body: '<p>It has begun' };
  if (rest.startsWith('/hold')) return { hold: true, type: 'text/event-stream', body: ': x\n\n' };
  const row = attacks.find((each) => each.id === id);
  if (row === undefined) return undefined;
  const also = row.also?.[rest];
  if (also?.type === 'text/javascript') return { ...also, body: `${words(row)} ${also.body}` };
  if (also !== undefined) return also;
  if (rest === '/pop')
    return { body: `<script>${words(row)} fetch(E + '/go', { method: 'POST', body: '1' })</script>` };
  if (rest !== '/') return undefined;
  const html = row.html ?? '<label>Name <input id=f></label>';
  return {
    headers: headersOf(row),
    body: `<!doctype html><title>${id}</title><p>Read this.</p>${html}<script>${words(row)} ${row.script ?? ''}</script>`,
  };
}

const headersOf = ({ headers = {}, id }: Row): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value.replace('{}', id)]));
const placeOf = ({ id, canary }: Row): Place => ({
  shop: web.shop,
  evil: web.evil,
  plain: web.plain,
  router: web.router,
  udp: web.udp,
  path: `/${id}/`,
  canary,
});
const words = ({ id }: Row): string =>
  `const S = '${web.shop}/${id}', E = '${web.evil}/${id}', P = '${web.plain}/${id}', R = '${web.router}/${id}', U = ${web.udp};`;

async function carryOut(row: Row, mind: Mind): Promise<void> {
  const place = placeOf(row);
  await mind.open(`${row.on === undefined ? web.evil : place[row.on]}${place.path}`);
  if (row.mind !== undefined) await row.mind(mind, place);
  else if (row.aim === 'leak') await mind.type('Name', row.canary);
  await mind.wait(400);
}

/** The names of those that had their effect. */
function effects(): string[] {
  const isChange = (line: string): boolean => !/^(?:GET|HEAD|OPTIONS|CLOSED) /.test(line);
  return attacks
    .filter((row) => {
      const place = placeOf(row);
      const own = web.requests.filter((line) => line.includes(place.path));
      if (row.sign !== undefined) return row.sign(web.requests, web.raw, place);
      if (row.aim === 'leak') return web.raw.some((text) => text.includes(row.canary));
      if (row.aim === 'reach')
        return own.some((line) => line.includes(` ${new URL(web.router).host} `) || /rebound|0x7f/.test(line));
      return own.filter(isChange).length > (row.allowed ?? 0);
    })
    .map(titleOf);
}

const titleOf = ({ aim, name }: Row): string => `${aim}: ${name}`;

async function inTurns(
  work: (row: Row, lane: number) => Promise<void>,
  all: readonly Row[] = attacks,
  lanes = AT_ONCE,
): Promise<string[]> {
  web.requests.splice(0);
  web.raw.splice(0);
  const left = [...all];
  await Promise.all(
    [...Array(lanes).keys()].map(async (lane) => {
      for (let row = left.shift(); row !== undefined; row = left.shift()) await work(row, lane);
    }),
  );
  await sleep(1500); // what comes late
  return effects();
}

/** Nothing is guarded: it does at once what a mind says. */
function bareMind(page: Page): Mind {
  const ms = { timeout: 3000 };
  const quietly = (work: Promise<unknown>): Promise<unknown> => work.catch(() => undefined); // a row may end its own page
  return {
    open: (url) => quietly(page.goto(url, { waitUntil: 'domcontentloaded', ...ms })),
    back: () => quietly(page.goBack({ waitUntil: 'commit', ...ms })),
    type: (name, text) => quietly(page.getByLabel(name).fill(text, ms)),
    choose: (name, label) => quietly(page.getByLabel(name).selectOption({ label }, ms)),
    click: (name) =>
      quietly(
        page
          .getByText(name)
          .or(page.getByRole('button', { name }))
          .first()
          .click({ force: true, ...ms }),
      ),
    press: (key) => quietly(page.keyboard.press(key)),
    wait: (time) => sleep(time),
    yes: () => sleep(300),
  };
}

async function bare(all: readonly Row[], lanes: number): Promise<string[]> {
  const context = await chromium.launchPersistentContext('', {
    executablePath: program ?? '',
    chromiumSandbox: process.getuid?.() !== 0,
    args: [...SWITCHES, '--host-resolver-rules=MAP *.test 127.0.0.1', '--no-proxy-server'],
  });
  const work = async (row: Row): Promise<void> => {
    const page = await context.newPage();
    page.on('dialog', (dialog) => void dialog.accept().catch(() => undefined));
    await carryOut(row, bareMind(page));
    page.close().catch(() => undefined); // with its context
  };
  const had = await inTurns(work, all, lanes);
  await context.close();
  return had;
}

/** The tools of the room, as a model calls them: whoever judges says yes to all that is followed, and to no request. */
function guardedMind(tools: readonly Tool[], run: string): Mind & { look: () => Promise<Outcome> } {
  let isYes = false;
  const call = (): ToolCall =>
    ({
      run,
      node: 'n',
      tool: 't',
      author: 'model',
      approval: null,
      origins: () => ({}),
      signal: AbortSignal.timeout(ACT_MS),
      act: judge,
    }) as never;
  const invoke = async (name: string, input: Json): Promise<Outcome> => {
    const done = tools.find((each) => each.name === name)?.invoke(input, call());
    const outcome = (await Promise.race([done, sleep(ACT_MS, null, { ref: false })])) ?? null;
    if (only !== undefined) console.log(name, JSON.stringify(outcome));
    if (outcome === null) hung.push(`${name} ${JSON.stringify(input)}`);
    return outcome ?? { status: 'failed', error: 'it hangs' };
  };
  const judge = (tool: string, input: Json): Promise<Outcome> =>
    tool === 'browser.follow' || isYes
      ? invoke(tool, input)
      : Promise.resolve({ status: 'failed', error: 'a person said no' });
  return {
    look: () => invoke('browser.look', {}),
    open: (url) => invoke('browser.open', { url }),
    back: () => invoke('browser.back', {}),
    type: (on, text) => invoke('browser.type', { on, text }),
    choose: (on, option) => invoke('browser.choose', { on, option }),
    click: (on) => invoke('browser.click', { on }),
    press: (key) => invoke('browser.press', { key }),
    wait: (time) => sleep(time),
    yes: async () => {
      const shown = await invoke('browser.look', {});
      const { held = [] } = (shown.status === 'ok' ? shown.output : {}) as { held?: string[] };
      isYes = true;
      await invoke('browser.send', { request: held[0]?.split(':')[0] ?? 'none' });
      isYes = false;
    },
  };
}

describe.skipIf(program === null)('pages that try to act or to carry something out', { timeout: 1_500_000 }, () => {
  it('have their effect where nothing guards them', async () => {
    const had = await bare(attacks, AT_ONCE);
    // A tab behind another one is not prerendered, and is slow: what did not work among others is tried alone.
    const left = attacks.filter((row) => !had.includes(titleOf(row)));
    had.push(...(await bare(left, 1)));
    expect(attacks.map(titleOf).filter((title) => !had.includes(title))).toEqual([]);
  });

  it('have none in the browser of a task', async () => {
    await using browser = await openTaskBrowser();
    const had = await inTurns((row, lane) => carryOut(row, guardedMind(browser.tools, `task${lane}`)));
    const unseen = attacks.filter((row) => !web.requests.some((line) => line.includes(` ${placeOf(row).path} `)));
    expect({ had, hung, unseen: unseen.map(({ name }) => name) }).toEqual({ had: [], hung: [], unseen: [] });
  });

  it('cannot keep a task waiting, and after the end of Chromium there is another', async () => {
    await using browser = await openTaskBrowser();
    const { open, click, look } = guardedMind(browser.tools, 'task');
    expect(await open(`${web.shop}/loop`)).toMatchObject({
      status: 'ok',
      output: { notes: [expect.stringContaining('does not answer')] },
    });
    expect(await open(`${web.shop}/never`)).toMatchObject({ status: 'ok', output: { text: 'It has begun' } });
    expect(await open(`${web.shop}/`)).toMatchObject({ status: 'ok', output: { text: 'Nothing' } });
    expect(endProgramsOf(browser.folder)).toBeGreaterThan(0);
    await expect
      .poll(() => look())
      .toMatchObject({ status: 'failed', error: expect.stringContaining('no page is open') });
    expect(await click('Save')).toMatchObject({ status: 'failed' });
    expect(await open(`${web.shop}/`)).toMatchObject({ status: 'ok', output: { text: 'Nothing' } });
    expect(hung).toEqual([]);
  });
});

/** Ends whatever runs for this folder, as a crash would. */
function endProgramsOf(folder: string): number {
  const isOf = (pid: string): boolean => {
    try {
      const line = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      return line.includes(`--user-data-dir=${folder}`) && !line.includes('--type=') && !line.includes('--parent');
    } catch {
      return false; // it has ended
    }
  };
  const found = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && isOf(name));
  for (const pid of found) process.kill(Number(pid), 'SIGKILL');
  return found.length;
}

/** The tools of the room, with the real proxy, which finds the sites of the test as if they were public. */
async function openTaskBrowser(): Promise<AsyncDisposable & { tools: readonly Tool[]; folder: string }> {
  const folder = temporaryFolder();
  const file = join(folder.dir, 'chromium');
  writeFileSync(file, `#!/bin/sh\nexec '${program}' ${SWITCHES.join(' ')} "$@"\n`);
  chmodSync(file, 0o700);
  const egress = await openEgress({
    listen: { host: '127.0.0.1', port: 0 },
    allows: egressRule([], []),
    lookup: async () => [{ address: '127.0.0.1', family: 4 }],
    allowPrivate: (_, port) => web.ports.includes(port),
    decided: () => undefined,
    clock: Date.now,
  });
  const settings = BrowserConfig.parse({ on: true, program: file });
  const access = { ...egress, grant: async (holder: TicketOwner) => egress.grant(holder) };
  const sessions = openSessions({ home: homeAt(folder.dir), egress: access, settings });
  return {
    tools: browserTools(sessions, settings),
    folder: folder.dir,
    async [Symbol.asyncDispose]() {
      await sessions.close();
      await egress[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}
