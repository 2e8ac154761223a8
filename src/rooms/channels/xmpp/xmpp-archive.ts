/**
 * Owns: reading the archive of an account of XMPP (XEP-0313), which is where messages are found, the oldest first.
 *
 * A1 A place in it is that of a message, its time, and the how manieth of this time it is: so the same message is the
 *    same one when it is read again, also where the server counts whole seconds.
 */
import { NetworkError } from '../messenger/messenger.ts';
import type { XmppStream } from './xmpp-stream.ts';
import { childOf, type Element, type Markup } from './xmpp-xml.ts';

const ARCHIVE = 'urn:xmpp:mam:2';
const PAGES = 'http://jabber.org/protocol/rsm';
const PAGE = 50;
/** What came before anything was ever read: a code that pairs is good for ten minutes. */
const FIRST_LOOK_MS = 15 * 60_000;
/** A delivery is tried for a day. */
const REPEATED_MS = 2 * 86_400_000;

/** From now on the archive has everything, where the server leaves that to the account. */
export async function keepEverything(stream: XmppStream, signal: AbortSignal): Promise<void> {
  const always: Markup = ['prefs', { xmlns: ARCHIVE, default: 'always' }, ['always', {}], ['never', {}]];
  await stream.ask(always, { type: 'set', signal }).catch((error: unknown) => {
    if (!(error instanceof NetworkError) || !error.isFinal) throw error; // whether there is one is seen when it is read
  });
}

/** Whether a message was sent; only the latest of a chat are looked at. */
export async function wasSent(stream: XmppStream, chat: string, key: string, signal: AbortSignal): Promise<boolean> {
  const start = new Date(Date.now() - REPEATED_MS).toISOString();
  const { results } = await readArchive(stream, { with: chat, start }, ['before', {}], signal);
  return results.some((result) => archived(result)?.message.attrs['id'] === key);
}

/** Where in the archive, when, and the how manieth of this time (A1). */
export type Place = { id: string | null; at: string; nth: number };

export function toPlace(position: string | null): Place {
  const [id = null, at = new Date(Date.now() - FIRST_LOOK_MS).toISOString(), nth = '0'] = position?.split(' ') ?? [];
  return { id, at, nth: Number(nth) };
}

/** Hands over what is behind a place, one after the other; resolves to the last place. */
export async function catchUp(
  stream: XmppStream,
  { place, signal }: { place: Place; signal: AbortSignal },
  take: (message: Element, place: Place) => Promise<void>,
): Promise<Place> {
  let last = place;
  for (;;) {
    const { results, isAll } = await pageAfter(stream, last, signal);
    for (const result of results) {
      const found = archived(result);
      if (found === null) continue;
      const { id, at, message } = found;
      last = { id, at, nth: at === last.at ? last.nth + 1 : 0 };
      await take(message, last);
      if (signal.aborted) return last;
    }
    if (isAll || results.length === 0) return last;
  }
}

type Page = { results: readonly Element[]; isAll: boolean };

/** An archive that has forgotten the place is read from its time on; what was handled before is known. */
async function pageAfter(stream: XmppStream, { id, at }: Place, signal: AbortSignal): Promise<Page> {
  if (id === null) return readArchive(stream, { start: at }, null, signal);
  try {
    return await readArchive(stream, {}, ['after', {}, id], signal);
  } catch (error) {
    if (!(error instanceof NetworkError) || !/item-not-found/.test(error.message)) throw error;
    return readArchive(stream, { start: at }, null, signal);
  }
}

async function readArchive(
  stream: XmppStream,
  filter: Readonly<Record<string, string>>,
  from: Markup | null,
  signal: AbortSignal,
): Promise<Page> {
  const field = (name: string, value: string): Markup => ['field', { var: name }, ['value', {}, value]];
  const fields = Object.entries({ FORM_TYPE: ARCHIVE, ...filter }).map(([name, value]) => field(name, value));
  const form: Markup = ['x', { xmlns: 'jabber:x:data', type: 'submit' }, ...fields];
  const page: Markup = ['set', { xmlns: PAGES }, ['max', {}, String(PAGE)], ...(from === null ? [] : [from])];
  try {
    const ask = (queryid: string): Markup => ['query', { xmlns: ARCHIVE, queryid }, form, page];
    const { results, answer } = await stream.collect(ask, { type: 'set', signal });
    return { results, isAll: childOf(answer, 'fin', ARCHIVE)?.attrs['complete'] === 'true' };
  } catch (error) {
    if (!(error instanceof NetworkError) || !/service-unavailable|feature-not-implemented/.test(error.message))
      throw error;
    throw new Error(`${stream.domain} has no archive of messages (XEP-0313, mod_mam), so that some could be lost`, {
      cause: error,
    });
  }
}

function archived(result: Element): { id: string; at: string; message: Element } | null {
  const found = childOf(result, 'result', ARCHIVE);
  const forwarded = found === undefined ? undefined : childOf(found, 'forwarded', 'urn:xmpp:forward:0');
  const message = forwarded === undefined ? undefined : childOf(forwarded, 'message');
  const at = forwarded === undefined ? undefined : childOf(forwarded, 'delay', 'urn:xmpp:delay')?.attrs['stamp'];
  const id = found?.attrs['id'];
  return message === undefined || id === undefined || at === undefined ? null : { id, at, message };
}
