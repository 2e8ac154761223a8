/**
 * Owns: an account of XMPP as a messenger. What comes in is read from the archive of the account (XEP-0313), one message
 * after the other; that something is delivered only says that there is more to read.
 *
 * X1 Before a message is sent that may have arrived already, it is looked for in the archive.
 */
import { randomUUID } from 'node:crypto';
import type { ChannelTools } from '../../../core/schema/channel-port.ts';
import type { Incoming, IncomingFile, Listening, Messenger, OutgoingText } from '../messenger/messenger.ts';
import { catchUp, keepEverything, type Place, toPlace, wasSent } from './xmpp-archive.ts';
import { download, fileNameIn, upload } from './xmpp-files.ts';
import type { XmppChannel } from './xmpp-settings.ts';
import { openStream, type XmppStream } from './xmpp-stream.ts';
import { childOf, type Element, elementsOf, type Markup, innerText } from './xmpp-xml.ts';

const MOST_TEXT = 6000;
const MEBIBYTE = 1024 * 1024;
/** How often is looked without being told to, which also shows whether the connection stands. */
const LOOK_MS = 60_000;
const MOST_ELSEWHERE = 1000;
const IDS = 'urn:xmpp:sid:0';
const LINKED = 'jabber:x:oob';

type Use = <T>(signal: AbortSignal, act: (stream: XmppStream) => Promise<T>) => Promise<T>;

export function xmppMessenger(settings: XmppChannel, tools: ChannelTools): Messenger {
  let standing: XmppStream | null = null;
  const use: Use = async (signal, act) => {
    if (standing !== null && !standing.ended.aborted) return act(standing);
    const stream = await openStream(settings, tools, { resource: `oka-${randomUUID()}`, signal });
    try {
      return await act(stream);
    } finally {
      stream.close();
    }
  };
  const send = (chat: string, { key, isRepeat }: Sent, content: Markup[], signal: AbortSignal): Promise<string> =>
    use(signal, async (stream) => {
      if (isRepeat && (await wasSent(stream, chat, key, signal))) return key;
      const id: Markup = ['origin-id', { xmlns: IDS, id: key }];
      await stream.deliver(['message', { to: chat, type: 'chat', id: key }, ...content, id], signal);
      return key;
    });
  return {
    limits: { text: MOST_TEXT, payload: 0, buttons: 0, fileBytes: 45 * MEBIBYTE, markup: 'plain', repeats: 'harmless' },
    listen: async (take, listening) => {
      const stream = await openStream(settings, tools, { resource: 'oka', signal: listening.signal });
      standing = stream;
      try {
        await listen(stream, settings.address, take, listening);
      } finally {
        stream.close();
      }
    },
    sendText: (chat, text, signal) => send(chat, text, [...bodyOf(text), ...replyTo(chat, text)], signal),
    editText: async (chat, id, text, signal) => {
      const replaced: Markup = ['replace', { xmlns: 'urn:xmpp:message-correct:0', id }];
      await send(chat, { ...text, key: `edit-${text.key}` }, [...bodyOf(text), replaced], signal);
    },
    editButtons: () => Promise.resolve(),
    answerPress: () => Promise.resolve(),
    sendFile: async (chat, file, signal) => {
      const url = await use(signal, (stream) => upload(stream, file, { settings, tools, signal }));
      const link: Markup = ['x', { xmlns: LINKED }, ['url', {}, url]];
      return send(chat, file, [['body', {}, url], link], signal);
    },
    fetchFile: ({ id }, most, signal) => download(id, most, { settings, tools, signal }),
    typing: (chat, signal) =>
      use(signal, (stream) => {
        const state: Markup = ['composing', { xmlns: 'http://jabber.org/protocol/chatstates' }];
        stream.send(['message', { to: chat, type: 'chat' }, state, ['no-store', { xmlns: 'urn:xmpp:hints' }]]);
        return Promise.resolve();
      }),
  };
}

type Sent = Pick<OutgoingText, 'key' | 'isRepeat'>;

/** Nothing in it becomes markup of a client. */
const bodyOf = ({ plain }: OutgoingText): Markup[] => [
  ['body', {}, plain],
  ['unstyled', { xmlns: 'urn:xmpp:styling:0' }],
];

