/** The real egress proxy on this machine, and the environment that names it, as in Docker. */
import { writeFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import { serveEgress } from '../../src/kit/egress/egress-access.ts';
import { type EgressRoutes, egressRoutes } from '../../src/kit/egress/egress-routes.ts';
import { homeAt } from '../../src/kit/settings.ts';
import { Policy } from '../../src/core/schema/policy.ts';
import type { ProxyDecision } from '../../src/kit/egress/decision-log.ts';

/** An address of this machine that is not the loopback, as a server on the operator's network has one. */
export const outerAddress = Object.values(networkInterfaces())
  .flat()
  .find((each) => each?.family === 'IPv4' && !each.internal)?.address;

export type RealEgress = { routes: EgressRoutes; stop: () => Promise<void>; start: () => Promise<void> };

/** Until the test ends; `decided` gets what it has decided. */
export async function openRealEgress(dir: string, decided: ProxyDecision[]): Promise<RealEgress> {
  const key = join(dir, 'key');
  writeFileSync(key, Buffer.alloc(32, 7));
  const budgets = { tokens: 1, usd: 1, tool_calls: 1, retries: 1, replans: 1, seconds: 1, depth: 1, output_bytes: 1 };
  const defaults = { read: 'allow', write_local: 'allow', external_mutation: 'ask', deny: 'deny' };
  const policy = Policy.parse({ version: 1, defaults, budgets, rules: [] });
  const ports = {
    home: homeAt(dir),
    policy: () => policy,
    decided: (each: ProxyDecision) => void decided.push(each),
    clock: Date.now,
  };
  const open = (port: number): ReturnType<typeof serveEgress> =>
    serveEgress(ports, { host: '127.0.0.1', port }, Buffer.alloc(32, 7));
  let proxy = await open(0);
  const { port } = proxy;
  vi.stubEnv('OKA_EGRESS', `127.0.0.1:${port}`);
  vi.stubEnv('OKA_EGRESS_KEY', key);
  const stop = async (): Promise<void> => proxy[Symbol.asyncDispose]();
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await stop();
  });
  return { routes: egressRoutes(ports), stop, start: async () => void (proxy = await open(port)) };
}
