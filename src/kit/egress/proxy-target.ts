/** Owns: reading where a client of the proxy wants to go. What is not written plainly is refused, not guessed. */
import { isIP } from 'node:net';

/** `host` is lower case, without brackets and without a dot at the end; an address is in its usual form. */
export type Target = { host: string; port: number };
export type Unclear = { problem: string };

/** Of a CONNECT: host:port and nothing else. */
export function parseConnectTarget(authority: string): Target | Unclear {
  const [, written = '', port = ''] = /^(\[[^\]]*\]|[^:[\]]*):(\d{1,5})$/.exec(authority) ?? [];
  if (port === '') return { problem: 'CONNECT takes host:port' };
  return parseTarget(written, Number(port));
}

/** Of any other request: an absolute http address. The path comes back encoded, without a fragment. */
export function parseRequestTarget(written: string): (Target & { path: string }) | Unclear {
  const [, authority] = /^http:\/\/([^/?#]*)/i.exec(written) ?? [];
  if (authority === undefined) return { problem: notAbsolute(written) };
  if (authority.includes('@')) return { problem: 'an address with a user or a password in it is not asked' };
  const url = URL.parse(written);
  if (url === null) return { problem: 'that is not an address' };
  const target = parseTarget(authority.replace(/:\d*$/, ''), Number(url.port || 80));
  return 'problem' in target ? target : { ...target, path: `${url.pathname}${url.search}` };
}

function notAbsolute(written: string): string {
  return /^https:/i.test(written)
    ? 'https goes through CONNECT'
    : 'this is a proxy: it takes CONNECT and absolute http addresses';
}

function parseTarget(written: string, port: number): Target | Unclear {
  if (port < 1 || port > 65_535) return { problem: 'that is not a port' };
  const plain = /^(\[[0-9a-f:.]+\]|[\w-]+(\.[\w-]+)*\.?)$/i.test(written) && written.length <= 255;
  const read = plain ? URL.parse(`http://${written}/`)?.hostname : undefined;
  if (read === undefined || read === '') return { problem: 'that is not the name of a host' };
  const host = read.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
  const disguised = isIP(host) === 4 && host !== written.replace(/\.$/, '');
  return disguised ? { problem: `that is another way of writing ${host}` } : { host, port };
}
