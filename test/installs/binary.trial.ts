import { spawn } from 'node:child_process';
import { hash } from 'node:crypto';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Home } from '../../src/core/schema/home.ts';
import { launcher } from '../support/cli.ts';
import { allow, depsOf, eventsOf, open, page, ran, step, until, workshop, type Workshop } from '../support/deps.ts';
import { type SecureServer, secureServer } from '../support/https.ts';

const TEXT = '#!/bin/sh\necho tool "$@"\n';
const RIGHT = hash('sha256', TEXT);

const left = (home: Home): string[] => {
  const folder = join(home.oka, 'tools', 'binaries');
  return existsSync(folder) ? readdirSync(folder) : [];
};

/** A home that may fetch the program `jqx` from a path of the server. */
async function shopFor(server: SecureServer, path: string, more: object = {}): Promise<Workshop> {
  process.env['NODE_EXTRA_CA_CERTS'] = server.authority;
  return workshop([], {
    tools: { binaries: { jqx: { from: `${server.url}${path}`, sha256: RIGHT, version: '1.7', ...more } } },
  });
}

const giving: RequestListener = ({ url = '' }, response) => {
  if (url === '/jqx') response.end(TEXT);
  else if (url === '/moved') response.writeHead(302, { location: '/jqx' }).end();
  else if (url === '/plain') response.writeHead(302, { location: 'http://127.0.0.1:9/jqx' }).end();
  else if (url === '/elsewhere') response.writeHead(302, { location: 'https://elsewhere.invalid/jqx' }).end();
  else if (url === '/round') response.writeHead(302, { location: '/round' }).end();
  else if (url === '/large') response.writeHead(200, { 'content-length': '50000000' }).write('x');
  else if (url === '/endless') {
    const more = (): void =>
      void (response.write(Buffer.alloc(200_000)) ? setImmediate(more) : response.once('drain', more));
    more();
  } else if (url === '/half') {
    response.writeHead(200, { 'content-length': String(TEXT.length) });
    response.write(TEXT.slice(0, 9));
    setTimeout(() => response.destroy(), 50);
  } else if (url === '/busy') response.writeHead(503).end();
  else if (url === '/slow') response.writeHead(200, { 'content-length': '100' }).write('#!');
  else response.writeHead(404).end();
};

describe('a program from an https address', () => {
  afterEach(() => delete process.env['NODE_EXTRA_CA_CERTS']);

  it.each(['/jqx', '/moved'])('%s is fetched through the proxy, checked and used', async (path) => {
    await using server = await secureServer(giving);
    await using shop = await shopFor(server, path);
    const run = await open(shop.home, (host) => ran(host, step('jqx .a'), 'r1'));
    expect(run).toMatchObject({ status: 'done', output: { stdout: 'tool .a\n' } });
    const [receipt] = await eventsOf(shop.home, 'dependency.installed');
    expect(receipt?.data).toMatchObject({ version: '1.7', from: server.host, integrity: `sha256-${RIGHT}` });
    const [decided] = await eventsOf(shop.home, 'egress.decided');
    expect(decided?.data).toMatchObject({
      verdict: 'allowed',
      host: '127.0.0.1',
      port: Number(server.host.split(':')[1]),
    });
  });

  it.each([
    ['/plain', /sends on to http:\/\/127\.0\.0\.1:9\/jqx, which is not https/],
    ['/elsewhere', /elsewhere\.invalid is not allowed, and 127\.0\.0\.1:\d+ sends on to it/],
    ['/round', /sends on and on/],
    ['/large', /larger than the 1 MB that are allowed/],
    ['/endless', /larger than the 1 MB that are allowed/],
    ['/half', /broke off/],
    ['/busy', /answered 503/],
    ['/none', /answered 404/],
  ])('%s is a clear reason to wait, and leaves nothing behind', async (path, reason) => {
    await using server = await secureServer(giving);
    await using shop = await shopFor(server, path);
    allow(shop.home, 'installs: { most_mb: 1 }\nrules: []');
    expect((await open(shop.home, (host) => ran(host, step('jqx'), 'r1'))).status).toBe('blocked');
    expect(page(shop.home)).toMatch(reason);
    expect(left(shop.home)).toEqual([]);
  });

  it('B1 with another hash is thrown away', async () => {
    await using server = await secureServer(giving);
    await using shop = await shopFor(server, '/jqx', { sha256: 'a'.repeat(64) });
    expect((await open(shop.home, (host) => ran(host, step('jqx'), 'r1'))).status).toBe('blocked');
    expect(page(shop.home)).toContain(`has sha256 ${RIGHT}`);
    expect(left(shop.home)).toEqual([]);
  });

  it('B2 from a server that no trusted authority vouches for is not fetched', async () => {
    await using server = await secureServer(giving);
    await using shop = await shopFor(server, '/jqx');
    delete process.env['NODE_EXTRA_CA_CERTS'];
    expect((await open(shop.home, (host) => ran(host, step('jqx'), 'r1'))).status).toBe('blocked');
    expect(page(shop.home)).toMatch(/the certificate of 127\.0\.0\.1:\d+ is not trusted/);
  });

  it('kill -9 half-way leaves nothing that is used; the next start brings it to its end', async () => {
    let path = '/slow';
    let asked = 0;
    await using server = await secureServer((request, response) => {
      asked += 1;
      request.url = path;
      giving(request, response);
    });
    await using shop = await shopFor(server, '/jqx');
    const { home } = shop;
    const graph = join(home.dir, 'graph.json');
    writeFileSync(graph, JSON.stringify(step('jqx moo')));
    const child = spawn(process.execPath, [launcher, 'graph', 'run', graph, '--id', 'r1', '--dir', home.dir], {
      stdio: 'ignore',
    });
    await until(() => asked > 0);
    child.kill('SIGKILL');
    await new Promise((resolve) => child.once('exit', resolve));
    expect(left(home).filter((name) => !name.startsWith('.new-'))).toEqual([]);
    path = '/jqx';
    await open(home, async (host) => {
      expect(left(home)).toEqual([]);
      for (const run of depsOf(host).runsToResume()) await (await host.engine.resume(run)).done;
      expect(await host.engine.stateOf('r1')).toMatchObject({ status: 'done', output: { stdout: 'tool moo\n' } });
    });
  });
});
