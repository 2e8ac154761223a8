/**
 * What strangers try against the dashboard by raw sockets, and what another user of the machine tries against its folders.
 * A secret in an answer, a request in the intake folder, and a connection to a canary are effects. Each kind is also tried
 * with what it lacks (a session, an own user), to know that the effect would be noticed.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { definePage, defineQuery } from '../../src/kit/web/page.ts';
import { openWebClient, type WebClient } from '../support/web-client.ts';

const SECRET = 'the secret of tulips';
const target = definePage({
  name: 'target',
  path: '/target',
  title: 'Target',
  query: defineQuery({
    params: z.object({}),
    answer: z.object({ secret: z.string() }),
    read: async () => ({ secret: SECRET }),
  }),
  intakes: ['cancel'],
  view: new URL('../../src/kit/web/browser/app.ts', import.meta.url),
});

let client: WebClient;
let other: WebClient;
let canary: Server;
let connections = 0;
let ticket: string;
beforeAll(async () => {
  client = await openWebClient({ pages: [target] });
  other = await openWebClient({ pages: [target] });
  canary = createServer((socket) => {
    connections += 1;
    socket.on('error', () => undefined).destroy();
  });
  await new Promise<void>((done) => canary.listen(0, '127.0.0.1', done));
  ticket = (JSON.parse((await client.get('/api/v1/ticket')).text) as { ticket: string }).ticket;
});
afterAll(async () => {
  await client.close();
  await other.close();
  await new Promise((done) => canary.close(done));
});

const intakes = (): number =>
  readdirSync(join(client.home.oka, 'intake')).filter((name) => name.endsWith('.json')).length;

/** Everything that comes back for these bytes. */
function sendRaw(text: string): Promise<string> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(client.web.port, '127.0.0.1', () => socket.write(text, 'latin1'));
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      answer += chunk;
      if (answer.includes(SECRET)) socket.destroy();
    });
    socket.on('error', () => resolve(answer)).on('close', () => resolve(answer));
    socket.setTimeout(700, () => socket.destroy());
  });
}

const BODY = JSON.stringify({ kind: 'cancel', run: 'a-run' });
const lines = (...each: string[]): string => `${each.filter(Boolean).join('\r\n')}\r\n\r\n`;
const host = (): string => `Host: 127.0.0.1:${client.web.port}`;
const origin = (): string => `Origin: ${client.origin}`;
const session = (): string => `Cookie: ${client.cookie}\r\nX-Oka-Key: ${client.session['x-oka-key']}`;
const getting = (path: string, ...headers: string[]): string =>
  lines(`GET ${path} HTTP/1.1`, host(), 'Connection: close', ...headers);
const changing = (...headers: string[]): string =>
  `${lines('POST /api/v1/intakes HTTP/1.1', host(), 'Connection: close', 'Content-Type: application/json', `Content-Length: ${BODY.length}`, ...headers)}${BODY}`;

async function effectOf(text: string): Promise<{ tells: boolean; changes: boolean; calls: boolean }> {
  const [before, heard] = [intakes(), connections];
  const answer = await sendRaw(text);
  return { tells: answer.includes(SECRET), changes: intakes() > before, calls: connections > heard };
}
const NONE = { tells: false, changes: false, calls: false };

