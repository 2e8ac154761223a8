import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Json } from '../../../../src/core/schema/json.ts';
import type { ArtifactRef, Outcome } from '../../../../src/core/schema/tool.ts';
import { type HttpOptions, httpTools } from '../../../../src/rooms/desk/tools/http.ts';
import { errorOf, ground, use } from './support.ts';

type Seen = { method: string; url: string; headers: IncomingMessage['headers']; body: string };
const seen: Seen[] = [];
const asked: string[] = [];
const names: Record<string, string[]> = {
  'site.test': ['127.0.0.1'],
  'other.test': ['127.0.0.1'],
  'internal.test': ['10.0.0.5'],
  'metadata.google.internal': ['169.254.169.254'],
  'mapped.test': ['::ffff:10.0.0.5'],
  'several.test': ['10.0.0.5', 'fd00::5', '127.0.0.53'],
  'mixed.test': ['10.0.0.5', '127.0.0.1'],
  'nonsense.test': ['not-an-address'],
  'empty.test': [],
  localhost: ['127.0.0.1', '::1'],
  'localhost.': ['127.0.0.1'],
};
const { artifacts } = ground();

let port = 0;
let answer: (request: Seen, response: ServerResponse) => void = (_, response) => response.end('hello');
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const { method = '', url = '', headers } = request;
    const whole = { method, url, headers, body: Buffer.concat(chunks).toString() };
    seen.push(whole);
    answer(whole, response);
  });
});

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  seen.length = 0;
  asked.length = 0;
  answer = (_, response) => response.end('hello');
});

const lookup = async (host: string) => {
  asked.push(host);
  const found = names[host];
  if (found === undefined) throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { code: 'ENOTFOUND' });
  return found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
};
const toolsWith = (options: HttpOptions = {}) =>
  httpTools({
    lookup,
    artifacts,
    allowPrivate: (address, at) => address === '127.0.0.1' && at === port,
    ...options,
  });
const get = (input: { [key: string]: Json }, options?: HttpOptions, signal?: AbortSignal): Promise<Outcome> =>
  use(toolsWith(options)[0], input, signal);
const request = (input: { [key: string]: Json }, options?: HttpOptions): Promise<Outcome> =>
  use(toolsWith(options)[1], input);
const at = (path: string, host = 'site.test'): string => `http://${host}:${port}${path}`;
const redirectTo = (location: string, status = 302) => {
  answer = ({ url }, response) =>
    url === '/start' ? response.writeHead(status, { location }).end() : response.end('end');
};

describe('http.get', () => {
  it('gives status, the headers that matter and the text', async () => {
    answer = (_, response) =>
      response.writeHead(200, { 'content-type': 'text/html', etag: '"1"', 'set-cookie': 'id=1' }).end('<p>grün');
    expect(await get({ url: at('/a?b=c#d') })).toEqual({
      status: 'ok',
      output: {
        status: 200,
        url: at('/a?b=c#d'),
        headers: { 'content-type': 'text/html', etag: '"1"' },
        body: '<p>grün',
        binary: false,
      },
      usage: { output_bytes: 8 },
    });
    expect(seen).toMatchObject([{ method: 'GET', url: '/a?b=c', headers: { host: `site.test:${port}` } }]);
  });

  it('sends the headers it is given, references to secrets as they are', async () => {
    await get({ url: at('/'), headers: { 'User-Agent': 'me', authorization: 'secret:github' } });
    expect(seen[0]?.headers).toMatchObject({ 'user-agent': 'me', authorization: 'secret:github' });
  });

  it('keeps a long body as an artifact with head and tail', async () => {
    answer = (_, response) => response.writeHead(200, { 'content-type': 'text/csv' }).end('line\n'.repeat(4000));
    const outcome = await get({ url: at('/') });
    const output = outputOf(outcome) as { body: string; artifact: ArtifactRef };
    expect(output.body).toContain('bytes left out');
    expect(output.artifact).toMatchObject({ bytes: 20_000, media: 'text/csv' });
    expect(outcome).toMatchObject({ artifacts: [output.artifact] });
  });

  it('keeps bytes that are not text', async () => {
    answer = (_, response) => response.writeHead(200, { 'content-type': 'image/png' }).end(Buffer.from([0x89, 0, 1]));
    const output = outputOf(await get({ url: at('/') })) as { artifact: ArtifactRef };
    expect(output).toMatchObject({
      body: '[3 bytes that are not text]',
      binary: true,
      artifact: { media: 'image/png' },
    });
    expect([...(await artifacts.get(output.artifact))]).toEqual([0x89, 0, 1]);
  });

  it('asks the name server once and connects to the address that was checked', async () => {
    await get({ url: at('/', 'mixed.test') });
    expect(asked).toEqual(['mixed.test']);
    expect(seen).toMatchObject([{ headers: { host: `mixed.test:${port}` } }]);
  });

  it('sends the name, not the address, in the TLS handshake', async () => {
    const hellos: string[] = [];
    const listening = createTcpServer((connection) => {
      connection.once('data', (hello) => {
        hellos.push(hello.toString('latin1'));
        connection.destroy();
      });
    });
    listening.listen(0, '127.0.0.1');
    await once(listening, 'listening');
    const { port: tls } = listening.address() as AddressInfo;
    const outcome = await get({ url: `https://site.test:${tls}/` }, { allowPrivate: () => true });
    listening.close();
    expect(outcome).toMatchObject({ status: 'failed', temporary: true });
    expect(hellos).toEqual([expect.stringContaining('site.test')]);
  });
});

