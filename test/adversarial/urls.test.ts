/**
 * Ways to a machine that is not meant: by how an address is written, by what a name server says, by where a server
 * sends on to, and by answers that do not end. Every one is refused with the reason, and no server was asked that
 * should not have been.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { createServer as createTcpServer } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Outcome } from '../../src/core/schema/tool.ts';
import { type HttpOptions, httpTools } from '../../src/rooms/desk/tools/http.ts';
import { errorOf, use } from '../rooms/desk/tools/support.ts';
import { hasProgram, listen, makeCertificate } from '../kit/egress/support.ts';

const NAMES: Record<string, string[]> = {
  'site.test': ['127.0.0.1'],
  'other.test': ['127.0.0.1'],
  localhost: ['127.0.0.1', '::1'],
  'localhost.': ['127.0.0.1'],
  'private.test': ['10.1.2.3'],
  'private6.test': ['fd12::1'],
  'linklocal.test': ['169.254.169.254'],
  'mapped.test': ['::ffff:169.254.169.254'],
  'zone.test': ['fe80::1%lo'],
  'public-zone.test': ['2606:4700::1%lo'],
  'carrier.test': ['100.64.9.9'],
  'unspecified.test': ['0.0.0.0'],
  'broadcast.test': ['255.255.255.255'],
  'nowhere.test': [],
  'text.test': ['127.0.0.1.evil'],
};

const asked: string[] = [];
const seen: string[] = [];
beforeEach(() => {
  asked.length = 0;
  seen.length = 0;
});

const lookup = (host: string): Promise<{ address: string; family: number }[]> => {
  asked.push(host);
  const found = NAMES[host];
  if (found === undefined) return Promise.reject(Object.assign(new Error(`ENOTFOUND ${host}`), { code: 'ENOTFOUND' }));
  return Promise.resolve(found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })));
};

/** Only 127.0.0.1 on this port is let through as if it were public. */
const getFrom = (port: number, url: string, options: HttpOptions = {}): Promise<Outcome> =>
  use(httpTools({ lookup, allowPrivate: (address, to) => address === '127.0.0.1' && to === port, ...options })[0], {
    url,
  });

async function site(
  answer: (url: string, response: ServerResponse, request: IncomingMessage) => void,
): Promise<number> {
  return await listen(
    createServer((request, response) => {
      seen.push(`${request.headers.host}${request.url}`);
      answer(request.url ?? '', response, request);
    }),
  );
}

const NOT_PUBLIC = /which is not public\. A person can open it/;
const REALLY = /the address is really http:.*\. Write it as it is/;
const USER = /has a user or a password in it\. Name/;
const SCHEME = /is not asked\. Use http or https/;
const NO_ADDRESS = /is not an address\. Write it out/;

const TRICKS: [url: string, reason: RegExp][] = [
  ['http://127.0.0.1/', NOT_PUBLIC],
  ['http://2130706433/', NOT_PUBLIC],
  ['http://0x7f000001/', NOT_PUBLIC],
  ['http://0x7f.0x0.0x0.0x1/', NOT_PUBLIC],
  ['http://0177.0.0.1/', NOT_PUBLIC],
  ['http://017700000001/', NOT_PUBLIC],
  ['http://127.1/', NOT_PUBLIC],
  ['http://127.0.0.1./', NOT_PUBLIC],
  ['http://0/', NOT_PUBLIC],
  ['http://0.0.0.0/', NOT_PUBLIC],
  ['http://169.254.169.254/latest/meta-data/', NOT_PUBLIC],
  ['http://2852039166/', NOT_PUBLIC],
  ['http://100.100.100.200/', NOT_PUBLIC],
  ['http://[::]/', NOT_PUBLIC],
  ['http://[::1]/', NOT_PUBLIC],
  ['http://[::ffff:127.0.0.1]/', NOT_PUBLIC],
  ['http://[::ffff:7f00:1]/', NOT_PUBLIC],
  ['http://[0:0:0:0:0:ffff:8.8.8.8]/', NOT_PUBLIC],
  ['http://[64:ff9b::10.0.0.1]/', NOT_PUBLIC],
  ['http://[2002:a00:1::]/', NOT_PUBLIC],
  ['http://[fe80::1]/', NOT_PUBLIC],
  ['http://[fd00:ec2::254]/', NOT_PUBLIC],
  ['http://[fe80::1%25lo]/', NO_ADDRESS],
  ['http://[::1%lo]/', NO_ADDRESS],
  ['http://localhost/', NOT_PUBLIC],
  ['http://LOCALHOST./', NOT_PUBLIC],
  ['http://private.test/', NOT_PUBLIC],
  ['http://private6.test/', NOT_PUBLIC],
  ['http://linklocal.test/', NOT_PUBLIC],
  ['http://mapped.test/', NOT_PUBLIC],
  ['http://zone.test/', NOT_PUBLIC],
  ['http://public-zone.test/', NOT_PUBLIC],
  ['http://carrier.test/', NOT_PUBLIC],
  ['http://unspecified.test/', NOT_PUBLIC],
  ['http://broadcast.test/', NOT_PUBLIC],
  ['http://nowhere.test/', NOT_PUBLIC],
  ['http://text.test/', NOT_PUBLIC],
  ['http://user@site.test/', USER],
  ['http://user:password@site.test/', USER],
  ['http://site.test:80@127.0.0.1/', USER],
  ['http://site.test%2f@127.0.0.1/', USER],
  ['http://site.test\\@127.0.0.1/', REALLY],
  ['http:\\\\site.test/', REALLY],
  ['http:/\\site.test/', REALLY],
  ['http:site.test', REALLY],
  ['http:///site.test/', REALLY],
  ['http://\u2460\u2461\u2466.0.0.1/', REALLY],
  ['http://\uff53ite.test/', REALLY],
  ['http://site\u3002test/', REALLY],
  ['http://si\u00adte.test/', REALLY],
  ['http://si\tte.test/', REALLY],
  ['http://si\r\nte.test/', REALLY],
  ['http://%73ite.test/', REALLY],
  ['http://%31%32%37.0.0.1/', REALLY],
  ['http://site.test%00.evil.test/', NO_ADDRESS],
  ['http://1.2.3.4.5/', NO_ADDRESS],
  ['http://256.1.1.1/', NO_ADDRESS],
  ['//127.0.0.1/', NO_ADDRESS],
  ['file:///etc/passwd', SCHEME],
  ['data:text/plain,hello', SCHEME],
  ['javascript:alert(1)', SCHEME],
  ['ftp://site.test/', SCHEME],
  ['gopher://127.0.0.1:6379/_FLUSHALL', SCHEME],
  ['unix:/var/run/docker.sock', SCHEME],
  ['blob:http://site.test/x', SCHEME],
  ['view-source:http://site.test/', SCHEME],
];

