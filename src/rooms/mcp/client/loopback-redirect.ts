/**
 * Owns: the address on this machine to which a browser is sent back after a login.
 *
 * R1 A request without the state of this login changes nothing: the login goes on waiting.
 */
import { timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

type LoopbackRedirect = AsyncDisposable & {
  url: string;
  /** The parameters of the redirect. */
  received: Promise<URLSearchParams>;
};

const PATH = '/callback';

export async function listenForRedirect(state: string, port: number | null): Promise<LoopbackRedirect> {
  const { promise, resolve } = Promise.withResolvers<URLSearchParams>();
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
    if (request.method !== 'GET' || pathname !== PATH) return reply(response, 404, 'There is nothing here.');
    if (!isSame(searchParams.get('state') ?? '', state))
      return reply(response, 400, 'This does not belong to the login that oka waits for.');
    resolve(searchParams);
    reply(response, 200, 'You can close this window and go back to oka.');
  });
  server.listen(port ?? 0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${PATH}`,
    received: promise,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await Promise.resolve();
    },
  };
}

function reply(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain', 'cache-control': 'no-store', connection: 'close' });
  response.end(`${text}\n`);
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