const replyTo = (chat: string, { replyTo: id }: OutgoingText): Markup[] =>
  id === null ? [] : [['reply', { xmlns: 'urn:xmpp:reply:0', to: chat, id }]];

async function listen(
  stream: XmppStream,
  me: string,
  take: (incoming: Incoming) => Promise<void>,
  listening: Listening,
): Promise<void> {
  const { position, signal } = listening;
  let news = Promise.withResolvers<void>();
  const elsewhere: Element[] = [];
  stream.onMessage = (message) => {
    if (!isArchived(message, me)) elsewhere.push(message);
    news.resolve();
    if (elsewhere.length > MOST_ELSEWHERE) stream.close(); // somebody floods; what the archive has is read later
  };
  stream.ended.addEventListener('abort', () => news.resolve(), { once: true });
  const takeIt = async (incoming: Incoming | null): Promise<void> => {
    if (incoming !== null && !signal.aborted) await take(incoming);
  };
  await keepEverything(stream, signal);
  stream.send(['presence', {}]);
  let place = toPlace(position);
  for (;;) {
    place = await catchUp(stream, { place, signal }, (message, at) => takeIt(toIncoming(message, me, at)));
    for (let next = elsewhere.shift(); next !== undefined; next = elsewhere.shift())
      await takeIt(toIncoming(next, me, { id: null, at: stampOf(next), nth: 0 }));
    listening.ready();
    const timer = setTimeout(() => news.resolve(), LOOK_MS);
    await news.promise;
    clearTimeout(timer);
    news = Promise.withResolvers<void>();
    if (signal.aborted) return;
    if (stream.ended.aborted) throw stream.ended.reason as Error;
  }
}

/** What the archive does not have, such as what came before it was switched on, has no place in it. */
const isArchived = (message: Element, me: string): boolean =>
  elementsOf(message).some(({ name, ns, attrs }) => name === 'stanza-id' && ns === IDS && attrs['by'] === me);

const stampOf = (message: Element): string =>
  childOf(message, 'delay', 'urn:xmpp:delay')?.attrs['stamp'] ?? new Date().toISOString();

/** Null: it is of oka itself, corrects another one, or says nothing. */
function toIncoming(message: Element, me: string, { id, at, nth }: Place): Incoming | null {
  const { from = '', id: place = id ?? '', type = 'normal' } = message.attrs;
  const [person = ''] = from.split('/', 1);
  const body = innerText(childOf(message, 'body'));
  const encrypted = childOf(message, 'encrypted');
  const linked = childOf(message, 'x', LINKED);
  const link = innerText(linked && childOf(linked, 'url'));
  if (person === me || !/^(?:chat|normal)$/.test(type)) return null;
  if ((body === '' && link === '' && encrypted === undefined) || childOf(message, 'replace') !== undefined) return null;
  const reply = childOf(message, 'reply', 'urn:xmpp:reply:0');
  const isVoice = /\.(?:ogg|oga|opus|m4a|amr)$/i.test(link);
  const files: IncomingFile[] = link === '' || isVoice ? [] : [{ id: link, name: fileNameIn(link), bytes: null }];
  return {
    kind: 'text',
    id: id === null ? `${person}/${place}` : `archive/${id}`,
    place,
    ...(id === null ? {} : { position: `${id} ${at} ${nth}` }),
    at: Date.parse(at),
    order: nth,
    chat: person,
    isGroup: false,
    person,
    name: person.replace(/@.*$/, ''),
    text: body === link ? '' : reply === undefined ? body : withoutQuote(message, body),
    replyTo: reply?.attrs['id'] ?? null,
    isForwarded: false,
    isVoice,
    isUnreadable: encrypted !== undefined,
    files,
  };
}

/** What an answer repeats of its question, for clients that know no answers (XEP-0428). */
function withoutQuote(message: Element, body: string): string {
  const range = childOf(message, 'fallback', 'urn:xmpp:fallback:0');
  const { start = '', end = '' } = (range && childOf(range, 'body')?.attrs) ?? {};
  if (!/^\d{1,7}$/.test(start) || !/^\d{1,7}$/.test(end)) return body;
  const points = Array.from(body);
  points.splice(Number(start), Math.max(0, Number(end) - Number(start)));
  return points.join('').trim();
}
