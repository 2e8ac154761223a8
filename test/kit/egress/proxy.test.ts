/** The egress proxy with real clients and real servers; only names and the exception for loopback are made up. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request as httpRequest, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, request as httpsRequest } from 'node:https';
import { createServer as createTcpServer, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { egressRule } from '../../../src/core/guard/egress-rule.ts';
import { dial, groundFor, hasProgram, listen, makeCertificate, named, rule, say, tunnel } from './support.ts';

const run = promisify(execFile);

type Seen = { method: string; url: string; headers: IncomingMessage['headers']; body: string };

async function site(answer?: (seen: Seen, response: ServerResponse) => void): Promise<{ port: number; seen: Seen[] }> {
  const seen: Seen[] = [];
  const port = await listen(
    createServer((request, response) => {
      void textOf(request).then((body) => {
        const one = { method: request.method ?? '', url: request.url ?? '', headers: request.headers, body };
        seen.push(one);
        if (answer === undefined) response.end(`hello ${one.url}`);
        else answer(one, response);
      });
    }),
  );
  return { port, seen };
}

/** A server that holds connections until the other side ends them. */
async function plainServer(serve: (socket: Socket) => void = hold) {
  const sockets: Socket[] = [];
  const server = createTcpServer({ allowHalfOpen: true }, (socket) => {
    sockets.push(socket);
    serve(socket);
  });
  return { port: await listen(server), sockets, server };
}

function hold(socket: Socket): void {
  socket.resume().once('end', () => socket.end());
}

