/** What another site, another program or a curious neighbour may try against the dashboard. */
import { readdirSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openAccess } from '../../../src/kit/web/login/access.ts';
import { definePage, defineQuery } from '../../../src/kit/web/page.ts';
import { type Answer, openWebClient, type WebClient } from '../../support/web-client.ts';

/** A page with a query and an act, so that an attack that comes through has an effect. */
const target = definePage({
  name: 'target',
  path: '/target/:name',
  title: 'Target',
  query: defineQuery({
    params: z.object({ name: z.string().max(20) }),
    answer: z.object({ secret: z.string() }),
    read: async ({ params }) => ({ secret: `the secret of ${params.name}` }),
  }),
  intakes: ['cancel'],
  view: new URL('../../../src/kit/web/browser/app.ts', import.meta.url),
});

let client: WebClient;
beforeAll(async () => {
  client = await openWebClient({ pages: [target] });
});
afterAll(() => client.close());

const intakes = (): string[] => readdirSync(join(client.home.oka, 'intake')).filter((name) => name.endsWith('.json'));
const cancel = JSON.stringify({ kind: 'cancel', run: 'a-run' });

it('without an attack everything works: a query, a page and an act', async () => {
  expect(JSON.parse((await client.get('/api/v1/target?name=x')).text)).toEqual({ secret: 'the secret of x' });
  expect((await client.get('/target/x')).text).toContain('the secret of x');
  const before = intakes().length;
  expect(await client.post('/api/v1/intakes', { kind: 'cancel', run: 'a-run' })).toMatchObject({ status: 200 });
  expect(intakes()).toHaveLength(before + 1);
});

describe('a name that was pointed at this machine', () => {
  it.each([
    'evil.example',
    'evil.example:80',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    'localhost:1',
    '127.0.0.1',
    '[::1]',
    '0.0.0.0:PORT',
    'LOCALHOST:PORT.evil.example',
  ])('Host: %s is refused', async (host) => {
    const headers = { host: host.replace('PORT', String(client.web.port)), ...client.session };
    const answer = await client.send('/api/v1/target?name=x', { headers });
    expect([400, 421]).toContain(answer.status);
    expect(answer.text).not.toContain('the secret');
  });
});

describe('a change that another site sends with the cookie of a visitor', () => {
  const attempts: [string, Record<string, string>][] = [
    ['a form', { origin: 'https://evil.example', 'content-type': 'application/x-www-form-urlencoded' }],
    ['a form with files', { origin: 'https://evil.example', 'content-type': 'multipart/form-data; boundary=x' }],
    ['text', { origin: 'https://evil.example', 'content-type': 'text/plain' }],
    ['JSON', { origin: 'https://evil.example', 'content-type': 'application/json' }],
    ['JSON without an origin', { 'content-type': 'application/json' }],
    ['JSON of a page without an origin of its own', { origin: 'null', 'content-type': 'application/json' }],
    ['JSON of another port', { origin: 'http://127.0.0.1:1', 'content-type': 'application/json' }],
    ['JSON over another protocol', { origin: 'https://127.0.0.1:PORT', 'content-type': 'application/json' }],
    ['our origin in text', { origin: 'http://127.0.0.1:PORT', 'content-type': 'text/plain' }],
    ['our origin in a form', { origin: 'http://127.0.0.1:PORT', 'content-type': 'application/x-www-form-urlencoded' }],
    ['our origin without a type', { origin: 'http://127.0.0.1:PORT' }],
    [
      'our origin, and a browser that says it is another site',
      { origin: 'http://127.0.0.1:PORT', 'content-type': 'application/json', 'sec-fetch-site': 'cross-site' },
    ],
    [
      'our origin, and a browser that says it is a sibling',
      { origin: 'http://127.0.0.1:PORT', 'content-type': 'application/json', 'sec-fetch-site': 'same-site' },
    ],
  ];
  it.each(attempts)('%s changes nothing', async (_name, given) => {
    const before = intakes();
    const headers = Object.fromEntries(
      Object.entries(given).map(([name, value]) => [name, value.replace('PORT', String(client.web.port))]),
    );
    const { status } = await client.send('/api/v1/intakes', {
      method: 'POST',
      headers: { ...headers, ...client.session },
      body: cancel,
    });
    expect([403, 415]).toContain(status);
    expect(intakes()).toEqual(before);
  });

  it.each(['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND'])(
    '%s changes nothing and reveals nothing',
    async (method) => {
      const before = intakes();
      const { status, headers } = await client.send('/api/v1/intakes', {
        method,
        headers: { ...client.session, origin: client.origin },
      });
      expect(status).toBeGreaterThanOrEqual(400);
      expect(headers['access-control-allow-origin']).toBeUndefined();
      expect(intakes()).toEqual(before);
    },
  );
});

