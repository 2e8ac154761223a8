/** E-mail by way of the real egress proxy: the worker has no network of its own, and names the two servers of channels.json alone. */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openMailChannel } from '../../../src/channels/mail/mail-channel.ts';
import { channelRoute, channelTools } from '../../../src/daemon/channels/channel-tools.ts';
import { serveEgress } from '../../../src/daemon/network/egress-access.ts';
import { egressRoutes } from '../../../src/daemon/network/egress-routes.ts';
import { homeAt } from '../../../src/daemon/settings.ts';
import { MailChannel } from '../../../src/schema/channel.ts';
import { Policy } from '../../../src/schema/policy.ts';
import type { ProxyDecision } from '../../../src/tools/egress/decision-log.ts';
import { temporaryFolder } from '../../support/cli.ts';
import { hasDovecot, openMailServers } from '../../support/mail-servers.ts';
import { rawMail } from '../../support/raw-mail.ts';

/** An address of this machine that is not the loopback, as a mail server on the operator's network has one. */
const own = Object.values(networkInterfaces())
  .flat()
  .find((each) => each?.family === 'IPv4' && !each.internal)?.address;

it.skipIf(own === undefined || hasDovecot === null)(
  'mail goes out and comes in through the proxy, with a ticket for its servers',
  async () => {
    await using servers = await openMailServers({ own: ['oka@home.test'] });
    using folder = temporaryFolder();
    const decided: ProxyDecision[] = [];
    const smtpPort = await forward(servers.smtpPort);
    const imapPort = await forward(servers.imapsPort);
    const server = { host: own ?? '', user: 'oka', password: 'secret:MAIL', certificate: servers.fingerprint };
    const settings = MailChannel.parse({
      kind: 'mail',
      from: 'oka@home.test',
      to: ['ann@home.test'],
      smtp: { ...server, port: smtpPort, security: 'starttls' },
      imap: { ...server, port: imapPort },
      tasks: { address: 'oka@home.test', senders: ['ann@home.test'], authserv_id: 'mx.home.test' },
    });
    const secret = {
      value: servers.password,
      version: 1,
      tools: ['channels.mail'],
      hosts: [own ?? ''],
      commands: [],
      header: null,
      fingerprint: '',
    };
    const route = channelRoute(() => Promise.resolve(secret), await openEgress(folder.dir, decided));
    const channel = openMailChannel(settings, channelTools('mail', route));
    const about = { kind: 'test', title: 'Hello', body: '', link: null, thread: 't', run: null } as const;
    const sent = await channel.announce(
      { ...about, delivery: 'mail.1', urgency: 'normal', files: [], origin: null, replaces: null },
      AbortSignal.timeout(120_000),
    );
    expect(sent).toMatchObject({ status: 'sent' });
    const stop = new AbortController();
    const titles: string[] = [];
    const receiving = channel.receive?.(
      {
        answer: () => Promise.reject(new Error('not expected')),
        task: async ({ title }) => (titles.push(title), { became: 'task', reason: '' }),
        refuse: () => Promise.resolve(),
        isKnown: () => false,
        tasksSince: () => 0,
        position: () => null,
        ready: () => undefined,
        log: () => undefined,
      },
      stop.signal,
    );
    servers.deliver(rawMail({ to: 'oka@home.test' }));
    await expect.poll(() => titles.length, { timeout: 120_000 }).toBe(1);
    stop.abort();
    await receiving;
    expect(titles).toEqual(['Totals']);
    const places = new Set(decided.map(({ host, port, verdict }) => `${verdict} ${host}:${port}`));
    expect(places).toEqual(new Set([`allowed ${own}:${smtpPort}`, `allowed ${own}:${imapPort}`]));
  },
);

async function openEgress(dir: string, decided: ProxyDecision[]): Promise<ReturnType<typeof egressRoutes>> {
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
  const proxy = await serveEgress(ports, { host: '127.0.0.1', port: 0 }, Buffer.alloc(32, 7));
  vi.stubEnv('OKA_EGRESS', `127.0.0.1:${proxy.port}`);
  vi.stubEnv('OKA_EGRESS_KEY', key);
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await proxy[Symbol.asyncDispose]();
  });
  return egressRoutes(ports);
}

/** A port of the other address that leads to one of this machine. */
async function forward(port: number): Promise<number> {
  const server = createServer((client) => {
    const upstream = connect({ host: '127.0.0.1', port });
    client.pipe(upstream).pipe(client);
    for (const socket of [client, upstream]) socket.on('error', () => (client.destroy(), upstream.destroy()));
  }).listen(0, own);
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}
