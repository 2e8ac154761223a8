import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../../../src/core/schema/json.ts';
import type { ArtifactRef, Outcome } from '../../../src/core/schema/tool.ts';
import { type WebReadOptions, webReadTool } from '../../../src/rooms/web/web-read.ts';
import { casesOf, isThorough, timesOf } from '../../support/thorough.ts';
import { errorOf, ground, use } from '../desk/tools/support.ts';

type Page = { body: string | Buffer; type?: string; status?: number; location?: string; encoding?: string };
const pages: Record<string, Page> = {};
const { artifacts } = ground();
let port = 0;
const server = createServer((request, response) =>
  answer(pages[request.url ?? ''] ?? { body: '', status: 404 }, response),
);
function answer({ body, type = 'text/html', status = 200, location, encoding }: Page, response: ServerResponse): void {
  response.writeHead(status, {
    ...(type === '' ? {} : { 'content-type': type }),
    ...(location === undefined ? {} : { location }),
    ...(encoding === undefined ? {} : { 'content-encoding': encoding }),
  });
  response.end(body);
}

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const read = async (page: Page | string, options: Partial<WebReadOptions> = {}, from?: number): Promise<Outcome> => {
  const path = typeof page === 'string' ? page : `/${Object.keys(pages).length}`;
  if (typeof page !== 'string') pages[path] = page;
  const lookup = async () => [{ address: '127.0.0.1', family: 4 }];
  const tool = webReadTool({ artifacts, lookup, allowPrivate: () => true, ...options });
  return use(tool, { url: `http://site.test:${port}${path}`, ...(from === undefined ? {} : { from }) });
};
type Shown = { title: string; text: string; next?: number; note?: string; artifact?: ArtifactRef; via?: string[] };
const outputOf = (outcome: Outcome): Shown => {
  if (outcome.status !== 'ok') throw new Error(errorOf(outcome));
  return outcome.output as Shown & Json;
};

const LONG = 'Tulips were a currency once, and then they were flowers again. '.repeat(12);
const ARTICLE = `<html><head><title>Tulip  mania</title><script>track()</script></head><body>
<nav><a href="/home">Home</a> <a href="/login">Log in</a></nav>
<article><h1>Tulip mania</h1><p>${LONG} See <a href="../prices?y=1637&amp;c=nl">the prices</a>.</p>
<table><tr><th>Year</th><th>Price</th></tr><tr><td>1636</td><td>10</td></tr></table>
<p>${LONG}</p><img src="/x.png" alt="a tulip"><a href="javascript:steal()">bad</a></article>
<footer>Imprint</footer></body></html>`;

const ENCODINGS: [name: string, body: Buffer, type: string, text: string][] = [
  ['declared by the server', Buffer.from('Gr\xfc\xdfe', 'latin1'), 'text/html; charset=ISO-8859-1', 'Grüße'],
  ['declared by the page', Buffer.from('<meta charset="windows-1251">\xcf\xf0\xe8', 'latin1'), 'text/html', 'При'],
  ['declared wrongly as UTF-8', Buffer.from('Gr\xfc\xdfe', 'latin1'), 'text/html; charset=utf-8', 'Grüße'],
  ['declared wrongly as latin1', Buffer.from('Grüße'), 'text/html; charset=latin1', 'Grüße'],
  ['declared as something unknown', Buffer.from('Gr\xfc\xdfe', 'latin1'), 'text/html; charset=klingon', 'Grüße'],
  ['UTF-16 with a mark', Buffer.from('\uFEFFGrüße', 'utf16le'), 'text/html', 'Grüße'],
  ['Japanese mail encoding', Buffer.from('\x1b$B$"\x1b(B', 'latin1'), 'text/html; charset=iso-2022-jp', 'あ'],
];