describe('reading from another site', () => {
  it.each([
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'script' },
    {
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'cors',
      'sec-fetch-dest': 'empty',
      origin: 'https://evil.example',
    },
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' },
    { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' },
  ])('%o is refused', async (headers) => {
    const { status, text } = await client.send('/api/v1/target?name=x', {
      headers: { ...headers, ...client.session },
    });
    expect(status).toBe(403);
    expect(text).not.toContain('the secret');
  });

  it('no answer may be framed, embedded, sniffed or remembered, and none says where a visitor came from', async () => {
    for (const path of ['/', '/target/x', '/login', '/api/v1/target?name=x', '/nothing', '/manifest.webmanifest']) {
      const { headers } = await client.get(path);
      expect(headers, path).toMatchObject({
        'x-frame-options': 'DENY',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'cache-control': 'no-store',
      });
      expect(headers['content-security-policy'], path).toContain("default-src 'none'");
      expect(headers['content-security-policy'], path).toContain("frame-ancestors 'none'");
      expect(headers['content-security-policy'], path).not.toMatch(/unsafe|\*|https?:/);
      expect(headers['access-control-allow-origin'], path).toBeUndefined();
    }
  });
});

describe('sessions', () => {
  it('a session that an attacker has chosen is worth nothing', async () => {
    const name = client.cookie.split('=')[0] ?? '';
    const chosen = `${name}=${'A'.repeat(43)}`;
    expect((await client.send('/api/v1/target?name=x', { headers: { cookie: chosen } })).status).toBe(401);
    const login = await client.send('/api/v1/login', {
      method: 'POST',
      headers: { cookie: chosen, origin: client.origin, 'content-type': 'application/json' },
      body: JSON.stringify({ link: client.web.newLink().split('#')[1] }),
    });
    expect(login.headers['set-cookie']).toMatch(
      /^oka_[0-9a-f]{8}=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Strict$/,
    );
    expect(login.headers['set-cookie']).not.toContain('A'.repeat(43));
    expect((await client.send('/api/v1/target?name=x', { headers: { cookie: chosen } })).status).toBe(401);
  });

  it.each(['../../../etc/passwd', '..%2f..%2fx', 'a/b', '.', '', '\u0000'.repeat(43), 'x'.repeat(1000)])(
    'the secret %# opens nothing',
    async (secret) => {
      const name = client.cookie.split('=')[0] ?? '';
      const headers = {
        cookie: `${name}=${encodeURIComponent(secret)}`,
        authorization: `Bearer ${encodeURIComponent(secret)}`,
      };
      expect((await client.send('/api/v1/target?name=x', { headers })).status).toBe(401);
    },
  );

  it('the cookie of a browser is no token, and a token is no cookie', async () => {
    const [name = '', secret = ''] = client.cookie.split('=');
    expect(
      (await client.send('/api/v1/target?name=x', { headers: { authorization: `Bearer ${secret}` } })).status,
    ).toBe(401);
    const token = client.token('all');
    expect((await client.send('/api/v1/target?name=x', { headers: { cookie: `${name}=${token}` } })).status).toBe(401);
    expect((await client.send('/api/v1/target?name=x', { headers: { authorization: `Bearer ${token}` } })).status).toBe(
      200,
    );
  });

  it('a token that may only look changes nothing', async () => {
    const before = intakes();
    const headers = { authorization: `Bearer ${client.token('read')}`, 'content-type': 'application/json' };
    expect((await client.send('/api/v1/target?name=x', { headers })).status).toBe(200);
    expect((await client.send('/api/v1/intakes', { method: 'POST', headers, body: cancel })).status).toBe(403);
    expect(intakes()).toEqual(before);
  });

  it('a cookie alone, which every port of this machine is sent, shows no data and changes nothing', async () => {
    const { cookie, origin } = client;
    const change = { cookie, origin, 'content-type': 'application/json' };
    const before = intakes();
    for (const headers of [change, { ...change, 'x-oka-key': 'A'.repeat(43) }, { ...change, 'x-oka-key': '' }]) {
      expect((await client.send('/api/v1/target?name=x', { headers })).status).toBe(401);
      expect((await client.send('/api/v1/ticket', { headers })).status).toBe(401);
      expect((await client.send('/api/v1/events', { headers })).status).toBe(401);
      expect((await client.send('/api/v1/sessions', { headers })).status).toBe(401);
      expect((await client.send('/api/v1/intakes', { method: 'POST', headers, body: cancel })).status).toBe(401);
    }
    const page = await client.send('/target/x', { headers: { cookie } });
    expect([page.status, page.text.includes('the secret')]).toEqual([200, false]);
    expect(intakes()).toEqual(before);
    expect(
      (await client.send('/api/v1/target?name=x', { headers: { 'x-oka-key': client.session['x-oka-key'] } })).status,
    ).toBe(401);
  });

  it('a ticket is for looking at files and the stream alone, in the session that got it', async () => {
    const { ticket } = JSON.parse((await client.get('/api/v1/ticket')).text) as { ticket: string };
    const { cookie, origin } = client;
    const ask = async (path: string, headers: Record<string, string>): Promise<number> =>
      (await client.send(path, { headers })).status;
    expect(await ask(`/files/a-run/x.txt?ticket=${ticket}`, { cookie })).toBe(404); // allowed, and not there
    expect(await ask('/files/a-run/x.txt', { cookie })).toBe(401);
    expect(await ask(`/files/a-run/x.txt?ticket=${ticket}`, {})).toBe(401);
    expect(await ask(`/files/a-run/x.txt?ticket=1${ticket}`, { cookie })).toBe(401);
    expect(await ask(`/api/v1/target?name=x&ticket=${ticket}`, { cookie })).toBe(401);
    const before = intakes();
    const headers = { cookie, origin, 'content-type': 'application/json' };
    const change = await client.send(`/api/v1/intakes?ticket=${ticket}`, { method: 'POST', headers, body: cancel });
    expect([change.status, intakes()]).toEqual([401, before]);
  });

  it.each(['Basic eDp5', 'junk', 'Bearer', `Bearer ${'A'.repeat(43)}`])(
    'the Authorization "%s" does not stand in for the Origin of a page',
    async (authorization) => {
      const before = intakes();
      const headers = { ...client.session, authorization, 'content-type': 'application/json' };
      const answer = await client.send('/api/v1/intakes', { method: 'POST', headers, body: cancel });
      expect([401, 403]).toContain(answer.status);
      expect(intakes()).toEqual(before);
    },
  );

  it('of many passphrases at once only a few are tried, and a link works meanwhile', async () => {
    const other = await openWebClient({ pages: [target] });
    openAccess(other.home).setPassphrase('correct horse');
    const guess = (passphrase: string): Promise<Answer> => other.post('/api/v1/login', { passphrase });
    const statuses = (await Promise.all(Array.from({ length: 120 }, () => guess('a guess')))).map(
      ({ status }) => status,
    );
    const tried = statuses.filter((status) => status === 401).length;
    expect(tried).toBeGreaterThanOrEqual(5);
    expect(tried).toBeLessThan(12); // on a slow machine the first waits are over before the last request is read
    expect(statuses.filter((status) => status === 429)).toHaveLength(120 - tried);
    const link = other.web.newLink().split('#')[1];
    expect((await other.post('/api/v1/login', { link })).status).toBe(200);
    await expect.poll(async () => (await guess('correct horse')).status, { timeout: 20_000 }).toBe(200);
    await other.close();
  });

  it('the folder of the sessions contains nothing to log in with', async () => {
    const { readFileSync } = await import('node:fs');
    const folder = join(client.home.oka, 'web');
    const secret = client.cookie.split('=')[1] ?? '';
    for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
      path.endsWith('.json'),
    ))
      expect(readFileSync(join(folder, name), 'utf8')).not.toContain(secret);
  });
});