describe('an address that is a trick is refused with the reason', () => {
  it.each(TRICKS)('%j, asked for', async (url, reason) => {
    const port = await site((_, response) => response.end('hello'));
    for (const tool of httpTools({ lookup })) {
      const outcome = await use(tool, tool.name === 'http.get' ? { url } : { url, method: 'GET' });
      expect(['denied', 'failed']).toContain(outcome.status);
      expect(errorOf(outcome)).toMatch(reason);
    }
    expect([seen, port > 0]).toEqual([[], true]);
  });

  // What is relative to the server that answers is no address of its own.
  const locations = TRICKS.filter(([url]) => !/^\/\/|[\r\n\t]|[^ -~]/.test(url));
  it.each(locations)('%j, redirected to', async (url, reason) => {
    const port = await site((_, response) => response.writeHead(302, { location: url }).end());
    const outcome = await getFrom(port, `http://site.test:${port}/`);
    expect(['denied', 'failed']).toContain(outcome.status);
    expect(errorOf(outcome)).toMatch(reason);
    expect(seen).toHaveLength(1);
  });

  it('a host in another alphabet is asked for under its plain name, and is not the one it looks like', async () => {
    const allowHost = (host: string): boolean => host === 'site.test';
    expect(errorOf(await getFrom(1, 'http://s\u0456te.test/', { allowHost }))).toMatch(
      /^xn--\S+ is not among the hosts/,
    );
    expect(asked).toEqual([]);
  });
});

describe('where a server sends on to is checked like what was asked for', () => {
  it('to another port of this machine, by a host that is not allowed, and relative to nothing', async () => {
    const secret = await listen(createServer((_, response) => response.end('secret')));
    const port = await site((url, response) => {
      const location = {
        '/port': `http://site.test:${secret}/`,
        '/host': `http://other.test:${port}/`,
        '/slashes': `//private.test/`,
      }[url];
      response.writeHead(307, { location }).end('');
    });
    expect(errorOf(await getFrom(port, `http://site.test:${port}/port`))).toMatch(NOT_PUBLIC);
    expect(errorOf(await getFrom(port, `http://site.test:${port}/slashes`))).toMatch(NOT_PUBLIC);
    const hops: string[] = [];
    const allowHost = (host: string, { hop }: { hop: string }): boolean =>
      hops.push(`${hop} ${host}`) > 0 && host === 'site.test';
    expect(errorOf(await getFrom(port, `http://site.test:${port}/host`, { allowHost }))).toMatch(
      /other\.test is not among/,
    );
    expect(hops).toEqual(['asked site.test', 'redirected other.test']);
  });

  it('in a circle', async () => {
    const port = await site((url, response) => response.writeHead(302, { location: url === '/a' ? '/b' : '/a' }).end());
    expect(errorOf(await getFrom(port, `http://site.test:${port}/a`))).toMatch(/more than 5 redirects/);
    expect(seen).toHaveLength(6);
  });

  it.skipIf(!hasProgram('openssl'))('from https to http', async () => {
    const { key, cert } = makeCertificate();
    const usual = getCACertificates('default');
    setDefaultCACertificates([...usual, cert]);
    onTestFinished(() => setDefaultCACertificates(usual));
    const plain = await site((_, response) => response.end('read by anyone'));
    const secure = await listen(
      createTlsServer({ key, cert }, (_, response) =>
        response.writeHead(302, { location: `http://site.test:${plain}/` }).end(),
      ),
    );
    const outcome = await getFrom(secure, `https://site.test:${secure}/`, { allowPrivate: () => true });
    expect(errorOf(outcome)).toMatch(/leads from https to http\. Ask/);
    expect(seen).toEqual([]);
  });
});

