/** A proxy, names of its own, and clients that speak to it byte by byte. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { egressRule } from '../../../src/core/guard/egress-rule.ts';
import type { PolicyRule } from '../../../src/core/schema/policy.ts';
import { type Egress, type EgressOptions, type Grant, openEgress } from '../../../src/kit/egress/open-egress.ts';
import type { ProxyDecision } from '../../../src/kit/egress/decision-log.ts';
import { selfSigned } from '../../support/openssl.ts';

export const NAMES: Record<string, string[]> = {
  'site.test': ['127.0.0.1'],
  'mixed.test': ['10.0.0.5', '127.0.0.1'],
  'internal.test': ['10.0.0.5'],
  'metadata.test': ['169.254.169.254'],
  'mapped.test': ['::ffff:10.0.0.5'],
  'zone.test': ['fe80::1%lo'],
  'carrier.test': ['100.64.0.1'],
  'many.test': ['224.0.0.1'],
  'six.test': ['fd00::5'],
  'empty.test': [],
  'nonsense.test': ['not-an-address'],
  localhost: ['127.0.0.1'],
};

export type Ground = {
  egress: Egress;
  grant: Grant;
  decisions: ProxyDecision[];
  asked: string[];
  /** user:password of the grant. */
  ticket: string;
  auth: string;
};

/** A proxy that allows every host on the given port, which only 127.0.0.1 is open for. */
export async function groundFor(port: number, options: Partial<EgressOptions> = {}): Promise<Ground> {
  const decisions: ProxyDecision[] = [];
  const asked: string[] = [];
  const egress = await openEgress({
    listen: { host: '127.0.0.1', port: 0 },
    allows: egressRule([rule(`*:${port}`)], []),
    decided: (decided) => decisions.push(decided),
    clock: Date.now,
    allowPrivate: (address, to) => address === '127.0.0.1' && to === port,
    lookup: (host) => {
      asked.push(host);
      return named(host);
    },
    ...options,
  });
  onTestFinished(() => egress[Symbol.asyncDispose]());
  const grant = egress.grant({ run: 'r1', call: 'r1.n1.1', hosts: [] });
  const { username, password } = new URL(grant.env['HTTP_PROXY'] ?? '');
  const ticket = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const auth = `Proxy-Authorization: Basic ${Buffer.from(ticket).toString('base64')}`;
  return { egress, grant, decisions, asked, ticket, auth };
}

export const rule = (host: string, effect: PolicyRule['effect'] = 'allow'): PolicyRule => ({
  effect,
  host,
  examples: [],
});

export function named(host: string): Promise<{ address: string; family: number }[]> {
  const found = NAMES[host];
  if (found === undefined)
    return Promise.reject(Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { code: 'ENOTFOUND' }));
  return Promise.resolve(found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })));
}

export async function listen(server: Server): Promise<number> {
  const open = new Set<Socket>();
  server.on('connection', (socket) => {
    open.add(socket);
    socket.on('error', () => socket.destroy()).once('close', () => open.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  return (server.address() as { port: number }).port;
}

/** A client that takes and gives bytes; `said` is all it was told so far. */
export type Raw = {
  socket: Socket;
  said: () => string;
  until: (text: string | RegExp) => Promise<string>;
  closed: Promise<string>;
};

export async function dial(port: number): Promise<Raw> {
  const socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true });
  await once(socket, 'connect');
  onTestFinished(() => void socket.destroy());
  let said = '';
  socket.setEncoding('latin1');
  socket.on('data', (text: string) => {
    said += text;
  });
  socket.on('error', () => socket.destroy());
  const { promise: closed, resolve } = Promise.withResolvers<string>();
  socket.once('close', () => resolve(said));
  socket.once('end', () => resolve(said));
  const until = async (text: string | RegExp): Promise<string> => {
    while (!(typeof text === 'string' ? said.includes(text) : text.test(said)))
      await Promise.race([
        once(socket, 'data'),
        once(socket, 'close').then(() => Promise.reject(new Error(`closed after: ${said}`))),
      ]);
    return said;
  };
  return { socket, said: () => said, until, closed };
}

/** Sends one text and gives all that comes back until the proxy hangs up. */
export async function say(port: number, text: string): Promise<string> {
  const client = await dial(port);
  client.socket.write(text, 'latin1');
  return await client.closed;
}

/** A tunnel that stands. */
export async function tunnel(ground: Ground, to: string): Promise<Raw> {
  const client = await dial(ground.egress.port);
  client.socket.write(`CONNECT ${to} HTTP/1.1\r\nHost: ${to}\r\n${ground.auth}\r\n\r\n`);
  await client.until('200 Connection established\r\n\r\n');
  return client;
}

export function hasProgram(name: string): boolean {
  try {
    execFileSync('sh', ['-c', `command -v ${name}`], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** A certificate for site.test and other.test that signs itself. */
export function makeCertificate(): { key: string; cert: string; file: string } {
  const folder = mkdtempSync(join(tmpdir(), 'oka-tls-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  selfSigned(folder, 'site', ['site.test', 'other.test']);
  const [key, file] = [join(folder, 'site.key'), join(folder, 'site.crt')];
  return { key: readFileSync(key, 'utf8'), cert: readFileSync(file, 'utf8'), file };
}