describe('answers that are failures', () => {
  it.each([
    [400, false],
    [401, false],
    [404, false],
    [429, true],
    [500, true],
    [503, true],
  ])('status %i fails with the head of the body; temporary: %s', async (status, temporary) => {
    answer = (_, response) => response.writeHead(status).end(`because ${'x'.repeat(5000)}`);
    const outcome = await get({ url: at('/') });
    expect(outcome).toMatchObject({ status: 'failed', temporary });
    expect(errorOf(outcome)).toMatch(new RegExp(`answered ${status}: because x+$`));
    expect(errorOf(outcome).length).toBeLessThan(600);
  });

  it('a name that is not known, a closed port and a broken answer are temporary', async () => {
    expect(await get({ url: at('/', 'none.test') })).toMatchObject({ status: 'failed', temporary: true });
    const closed = await get({ url: 'http://site.test:1/' }, { allowPrivate: () => true });
    expect(closed).toMatchObject({ status: 'failed', temporary: true, error: expect.stringContaining('ECONNREFUSED') });
    answer = (_, response) => response.writeHead(200, { 'content-length': '10' }).destroy();
    expect(await get({ url: at('/') })).toMatchObject({ status: 'failed', temporary: true });
  });

  it('no whole answer in time is temporary, and being stopped is being cancelled', async () => {
    answer = (_, response) => void response.writeHead(200).write('begin');
    const late = await get({ url: at('/') }, { timeoutMs: 200 });
    expect(late).toMatchObject({ status: 'failed', temporary: true, error: expect.stringContaining('in time') });
    const never = new Promise<never>(() => undefined);
    expect(await get({ url: at('/') }, { timeoutMs: 50, lookup: () => never })).toMatchObject({ temporary: true });
    const control = new AbortController();
    answer = () => control.abort();
    expect(await get({ url: at('/') }, {}, control.signal)).toMatchObject({ status: 'cancelled' });
  });

  it('a body beyond the limit fails and is not read on', async () => {
    answer = (_, response) => response.end('x'.repeat(1001));
    expect(errorOf(await get({ url: at('/') }, { limitBytes: 1000 }))).toMatch(/longer than 1000 bytes/);
    expect(await get({ url: at('/') }, { limitBytes: 1001 })).toMatchObject({ status: 'ok' });
  });

  it.each(['', 'site.test', 'http://', 'http://a b/', 'http://[::1', 'http://256.256.256.256/'])(
    '%j is not an address',
    async (url) => {
      expect(await get({ url })).toMatchObject({ status: 'failed' });
      expect(seen).toEqual([]);
    },
  );
});