describe('a name that changes its mind', () => {
  it('is asked about once for each request, and what it says later is checked again', async () => {
    const port = await site((url, response) =>
      url === '/start'
        ? response.writeHead(302, { location: `http://rebinding.test:${port}/end` }).end()
        : response.end('secret'),
    );
    let turn = 0;
    const changing = (): Promise<{ address: string; family: number }[]> => {
      turn += 1;
      return Promise.resolve([{ address: turn === 1 ? '127.0.0.1' : '127.0.0.2', family: 4 }]);
    };
    expect(errorOf(await getFrom(port, `http://rebinding.test:${port}/start`, { lookup: changing }))).toMatch(
      NOT_PUBLIC,
    );
    expect([turn, seen]).toEqual([2, [`rebinding.test:${port}/start`]]);
  });

  it('never hears a second question while the connection is made', async () => {
    const port = await site((_, response) => response.end('fine'));
    let turn = 0;
    const once = (): Promise<{ address: string; family: number }[]> => {
      turn += 1;
      return turn === 1
        ? Promise.resolve([{ address: '127.0.0.1', family: 4 }])
        : Promise.reject(new Error('asked twice'));
    };
    expect(await getFrom(port, `http://rebinding.test:${port}/`, { lookup: once })).toMatchObject({ status: 'ok' });
  });
});

describe('answers that do not end are ended', () => {
  const raw = (text: string, more?: string): Promise<number> =>
    listen(
      createTcpServer((socket) => {
        socket.write(text);
        if (more === undefined) return;
        const flood = (): void => {
          while (socket.writable && socket.write(more));
        };
        socket.on('drain', flood);
        flood();
      }),
    );
  const FAILURES: [what: string, server: () => Promise<number>, reason: RegExp][] = [
    ['a head that is huge', () => raw(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(50_000)}\r\n\r\n`), /overflow/i],
    ['a head that never ends', () => raw('HTTP/1.1 200 OK\r\n', `X: ${'x'.repeat(500)}\r\n`), /overflow/i],
    [
      'chunks without end',
      () => raw('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n', '400\r\n'.padEnd(1029, 'x') + '\r\n'),
      /longer than 100000 bytes/,
    ],
    [
      'a body without end or length',
      () => raw('HTTP/1.1 200 OK\r\n\r\n', 'x'.repeat(1000)),
      /longer than 100000 bytes/,
    ],
    [
      'a length that is a lie',
      () => raw('HTTP/1.1 200 OK\r\nContent-Length: 999999999999\r\n\r\n', 'x'.repeat(1000)),
      /longer than 100000 bytes/,
    ],
    ['two lengths', () => raw('HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx'), /Parse Error/],
    [
      'a length and chunks',
      () => raw('HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'),
      /Parse Error/,
    ],
    ['a body that drips', () => raw('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nx'), /no whole answer in time/],
    ['silence', () => raw(''), /no whole answer in time/],
    [
      'a hundred thousand times 100 Continue',
      () => raw('', 'HTTP/1.1 100 Continue\r\n\r\n'),
      /in time|overflow|Parse/i,
    ],
    ['what is not http', () => raw('SSH-2.0-OpenSSH_9.9\r\n'), /Parse Error/],
  ];
  it.each(FAILURES)('%s', async (_, server, reason) => {
    const port = await server();
    const outcome = await getFrom(port, `http://site.test:${port}/`, { limitBytes: 100_000, timeoutMs: 400 });
    expect(outcome.status).toBe('failed');
    expect(errorOf(outcome)).toMatch(reason);
  });

  it('a bomb that is small on the way stays small: nothing is unpacked', async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000));
    const port = await site((_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb));
    const outcome = await getFrom(port, `http://site.test:${port}/`, { limitBytes: 1_000_000 });
    expect(outcome).toMatchObject({ status: 'ok', output: { binary: true }, usage: { output_bytes: bomb.length } });
  });
});
