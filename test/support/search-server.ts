/** A search server on loopback that speaks the JSON formats of SearXNG and Brave Search, and notes every request. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type FoundPage = { title: string; url: string; text: string };
export type SearchServer = {
  url: string;
  requests: { path: string; query: URLSearchParams; headers: IncomingHttpHeaders }[];
  /** Answers instead of the usual format. */
  answer: ((response: ServerResponse) => void) | null;
  [Symbol.asyncDispose](): Promise<void>;
};

export async function openSearchServer(found: (query: string) => readonly FoundPage[]): Promise<SearchServer> {
  const server = createServer((request, response) => {
    const { pathname: path, searchParams: query } = new URL(request.url ?? '/', 'http://search');
    opened.requests.push({ path, query, headers: request.headers });
    if (opened.answer !== null) return opened.answer(response);
    const pages = found(query.get('q') ?? '');
    const isSearxng = path === '/search';
    if (isSearxng && query.get('format') !== 'json') return void response.end('<html>a page for people</html>');
    if (!isSearxng && request.headers['x-subscription-token'] !== 'brave-key')
      return void response.writeHead(401).end('{}');
    const body = isSearxng
      ? {
          query: query.get('q'),
          results: pages.map(({ text, ...page }) => ({ ...page, content: text, engine: 'test', score: 1 })),
          answers: [],
          unresponsive_engines: [],
        }
      : { type: 'search', web: { results: pages.map(({ text, ...page }) => ({ ...page, description: text })) } };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
  });
  const opened: SearchServer = {
    url: '',
    requests: [],
    answer: null,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise<void>((done) => server.close(() => done()));
    },
  };
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  opened.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return opened;
}