const named = (): string => client.cookie.split('=')[0] ?? '';
const secret = (): string => client.cookie.split('=')[1] ?? '';
/** What somebody shows who has no session, or a part of one. */
const CREDENTIALS: Readonly<Record<string, () => string>> = {
  nothing: () => '',
  'a cookie alone': () => `Cookie: ${client.cookie}`,
  'a key alone': () => `X-Oka-Key: ${client.session['x-oka-key']}`,
  'a cookie and an empty key': () => `Cookie: ${client.cookie}\r\nX-Oka-Key: `,
  'a cookie and a wrong key': () => `Cookie: ${client.cookie}\r\nX-Oka-Key: ${'A'.repeat(43)}`,
  'a cookie as the key': () => `Cookie: ${client.cookie}\r\nX-Oka-Key: ${secret()}`,
  'a cookie and the key of another home': () => `Cookie: ${client.cookie}\r\nX-Oka-Key: ${other.session['x-oka-key']}`,
  'the session of another home': () => `Cookie: ${other.cookie}\r\nX-Oka-Key: ${other.session['x-oka-key']}`,
  'the session of another home under our name': () =>
    `Cookie: ${named()}=${other.cookie.split('=')[1]}\r\nX-Oka-Key: ${other.session['x-oka-key']}`,
  'a token of another home': () => `Authorization: Bearer ${other.token('all')}`,
  'a cookie as a token': () => `Authorization: Bearer ${secret()}`,
  'a key as a token': () => `Authorization: Bearer ${client.session['x-oka-key']}`,
  'a token as a cookie': () => `Cookie: ${named()}=${client.token('all')}`,
  'a token as a password': () => `Authorization: Basic ${btoa(`x:${client.token('all')}`)}`,
  'a token without its word': () => `Authorization: ${client.token('all')}`,
  'a link as a token': () => `Authorization: Bearer ${client.web.newLink().split('#')[1]}`,
  'a link as a cookie': () => `Cookie: ${named()}=${client.web.newLink().split('#')[1]}`,
  'a ticket as a key': () => `Cookie: ${client.cookie}\r\nX-Oka-Key: ${ticket}`,
  'a key in two halves': () =>
    `Cookie: ${client.cookie}\r\nX-Oka-Key: ${client.session['x-oka-key'].slice(0, 20)}\r\nX-Oka-Key: ${client.session['x-oka-key'].slice(20)}`,
  'a cookie that leads to a file': () => `Cookie: ${named()}=../../../etc/passwd\r\nX-Oka-Key: x`,
};
const shown = Object.entries(CREDENTIALS);

describe('whoever has no session', () => {
  it.each(shown)('with %s is told nothing', async (_, show) => {
    expect(await effectOf(getting('/api/v1/target', show()))).toEqual(NONE);
  });
  it.each(shown)('with %s changes nothing', async (_, show) => {
    expect(await effectOf(changing(show(), origin()))).toEqual(NONE);
  });
  it('would be told and change things with one', async () => {
    expect(await effectOf(getting('/api/v1/target', session()))).toEqual({ ...NONE, tells: true });
    expect(await effectOf(changing(session(), origin()))).toEqual({ ...NONE, changes: true });
  });
});

const at = (): number => (canary.address() as AddressInfo).port;
/** Headers of somebody who has the session of a visitor, and comes from another site or by another name. */
const FOREIGN: Readonly<Record<string, () => string[]>> = {
  'no origin': () => [],
  'the origin null': () => ['Origin: null'],
  'an empty origin': () => ['Origin: '],
  'another site': () => ['Origin: https://evil.example'],
  'another port': () => [`Origin: http://127.0.0.1:${at()}`],
  'another protocol': () => [`Origin: https://127.0.0.1:${client.web.port}`],
  'a name behind ours': () => [`Origin: ${client.origin}.evil.example`],
  'a user before another name': () => [`Origin: ${client.origin}@evil.example`],
  'two origins': () => ['Origin: https://evil.example', origin()],
  'ours, and a browser that says cross-site': () => [origin(), 'Sec-Fetch-Site: cross-site'],
  'ours, and a browser that says same-site': () => [origin(), 'Sec-Fetch-Site: same-site'],
  'a junk token instead of an origin': () => ['Authorization: junk'],
  'a password instead of an origin': () => ['Authorization: Basic eDp5'],
  'another method in a header': () => ['X-HTTP-Method-Override: PUT'],
  'a referrer of ours': () => [`Referer: ${client.origin}/`],
};
const HOSTS: Readonly<Record<string, () => string>> = {
  'another name': () => 'evil.example',
  'another name with our port': () => `evil.example:${client.web.port}`,
  'our name before another one': () => `127.0.0.1.evil.example:${client.web.port}`,
  'our name behind a user': () => `evil.example@127.0.0.1:${client.web.port}`,
  'another address': () => `192.0.2.1:${client.web.port}`,
  'all addresses': () => `0.0.0.0:${client.web.port}`,
  'our address as a number': () => `2130706433:${client.web.port}`,
  'our address in hex': () => `0x7f.0.0.1:${client.web.port}`,
  'no port': () => '127.0.0.1',
  'another port': () => `127.0.0.1:${at()}`,
  'a path': () => `127.0.0.1:${client.web.port}/evil`,
  nothing: () => '',
};

