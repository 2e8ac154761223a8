import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { expect, it, onTestFinished, vi } from 'vitest';
import { localEgress, serveEgress, sharedEgress } from '../../../src/kit/egress/egress-access.ts';
import { egressEvent } from '../../../src/rooms/models/egress-event.ts';
import { homeAt } from '../../../src/kit/settings.ts';
import { checkEvent } from '../../../src/core/schema/event.ts';
import { Policy } from '../../../src/core/schema/policy.ts';
import type { ProxyDecision } from '../../../src/kit/egress/decision-log.ts';
import { temporaryFolder } from '../../support/cli.ts';

const run = promisify(execFile);
const policy = Policy.parse({
  version: 1,
  defaults: { read: 'allow', write_local: 'allow', external_mutation: 'ask', deny: 'deny' },
  budgets: { tokens: 1, usd: 1, tool_calls: 1, retries: 1, replans: 1, seconds: 1, depth: 1, output_bytes: 1 },
  rules: [{ effect: 'allow', host: 'localhost:1' }],
});

it('a step goes out by its grant, what was decided is an event of its run, and after the step nothing goes out', async () => {
  const folder = temporaryFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  const decided: ProxyDecision[] = [];
  const out = localEgress({
    home: homeAt(folder.dir),
    policy: () => policy,
    decided: (each) => decided.push(each),
    clock: Date.now,
  });
  onTestFinished(() => out[Symbol.asyncDispose]());
  const grant = await out.grant({ run: 'r1', call: 'r1.n1.1', hosts: [] }, 60_000);
  expect(grant.address).toMatch(/^127\.0\.0\.1:\d+$/);
  const ask = async (url: string): Promise<string> => {
    const script = `require('node:http').get('${url}', (answer) => {
      console.log(answer.statusCode);
      answer.pipe(process.stdout);
    })`;
    return (await run(process.execPath, ['-e', script], { env: { ...grant.env } })).stdout;
  };
  expect(await ask('http://example.test/')).toMatch(/^403\nexample\.test is not among the hosts/);
  expect(await ask('http://localhost:1/')).toMatch(/^502\n.*ECONNREFUSED/);
  expect(await ask('http://localhost/')).toMatch(/^403\n/);
  expect(decided.map((each) => checkEvent(egressEvent(each)))).toMatchObject([
    { type: 'egress.decided', run: 'r1', data: { host: 'example.test', port: 80, verdict: 'refused' } },
    { type: 'egress.decided', run: 'r1', data: { host: 'localhost', port: 1, verdict: 'allowed' } },
    { type: 'egress.decided', run: 'r1', data: { host: 'localhost', port: 80, verdict: 'refused' } },
  ]);
  grant[Symbol.dispose]();
  expect(await ask('http://example.test/')).toMatch(/^407\n/);
});

it('through a proxy elsewhere a step has a sealed ticket, or none where no key is shared', async () => {
  const proxy = { host: 'egress', port: 3128 };
  const holder = { run: 'r1', call: 'r1.n1.1', hosts: [] };
  const lookup = (): Promise<string> => Promise.resolve('172.18.0.2');
  const sealed = await sharedEgress(proxy, Buffer.alloc(32, 1), Date.now, lookup).grant(holder, 1000);
  expect(sealed.env['HTTPS_PROXY']).toMatch(/^http:\/\/[\w-]+:[\w-]{43}@172\.18\.0\.2:3128$/);
  const open = await sharedEgress(proxy, null, Date.now, lookup).grant(holder, 1000);
  expect([open.address, open.env['HTTPS_PROXY']]).toEqual(['172.18.0.2:3128', 'http://172.18.0.2:3128']);
});

it('a proxy elsewhere is told by the worker, and by nobody else, which packages a step may fetch', async () => {
  const folder = temporaryFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  const seen: string[] = [];
  const registry = createServer((request, response) => {
    seen.push(request.url ?? '');
    response.end('{}');
  });
  await new Promise<void>((done) => registry.listen(0, '127.0.0.1', done));
  onTestFinished(() => void registry.close());
  const address = `http://127.0.0.1:${(registry.address() as AddressInfo).port}`;
  vi.stubEnv('npm_config_registry', `${address}/`);
  onTestFinished(() => void vi.unstubAllEnvs());
  const key = Buffer.alloc(32, 1);
  const ports = { home: homeAt(folder.dir), policy: () => policy, decided: () => undefined, clock: Date.now };
  await using proxy = await serveEgress(ports, { host: '127.0.0.1', port: 0 }, key);
  const shared = sharedEgress({ host: '127.0.0.1', port: proxy.port }, key, Date.now);
  const holder = { run: 'r1', call: 'r1.n1.1', hosts: [], onlyFetches: true };
  const grant = await shared.grant({ ...holder, packages: 'left-pad@1.0.0' }, 60_000);
  const ask = async (path: string, ...options: string[]): Promise<string> => {
    const args = ['-s', '-o', '/dev/null', '-w', '%{http_code}', ...options, `${address}${path}`];
    return (await run('curl', args, { env: { ...grant.env } })).stdout;
  };
  expect([await ask('/left-pad'), await ask('/data')]).toEqual(['200', '403']);
  const { username, password, host } = new URL(grant.env['HTTP_PROXY'] ?? '');
  const basic = Buffer.from(`${username}:${password}`).toString('base64');
  const named = await fetch(`http://${host}/packages`, {
    method: 'PUT',
    body: gzipSync('data'),
    headers: { 'proxy-authorization': `Basic ${basic}`, 'x-oka-seal': password },
  }).catch(() => null);
  expect(named?.status ?? 403).toBe(403);
  expect(await ask('/data')).toBe('403');
  expect(seen).toEqual(['/left-pad']);
});