describe('plain http', () => {
  it('passes a request on, with the name as Host, and gives the answer back', async () => {
    const { port, seen } = await site((_, response) =>
      response
        .writeHead(
          201,
          [
            ['Set-Cookie', 'a=1'],
            ['Set-Cookie', 'b=2'],
            ['X-A', 'y'],
          ].flat(),
        )
        .end('made'),
    );
    const { egress, ticket } = await groundFor(port);
    const { status, headers, body } = await throughNode(egress.port, ticket, `http://site.test:${port}/a?b=c`, {
      method: 'POST',
      body: 'given',
    });
    expect({ status, body }).toEqual({ status: 201, body: 'made' });
    expect(headers['set-cookie']).toEqual(['a=1', 'b=2']);
    expect(seen).toMatchObject([
      { method: 'POST', url: '/a?b=c', body: 'given', headers: { host: `site.test:${port}` } },
    ]);
  });

  it('H1 what is for the next machine only does not go on, and neither does the ticket', async () => {
    const { port, seen } = await site((_, response) =>
      response
        .writeHead(200, { 'Proxy-Authenticate': 'Basic', 'X-Secret-Hop': '1', Connection: 'close, X-Secret-Hop' })
        .end('x'),
    );
    const { egress, auth } = await groundFor(port);
    const answer = await say(
      egress.port,
      `GET http://site.test:${port}/ HTTP/1.1\r\nHost: other.test\r\n${auth}\r\nConnection: close, X-Mine\r\nX-Mine: 1\r\nTE: trailers\r\nUpgrade: h2c\r\nHTTP2-Settings: x\r\nKeep-Alive: 5\r\nProxy-Connection: keep-alive\r\nX-Kept: 1\r\n\r\n`,
    );
    expect(seen[0]?.headers).toEqual({ host: `site.test:${port}`, 'x-kept': '1', connection: 'close' });
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(answer).not.toMatch(/x-secret-hop|proxy-authenticate/i);
  });

  it('a step with a secret reaches the hosts of the secret only, whatever else is allowed', async () => {
    const { port, seen } = await site();
    const { egress, decisions } = await groundFor(port);
    const ask = async (onlyHosts?: readonly string[]): Promise<number> => {
      const limit = onlyHosts === undefined ? {} : { onlyHosts };
      const grant = egress.grant({ run: 'r1', call: 'r1.n1.1', hosts: [`site.test:${port}`], ...limit });
      const { username, password } = new URL(grant.env['HTTP_PROXY'] ?? '');
      return (await throughNode(egress.port, `${username}:${password}`, `http://site.test:${port}/`)).status;
    };
    expect(await ask()).toBe(200);
    expect(await ask([`site.test:${port}`])).toBe(200);
    expect(await ask(['other.test'])).toBe(403);
    expect(await ask([])).toBe(403);
    expect(seen).toHaveLength(2);
    expect(decisions.at(-1)?.reason).toContain('this step has a secret, which belongs to');
  });

  describe('a package registry', () => {
    const AUDIT = '/-/npm/v1/security/advisories/bulk';
    const registry = async (onlyFetches: boolean) => {
      const { port, seen } = await site();
      const { egress } = await groundFor(port, {
        allows: egressRule([], [{ host: 'site.test', port, isPlain: true }]),
      });
      const grant = egress.grant({ run: 'r1', call: 'r1.n1.1', hosts: [], onlyFetches, packages: 'left-pad' });
      const { username, password } = new URL(grant.env['HTTP_PROXY'] ?? '');
      const ask = async (method: string, path: string, header = ''): Promise<number> => {
        const auth = `Proxy-Authorization: Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
        const lines = [`${method} ${path}`, `Host: x`, auth, header, 'Connection: close', 'Content-Length: 0'];
        const text = await say(egress.port, `${lines.filter((line) => line !== '').join('\r\n')}\r\n\r\n`);
        return Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]);
      };
      const to = (path: string): string => `http://site.test:${port}${path} HTTP/1.1`;
      return { seen, ask, to, port };
    };

    it.each<[number, string, string, string?]>([
      [200, 'GET', '/left-pad'],
      [200, 'HEAD', '/left-pad'],
      [403, 'GET', '/unheard-of'],
      [403, 'GET', '/left-pad?data'],
      [403, 'GET', '/-/v1/search?text=pad'],
      [403, 'POST', AUDIT],
      [403, 'PUT', '/evil'],
      [403, 'POST', '/-/v1/login'],
      [403, 'POST', `${AUDIT}/../../../../evil`],
      [403, 'DELETE', '/left-pad/-rev/1'],
      [403, 'GET', '/left-pad', 'Authorization: Bearer somebody'],
      [403, 'GET', '/left-pad', 'Cookie: session=1'],
    ])('answers %i to %s %s %s of a step that only fetches', async (status, method, path, header) => {
      const { seen, ask, to } = await registry(true);
      expect(await ask(method, to(path), header)).toBe(status);
      expect(seen).toHaveLength(status === 200 ? 1 : 0);
    });

    it('is not reached through a tunnel by a step that only fetches, and without that limit everything passes', async () => {
      const limited = await registry(true);
      expect(await limited.ask('CONNECT', `site.test:${limited.port} HTTP/1.1`)).toBe(403);
      const open = await registry(false);
      expect(await open.ask('PUT', open.to('/mine'), 'Authorization: Bearer mine')).toBe(200);
      expect(open.seen).toMatchObject([{ method: 'PUT', headers: { authorization: 'Bearer mine' } }]);
    });
  });

  it.each(['HEAD', 'GET', 'DELETE', 'OPTIONS', 'PUT', 'PATCH'])('passes a %s on', async (method) => {
    const { port, seen } = await site();
    const { egress, ticket } = await groundFor(port);
    const { status, body } = await throughNode(egress.port, ticket, `http://site.test:${port}/x`, { method });
    expect({ status, body }).toEqual({ status: 200, body: method === 'HEAD' ? '' : 'hello /x' });
    expect(seen).toMatchObject([{ method }]);
  });

  it('a body of unknown length goes on in chunks, one after the other on one connection', async () => {
    const { port, seen } = await site();
    const { egress, auth } = await groundFor(port);
    const one = `POST http://site.test:${port}/1 HTTP/1.1\r\nHost: x\r\n${auth}\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n`;
    const two = `GET http://site.test:${port}/2 HTTP/1.1\r\nHost: x\r\n${auth}\r\nConnection: close\r\n\r\n`;
    const answer = await say(egress.port, one + two);
    expect(answer.match(/hello \/\d/g)).toEqual(['hello /1', 'hello /2']);
    expect(seen.map(({ url, body }) => url + body)).toEqual(['/1abc', '/2']);
  });

  it('an answer that is broken off, too large in its head or another protocol ends that exchange only', async () => {
    const { port } = await plainServer((socket) =>
      socket.once('data', (text: Buffer) => {
        const path = text.toString().split(' ')[1] ?? '';
        if (path === '/broken') socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc');
        if (path === '/garbage') socket.end('hello there\r\n\r\n');
        if (path === '/head') socket.end(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`);
        if (path === '/switch') socket.write('HTTP/1.1 101 Switching\r\nUpgrade: h2c\r\nConnection: upgrade\r\n\r\n');
        if (path === '/both')
          socket.end('HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n');
        if (path === '/fine') socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok');
      }),
    );
    const { egress, auth } = await groundFor(port);
    const ask = (path: string): Promise<string> =>
      say(
        egress.port,
        `GET http://site.test:${port}${path} HTTP/1.1\r\nHost: x\r\n${auth}\r\nConnection: close\r\n\r\n`,
      );
    for (const path of ['/garbage', '/head', '/switch', '/both']) expect(await ask(path)).toMatch(/^HTTP\/1\.1 504 /);
    expect(await ask('/broken')).not.toMatch(/0\r\n\r\n$/);
    expect(await ask('/fine')).toMatch(/ok$/);
  });
});

describe('https', () => {
  it.skipIf(!hasProgram('openssl'))('goes through a tunnel; the certificate is that of the name', async () => {
    const { key, cert } = makeCertificate();
    const port = await listen(
      createTlsServer({ key, cert }, (request, response) => response.end(`secure ${request.url}`)),
    );
    const ground = await groundFor(port);
    const client = await tunnel(ground, `site.test:${port}`);
    const secure = connectTls({ socket: client.socket, servername: 'site.test', ca: cert });
    await once(secure, 'secureConnect');
    expect(secure.authorized).toBe(true);
    const asked = httpsRequest({ createConnection: () => secure, host: 'site.test', path: '/a' });
    asked.end();
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    expect(await textOf(response)).toBe('secure /a');
    expect(ground.decisions).toEqual([
      { run: 'r1', call: 'r1.n1.1', host: 'site.test', port, verdict: 'allowed', reason: 'a rule allows site.test' },
    ]);
  });

  it.skipIf(!hasProgram('openssl') || !hasProgram('curl'))('curl uses it by its environment alone', async () => {
    const { key, cert, file } = makeCertificate();
    const secure = await listen(createTlsServer({ key, cert }, (_, response) => response.end('secure')));
    const { port: plain, seen } = await site();
    const both = { allows: egressRule([rule(`*:${secure}`), rule(`*:${plain}`)], []), allowPrivate: () => true };
    const { grant } = await groundFor(secure, both);
    const curl = async (...args: string[]): Promise<string> =>
      (await run('curl', ['-sS', '--max-time', '10', '--cacert', file, ...args], { env: { ...grant.env } })).stdout;
    expect(await curl(`https://site.test:${secure}/`)).toBe('secure');
    expect(await curl('-d', 'x=1', `http://site.test:${plain}/p`)).toBe('hello /p');
    expect(seen).toMatchObject([{ method: 'POST', body: 'x=1' }]);
    expect(await curl('-o', '/dev/null', '-w', '%{http_code}', `http://site.test:${plain + 1}/`)).toBe('403');
    await expect(curl(`https://site.test:${secure + 1}/`)).rejects.toThrow(/403/);
  });

  it('a program in Node uses it by its environment alone', async () => {
    const { port } = await site();
    const { grant } = await groundFor(port);
    const script = `const r = await fetch('http://site.test:${port}/n'); console.log(r.status, await r.text())`;
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], { env: { ...grant.env } });
    expect(stdout).toBe('200 hello /n\n');
  });
});

describe('X1 tickets', () => {
  const cases: [string, string][] = [
    ['no ticket', ''],
    ['another password', `Proxy-Authorization: Basic ${Buffer.from('step:wrong').toString('base64')}\r\n`],
    ['another kind', 'Proxy-Authorization: Bearer x\r\n'],
    ['what is no base64', 'Proxy-Authorization: Basic %%%\r\n'],
    ['an empty one', 'Proxy-Authorization: Basic\r\n'],
  ];
  it.each(cases)('with %s nobody gets anything, not even a look at a name', async (_, header) => {
    const { port, seen } = await site();
    const { egress, asked, decisions } = await groundFor(port);
    for (const line of [`CONNECT site.test:${port}`, `GET http://site.test:${port}/`]) {
      const answer = await say(egress.port, `${line} HTTP/1.1\r\nHost: x\r\n${header}Connection: close\r\n\r\n`);
      expect(answer).toMatch(/^HTTP\/1\.1 407 .*proxy-authenticate: Basic/is);
    }
    expect([seen, asked, decisions]).toEqual([[], [], []]);
  });

  it('a ticket ends with its step, and its open connections with it', async () => {
    const { port, sockets } = await plainServer();
    const ground = await groundFor(port);
    const other = ground.egress.grant({ run: 'r2', call: 'r2.n1.1', hosts: [] });
    const client = await tunnel(ground, `site.test:${port}`);
    client.socket.write('x');
    await until(() => sockets.length === 1);
    const gone = once(sockets[0] as Socket, 'close');
    sockets[0]?.resume();
    ground.grant[Symbol.dispose]();
    await Promise.all([gone, client.closed]);
    const again = await say(
      ground.egress.port,
      `CONNECT site.test:${port} HTTP/1.1\r\nHost: x\r\n${ground.auth}\r\n\r\n`,
    );
    expect(again).toMatch(/^HTTP\/1\.1 407 /);
    expect(other.env['HTTP_PROXY']).not.toBe(ground.grant.env['HTTP_PROXY']);
  });

  it('a host that was allowed for one step is allowed for that step only', async () => {
    const { port } = await site();
    const { egress, ticket } = await groundFor(port, { allows: egressRule([], []) });
    const named = egress.grant({ run: 'r2', call: 'r2.n1.1', hosts: [`site.test:${port}`] });
    const mine = decodeURIComponent(new URL(named.env['HTTP_PROXY'] ?? '').password);
    expect(await throughNode(egress.port, `step:${mine}`, `http://site.test:${port}/`)).toMatchObject({ status: 200 });
    expect(await throughNode(egress.port, ticket, `http://site.test:${port}/`)).toMatchObject({ status: 403 });
  });
});

const REFUSED = [
  ['127.0.0.1', 403],
  ['2130706433', 400],
  ['0x7f000001', 400],
  ['0x7f.1', 400],
  ['0177.0.0.1', 400],
  ['017700000001', 400],
  ['127.1', 400],
  ['0', 400],
  ['0.0.0.0', 403],
  ['10.0.0.5', 403],
  ['169.254.169.254', 403],
  ['100.64.0.1', 403],
  ['192.168.1.1', 403],
  ['172.16.0.1', 403],
  ['224.0.0.1', 403],
  ['255.255.255.255', 403],
  ['[::]', 403],
  ['[::1]', 403],
  ['[::ffff:127.0.0.1]', 403],
  ['[::ffff:7f00:1]', 403],
  ['[::ffff:8.8.8.8]', 403],
  ['[64:ff9b::7f00:1]', 403],
  ['[fe80::1]', 403],
  ['[fe80::1%25lo]', 400],
  ['[fd00::5]', 403],
  ['[ff02::1]', 403],
  ['localhost', 403],
  ['LOCALHOST.', 403],
  ['internal.test', 403],
  ['metadata.test', 403],
  ['mapped.test', 403],
  ['zone.test', 403],
  ['carrier.test', 403],
  ['many.test', 403],
  ['six.test', 403],
  ['empty.test', 403],
  ['nonsense.test', 403],
  ['unknown.test', 502],
  ['user@site.test', 400],
  ['site.test%00.evil.test', 400],
  ['s\u00eete.test', 400],
  ['site..test', 400],
  ['', 400],
] as const;

describe('X2 addresses that are not other people\u2019s machines', () => {
  it.each(REFUSED)('%j is refused with %i, in a tunnel and without', async (host, status) => {
    const { port, seen } = await site();
    const { egress, auth, decisions } = await groundFor(port, { allowPrivate: () => false });
    const head = `HTTP/1.1\r\nHost: x\r\n${auth}\r\nConnection: close\r\n\r\n`;
    expect(await say(egress.port, `CONNECT ${host}:${port} ${head}`)).toMatch(
      new RegExp(`^HTTP/1.1 ${status} .*\n\\S`, 's'),
    );
    expect(await say(egress.port, `GET http://${host}:${port}/ ${head}`)).toMatch(
      new RegExp(`^HTTP/1.1 (${status}|400) `),
    );
    expect(seen).toEqual([]);
    if (host !== '' && !host.includes('\u00ee')) expect(decisions.map(({ verdict }) => verdict)).toContain('refused');
  });

  it.each([
    'CONNECT site.test',
    'CONNECT site.test:',
    'CONNECT site.test:0',
    'CONNECT site.test:99999',
    'CONNECT /',
    'CONNECT http://site.test:80/',
  ])('%s says no host and port', async (line) => {
    const { egress, auth } = await groundFor(1);
    expect(await say(egress.port, `${line} HTTP/1.1\r\nHost: x\r\n${auth}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 400 /);
  });

  it.each([
    '/',
    'https://site.test/',
    'ftp://site.test/',
    'file:///etc/passwd',
    '*',
    'http://',
    'http:///x',
    'http://u:p@site.test/',
  ])('GET %s is not asked', async (url) => {
    const { egress, auth } = await groundFor(80);
    const answer = await say(
      egress.port,
      `GET ${url} HTTP/1.1\r\nHost: site.test\r\n${auth}\r\nConnection: close\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('R1 a name that the policy does not allow is not looked up', async () => {
    const { port } = await site();
    const { egress, auth, asked, decisions } = await groundFor(port, { allows: egressRule([rule('other.test')], []) });
    for (const [host, to] of [
      ['site.test', 443],
      ['other.test', 22],
      ['other.test.evil.test', 443],
    ] as const)
      expect(await say(egress.port, `CONNECT ${host}:${to} HTTP/1.1\r\nHost: x\r\n${auth}\r\n\r\n`)).toMatch(/ 403 /);
    expect(asked).toEqual([]);
    expect(decisions.map(({ host, reason }) => [host, reason])).toEqual([
      ['site.test', 'site.test is not among the hosts that the policy allows'],
      ['other.test', 'other.test is allowed on ports 80 and 443, not on 22'],
      ['other.test.evil.test', 'other.test.evil.test is not among the hosts that the policy allows'],
    ]);
  });

  it('R2 a name is looked up once for a connection, and a name that changes its mind gains nothing', async () => {
    const { port, seen } = await site();
    let turn = 0;
    const lookup = (): Promise<{ address: string; family: number }[]> => {
      turn += 1;
      return Promise.resolve([{ address: turn % 2 === 1 ? '127.0.0.1' : '127.0.0.2', family: 4 }]);
    };
    const { egress, ticket } = await groundFor(port, { lookup });
    const url = `http://rebinding.test:${port}/`;
    expect(await throughNode(egress.port, ticket, url)).toMatchObject({ status: 200 });
    expect(await throughNode(egress.port, ticket, url)).toMatchObject({ status: 403 });
    expect([turn, seen.length]).toEqual([2, 1]);
  });

  it('of several addresses only those that may be reached are', async () => {
    const { port, seen } = await site();
    const { egress, ticket } = await groundFor(port);
    expect(await throughNode(egress.port, ticket, `http://mixed.test:${port}/`)).toMatchObject({ status: 200 });
    expect(seen).toHaveLength(1);
  });

  it('E4 a registry of the operator may be on a private network, on its own port, but never where clouds keep credentials', async () => {
    const { port } = await site();
    const registries = ['site.test', 'metadata.test'].map((host) => ({ host, port }));
    const { egress, ticket } = await groundFor(port, { allows: egressRule([], registries), allowPrivate: () => false });
    expect(await throughNode(egress.port, ticket, `http://site.test:${port}/`)).toMatchObject({ status: 200 });
    expect(await throughNode(egress.port, ticket, `http://site.test:${port + 1}/`)).toMatchObject({ status: 403 });
    expect(await throughNode(egress.port, ticket, `http://localhost:${port}/`)).toMatchObject({ status: 403 });
    expect(await throughNode(egress.port, ticket, `http://metadata.test:${port}/`)).toMatchObject({ status: 403 });
  });

  it('a decision that cannot be told is not acted on', async () => {
    const { port, seen } = await site();
    const { egress, ticket } = await groundFor(port, {
      decided: () => {
        throw new Error('the ledger is closed');
      },
    });
    await expect(throughNode(egress.port, ticket, `http://site.test:${port}/`)).rejects.toThrow();
    expect(seen).toEqual([]);
  });
});

describe('H2 requests whose end could be read in two ways', () => {
  const SMUGGLED: [string, string][] = [
    ['two lengths', 'Content-Length: 5\r\nContent-Length: 6'],
    ['the same length twice', 'Content-Length: 5\r\nContent-Length: 5'],
    ['two lengths in one header', 'Content-Length: 5, 5'],
    ['a length and chunks', 'Content-Length: 5\r\nTransfer-Encoding: chunked'],
    ['chunks and a length', 'Transfer-Encoding: chunked\r\nContent-Length: 5'],
    ['a negative length', 'Content-Length: -5'],
    ['a length with a sign', 'Content-Length: +5'],
    ['a length in hexadecimal', 'Content-Length: 0x5'],
    ['a coding that is not chunked', 'Transfer-Encoding: gzip'],
    ['chunked twice', 'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked'],
    ['chunked and something', 'Transfer-Encoding: chunked, identity'],
    ['something and chunked', 'Transfer-Encoding: gzip, chunked'],
    ['chunked in quotes', 'Transfer-Encoding: "chunked"'],
    ['chunked with a form feed', 'Transfer-Encoding: \x0bchunked'],
    ['a space before the colon', 'Transfer-Encoding : chunked'],
    ['a folded header', 'X: a\r\n Transfer-Encoding: chunked\r\nTransfer-Encoding:\r\n identity'],
    ['a bare line feed', 'X: a\nTransfer-Encoding: chunked'],
    ['a NUL', 'X: a\0b'],
  ];
  it.each(SMUGGLED)('%s', async (_, lines) => {
    const { port, seen } = await site();
    const { egress, auth } = await groundFor(port);
    const inner = `GET http://site.test:${port}/smuggled HTTP/1.1\r\nHost: x\r\n\r\n`;
    const answer = await say(
      egress.port,
      `POST http://site.test:${port}/ HTTP/1.1\r\nHost: x\r\n${auth}\r\n${lines}\r\n\r\n0\r\n\r\n${inner}`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(seen).toEqual([]);
  });

  it('TRACE is not passed on', async () => {
    const { port, seen } = await site();
    const { egress, auth } = await groundFor(port);
    const answer = await say(
      egress.port,
      `TRACE http://site.test:${port}/ HTTP/1.1\r\nHost: x\r\n${auth}\r\nConnection: close\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(seen).toEqual([]);
  });
});

describe('X4 bounds', () => {
  it('a head that is too long, or that never ends, is given up', async () => {
    const { port } = await site();
    const { egress, auth } = await groundFor(port, { limits: { headersMs: 200 } });
    const long = await say(egress.port, `GET http://site.test:${port}/ HTTP/1.1\r\nX: ${'x'.repeat(20_000)}`);
    expect(long).toMatch(/^HTTP\/1\.1 400 .*overflow/is);
    const silent = await dial(egress.port);
    const slow = await dial(egress.port);
    slow.socket.write(`GET http://site.test:${port}/ HTTP/1.1\r\n${auth}\r\n`);
    const drip = setInterval(() => slow.socket.write('X: 1\r\n'), 20);
    await Promise.all([slow.closed, silent.closed]);
    clearInterval(drip);
    expect(slow.said()).not.toMatch(/ 200 /);
  });

  it('a tunnel on which nothing moves is ended, and so is one that is too old', async () => {
    const { port, sockets } = await plainServer();
    const idle = await tunnel(await groundFor(port, { limits: { idleMs: 100 } }), `site.test:${port}`);
    await idle.closed;
    const old = await tunnel(await groundFor(port, { limits: { lifeMs: 150 } }), `site.test:${port}`);
    const drip = setInterval(() => old.socket.write('x'), 10);
    await old.closed;
    clearInterval(drip);
    for (const socket of sockets) socket.resume();
    await until(() => sockets.every((socket) => socket.destroyed || socket.readableEnded));
  });

  it('a name server and a machine that do not answer are given up', async () => {
    const { port } = await site();
    const never = new Promise<never>(() => undefined);
    const { egress, auth } = await groundFor(port, { limits: { connectMs: 100 }, lookup: () => never });
    const answer = await say(egress.port, `CONNECT site.test:${port} HTTP/1.1\r\nHost: x\r\n${auth}\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 502 .*did not answer in time/s);
  });

  it('more than the limit goes neither up nor down', async () => {
    const { port, sockets } = await plainServer((socket) => socket.on('data', () => undefined));
    const ground = await groundFor(port, { limits: { upBytes: 1000, downBytes: 1000 } });
    const up = await tunnel(ground, `site.test:${port}`);
    up.socket.write('x'.repeat(2000));
    await up.closed;
    const down = await tunnel(ground, `site.test:${port}`);
    await until(() => sockets.length === 2);
    sockets[1]?.write('y'.repeat(2000));
    expect((await down.closed).replace(/^.*\r\n\r\n/s, '').length).toBeLessThanOrEqual(1000);
    const { port: web } = await site((_, response) => response.end('z'.repeat(5000)));
    const plain = await groundFor(web, { limits: { downBytes: 1000 } });
    await expect(throughNode(plain.egress.port, plain.ticket, `http://site.test:${web}/`)).rejects.toThrow();
  });

  it('a hundred tunnels at once each carry their own bytes', async () => {
    const { port } = await plainServer((socket) => socket.pipe(socket));
    const ground = await groundFor(port);
    const said = await Promise.all(
      Array.from({ length: 100 }, async (_, index) => {
        const client = await tunnel(ground, `site.test:${port}`);
        const text = `number ${index} ${String(index).repeat(2000)}`;
        client.socket.end(text);
        return (await client.closed).endsWith(`\r\n\r\n${text}`);
      }),
    );
    expect(said).toEqual(Array.from({ length: 100 }, () => true));
    expect(ground.decisions).toHaveLength(1);
    ground.grant[Symbol.dispose]();
    expect(ground.decisions[1]?.reason).toMatch(/\(99 more times\)$/);
  });

  it('no more tunnels than the limit stand at once', async () => {
    const { port } = await plainServer();
    const ground = await groundFor(port, { limits: { connections: 2 } });
    const first = await tunnel(ground, `site.test:${port}`);
    await tunnel(ground, `site.test:${port}`);
    const connect = `CONNECT site.test:${port} HTTP/1.1\r\nHost: x\r\n${ground.auth}\r\n\r\n`;
    expect(await say(ground.egress.port, connect)).toMatch(/^HTTP\/1\.1 503 /);
    first.socket.destroy();
    for (let answer = ''; !answer.includes(' 200 '); ) {
      const client = await dial(ground.egress.port);
      client.socket.write(connect);
      answer = await client.until('\r\n\r\n');
    }
  });
});

describe('U1 and U2 tunnels', () => {
  it('what came with the question goes first, and only when it is granted', async () => {
    const { port, sockets } = await plainServer((socket) => socket.pipe(socket));
    const ground = await groundFor(port);
    const client = await dial(ground.egress.port);
    client.socket.write(`CONNECT site.test:${port} HTTP/1.1\r\nHost: x\r\n${ground.auth}\r\n\r\nearly `);
    await client.until('early ');
    client.socket.end('late');
    expect(await client.closed).toMatch(/\r\n\r\nearly late$/);
    const refused = await say(
      ground.egress.port,
      `CONNECT internal.test:${port} HTTP/1.1\r\nHost: x\r\n${ground.auth}\r\n\r\nearly`,
    );
    expect(refused).toMatch(/ 403 /);
    expect(sockets).toHaveLength(1);
  });

  it('a client that only stops sending still gets the whole answer', async () => {
    const { port } = await plainServer((socket) => {
      let asked = '';
      socket.on('data', (chunk: Buffer) => {
        asked += chunk.toString();
      });
      socket.once('end', () => socket.end(`you said ${asked} ${'y'.repeat(100_000)}`));
    });
    const client = await tunnel(await groundFor(port), `site.test:${port}`);
    client.socket.end('all');
    expect(await client.closed).toMatch(/you said all y{100000}$/);
  });

  it('a client that breaks off ends the other side, and the other way round', async () => {
    const { port, sockets } = await plainServer();
    const ground = await groundFor(port);
    const one = await tunnel(ground, `site.test:${port}`);
    await until(() => sockets.length === 1);
    const gone = once(sockets[0] as Socket, 'close');
    one.socket.resetAndDestroy();
    await gone;
    const two = await tunnel(ground, `site.test:${port}`);
    await until(() => sockets.length === 2);
    sockets[1]?.resetAndDestroy();
    await two.closed;
  });

  it('a client that leaves while its request is on the way ends it there', async () => {
    const arrived: IncomingMessage[] = [];
    const port = await listen(createServer((request) => void arrived.push(request)));
    const { egress, auth } = await groundFor(port);
    const client = await dial(egress.port);
    client.socket.write(`GET http://site.test:${port}/ HTTP/1.1\r\nHost: x\r\n${auth}\r\n\r\n`);
    await until(() => arrived.length === 1);
    const gone = once(arrived[0]?.socket as Socket, 'close');
    client.socket.destroy();
    await gone;
  });

  it('a client that leaves while a name is looked up leaves nothing behind', async () => {
    const { port, sockets } = await plainServer();
    const { promise, resolve } = Promise.withResolvers<void>();
    let looking = false;
    const lookup = async (host: string) => {
      looking = true;
      await promise;
      return await named(host);
    };
    const { egress, auth } = await groundFor(port, { lookup });
    const client = await dial(egress.port);
    client.socket.write(`CONNECT site.test:${port} HTTP/1.1\r\nHost: x\r\n${auth}\r\n\r\n`);
    await until(() => looking);
    client.socket.destroy();
    await once(client.socket, 'close');
    resolve();
    // That it has left shows only when its connection is read, which is when the tunnel stands.
    await until(() => sockets.length === 1 && sockets.every((socket) => socket.destroyed));
  });
});

type Reply = { status: number; headers: IncomingMessage['headers']; body: string };

async function throughNode(
  proxy: number,
  ticket: string,
  url: string,
  { method = 'GET', body }: { method?: string; body?: string } = {},
): Promise<Reply> {
  const headers = { 'proxy-authorization': `Basic ${Buffer.from(ticket).toString('base64')}` };
  const asked = httpRequest({ host: '127.0.0.1', port: proxy, method, path: url, headers, agent: false });
  asked.end(body);
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  return { status: response.statusCode ?? 0, headers: response.headers, body: await textOf(response) };
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of response) text += String(chunk);
  return text;
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((done) => setTimeout(done, 5));
}
