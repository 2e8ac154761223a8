/**
 * Owns: doing on a page what a tool asks for, and what came of it.
 *
 * A1 Before anything is done, the guard judges that something of this page is chosen (browser.follow), and after it each
 *    host that a tab wants to go to. What it asks a person about waits; the call is then made again, and goes on from there
 *    without doing it twice.
 * A2 A request that could change something is sent by browser.request alone, a call of its own that is on disk before.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ElementHandle } from 'playwright-core';
import type { BrowserConfig } from '../../core/schema/browser.ts';
import { messageOf } from '../../core/schema/errors.ts';
import type { Outcome, ToolCall } from '../../core/schema/tool.ts';
import { failure, ok } from '../../kit/define-tool.ts';
import { openedHosts } from '../../kit/egress/opened-hosts.ts';
import type { BrowserSession } from './browser-session.ts';
import type { Sessions } from './browser-sessions.ts';
import { chromiumNeed, findChromium } from './find-chromium.ts';
import { findElement, type Line, showLines } from './page-lines.ts';
import type { Answer } from './request-gate.ts';
import { describeRequest } from './shown-request.ts';

type On = number | string;
type Wanted = { id: string; sha256: string; url: string };

/** A key, an option of a list, or how often: there is more to choose from than the elements of a page. */
const LEAST_WAYS = 16;
const ACT_MS = 15_000;
const OPEN_MS = 45_000;
const SEND_MS = 60_000;
const NO_PAGE = 'chrome-error://chromewebdata/';
const MODEL = { author: 'model' } as const;

export class BrowserActs {
  readonly #sessions: Sessions;
  readonly #settings: BrowserConfig;
  /** Calls that wait for a person after they have done what they were to do. */
  readonly #done = new WeakMap<BrowserSession, string>();

  constructor(sessions: Sessions, settings: BrowserConfig) {
    this.#sessions = sessions;
    this.#settings = settings;
  }

