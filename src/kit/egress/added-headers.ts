/**
 * Owns: headers that the proxy itself adds to requests of a step, so that the secret in them never enters the process.
 *
 * A1 A header goes only to the hosts that a person named for its secret, and replaces what the client sends by this name.
 * A2 It goes over an encrypted connection, or to this machine itself.
 * A3 In a ticket for a proxy of another process, which the client can read, headers are encrypted with the shared key.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { includesHost } from '../../core/guard/egress-rule.ts';
import type { ProxyHeader } from '../../core/schema/tool.ts';
import type { Target } from './proxy-target.ts';

/** The headers that go to this target, by name. */
export function headersFor(
  headers: readonly ProxyHeader[] | undefined,
  { host, port }: Target,
): Record<string, string> {
  const chosen = (headers ?? []).filter(({ hosts }) => includesHost(hosts, host, port));
  return Object.fromEntries(chosen.map(({ name, value }) => [name.toLowerCase(), value]));
}

/** Why headers cannot be added to a request that is not encrypted, or null (A2). */
export function plainObjection(added: Readonly<Record<string, string>>, { host }: Target): string | null {
  const isHere = /^(?:localhost|127(?:\.\d+){3}|::1)$/.test(host);
  if (Object.keys(added).length === 0 || isHere) return null;
  return `${host}: the secret of this step is not sent over http, where anyone in between could read it: use https`;
}

export function sealHeaders(key: Buffer, headers: readonly ProxyHeader[]): string {
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', headerKey(key), iv);
  const text = Buffer.concat([cipher.update(JSON.stringify(headers), 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), text]).toString('base64url');
}

/** Throws when it was not sealed with this key. */
export function unsealHeaders(key: Buffer, sealed: string): ProxyHeader[] {
  const bytes = Buffer.from(sealed, 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', headerKey(key), bytes.subarray(0, 12));
  decipher.setAuthTag(bytes.subarray(12, 28));
  const text = Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]);
  return JSON.parse(text.toString()) as ProxyHeader[];
}

const headerKey = (key: Buffer): Buffer => Buffer.from(hkdfSync('sha256', key, '', 'oka egress headers', 32));
