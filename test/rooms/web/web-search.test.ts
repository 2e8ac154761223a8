import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SearchConfig } from '../../../src/core/schema/search.ts';
import type { Outcome } from '../../../src/core/schema/tool.ts';
import { searchProvider } from '../../../src/rooms/web/search-providers.ts';
import { webSearchTool } from '../../../src/rooms/web/web-search.ts';
import { openSearchServer, type SearchServer } from '../../support/search-server.ts';
import { errorOf, use } from '../desk/tools/support.ts';

let server: SearchServer;
beforeAll(async () => {
  server = await openSearchServer((query) => [
    { title: `<b>About</b> ${query}`, url: 'https://one.example.org/a?b=c', text: 'The   first\n<strong>hit</strong>' },
    { title: 'Second', url: 'https://two.example.org/', text: 'x'.repeat(5000) },
    { title: 'No web address', url: 'javascript:alert(1)', text: '' },
    { title: 'With a password', url: 'https://me:secret@three.example.org/', text: '' },
  ]);
});
afterAll(() => server[Symbol.asyncDispose]());
beforeEach(() => {
  server.requests.length = 0;
  server.answer = null;
});

const search = (input: { query: string; limit?: number; since?: string }, config: object = {}): Promise<Outcome> => {
  const provider = searchProvider(SearchConfig.parse({ provider: 'searxng', url: server.url, ...config }));
  if (provider === null) throw new Error('no provider');
  return use(webSearchTool({ provider, fetch: globalThis.fetch, keyFor: async () => 'brave-key' }), input);
};

describe('web.search', () => {
  it('asks SearXNG for JSON and gives what it found, as plain text', async () => {
    const outcome = await search({ query: 'tulips & roses', since: 'week' }, { language: 'de-AT' });
    expect(outcome).toMatchObject({
      status: 'ok',
      output: {
        results: [
          { title: 'About tulips & roses', url: 'https://one.example.org/a?b=c', text: 'The first hit' },
          { title: 'Second', url: 'https://two.example.org/', text: 'x'.repeat(600) },
        ],
        via: [new URL(server.url).host],
      },
    });
    const [{ path, query }] = server.requests as [SearchServer['requests'][number]];
    expect([path, Object.fromEntries(query)]).toEqual([
      '/search',
      { q: 'tulips & roses', format: 'json', time_range: 'week', language: 'de-AT' },
    ]);
  });

  it.each(['', '/', '/search'])('finds the interface of SearXNG behind an address that ends with "%s"', async (end) => {
    expect(await search({ query: 'x' }, { url: `${server.url}${end}` })).toMatchObject({ status: 'ok' });
  });

  it('asks Brave Search with the key in a header and nowhere else', async () => {
    const brave = { provider: 'brave', url: `${server.url}/res/v1/web/search` };
    const outcome = await search({ query: 'tulips', limit: 1, since: 'day' }, brave);
    expect(outcome).toMatchObject({ output: { results: [{ title: 'About tulips' }] } });
    const [{ query, headers }] = server.requests as [SearchServer['requests'][number]];
    expect(Object.fromEntries(query)).toEqual({ q: 'tulips', count: '1', freshness: 'pd' });
    expect(headers['x-subscription-token']).toBe('brave-key');
    expect(JSON.stringify(outcome)).not.toContain('brave-key');
  });

  it('does not follow a redirect, so that no query reaches another host', async () => {
    server.answer = (response) => response.writeHead(302, { location: `${server.url}/elsewhere?q=tulips` }).end();
    expect(errorOf(await search({ query: '!!elsewhere tulips' }))).toMatch(/redirects to another address.*search\.url/);
    expect(server.requests).toHaveLength(1);
  });

  it.each([
    ['JSON is switched off', 403, 'no', /answered 403\. Does its settings\.yml list json/, false],
    ['it is busy', 429, 'wait', /answered 429/, true],
    ['it is broken', 500, 'oh', /answered 500/, true],
    ['it gives a page', 200, '<!doctype html><p>hello', /a page instead of JSON/, undefined],
    ['it gives nonsense', 200, 'hello', /not JSON/, undefined],
  ])('says what is wrong when %s', async (_, status, body, words, temporary) => {
    server.answer = (response) => response.writeHead(status).end(body);
    const outcome = await search({ query: 'x' });
    expect(errorOf(outcome)).toMatch(words);
    expect(outcome).toMatchObject({ status: 'failed', ...(temporary === undefined ? {} : { temporary }) });
  });

  it('reads no endless answer', async () => {
    server.answer = (response) => response.end(Buffer.alloc(3_000_000, 'a'));
    expect(errorOf(await search({ query: 'x' }))).toContain('longer than');
  });

  it('names the server that is not there', async () => {
    const outcome = await search({ query: 'x' }, { url: 'http://127.0.0.1:9' });
    expect(errorOf(outcome)).toMatch(/^the search server 127\.0\.0\.1:9 is not reachable: /);
    expect(outcome).toMatchObject({ temporary: true });
  });

  it('answers of another shape have no results', async () => {
    for (const body of ['[]', 'null', '{"results":{"a":1}}', '{"results":[null,1,{"url":7}]}']) {
      server.answer = (response) => response.end(body);
      expect(await search({ query: 'x' })).toMatchObject({ status: 'ok', output: { results: [] } });
    }
  });
});