  async open(url: string, call: ToolCall): Promise<Outcome> {
    const to = URL.parse(url);
    if (to === null || !/^https?:$/.test(to.protocol) || to.username !== '' || to.password !== '')
      throw failure(`"${url.slice(0, 200)}" is no address that the browser opens`, 'Give an http or https address.');
    const program = findChromium(this.#settings.program);
    if (program === null) return { status: 'waiting', for: chromiumNeed(this.#settings.program) };
    let session = await this.#sessions.open(call, program);
    const isDone = this.#isResumed(session, call);
    // Whatever a page could keep of what was entered is gone with its browser.
    if (!isDone && (session.gate.isEntered || session.isStuck)) session = await this.#sessions.renew(call, program);
    this.#openMachine(to, call);
    if (isDone) return this.#shown(session, call, { isWhole: true });
    session.gate.dropAll();
    session.gate.openHost(to.host);
    const before = session.page.url();
    const went = await session.page.goto(to.href, { timeout: OPEN_MS, waitUntil: 'commit' }).then(
      () => null,
      (error: unknown) => messageOf(error),
    );
    const outcome = await this.#shown(session, call, { isWhole: true });
    const isThere = went === null || session.gate.held.size > 0 || ![before, NO_PAGE].includes(session.page.url());
    return isThere || outcome.status !== 'ok' ? outcome : notOpened(to, went);
  }

  async look(from: number, call: ToolCall): Promise<Outcome> {
    return this.#shown(this.#current(call), call, { from, isWhole: true });
  }

  async wait(text: string | null, seconds: number, call: ToolCall): Promise<Outcome> {
    const session = this.#current(call);
    const end = performance.now() + seconds * 1000;
    while (performance.now() < end && !call.signal.aborted) {
      const { lines } = await session.read();
      if (text !== null && lines.some((line) => line.text.includes(text))) break;
      await session.page.waitForTimeout(250);
    }
    return this.#shown(session, call);
  }

  async back(call: ToolCall): Promise<Outcome> {
    return this.#acting(call, null, async (session) => {
      session.gate.dropAll();
      await session.page.goBack({ timeout: ACT_MS, waitUntil: 'commit' });
    });
  }

  async click(on: On, call: ToolCall): Promise<Outcome> {
    return this.#acting(call, on, async (session, element, line) => {
      if (line.kind === 'tick box' || line.kind === 'option') await session.enter(line.number ?? 0);
      await element.click({ timeout: ACT_MS, noWaitAfter: true });
    });
  }

  async type(on: On, text: string, call: ToolCall): Promise<Outcome> {
    return this.#acting(call, on, async (session, element, line) => {
      if (line.kind === 'password field')
        throw failure('a password is not typed by a model', 'A person has to log in.');
      await session.enter(line.number ?? 0, text);
      await element.fill(text, { timeout: ACT_MS, noWaitAfter: true });
    });
  }

  async choose(on: On, option: string, call: ToolCall): Promise<Outcome> {
    return this.#acting(call, on, async (session, element, line) => {
      await session.enter(line.number ?? 0, option, await session.valueOf(element, option));
      await element.selectOption({ label: option }, { timeout: ACT_MS, noWaitAfter: true });
    });
  }

  async press(key: string, call: ToolCall): Promise<Outcome> {
    return this.#acting(call, null, (session) => session.page.keyboard.press(key));
  }

  async send(id: string | null, site: string | null, call: ToolCall): Promise<Outcome> {
    const session = this.#current(call);
    const isDone = this.#isResumed(session, call);
    if (!isDone) {
      const held = heldOne(session, id, site);
      const { shown: what } = held;
      if (what === null) throw failure('not all that it would send can be shown', 'Nobody can say yes to it.');
      const input = { request: held.id, page: session.page.url(), ...what };
      const outcome = await call.act('browser.request', input, MODEL);
      if (outcome.status !== 'ok') return outcome;
    }
    return this.#shown(session, call);
  }

  /** The request itself, once it may be sent. */
  async request({ id, sha256, url }: Wanted, call: ToolCall): Promise<Outcome> {
    const session = this.#sessions.find(call);
    const held = session?.gate.held.get(id);
    if (session === null || held === undefined || held.request.url !== url || held.shown?.sha256 !== sha256)
      throw failure(`the page does not want to send ${id} any more, and nothing was sent`, 'Look at the page.');
    this.#openMachine(new URL(url), call);
    let answer: Promise<Answer>;
    try {
      ({ answer } = await session.gate.send(held));
    } catch (error) {
      return {
        status: 'failed',
        error: `it was not sent: the page has given it up (${messageOf(error)})`,
        temporary: false,
      };
    }
    return toOutcome(await Promise.race([answer, afterTime(call.signal)]));
  }

  async follow(url: string, call: ToolCall): Promise<Outcome> {
    this.#openMachine(new URL(url), call);
    return ok({});
  }

  /** Does something on the page, once the guard has judged it (A1). */
  async #acting(
    call: ToolCall,
    on: On | null,
    act: (session: BrowserSession, element: ElementHandle, line: Line) => Promise<unknown>,
  ): Promise<Outcome> {
    const session = this.#current(call);
    if (this.#isResumed(session, call)) return this.#shown(session, call);
    const { lines, url } = await session.read();
    const line = on === null ? null : findElement(lines, on);
    if (typeof line === 'string') return this.#stale(session, call, line);
    const element = line?.number === undefined ? null : await session.element(line.number);
    if (line !== null && element === null) return this.#stale(session, call, 'it is gone');
    const judged = await call.act('browser.follow', { url, of: Math.max(LEAST_WAYS, lines.length), stays: true });
    if (judged.status !== 'ok') return judged;
    try {
      await act(session, element as ElementHandle, line as Line);
    } catch (error) {
      session.notes.push(`it could not be done: ${firstLine(messageOf(error))}`);
    }
    return this.#shown(session, call);
  }

  /** An element that is not there is no error: the page is shown as it is now. */
  async #stale(session: BrowserSession, call: ToolCall, why: string): Promise<Outcome> {
    session.notes.push(`nothing was done: ${why}`);
    return this.#shown(session, call, { isWhole: true });
  }

  /** Waits until the page is quiet, has the guard judge where it goes, and shows it. */
  async #shown(
    session: BrowserSession,
    call: ToolCall,
    { from = 0, isWhole = false }: { from?: number; isWhole?: boolean } = {},
  ): Promise<Outcome> {
    for (;;) {
      await session.settle(call.signal);
      const leaving = session.gate.takeLeaving().at(-1);
      if (leaving === undefined) break;
      const judged = await call.act('browser.follow', { url: leaving.url, of: 1 }, MODEL);
      if (judged.status === 'ok') await session.gate.follow(leaving);
      else if (judged.status === 'waiting') {
        session.gate.putBack(leaving);
        this.#done.set(session, stepOf(call));
        return judged;
      } else {
        session.notes.push(`it wanted to go to ${leaving.url.slice(0, 300)}: ${judged.error}`);
      }
    }
    return ok(await pageOutput(session, from, isWhole));
  }

  /** Whether this call has done its part before a person was asked. */
  #isResumed(session: BrowserSession, call: ToolCall): boolean {
    const isSame = this.#done.get(session) === stepOf(call) && call.approval !== null;
    this.#done.delete(session);
    return isSame;
  }

  #current(call: ToolCall): BrowserSession {
    const session = this.#sessions.find(call);
    if (session === null)
      throw failure('no page is open', 'Open one with browser.open. Nothing that was withheld was sent.');
    session.usedAt = performance.now();
    return session;
  }

  /** A person who named a machine of the own network means it. */
  #openMachine(url: URL, call: ToolCall): void {
    const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
    if (openedHosts(call, url.href)(url.hostname.replace(/^\[(.*)\]$/, '$1'), port))
      this.#sessions.allowMachine(call, `${url.hostname}:${port}`);
  }
}

