/**
 * Owns: the browser of one task: its tab, what is on it, and doing something there.
 * Does not own: what may be asked for and sent (request-gate.ts, browser-tools.ts).
 */
import { existsSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ElementHandle, Frame, JSHandle, Page, Request } from 'playwright-core';
import type { OpenBrowser } from './open-browser.ts';
import { type Line, type ReadLines } from './page-lines.ts';

type Reader = JSHandle<{
  read: (next: number) => ReadLines;
  element: (number: number) => unknown;
  isSeen: (element: unknown) => boolean;
}>;

/** What was read of a page. */
type Reading = { url: string; title: string; lines: Line[]; hidden: number };

const MOST_FRAMES = 30;
const QUIET_MS = 350;
const MOST_WAIT_MS = 10_000;
const LOOK_MS = 50;
/** A page that does not answer for so long is not read: its scripts never end, or it has not begun. */
const ANSWER_MS = 4000;

export class BrowserSession {
  readonly #browser: OpenBrowser;
  readonly #readers = new WeakMap<Frame, Reader>();
  readonly #open = new Set<Request>();
  #frames = new Map<number, Frame>();
  #next = 1;
  #page: Page;
  #lastAt = performance.now();
  /** What happened by itself, for the next outcome. */
  notes: string[] = [];
  /** What was last shown, and of which document. */
  shown: { url: string; lines: readonly Line[] } | null = null;
  usedAt = performance.now();
  /** Whether the page did not answer last time; others of its site may be in the same process. */
  isStuck = false;

  constructor(browser: OpenBrowser, page: Page) {
    this.#browser = browser;
    this.#page = page;
    this.#watch(page);
    browser.context.on('page', (opened) => {
      this.notes.push('it opened another tab, which is shown now');
      this.#page = opened;
      this.#watch(opened);
    });
  }

  get gate(): OpenBrowser['gate'] {
    return this.#browser.gate;
  }

