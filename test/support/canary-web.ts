/**
 * The web as a worker sees it through a proxy: a real proxy on loopback that answers for every host with the pages of a
 * test, and notes every request. What is noted has left the machine.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export type CanaryWeb = {
  /** host:port, for OKA_EGRESS. */
  address: string;
  /** Method and address of every request, in order. */
  requests: string[];
  [Symbol.asyncDispose](): Promise<void>;
};

/** `pages` are texts by address; every other address answers with a short text. */
export async function openCanaryWeb(pages: Readonly<Record<string, string>> = {}): Promise<CanaryWeb> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    response.setHeader('content-type', 'text/html').end(pages[request.url ?? ''] ?? 'nothing to see');
  });
  server.on('connect', (request, socket) => {
    requests.push(`CONNECT ${request.url}`);
    socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise<void>((done) => server.close(() => done()));
    },
  };
}