describe('web.read', { timeout: 60_000 }, () => {
  it('gives the article as markdown with absolute links, without menus and scripts', async () => {
    const { title, text, note } = outputOf(await read({ body: ARTICLE }));
    expect(title).toBe('Tulip mania');
    expect(text).toContain(`[the prices](http://site.test:${port}/prices?y=1637&c=nl)`);
    expect(text).toMatch(/\| Year \| Price \|\n\| 1636 \| 10 \|/);
    expect(text).toContain('[image: a tulip]');
    expect(text).not.toMatch(/track|steal|Log in/);
    expect(note).toBeUndefined();
  });

  it('gives all of a page that is a list of links', async () => {
    const items = Array.from({ length: 40 }, (_, index) => `<li><a href="/n/${index}">News ${index}</a></li>`);
    const { text } = outputOf(await read({ body: `<html><body><ul>${items.join('')}</ul></body></html>` }));
    expect(text).toContain(`[News 0](http://site.test:${port}/n/0)`);
    expect(text).toContain(`[News 39](http://site.test:${port}/n/39)`);
  });

  it('gives a long page in portions that together are the page', async () => {
    const body = `<html><body><article>${Array.from({ length: 24 }, (_, i) => `<p>${i}. ${LONG}</p>`).join('')}</article></body></html>`;
    const path = '/long';
    pages[path] = { body };
    let text = '';
    let whole: ArtifactRef | undefined;
    for (let from: number | undefined = 0; from !== undefined; ) {
      const portion: Shown = outputOf(await read(path, {}, from));
      expect(portion.text.length).toBeLessThanOrEqual(8000);
      text += portion.text;
      whole = portion.artifact;
      from = portion.next;
    }
    expect(text).toContain('23. Tulips');
    expect(whole === undefined ? '' : (await artifacts.get(whole)).toString()).toBe(text);
    expect(errorOf(await read(path, {}, 10_000_000))).toContain('the page has only');
  });

  it('reads the beginning of a page of 10 MB and says that the rest is missing', async () => {
    const [paragraph, times] = isThorough ? [LONG, 13_500] : [LONG.repeat(500), 27]; // few elements parse quickly
    const { text, note } = outputOf(await read({ body: `<html><body>${`<p>${paragraph}</p>`.repeat(times)}` }));
    expect(text).toContain('Tulips');
    expect(note).toContain('longer than 4194304 bytes');
  });

  it.each([
    ['unclosed', '<html><body><p>one <b>two <a href="/x">three <table><tr><td>four'],
    ['without any frame', 'one two <i>three</i> <a href="/x">four</a>'],
    ['a tag that never ends', `one two three four <a href="${'x'.repeat(100_000)}`],
    ['a comment that never ends', `<p>one two three four</p><!-- ${'-'.repeat(100_000)}`],
  ])('reads broken HTML: %s', async (_, body) => {
    const { text } = outputOf(await read({ body }));
    expect(text).toMatch(/one\s+\W*two/);
  });

  it('reads a page that is nested a hundred thousand deep', async () => {
    const pageLimits = { ms: timesOf(10_000, 500), megabytes: 256 };
    const body = `${'<div>'.repeat(100_000)}down here${'</div>'.repeat(100_000)}`;
    const { text } = outputOf(await read({ body }, { pageLimits }));
    expect(text).toContain('down here');
  });

  it.each([
    { ms: 1, megabytes: 256 },
    { ms: 10_000, megabytes: 4 },
  ])('still gives text and links when the page takes too much (%o)', async (pageLimits) => {
    const deep = '<div>'.repeat(100_000); // a short page would be read in the first millisecond
    const { text, title, note } = outputOf(await read({ body: ARTICLE + deep }, { pageLimits }));
    expect(title).toBe('Tulip mania');
    expect(text).toContain(`[the prices](http://site.test:${port}/prices?y=1637&c=nl)`);
    expect(text).not.toMatch(/track\(|javascript/);
    expect(note).toContain('too large or too broken');
  });

  it('says that a page consists of scripts only', async () => {
    const body = `<html><body><div id="root"></div><script>${'render();'.repeat(1000)}</script></body></html>`;
    expect(errorOf(await read({ body }))).toContain('has no text: scripts fill it');
  });

  it.each(casesOf(ENCODINGS, (_, index) => index < 3))(
    'reads the text of a page whose encoding is %s',
    async (_, body, type, expected) => {
      expect(outputOf(await read({ body, type })).text).toBe(expected);
    },
  );

  it('gives plain text and JSON as they are, and refuses what is no text', async () => {
    expect(outputOf(await read({ body: '<a> b', type: 'text/plain' })).text).toBe('<a> b');
    expect(outputOf(await read({ body: '{"a":1}', type: 'application/ld+json' })).text).toBe('{"a":1}');
    expect(errorOf(await read({ body: '%PDF-1.7', type: 'application/pdf' }))).toMatch(
      /is application\/pdf, not a page/,
    );
    expect(errorOf(await read({ body: 'zip', encoding: 'gzip' }))).toContain('compressed');
  });

  it('ends a loop of redirects, and asks whether a redirect may leave its host', async () => {
    pages['/loop'] = { body: '', status: 302, location: '/loop' };
    expect(errorOf(await read('/loop'))).toContain('more than 5 redirects');
    pages['/away'] = { body: '', status: 302, location: `http://other.test:${port}/0` };
    const allowHost: WebReadOptions['allowHost'] = (_, { hop }) => hop === 'asked';
    expect(await read('/away', { allowHost })).toMatchObject({ status: 'denied' });
    pages['/0'] = { body: 'here' };
    expect(outputOf(await read('/away')).via).toEqual([`site.test:${port}`, `other.test:${port}`]);
  });

  it('reports statuses, temporary ones as such', async () => {
    expect(await read({ body: '', status: 404 })).toMatchObject({ status: 'failed', temporary: false });
    expect(await read({ body: '', status: 503 })).toMatchObject({ status: 'failed', temporary: true });
  });
});
