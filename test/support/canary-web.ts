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

/**
 * `pages` are texts by address, or a function from an address to its text; every other address answers with a short text.
 * A page `redirect:<address>` leads there.
 */
export type CanaryPages = Readonly<Record<string, string>> | ((url: string) => string | undefined);

export async function openCanaryWeb(pages: CanaryPages = {}): Promise<CanaryWeb> {
  const pageAt = typeof pages === 'function' ? pages : (url: string): string | undefined => pages[url];
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    const page = pageAt(request.url ?? '') ?? 'nothing to see';
    if (page.startsWith('redirect:')) response.writeHead(302, { location: page.slice('redirect:'.length) }).end();
    else response.setHeader('content-type', 'text/html').end(page);
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
