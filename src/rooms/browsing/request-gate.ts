/**
 * Owns: every request that the browser is about to make, before it is made.
 *
 * G1 A GET or HEAD is reading and goes on. Everything else is held until somebody sends or drops it.
 * G2 Once something was entered into a page, its scripts have it and could send it by any address: every request is held,
 *    until a request that contains all that was entered has been sent to the site it was entered at. No other page ends that:
 *    pages keep what they know in their storage, their workers, other tabs and the history.
 * G3 Where a tab goes is decided by the caller, hop by hop, for each host; the host that the caller opened is free.
 * G4 What is neither http nor https is refused.
 * G6 While a tab waits for where it goes, nothing on it can be read. So such a request is ended at once, and made again in the
 *    same tab, with the same method, headers and body, when it may be.
 * G5 A host is opened to the proxy when a request to it goes on, and not before, so nothing else reaches it (preconnect).
 */
import type { BrowserRequest, ShownRequest } from './shown-request.ts';
import { showRequest } from './shown-request.ts';

/** A request as the browser reports it (Fetch.requestPaused); with a status or a reason, that of its answer. */
export type Paused = {
  requestId: string;
  responseStatusCode?: number;
  responseErrorReason?: string;
  frameId: string;
  resourceType: string;
  request: {
    url: string;
    method: string;
    headers: Record<string, string>;
    postData?: string;
    hasPostData?: boolean;
    postDataEntries?: { bytes?: string }[];
  };
};

/** What the browser is told about one of its requests; rejects when it has given that up. */
type GateActions = {
  /** With `as` it goes like this instead. `isTold`: its answer is to be reported as well. */
  go: (requestId: string, how?: { isTold?: boolean; as?: BrowserRequest }) => Promise<unknown>;
  /** `end`: the page stays as it is; else the page is told that it is blocked. */
  refuse: (requestId: string, how?: 'end') => Promise<unknown>;
  /** Has the page in a tab go to an address. */
  navigate: (frameId: string, url: string) => Promise<unknown>;
  /** Lets the proxy connect to its host. */
  open: (url: URL) => void;
  /** Whether a frame is the whole of a tab. */
  isTab: (frameId: string) => boolean;
};

type Held = {
  id: string;
  shown: ShownRequest | null;
  request: BrowserRequest;
  /** Whether a tab goes to its answer. */
  isPage: boolean;
  paused: Paused;
};

/** Where a tab wants to go by itself, or by a link. */
type Leaving = { url: string; frameId: string };

/** A status, or why there is none. */
export type Answer = { status: number } | { failed: string };

type Entered = { host: string; words: string[] };

const MOST_HELD = 100;

export class RequestGate {
  readonly held = new Map<string, Held>();
  readonly #actions: GateActions;
  #leaving: Leaving[] = [];
  #entered: Entered[] = [];
  #openedHosts = new Set<string>();
  #count = 0;
  /** What is made again, by its address. */
  readonly #again = new Map<string, Held>();
  readonly #awaited = new Map<string, (answer: Answer) => void>();
  /** When the browser last asked for something. */
  lastAt = 0;

  constructor(actions: GateActions) {
    this.#actions = actions;
  }

  /** Decides about a request that the browser has paused. */
  take(paused: Paused): void {
    this.lastAt = performance.now();
    if (paused.responseStatusCode !== undefined || paused.responseErrorReason !== undefined)
      return this.#answer(paused);
    const url = URL.parse(paused.request.url);
    if (url === null || !/^https?:$/.test(url.protocol)) return this.#refuse(paused);
    const isPage = paused.resourceType === 'Document' && this.#actions.isTab(paused.frameId);
    const again = isPage ? this.#again.get(url.href) : undefined;
    if (again !== undefined) return this.#repeat(again, paused);
    const isReading = /^(?:GET|HEAD)$/.test(paused.request.method) && paused.request.hasPostData !== true;
    if (!isReading || this.isEntered) return this.#hold(paused, isPage);
    if (isPage && !this.#openedHosts.has(url.host)) return this.#leave(paused, url);
    this.#go(paused, url);
  }

  /** The caller has decided that tabs may go to this host (G3). */
  openHost(host: string): void {
    this.#openedHosts.add(host);
  }

  /** Something is to be entered into a page of this host; a choice is sent by one of several words. */
  enter(host: string, ...words: string[]): void {
    this.#entered.push({ host, words: words.map(comparable).filter((word) => word !== '') });
  }

  /** Whether pages have something that has not been sent where it was entered. */
  get isEntered(): boolean {
    return this.#entered.length > 0;
  }

  /** Tabs that want to go to hosts that nobody has decided about; whoever takes them decides. */
  takeLeaving(): Leaving[] {
    const leaving = this.#leaving;
    this.#leaving = [];
    return leaving;
  }

  /** Whether a tab waits for a decision about where it goes. */
  get isLeaving(): boolean {
    return this.#leaving.length > 0;
  }

  async follow({ url, frameId }: Leaving): Promise<void> {
    this.openHost(new URL(url).host);
    await this.#actions.navigate(frameId, url);
  }

  /** Puts back what nobody could decide about yet. */
  putBack(leaving: Leaving): void {
    this.#leaving.unshift(leaving);
  }

  /** Sends a held request; rejects when the page has given it up. What is returned resolves with its answer. */
  async send(held: Held): Promise<{ answer: Promise<Answer> }> {
    const { request, paused } = held;
    const url = new URL(request.url);
    this.held.delete(held.id);
    this.openHost(url.host);
    const { promise: answer, resolve } = Promise.withResolvers<Answer>();
    if (held.isPage) {
      this.#again.set(url.href, held);
      this.#awaited.set(held.id, resolve);
      await this.#actions.navigate(paused.frameId, url.href);
    } else {
      this.#awaited.set(paused.requestId, resolve);
      this.#actions.open(url);
      await this.#actions.go(paused.requestId, { isTold: true });
    }
    this.#release(held, url);
    return { answer };
  }

  #repeat(held: Held, paused: Paused): void {
    const url = new URL(held.request.url);
    this.#again.delete(url.href);
    const resolve = this.#awaited.get(held.id);
    this.#awaited.delete(held.id);
    if (resolve !== undefined) this.#awaited.set(paused.requestId, resolve);
    this.#actions.open(url);
    const gone = (): void => resolve?.({ failed: 'BlockedByClient' });
    this.#actions.go(paused.requestId, { isTold: true, as: held.request }).catch(gone);
  }