const REFUSED = [
  'http://127.0.0.1/',
  'http://127.1/',
  'http://127.8.9.10/',
  'http://2130706433/',
  'http://0x7f000001/',
  'http://0x7f.1/',
  'http://0177.0.0.1/',
  'http://017700000001/',
  'http://127.0.0.1./',
  'http://①②⑦.0.0.1/',
  'http://%31%32%37.0.0.1/',
  'http://0/',
  'http://0.0.0.0/',
  'http://10.0.0.1/',
  'http://172.16.0.1/',
  'http://172.31.255.255/',
  'http://192.168.1.1/',
  'http://169.254.169.254/latest/meta-data/',
  'http://2852039166/',
  'http://100.64.0.1/',
  'http://100.100.100.200/',
  'http://168.63.129.16/',
  'http://192.0.0.192/',
  'http://198.18.0.1/',
  'http://224.0.0.1/',
  'http://255.255.255.255/',
  'http://[::]/',
  'http://[::1]/',
  'http://[0:0:0:0:0:0:0:1]/',
  'http://[::ffff:127.0.0.1]/',
  'http://[::ffff:7f00:1]/',
  'http://[::ffff:8.8.8.8]/',
  'http://[::127.0.0.1]/',
  'http://[64:ff9b::7f00:1]/',
  'http://[2002:7f00:1::]/',
  'http://[2001:0:7f00:1::]/',
  'http://[fe80::1]/',
  'http://[fc00::1]/',
  'http://[fd00:ec2::254]/',
  'http://[ff02::1]/',
  'http://localhost/',
  'http://LOCALHOST./',
  'http://internal.test/',
  'http://metadata.google.internal/',
  'http://mapped.test/',
  'http://several.test/',
  'http://nonsense.test/',
  'http://empty.test/',
  'https://internal.test/',
  'http://user@site.test/',
  'http://user:password@site.test/',
  'http://:password@site.test/',
  'http://8.8.8.8@127.0.0.1/',
  'file:///etc/passwd',
  'ftp://site.test/',
  'gopher://127.0.0.1:6379/_FLUSHALL',
  'data:text/plain,hello',
  'javascript:alert(1)',
  'ws://site.test/',
  'unix:/var/run/docker.sock',
];

describe('addresses that are refused', () => {
  it.each(REFUSED)('%s is denied, by either tool', async (url) => {
    expect(await get({ url })).toMatchObject({ status: 'denied', error: expect.stringMatching(/\. \w/) });
    expect(await request({ method: 'POST', url, body: 'x' })).toMatchObject({ status: 'denied' });
    expect(seen).toEqual([]);
  });

  it('a private address is allowed by address and port only', async () => {
    expect(await get({ url: `http://127.0.0.1:${port}/` })).toMatchObject({ status: 'ok' });
    expect(await get({ url: `http://0x7f000001:${port}/` })).toMatchObject({ status: 'ok' });
    expect(await get({ url: `http://127.0.0.2:${port}/` })).toMatchObject({ status: 'denied' });
    expect(await get({ url: `http://127.0.0.1:${port + 1}/` })).toMatchObject({ status: 'denied' });
  });

  it('a host is denied before its name is looked up, however it is written', async () => {
    const allowHost = (host: string): boolean => host === 'site.test';
    for (const host of ['other.test', 'site.test.evil.test', 'evil-site.test'])
      expect(await get({ url: at('/', host) }, { allowHost })).toMatchObject({ status: 'denied' });
    expect(asked).toEqual([]);
    expect(await get({ url: at('/', 'SITE.test') }, { allowHost })).toMatchObject({ status: 'ok' });
    redirectTo(at('/end', 'other.test'));
    expect(await get({ url: at('/start') }, { allowHost })).toMatchObject({ status: 'denied' });
  });

  it.each(['Host', 'content-length', 'Transfer-Encoding', 'Connection', 'Upgrade', 'Proxy-Authorization'])(
    'the header %s is denied',
    async (name) => {
      expect(await get({ url: at('/'), headers: { [name]: 'x' } })).toMatchObject({ status: 'denied' });
      expect(seen).toEqual([]);
    },
  );

  it('a header with a line break in it fails for good', async () => {
    const outcome = await get({ url: at('/'), headers: { 'x-a': 'b\r\nhost: evil.test' } });
    expect(outcome).toMatchObject({ status: 'failed', temporary: false });
    expect(seen).toEqual([]);
  });
});