describe('a port that is published more widely than this machine', () => {
  it('answers under other addresses only once there is a passphrase', async () => {
    const other = await openWebClient({ pages: [target], host: '0.0.0.0' });
    const statusAt = async (host: string): Promise<number> =>
      (await other.send('/login', { headers: { host } })).status;
    expect(await statusAt('192.0.2.7:6520')).toBe(421);
    expect(await statusAt('127.0.0.1:6520')).toBe(200);
    openAccess(other.home).setPassphrase('correct horse');
    expect(await statusAt('192.0.2.7:6520')).toBe(200);
    await other.close();
  });
});

describe('many connections', () => {
  it('that ask nothing make room for a page', async () => {
    const other = await openWebClient({ pages: [target] });
    const silent = Array.from({ length: 1000 }, () =>
      connect(other.web.port, '127.0.0.1', function (this: Socket) {
        this.write('GET /target/x HTTP/1.1\r\nHost: x'); // half of a request
      }).on('error', () => undefined),
    );
    await expect.poll(() => silent.filter(({ connecting }) => connecting).length, { timeout: 30_000 }).toBe(0);
    expect((await other.get('/api/v1/target?name=x')).status).toBe(200);
    expect(silent.filter(({ destroyed }) => destroyed).length).toBeGreaterThan(0);
    for (const socket of silent) socket.destroy();
    await other.close();
  });
});