  #leave(paused: Paused, url: URL): void {
    this.#leaving.push({ url: url.href, frameId: paused.frameId });
    this.#actions.refuse(paused.requestId, 'end').catch(() => undefined); // it is gone already
  }

  #answer({ requestId, responseStatusCode: status, responseErrorReason = 'no answer' }: Paused): void {
    this.#awaited.get(requestId)?.(status === undefined ? { failed: responseErrorReason } : { status });
    this.#awaited.delete(requestId);
    this.#actions.go(requestId).catch(() => undefined); // the page has given it up
  }

  /** What is waiting for a page that is gone is not sent; what was entered there is still known to its scripts (G2). */
  dropAll(): void {
    for (const { isPage, paused } of this.held.values()) if (!isPage) this.#refuse(paused);
    this.#again.clear();
    this.held.clear();
    this.#leaving = [];
  }

  /** The site has all that was entered there, and a person saw it (G2): what waited for that goes on. */
  #release({ shown }: Held, url: URL): void {
    if (shown === null) return;
    const all = [url.pathname + url.search, shown.text ?? '', ...(shown.fields ?? []).map(({ value }) => value)];
    const sent = comparable(all.join('\n'));
    const isSent = ({ host, words }: Entered): boolean =>
      host === url.host && (words.length === 0 || words.some((word) => contains(sent, word)));
    this.#entered = this.#entered.filter((each) => !isSent(each));
    if (this.isEntered) return;
    for (const each of this.held.values())
      if (!each.isPage && each.request.method === 'GET') {
        this.held.delete(each.id);
        this.take(each.paused);
      }
  }

  #hold(paused: Paused, isPage: boolean): void {
    if (this.held.size >= MOST_HELD) return this.#refuse(paused);
    this.#count += 1;
    const id = `r${this.#count}`;
    const request = requestOf(paused);
    this.held.set(id, { id, isPage, paused, request, shown: showRequest(request) });
    if (isPage) this.#actions.refuse(paused.requestId, 'end').catch(() => undefined); // it is gone already
  }

  #go(paused: Paused, url: URL): void {
    this.#actions.open(url);
    this.#actions.go(paused.requestId).catch(() => undefined); // the page has given it up
  }

  #refuse({ requestId }: Paused): void {
    this.#actions.refuse(requestId).catch(() => undefined); // it is gone already
  }
}

/** What was typed may be encoded in an address, and a form sends other ends of lines. */
function comparable(text: string): string {
  const plain = text.replaceAll('+', ' ').replaceAll('\r\n', '\n').trim();
  try {
    return decodeURIComponent(plain).replaceAll('\r\n', '\n').trim();
  } catch {
    return plain;
  }
}

/** As whole words: a digit is in almost every text. */
function contains(text: string, words: string): boolean {
  const isPart = (letter = ''): boolean => /[\p{L}\p{N}]/u.test(letter);
  for (let at = text.indexOf(words); at !== -1; at = text.indexOf(words, at + 1))
    if (!isPart(text[at - 1]) && !isPart(text[at + words.length])) return true;
  return false;
}

/** A part of a body that is a file, or too long, is not reported: then it is not known as a whole. */
function requestOf({ request }: Paused): BrowserRequest {
  const { method, url, headers, postData, postDataEntries = [], hasPostData } = request;
  const parts = postDataEntries.map(({ bytes }) => (bytes === undefined ? null : Buffer.from(bytes, 'base64')));
  const isWhole = hasPostData !== true || (parts.length > 0 ? !parts.includes(null) : postData !== undefined);
  const body = parts.length > 0 ? Buffer.concat(parts.filter((part) => part !== null)) : Buffer.from(postData ?? '');
  return { method, url, headers, body: isWhole ? body : null };
}