describe('a request that breaks off', () => {
  const post = { method: 'POST', url: '', body: 'x' };

  it('after the server could be sent to may have arrived, however it broke off', async () => {
    const unseen = { status: 'failed', unseen: true };
    answer = (_, response) => response.destroy();
    expect(await request({ ...post, url: at('/') })).toMatchObject(unseen);
    answer = (_, response) =>
      void response.writeHead(200, { 'content-length': 9 }).write('half', () => response.destroy());
    expect(await request({ ...post, url: at('/') })).toMatchObject(unseen);
    answer = () => undefined;
    expect(await request({ ...post, url: at('/') }, { timeoutMs: 300 })).toMatchObject(unseen);
    expect(seen).toHaveLength(3);
  });

  it('before that has not arrived; and an error that a server answers is an answer', async () => {
    for (const outcome of [
      await request({ ...post, url: 'http://127.0.0.1:1/' }, { allowPrivate: () => true }),
      await request({ ...post, url: at('/', 'none.test') }),
      await request({ ...post, url: at('/').replace('http', 'https') }),
      ((answer = (_, response) => response.writeHead(500).end('no')), await request({ ...post, url: at('/') })),
    ]) {
      expect(outcome).toMatchObject({ status: 'failed' });
      expect(outcome).not.toHaveProperty('unseen');
    }
  });

  it('by way of the egress proxy is no answer, and it may have arrived', async () => {
    const proxy = createServer((_, response) =>
      response.writeHead(by, { 'proxy-status': 'oka-egress' }).end('it hung up'),
    ).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const through = async () => ({ HTTP_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` });
    let by = 504;
    expect(await request({ ...post, url: at('/') }, { through })).toMatchObject({ status: 'failed', unseen: true });
    by = 502;
    expect(await request({ ...post, url: at('/') }, { through })).not.toHaveProperty('unseen');
    proxy.close();
  });
});

describe('redirects', () => {
  it.each([301, 302, 303, 307, 308])('http.get follows a %i', async (status) => {
    redirectTo('/end', status);
    expect(await get({ url: at('/start') })).toMatchObject({ output: { status: 200, url: at('/end'), body: 'end' } });
  });

  it.each([
    'http://127.0.0.1:1/',
    'http://169.254.169.254/',
    'http://internal.test/',
    '//internal.test/',
    'file:///etc/passwd',
    'http://user:password@site.test/',
  ])('one to %s is denied', async (location) => {
    redirectTo(location);
    expect(await get({ url: at('/start') })).toMatchObject({ status: 'denied' });
    expect(seen).toHaveLength(1);
  });

  it('five are followed, a sixth is not', async () => {
    answer = ({ url }, response) => response.writeHead(302, { location: `/${Number(url.slice(1)) + 1}` }).end();
    expect(errorOf(await get({ url: at('/0') }))).toMatch(/more than 5 redirects/);
    expect(seen.map(({ url }) => url)).toEqual(['/0', '/1', '/2', '/3', '/4', '/5']);
  });

  it('credentials stay with their origin', async () => {
    const headers = { authorization: 'a', cookie: 'b', 'x-api-key': 'c', Accept: 'text/html' };
    redirectTo('/end');
    await get({ url: at('/start'), headers });
    expect(seen[1]?.headers).toMatchObject({ authorization: 'a', cookie: 'b', 'x-api-key': 'c' });
    redirectTo(at('/end', 'other.test'));
    await get({ url: at('/start'), headers });
    expect(seen[3]?.headers).toMatchObject({ accept: 'text/html', host: `other.test:${port}` });
    for (const name of ['authorization', 'cookie', 'x-api-key']) expect(seen[3]?.headers).not.toHaveProperty(name);
  });

  it.each(['GET', 'POST', 'DELETE'])('http.request gives the redirect of a %s back', async (method) => {
    redirectTo('/end');
    const outcome = await request({ method, url: at('/start'), ...(method === 'POST' ? { body: 'x' } : {}) });
    expect(outcome).toMatchObject({ status: 'ok', output: { status: 302, headers: { location: '/end' } } });
    expect(seen).toHaveLength(1);
  });
});

describe('http.request', () => {
  it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('sends a body with %s, with its length', async (method) => {
    const headers = { 'content-type': 'application/json' };
    expect(await request({ method, url: at('/x'), headers, body: '{"ü":1}' })).toMatchObject({ status: 'ok' });
    expect(seen).toMatchObject([{ method, body: '{"ü":1}', headers: { ...headers, 'content-length': '8' } }]);
  });

  it('sends GET and HEAD without a body, and refuses one', async () => {
    expect(await request({ method: 'HEAD', url: at('/') })).toMatchObject({ output: { status: 200, body: '' } });
    expect(await request({ method: 'GET', url: at('/') })).toMatchObject({ output: { body: 'hello' } });
    expect(errorOf(await request({ method: 'GET', url: at('/'), body: 'x' }))).toMatch(/GET has no body/);
    expect(await request({ method: 'CONNECT', url: at('/') })).toMatchObject({ status: 'failed' });
  });

  it('is an external mutation whatever the method; http.get is a read', () => {
    const [getting, requesting] = toolsWith();
    for (const method of ['GET', 'HEAD', 'POST'])
      expect(requesting?.classOf({ method, url: at('/') })).toBe('external_mutation');
    expect(getting?.classOf({ url: at('/') })).toBe('read');
    expect(getting?.annotations).toMatchObject({ read_only: true, idempotent: true, cacheable: false });
    expect(requesting?.annotations).toMatchObject({ read_only: false, idempotent: false, risk: 'high' });
    expect([getting?.targets, requesting?.targets]).toEqual([['url'], ['url']]);
  });
});

function outputOf(outcome: Outcome): Json {
  if (outcome.status !== 'ok') throw new Error(errorOf(outcome));
  return outcome.output;
}
