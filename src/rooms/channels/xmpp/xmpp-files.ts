/**
 * Owns: files of XMPP, which are addresses of a server: uploaded to that of the account (XEP-0363), and fetched.
 *
 * F1 Files are fetched from and uploaded to the servers of the account, or those that a person named: an address that
 *    somebody has sent leads nowhere else.
 */
import type { ChannelTools } from '../../../core/schema/channel-port.ts';
import { NetworkError, readUpTo } from '../messenger/messenger.ts';
import type { XmppChannel } from './xmpp-settings.ts';
import type { XmppStream } from './xmpp-stream.ts';
import { childOf, elementsOf, type Markup, innerText } from './xmpp-xml.ts';

const ITEMS = 'http://jabber.org/protocol/disco#items';
const UPLOAD = 'urn:xmpp:http:upload:0';

export async function download(
  address: string,
  most: number,
  { settings, tools, signal }: Transfer,
): Promise<Uint8Array> {
  const ask = { method: 'GET', headers: {}, signal };
  const response = await tools.fetch(placeOf(address, settings), ask, settings.certificate);
  if (!response.ok) throw new NetworkError(`the file is not there: ${response.status}`, { isFinal: true });
  return readUpTo(response, most);
}

/** An address that leads elsewhere is refused (F1). */
function placeOf(address: string, { address: account, host, file_hosts }: XmppChannel): URL {
  const url = URL.parse(address);
  const domain = account.slice(account.indexOf('@') + 1);
  const isOwn = url?.hostname === domain || url?.hostname.endsWith(`.${domain}`) === true;
  if (url?.protocol !== 'https:' || !(isOwn || url.hostname === host || file_hosts.includes(url.hostname)))
    throw new NetworkError('it is on a server that "file_hosts" of the channel in channels.json does not name', {
      isFinal: true,
    });
  return url;
}

type Transfer = { settings: XmppChannel; tools: ChannelTools; signal: AbortSignal };

export async function upload(
  stream: XmppStream,
  { name, content }: { name: string; content: Uint8Array },
  { settings, tools, signal }: Transfer,
): Promise<string> {
  const service = await uploadService(stream, signal);
  const request: Markup = ['request', { xmlns: UPLOAD, filename: name, size: String(content.length) }];
  const slot = childOf(await stream.ask(request, { to: service, type: 'get', signal }), 'slot', UPLOAD);
  const put = slot === undefined ? undefined : childOf(slot, 'put');
  const headers = Object.fromEntries(
    (put === undefined ? [] : elementsOf(put))
      .filter(({ attrs }) => /^(?:authorization|cookie|expires)$/i.test(attrs['name'] ?? ''))
      .map((header) => [header.attrs['name'] ?? '', innerText(header).replaceAll(/[\r\n]/g, '')]),
  );
  const to = placeOf(put?.attrs['url'] ?? '', settings);
  const ask = { method: 'PUT', headers, body: new Uint8Array(content), signal };
  const response = await tools.fetch(to, ask, settings.certificate);
  if (!response.ok) throw new NetworkError(`the server does not take the file: ${response.status}`);
  return (slot === undefined ? undefined : childOf(slot, 'get')?.attrs['url']) ?? '';
}

async function uploadService(stream: XmppStream, signal: AbortSignal): Promise<string> {
  const items = await stream.ask(['query', { xmlns: ITEMS }], { to: stream.domain, type: 'get', signal });
  const query = childOf(items, 'query', ITEMS);
  for (const { attrs } of query === undefined ? [] : elementsOf(query)) {
    const to = attrs['jid'] ?? '';
    const about: Markup = ['query', { xmlns: 'http://jabber.org/protocol/disco#info' }];
    const info = await stream.ask(about, { to, type: 'get', signal }).catch(() => null); // whoever says nothing takes no files
    const features = info === null ? [] : elementsOf(info).flatMap(elementsOf);
    if (features.some((each) => each.attrs['var'] === UPLOAD)) return to;
  }
  throw new NetworkError('the server takes no files (XEP-0363)', { isFinal: true });
}

export function fileNameIn(link: string): string {
  try {
    return decodeURIComponent(new URL(link).pathname.split('/').at(-1) ?? '') || 'file';
  } catch {
    return 'file'; // its address is looked at when it is fetched
  }
}
