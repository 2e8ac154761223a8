/** Tunnels of a step that only fetches packages, with a real registry behind TLS and real clients. */
import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { createServer, request as httpsRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { egressRule } from '../../../src/core/guard/egress-rule.ts';
import { createAuthority } from '../../../src/kit/egress/certificates.ts';
import type { Grant } from '../../../src/kit/egress/open-egress.ts';
import { dial, groundFor, hasProgram, listen } from './support.ts';

const registryAuthority = createAuthority();

async function ground(onlyFetches: boolean, trusted = [registryAuthority.certificate(Date.now())]) {
  const seen: string[] = [];
  const server = createServer(registryAuthority.issue('site.test', Date.now()), (request, response) => {
    seen.push(`${request.method} ${request.url} ${request.headers.host}`);
    request.resume().on('end', () => response.end('package'));
  });
  const port = await listen(server);
  const allows = egressRule([], [{ host: 'site.test', port }]);
  const { egress } = await groundFor(port, { allows, authority: createAuthority(), trusted });
  const grant = egress.grant({ run: 'r1', call: 'r1.n1.1', hosts: [], onlyFetches, packages: 'left-pad a b' });
  return { port, seen, grant, proxy: egress.port };
}

/** One request over a tunnel of its own; `ca` is what the client trusts. */
async function ask(
  { port, grant, proxy }: { port: number; grant: Grant; proxy: number },
  ca: string,
  { method = 'GET', path, headers = {} }: { method?: string; path: string; headers?: Record<string, string> },
): Promise<number> {
  const { username, password } = new URL(grant.env['HTTP_PROXY'] ?? '');
  const basic = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64');
  const client = await dial(proxy);
  client.socket.write(`CONNECT site.test:${port} HTTP/1.1\r\nProxy-Authorization: Basic ${basic}\r\n\r\n`);
  await client.until('200 Connection established\r\n\r\n');
  const secure = connect({ socket: client.socket, servername: 'site.test', ca });
  await once(secure, 'secureConnect');
  const asked = httpsRequest({ createConnection: () => secure, method, path, headers });
  asked.end();
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  secure.destroy();
  return response.statusCode ?? 0;
}

describe('a tunnel to a package registry', () => {
  it('passes on what fetches, request by request, and nothing else', async () => {
    const place = await ground(true);
    const ca = place.grant.authority ?? '';
    const audit = '/-/npm/v1/security/advisories/bulk';
    for (const fetching of [{ path: '/left-pad' }, { method: 'HEAD', path: '/a' }])
      expect(await ask(place, ca, fetching)).toBe(200);
    for (const sending of [
      { method: 'POST', path: audit },
      { path: '/unheard-of' },
      { method: 'PUT', path: '/evil' },
      { method: 'POST', path: '/-/v1/login' },
      { path: '/left-pad', headers: { authorization: 'Bearer stolen' } },
    ])
      expect(await ask(place, ca, sending)).toBe(403);
    const host = `site.test:${place.port}`;
    expect(place.seen).toEqual([`GET /left-pad ${host}`, `HEAD /a ${host}`]);
    expect(await place.grant.refused()).toHaveLength(4);
  });

  it('is not read when the step may do more than fetch: the client speaks to the registry itself', async () => {
    const place = await ground(false);
    const ca = registryAuthority.certificate(Date.now());
    expect(await ask(place, ca, { method: 'PUT', path: '/mine' })).toBe(200);
    expect(place.seen).toEqual([expect.stringMatching(/^PUT \/mine /)]);
  });

  it('does not pass on to a registry whose certificate cannot be verified', async () => {
    const place = await ground(true, [createAuthority().certificate(Date.now())]);
    expect(await ask(place, place.grant.authority ?? '', { path: '/left-pad' })).toBe(403);
    expect(await place.grant.refused()).toEqual([
      expect.stringContaining('is not trusted: name the file with it as cafile'),
    ]);
    expect(place.seen).toEqual([]);
  });

  it.skipIf(!hasProgram('curl'))('works with a program that knows the authority from a file', async () => {
    const place = await ground(true);
    const folder = mkdtempSync(join(tmpdir(), 'oka-ca-'));
    const file = join(folder, 'ca.pem');
    writeFileSync(file, place.grant.authority ?? '');
    const curl = async (...args: string[]): Promise<string> => {
      const all = ['-sS', '--max-time', '20', '--cacert', file, '-w', ' %{http_code}', ...args];
      return (await promisify(execFile)('curl', all, { env: { ...place.grant.env } })).stdout;
    };
    expect(await curl(`https://site.test:${place.port}/left-pad`)).toBe('package 200');
    const two = [`https://site.test:${place.port}/a`, `https://site.test:${place.port}/b`];
    expect(await curl(...two)).toBe('package 200package 200');
    expect(await curl('-T', file, `https://site.test:${place.port}/evil`)).toContain(' 403');
    rmSync(folder, { recursive: true });
  });
});

describe('the certificates', () => {
  it('of one seed are of one authority, and satisfy a strict verifier', () => {
    const folder = mkdtempSync(join(tmpdir(), 'oka-ca-'));
    const [first, second] = [createAuthority(Buffer.alloc(32, 7)), createAuthority(Buffer.alloc(32, 7))];
    const ca = join(folder, 'ca.pem');
    writeFileSync(ca, first.certificate(Date.now()));
    for (const host of ['registry.example.org', '10.0.0.7', 'fd00::7']) {
      const leaf = join(folder, 'leaf.pem');
      writeFileSync(leaf, second.issue(host, Date.now()).cert);
      const name = host.startsWith('r') ? ['-verify_hostname', host] : ['-verify_ip', host];
      const verified = spawnSync('openssl', ['verify', '-x509_strict', ...name, '-CAfile', ca, leaf]);
      expect([host, verified.status]).toEqual([host, 0]);
    }
    writeFileSync(ca, createAuthority().certificate(Date.now()));
    expect(spawnSync('openssl', ['verify', '-CAfile', ca, join(folder, 'leaf.pem')]).status).not.toBe(0);
    rmSync(folder, { recursive: true });
  });
});