describe('whoever uses the session of a visitor from elsewhere', () => {
  it.each(Object.entries(FOREIGN))('with %s changes nothing', async (_, headers) => {
    expect(await effectOf(changing(session(), ...headers()))).toEqual(NONE);
  });
  it.each(Object.entries(HOSTS))('under %s is told nothing', async (_, name) => {
    const text = lines('GET /api/v1/target HTTP/1.1', `Host: ${name()}`, 'Connection: close', session());
    expect(await effectOf(text)).toEqual(NONE);
  });
});

const POST = 'POST /api/v1/intakes HTTP/1.1';
const TYPE = 'Content-Type: application/json';
/** Bytes that two programs read in two ways, or that would lead the server elsewhere. */
const BYTES: Readonly<Record<string, () => string>> = {
  'a request behind one without a session': () =>
    `${getting('/login').replace('close', 'keep-alive')}${changing(origin())}`,
  'a request in the body of another': () =>
    `${lines('POST /api/v1/login HTTP/1.1', host(), origin(), TYPE, `Content-Length: ${changing(origin()).length}`)}${changing(origin())}`,
  'a length and chunks': () =>
    `${lines(POST, host(), session(), TYPE, 'Content-Length: 5', 'Transfer-Encoding: chunked')}0\r\n\r\n${changing(origin())}`,
  'two lengths': () =>
    `${lines(POST, host(), origin(), session(), TYPE, 'Content-Length: 0', `Content-Length: ${BODY.length}`)}${BODY}`,
  'a folded header': () => lines('GET /api/v1/target HTTP/1.1', host(), 'Cookie:', ` ${client.cookie}`),
  'a header without a name': () =>
    lines('GET /api/v1/target HTTP/1.1', host(), `: ${client.cookie}`, session()).replace('GET', 'GE T'),
  'line feeds alone': () => `GET /api/v1/target HTTP/1.1\n${host()}\n\n`,
  'the oldest protocol': () => 'GET /api/v1/target\r\n\r\n',
  'no host': () => lines('GET /api/v1/target HTTP/1.1', session()),
  'two hosts': () => lines('GET /api/v1/target HTTP/1.1', 'Host: evil.example', host(), session()),
  'a tunnel': () => lines(`CONNECT 127.0.0.1:${at()} HTTP/1.1`, host(), session()),
  'a request to a proxy': () => lines(`GET http://127.0.0.1:${at()}/ HTTP/1.1`, host(), session()),
  'an address of another name': () =>
    lines('GET http://evil.example/api/v1/target HTTP/1.1', 'Host: evil.example', session()),
  'an echo': () => lines('TRACE /api/v1/target HTTP/1.1', host(), session()),
  'a web socket': () =>
    lines(
      'GET /api/v1/events HTTP/1.1',
      host(),
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Key: eA==',
      'Sec-WebSocket-Version: 13',
    ),
  'another address in a header': () =>
    getting('/login', 'X-Original-URL: /api/v1/target', 'X-Rewrite-URL: /api/v1/target'),
  'another host in a header': () =>
    getting('/login', `X-Forwarded-Host: 127.0.0.1:${at()}`, `Forwarded: host=127.0.0.1:${at()}`),
  'this machine in a header': () => getting('/api/v1/target', 'X-Forwarded-For: 127.0.0.1', 'X-Real-IP: 127.0.0.1'),
  'a ticket for data': () => getting(`/api/v1/target?ticket=${ticket}`, `Cookie: ${client.cookie}`),
  'a key in the address': () =>
    getting(`/api/v1/target?x-oka-key=${client.session['x-oka-key']}`, `Cookie: ${client.cookie}`),
  'a file above the folder': () =>
    getting(`/files/a/..%2f..%2f..%2f.oka%2fweb%2faddress.json?ticket=${ticket}`, `Cookie: ${client.cookie}`),
  'a file by a full path': () => getting('/files/a//etc/passwd', session()),
  'a page with data by a cookie alone': () => getting('/target', `Cookie: ${client.cookie}`),
  'a frame': () =>
    getting(
      '/api/v1/target',
      session(),
      'Sec-Fetch-Site: cross-site',
      'Sec-Fetch-Mode: navigate',
      'Sec-Fetch-Dest: iframe',
    ),
  'a picture of another site': () =>
    getting(
      '/api/v1/target',
      session(),
      'Sec-Fetch-Site: cross-site',
      'Sec-Fetch-Mode: no-cors',
      'Sec-Fetch-Dest: image',
    ),
  'a script of another site': () =>
    getting(
      '/api/v1/target',
      session(),
      'Sec-Fetch-Site: same-site',
      'Sec-Fetch-Mode: no-cors',
      'Sec-Fetch-Dest: script',
    ),
};