describe('acts and data', () => {
  it.each([
    ['a kind that no page asks for', { kind: 'archive', before: '2026-01-01T00:00:00.000Z' }, 403],
    ['a kind that does not exist', { kind: 'shell', command: 'id' }, 400],
    ['a field too many', { kind: 'cancel', run: 'a-run', as: 'root' }, 400],
    ['a name that is a path', { kind: 'cancel', run: '../../x' }, 400],
    ['nothing', null, 400],
    ['a list', [], 400],
  ])('%s is refused', async (_name, body, status) => {
    const before = intakes();
    expect((await client.post('/api/v1/intakes', body)).status).toBe(status);
    expect(intakes()).toEqual(before);
  });

  it('a body that is no JSON, or too large, is refused; what was sent is not repeated', async () => {
    const send = (body: string): Promise<Answer> =>
      client.send('/api/v1/intakes', {
        method: 'POST',
        headers: { ...client.session, origin: client.origin, 'content-type': 'application/json' },
        body,
      });
    expect(await send('{"kind": "<script>alert(1)</script>')).toMatchObject({
      status: 400,
      text: expect.not.stringContaining('<script>'),
    });
    expect((await send(`"${'x'.repeat(3_000_000)}"`)).status).toBe(400);
    expect((await send(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)).status).toBe(400);
  });

  it.each([
    '/assets/../../../package.json',
    '/assets/%2e%2e/%2e%2e/package.json',
    '/assets/VERSION/../page.ts',
    '/assets/VERSION/..%2fpage.ts',
    '/assets/VERSION/browser/../../web-server.ts',
    '/assets/VERSION//etc/passwd',
    '/assets/VERSION/npm/../../../../etc/passwd',
    '/assets/VERSION/__proto__',
    '/assets/VERSION/constructor',
  ])('%s is no file of ours', async (path) => {
    const { text: document } = await client.get('/');
    const version = /assets\/([0-9a-f]{12})\//.exec(document)?.[1] ?? '';
    expect(version).not.toBe('');
    const answer = await client.get(path.replace('VERSION', version));
    expect(answer.text).not.toMatch(/"name": "oka"|startWeb|root:x/);
    expect(answer.headers['content-type'] ?? '').not.toContain('javascript');
  });

  it('data in a document cannot end its script', async () => {
    const { text } = await client.get(`/target/${encodeURIComponent('</script><b>x')}`);
    expect(text).not.toContain('</script><b>');
    expect(text).toContain('\\u003c/script>');
  });

  it('a parameter that does not fit is refused with the reason', async () => {
    expect(await client.get(`/api/v1/target?name=${'x'.repeat(50)}`)).toMatchObject({
      status: 400,
      text: expect.stringContaining('name'),
    });
    expect((await client.get('/api/v1/target')).status).toBe(400);
    expect((await client.get('/api/v1/__proto__')).status).toBe(404);
  });
});

describe('broken requests', () => {
  it.each([
    'GET / HTTP/1.1\r\n\r\n',
    'GET /\r\n\r\n',
    'GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n',
    `GET / HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nCookie: ${'x'.repeat(100_000)}\r\n\r\n`,
    'POST /api/v1/intakes HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    'POST /api/v1/intakes HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nHost: evil.example\r\n\r\n',
    '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001',
    'GET /%ff%fe%00 HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nConnection: close\r\n\r\n',
  ])('%j gets no data, and the server goes on', async (text) => {
    const answer = await sendRaw(client.web.port, text.replaceAll('PORT', String(client.web.port)));
    expect(answer).not.toContain('the secret');
    expect((await client.get('/api/v1/target?name=x')).status).toBe(200);
  });
});

function sendRaw(port: number, text: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.end(text));
    let answer = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => (answer += chunk));
    socket.on('error', () => resolve(answer)).on('close', () => resolve(answer));
    socket.setTimeout(3000, () => socket.destroy());
  });
}