  get page(): Page {
    if (this.#page.isClosed()) this.#page = this.#browser.context.pages().at(-1) ?? this.#page;
    return this.#page;
  }

  close(): Promise<void> {
    return this.#browser.close();
  }

  /** Calls back when Chromium has ended, by itself or not. */
  ended(then: () => void): void {
    this.#browser.context.once('close', then);
  }

  /** To be called before something is entered into an element. From then on nothing leaves (request-gate.ts, G2). */
  async enter(number: number, ...words: string[]): Promise<void> {
    this.gate.enter(this.hostOf(number), ...words);
    await this.#browser.shut();
  }

  /** Waits until the page has nothing under way but what is held, and has had time to begin what was just done on it. */
  async settle(signal: AbortSignal): Promise<void> {
    const begun = performance.now();
    const end = begun + MOST_WAIT_MS;
    while (performance.now() < end && !signal.aborted) {
      const held = new Set([...this.gate.held.values()].map(({ request }) => request.url));
      const isBusy = [...this.#open].some((request) => !held.has(request.url()));
      const since = performance.now() - Math.max(begun, this.#lastAt, this.gate.lastAt);
      if (this.gate.isLeaving || (since > QUIET_MS && !isBusy)) return;
      await sleep(LOOK_MS);
    }
  }

  /** All that a person would see, frame by frame. */
  async read(): Promise<Reading> {
    const { page } = this;
    const lines: Line[] = [];
    let hidden = 0;
    this.#frames = new Map();
    for (const frame of page.frames().slice(0, MOST_FRAMES)) {
      const found = await inTime(this.#readFrame(frame));
      if (frame === page.mainFrame()) this.isStuck = found === undefined;
      if (this.isStuck) {
        this.notes.push('the page does not answer: its scripts do not end, or it has not begun');
        break;
      }
      if (found === null || found === undefined) continue;
      hidden += found.hidden;
      if (frame !== page.mainFrame() && found.lines.length > 0)
        lines.push({ text: `Frame of ${originOf(frame.url())}:` });
      for (const line of found.lines) if (line.number !== undefined) this.#frames.set(line.number, frame);
      lines.push(...found.lines);
    }
    const title = await inTime(page.title().catch(() => '')); // another document is there now
    return { url: page.url(), title: (title ?? '').slice(0, 300), lines, hidden };
  }

  /** The element of this number; null when it is gone. */
  async element(number: number): Promise<ElementHandle | null> {
    const frame = this.#frames.get(number);
    const reader = frame === undefined ? undefined : this.#readers.get(frame);
    if (reader === undefined) return null;
    try {
      const found = await inTime(reader.evaluateHandle((read, wanted) => read.element(wanted), number));
      return (found?.asElement() ?? null) as ElementHandle | null;
    } catch {
      return null; // its document is gone
    }
  }

  /** The word by which a form sends an option; '' where that cannot be told. */
  async valueOf(element: ElementHandle, option: string): Promise<string> {
    const read = element.evaluate((each, label) => {
      const { options } = each as unknown as { options: Iterable<{ label: string; value: string }> };
      return [...options].find((one) => one.label.trim() === label)?.value;
    }, option);
    const value: unknown = await inTime(read.catch(() => undefined)); // it is gone, and so is its form
    return typeof value === 'string' ? value : '';
  }

  /** The host of the document that an element is in. */
  hostOf(number: number): string {
    return URL.parse(this.#frames.get(number)?.url() ?? '')?.host || (URL.parse(this.page.url())?.host ?? '');
  }

  async #readFrame(frame: Frame): Promise<ReadLines | null> {
    for (const isFresh of [false, true]) {
      try {
        if (!isFresh && !(await this.#isSeen(frame))) return null;
        const reader = isFresh ? undefined : this.#readers.get(frame);
        const usable = reader ?? ((await frame.evaluateHandle(readerScript())) as Reader);
        this.#readers.set(frame, usable);
        const found = await usable.evaluate((read, next) => read.read(next), this.#next);
        this.#next = found.next;
        return found;
      } catch {
        this.#readers.delete(frame); // another document is there now
      }
    }
    return null;
  }

  async #isSeen(frame: Frame): Promise<boolean> {
    const parent = frame.parentFrame();
    const reader = parent === null ? undefined : this.#readers.get(parent);
    if (reader === undefined) return true;
    const element = await frame.frameElement();
    return reader.evaluate((read, each) => read.isSeen(each), element as unknown);
  }

  #watch(page: Page): void {
    const touch = (): void => void (this.#lastAt = performance.now());
    page.on('request', (request) => {
      touch();
      this.#open.add(request);
    });
    const close = (request: Request): void => {
      touch();
      this.#open.delete(request);
    };
    page.on('requestfinished', close);
    page.on('requestfailed', close);
    page.on('domcontentloaded', touch);
    page.on('crash', () => {
      this.notes.push('the page has crashed; open it again');
      page.close().catch(() => undefined); // it is gone with Chromium
    });
    page.on('dialog', (dialog) => {
      this.notes.push(`it said: ${dialog.message().slice(0, 300)}`);
      const answer = dialog.type() === 'prompt' ? dialog.dismiss() : dialog.accept();
      answer.catch(() => undefined); // it is gone
    });
  }
}

/** Undefined where it takes longer than a page may. */
async function inTime<T>(work: Promise<T>): Promise<T | undefined> {
  work.catch(() => undefined); // nobody waits for it any more
  const end = new AbortController();
  try {
    return await Promise.race([work, sleep(ANSWER_MS, undefined, { signal: end.signal }).catch(() => undefined)]);
  } finally {
    end.abort();
  }
}

const originOf = (url: string): string => URL.parse(url)?.origin.replace(/^null$/, url.slice(0, 60)) ?? 'somewhere';

let script: string | null = null;

/** A package has it as plain JavaScript, a checkout as it was written. */
function readerScript(): string {
  if (script !== null) return script;
  const place = join(import.meta.dirname, 'in-page', 'read-page');
  const code = existsSync(`${place}.js`)
    ? readFileSync(`${place}.js`, 'utf8')
    : stripTypeScriptTypes(readFileSync(`${place}.ts`, 'utf8'), { mode: 'strip' });
  script = `(() => { ${code.trimEnd().replace(/(?=openReader\(\);$)/, 'return ')} })()`;
  return script;
}
