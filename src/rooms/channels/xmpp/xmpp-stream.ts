/**
 * Owns: one connection to a server of XMPP: encrypted, logged in, with an address of its own.
 *
 * S1 Nothing is said about the account before the connection is encrypted and the server has proved who it is.
 * S2 Every question ends: with its answer, the end of the connection, or after half a minute.
 */
import { once } from 'node:events';
import { StringDecoder } from 'node:string_decoder';
import type { TLSSocket } from 'node:tls';
import type { ChannelTools } from '../../../core/schema/channel-port.ts';
import { NetworkError } from '../messenger/messenger.ts';
import { connectSecurely } from '../../../kit/mail/server-tls.ts';
import { chooseLogin } from './xmpp-login.ts';
import type { XmppChannel } from './xmpp-settings.ts';
import { childOf, type Element, elementsOf, type Markup, StreamReader, innerText, write } from './xmpp-xml.ts';

const PATIENCE_MS = 30_000;
const SASL = 'urn:ietf:params:xml:ns:xmpp-sasl';
const BIND = 'urn:ietf:params:xml:ns:xmpp-bind';
const STREAMS = 'http://etherx.jabber.org/streams';

type Asked = { to?: string; type: 'get' | 'set'; signal: AbortSignal };

export async function openStream(
  { address, host, port, security, certificate, password }: XmppChannel,
  tools: ChannelTools,
  { resource, signal }: { resource: string; signal: AbortSignal },
): Promise<XmppStream> {
  const [user = '', domain = ''] = address.split('@');
  const secret = await tools.reveal(password, domain);
  const server = { host: host ?? domain, port, security, certificate, name: domain };
  const proxy = await tools.proxyFor(server.host, port);
  const socket = await connectSecurely(server, 'xmpp', proxy, signal);
  const stream = new XmppStream(socket, address, signal);
  try {
    await stream.logIn(user, secret, resource);
    return stream;
  } catch (error) {
    stream.close();
    throw error;
  }
}

export class XmppStream {
  readonly #account: string;
  readonly domain: string;
  /** Messages that nobody has asked for. */
  onMessage: (message: Element) => void = () => undefined;
  readonly #socket: TLSSocket;
  readonly #signal: AbortSignal;
  readonly #asked = new Map<string, { to: string; answer: PromiseWithResolvers<Element>; results: Element[] }>();
  readonly #refused = new Map<string, string>();
  readonly #ended = new AbortController();
  #reader = new StreamReader({ element: () => undefined, end: () => undefined });
  #next: PromiseWithResolvers<Element> | null = null;
  #count = 0;