const stepOf = ({ run, node, tool }: ToolCall): string => `${run} ${node} ${tool}`;
const firstLine = (text: string): string => (text.split('\n')[0] ?? '').slice(0, 300);

function notOpened({ host }: URL, why: string): Outcome {
  return { status: 'failed', error: `${host} could not be opened: ${firstLine(why)}` };
}

async function afterTime(stop: AbortSignal): Promise<Answer> {
  await sleep(SEND_MS, null, { signal: stop, ref: false }).catch(() => undefined); // it was stopped
  return { failed: 'no answer came' };
}

/** Reasons of the browser by which nothing has reached a server. */
const NOT_REACHED =
  /^(?:NameNotResolved|ConnectionRefused|ConnectionFailed|AddressUnreachable|InternetDisconnected|BlockedByClient)$/;

function toOutcome(answer: Answer): Outcome {
  if ('status' in answer) return ok({ status: answer.status });
  if (NOT_REACHED.test(answer.failed))
    return { status: 'failed', error: `it was not sent: ${answer.failed}`, temporary: false };
  const error = `it was sent, and nobody knows whether it arrived: ${answer.failed}`;
  return { status: 'failed', error, temporary: false, unseen: true };
}

/** The request that is meant. */
function heldOne(session: BrowserSession, id: string | null, site: string | null) {
  const all = [...session.gate.held.values()].filter(
    ({ request }) => site === null || new URL(request.url).origin === site,
  );
  const pages = all.filter(({ isPage }) => isPage);
  const found = id === null ? (pages.length === 1 ? pages : all) : all.filter((each) => each.id === id);
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  const why = found.length > 1 ? `${found.length} requests are withheld` : 'no such request is withheld';
  throw failure(`${why}, so nothing was sent`, 'Look at the page, and name one of those it lists.');
}

async function pageOutput(session: BrowserSession, from: number, isWhole: boolean): Promise<object> {
  const { url, title, lines, hidden } = await session.read();
  const before = !isWhole && session.shown?.url === url ? session.shown.lines : null;
  const { text, next } = showLines(lines, from, before);
  session.shown = { url, lines };
  const notes = session.notes.splice(0).slice(0, 10);
  const held = [...session.gate.held.values()]
    .filter(({ isPage, paused }) => isPage || /^(?:XHR|Fetch)$/.test(paused.resourceType))
    .slice(-10)
    .map(
      ({ id, shown, request }) =>
        `${id}: ${shown === null ? `to ${request.url}, which cannot be shown` : describeRequest(shown)}`,
    );
  const others = session.gate.held.size - held.length;
  return {
    url,
    title,
    text,
    ...(next === undefined ? {} : { next }),
    ...(hidden === 0 ? {} : { hidden }),
    ...(held.length === 0 ? {} : { held }),
    ...(notes.length + others === 0
      ? {}
      : { notes: [...notes, ...(others === 0 ? [] : [`${others} further requests of the page were withheld`])] }),
  };
}
