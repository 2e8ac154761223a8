/**
 * Owns: telling a proxy in another process which packages a step may ask for. They are too many for a ticket.
 *
 * The step itself has the ticket, too; only whoever has the key that worker and proxy share can add names to it.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { type IncomingMessage, request } from 'node:http';
import { gunzipSync, gzipSync } from 'node:zlib';
import { OkaError } from '../../core/schema/errors.ts';
import type { PackageScope } from './package-scope.ts';
import type { Ticket } from './proxy-tickets.ts';

export const PACKAGES_PATH = '/packages';
const SEAL = 'x-oka-seal';
const MOST_BYTES = 67_108_864;
const PATIENCE_MS = 10_000;

export async function registerPackages(
  proxy: { host: string; port: number },
  ticket: Ticket,
  key: Buffer,
  packages: string,
): Promise<void> {
  const body = gzipSync(packages);
  const { promise, resolve } = Promise.withResolvers<number>();
  const basic = Buffer.from(`${ticket.user}:${ticket.password}`).toString('base64');
  const sent = request({
    ...proxy,
    method: 'PUT',
    path: PACKAGES_PATH,
    agent: false,
    signal: AbortSignal.timeout(PATIENCE_MS),
    headers: {
      'proxy-authorization': `Basic ${basic}`,
      [SEAL]: sealOf(key, ticket, body),
      'content-length': body.length,
    },
  });
  sent.on('error', () => resolve(0));
  sent.on('response', (response) => response.resume().on('close', () => resolve(response.statusCode ?? 0)));
  sent.end(body);
  const status = await promise;
  if (status !== 204)
    throw new OkaError('refused', `the egress proxy did not take the names of packages (${status || 'no answer'})`, {
      fix: 'See whether it runs in the same version as the worker; in Docker: docker compose up -d --build egress',
    });
}

/** Whether the names were sent by whoever has the key. */
export async function acceptPackages(
  sent: IncomingMessage,
  ticket: Ticket | null,
  key: Buffer | undefined,
  scope: PackageScope,
): Promise<boolean> {
  if (ticket === null || key === undefined) return false;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of sent as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MOST_BYTES) return false;
    chunks.push(chunk);
  }
  const body = Buffer.concat(chunks);
  const [given, right] = [String(sent.headers[SEAL] ?? ''), sealOf(key, ticket, body)].map((text) => Buffer.from(text));
  if (given === undefined || right === undefined || given.length !== right.length) return false;
  if (!timingSafeEqual(given, right)) return false;
  scope.learn(gunzipSync(body, { maxOutputLength: 4 * MOST_BYTES }).toString());
  return true;
}

const sealOf = (key: Buffer, { user, password }: Ticket, body: Buffer): string =>
  createHmac('sha256', key).update(`packages\n${user}\n${password}\n`).update(body).digest('base64url');