  constructor(socket: TLSSocket, account: string, signal: AbortSignal) {
    this.#account = account;
    this.domain = account.slice(account.indexOf('@') + 1);
    this.#socket = socket;
    this.#signal = signal;
    const decoder = new StringDecoder('utf8');
    socket.on('data', (bytes: Buffer) => {
      try {
        this.#reader.write(decoder.write(bytes));
      } catch (error) {
        this.#end(error as Error);
      }
    });
    socket.on('error', (error) => this.#end(error));
    socket.on('close', () => this.#end(new Error('the server has closed the connection')));
    signal.addEventListener('abort', this.#stop, { once: true });
  }

  /** Aborted when the connection is over, with the reason. */
  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  async logIn(user: string, password: string, resource: string): Promise<void> {
    const features = await this.#restart();
    const offered = childOf(features, 'mechanisms', SASL);
    const names = offered === undefined ? [] : elementsOf(offered).map(innerText);
    const login = chooseLogin(names, user, password);
    const encoded = (text: string): string => Buffer.from(text).toString('base64');
    let answer = await this.#exchange(['auth', { xmlns: SASL, mechanism: login.mechanism }, encoded(login.first)]);
    if (answer.name === 'challenge')
      answer = await this.#exchange(['response', { xmlns: SASL }, encoded(login.answer(decoded(answer)))]);
    if (answer.name !== 'success') throw new Error(`the server refuses the login: ${reasonIn(answer)}`);
    login.check(decoded(answer));
    await this.#restart();
    const bind: Markup = ['bind', { xmlns: BIND }, ['resource', {}, resource]];
    const bound = await this.#exchange(['iq', { type: 'set', id: 'bind' }, bind]);
    if (bound.attrs['type'] !== 'result') throw new Error(`the server gives no address: ${reasonIn(bound)}`);
    this.#next = null;
  }

  send(markup: Markup): void {
    if (this.ended.aborted) throw this.ended.reason as Error;
    this.#socket.write(write(markup));
  }

  /** The answer to a question, and messages that belong to it, as archives send them. What is refused is an error. */
  async ask(content: Markup, asked: Asked): Promise<Element> {
    return (await this.collect(() => content, asked)).answer;
  }

  async collect(
    content: (id: string) => Markup,
    { to = this.#account, type, signal }: Asked,
  ): Promise<{ results: readonly Element[]; answer: Element }> {
    const id = `q${(this.#count += 1)}`;
    const answer = Promise.withResolvers<Element>();
    const results: Element[] = [];
    this.#asked.set(id, { to, answer, results });
    const over = AbortSignal.any([signal, this.ended, AbortSignal.timeout(PATIENCE_MS)]);
    const stop = (): void => answer.reject(new NetworkError('the server has not answered', { isDoubtful: true }));
    over.addEventListener('abort', stop, { once: true });
    try {
      if (over.aborted) stop();
      else this.send(['iq', { type, id, ...(to === this.#account ? {} : { to }) }, content(id)]);
      return { answer: await answer.promise, results };
    } finally {
      over.removeEventListener('abort', stop);
      this.#asked.delete(id);
    }
  }

  /** Sends a message, and waits until the server has taken it: it answers in the order in which it was asked. */
  async deliver(message: Markup, signal: AbortSignal): Promise<void> {
    const [, { id = '' }] = message;
    this.send(message);
    const ping: Markup = ['ping', { xmlns: 'urn:xmpp:ping' }];
    await this.ask(ping, { to: this.domain, type: 'get', signal }).catch((error: unknown) => {
      if (!(error instanceof NetworkError) || !error.isFinal) throw error; // that it knows no ping is an answer, too
    });
    const refused = this.#refused.get(id);
    this.#refused.delete(id);
    if (refused !== undefined) throw new NetworkError(`the server refused it: ${refused}`, { isFinal: true });
  }

  close(): void {
    if (!this.ended.aborted) this.#socket.write('</stream:stream>');
    this.#end(new Error('the connection was closed'));
  }

  readonly #stop = (): void => this.close();

  #end(error: Error): void {
    if (this.ended.aborted) return;
    this.#ended.abort(error);
    this.#signal.removeEventListener('abort', this.#stop);
    this.#next?.reject(error);
    this.#socket.destroySoon();
  }

  /** A stream begins anew when the connection is another one, or was logged in; resolves to its features. */
  #restart(): Promise<Element> {
    this.#reader = new StreamReader({
      element: (element) => this.#dispatch(element),
      end: () => this.#end(new Error('the server has ended the stream')),
    });
    const head = `<stream:stream to='${this.domain}' version='1.0' xmlns='jabber:client' xmlns:stream='${STREAMS}'>`;
    return this.#waitAfter(head);
  }

  #exchange(markup: Markup): Promise<Element> {
    return this.#waitAfter(write(markup));
  }

  async #waitAfter(words: string): Promise<Element> {
    const next = (this.#next = Promise.withResolvers<Element>());
    const late = AbortSignal.timeout(PATIENCE_MS);
    void once(late, 'abort', { signal: this.ended }).then(
      () => next.reject(new Error('the server has not answered')),
      () => undefined,
    );
    if (this.ended.aborted) throw this.ended.reason as Error;
    this.#socket.write(words);
    return next.promise;
  }

  #dispatch(element: Element): void {
    const { name, ns, attrs } = element;
    if (name === 'error' && ns === STREAMS)
      return this.#end(new Error(`the server ended the connection: ${reasonIn(element)}`));
    if (this.#next !== null) return this.#next.resolve(element);
    if (name === 'message') return this.#message(element);
    if (name !== 'iq') return;
    const { id, type, from } = attrs;
    if (type === 'result' || type === 'error') {
      const answer = this.#askedOf(id, from)?.answer;
      return type === 'result' ? answer?.resolve(element) : answer?.reject(problemOf(element));
    }
    const refusal: Markup = [
      'error',
      { type: 'cancel' },
      ['service-unavailable', { xmlns: 'urn:ietf:params:xml:ns:xmpp-stanzas' }],
    ];
    this.send(['iq', { type: 'error', id, to: from }, refusal]);
  }

  /** Only whom a question was put to answers it: anybody can send something that looks like an answer. */
  #askedOf(id = '', from = this.#account): { answer: PromiseWithResolvers<Element>; results: Element[] } | undefined {
    const asked = this.#asked.get(id);
    return asked?.to === from || (asked?.to === this.#account && from === this.domain) ? asked : undefined;
  }

  #message(message: Element): void {
    const { id = '', type, from } = message.attrs;
    const result = childOf(message, 'result', 'urn:xmpp:mam:2');
    if (result !== undefined) return void this.#askedOf(result.attrs['queryid'], from)?.results.push(message);
    if (type === 'error') {
      this.#refused.set(id, reasonIn(message));
      if (this.#refused.size > 100) this.#refused.clear(); // nobody waits for those
      return;
    }
    this.onMessage(message);
  }
}

const decoded = (element: Element): string => Buffer.from(innerText(element), 'base64').toString();

/** What an `<error>` or `<failure>` says: its words, else the name of its condition. */
function reasonIn(element: Element): string {
  const error = childOf(element, 'error') ?? element;
  const conditions = elementsOf(error);
  const words = innerText(conditions.find(({ name }) => name === 'text')).trim();
  const condition = conditions.find(({ name }) => name !== 'text')?.name ?? 'without a reason';
  return (words === '' ? condition : `${condition}: ${words}`).slice(0, 300);
}

/** What may be different later is tried again. */
function problemOf(element: Element): NetworkError {
  const type = childOf(element, 'error')?.attrs['type'];
  return new NetworkError(`the server refused it: ${reasonIn(element)}`, {
    isFinal: type === 'cancel' || type === 'modify' || type === 'auth',
  });
}
