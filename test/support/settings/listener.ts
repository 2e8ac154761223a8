/** A server on loopback that hears everything and says yes: who was asked for what, with the body. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export type Listener = AsyncDisposable & { url: string; heard: string[] };

export async function openListener(): Promise<Listener> {
  const heard: string[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      heard.push(`${request.method} ${request.url} ${body}`);
      response.setHeader('content-type', 'application/json').end('{}');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    heard,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise<void>((done) => server.close(() => done()));
    },
  };
}