describe('bytes', () => {
  it.each(Object.entries(BYTES))('with %s tell nothing, change nothing and lead nowhere', async (_, bytes) => {
    expect(await effectOf(bytes())).toEqual(NONE);
  });
});

const isRoot = process.getuid?.() === 0;
/** Lines of a shell that another user runs; what it prints, or leaves behind, is the effect. */
const PROBES: Readonly<Record<string, (oka: string) => string>> = {
  'reads sessions': (oka) => `ls ${oka}/web/sessions && cat ${oka}/web/sessions/*`,
  'reads links': (oka) => `ls ${oka}/web/links && cat ${oka}/web/links/*`,
  'reads the passphrase': (oka) => `cat ${oka}/web/passphrase.json`,
  'reads the address': (oka) => `cat ${oka}/web/address.json`,
  'reads calls of hooks': (oka) => `ls ${oka}/web/hooks && cat ${oka}/web/hooks/*`,
  'reads replies': (oka) => `ls ${oka}/web/replies && cat ${oka}/web/replies/*`,
  'reads the vault': (oka) => `cat ${oka}/vault/*`,
  'makes a session': (oka) => `echo x > ${oka}/web/sessions/planted && echo done`,
  'makes a link': (oka) => `echo x > ${oka}/web/links/planted && echo done`,
  'makes a passphrase': (oka) => `echo x > ${oka}/web/planted && echo done`,
  'makes a request': (oka) => `echo x > ${oka}/intake/planted && echo done`,
  'makes a rule': (oka) => `echo x > ${oka}/rules/planted && echo done`,
  'makes an event': (oka) => `echo x > ${oka}/ledger/planted && echo done`,
  'removes a session': (oka) => `rm -r ${oka}/web/sessions && echo done`,
  'moves the folder away': (oka) => `mv ${oka}/web ${oka}/away && echo done`,
  'opens the folder': (oka) => `chmod 777 ${oka}/web && echo done`,
};

describe.runIf(isRoot)('another user of this machine', () => {
  const probe = (line: string, uid: number): string => {
    const { stdout } = spawnSync('/bin/sh', ['-c', line], { uid, gid: uid, encoding: 'utf8', cwd: '/' });
    return stdout.trim();
  };
  beforeAll(async () => {
    client.web.newLink();
    await client.post('/api/v1/presence', {});
    for (const folder of ['hooks', 'replies', 'links']) {
      const place = join(client.home.oka, 'web', folder);
      if (!existsSync(place)) continue;
      writeFileSync(join(place, 'seen'), 'x', { mode: 0o600 });
    }
    chmodSync(client.home.dir, 0o755); // where a person lets others look into the home, its secrets are still nobody else's
  });

  it.each(Object.entries(PROBES))('%s: nothing', (_, line) => {
    expect(probe(line(client.home.oka), 65_534)).toBe('');
  });

  it('would by the user of the home', () => {
    expect(probe(`cat ${client.home.oka}/web/sessions/*`, 0)).not.toBe('');
    expect(
      probe(`echo x > ${client.home.oka}/intake/planted && echo done && rm ${client.home.oka}/intake/planted`, 0),
    ).toBe('done');
  });

  it.each(['/api/v1/target', '/api/v1/sessions', '/api/v1/events', '/metrics', '/files/a/b', '/target', '/mcp'])(
    'is told nothing at %s',
    (path) => {
      expect(probe(`curl -s -m 2 ${client.origin}${path}`, 65_534)).not.toContain(SECRET);
    },
  );
});
