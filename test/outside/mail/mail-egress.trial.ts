/** E-mail by way of the real egress proxy: the worker has no network of its own, and names the two servers of channels.json alone. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { openMailChannel } from '../../../src/rooms/channels/mail/mail-channel.ts';
import { accessRoute } from '../../../src/kit/egress/server-access.ts';
import { channelTools } from '../../../src/rooms/channels/channel-tools.ts';
import { MailChannel } from '../../../src/rooms/channels/mail/mail-settings.ts';
import type { ProxyDecision } from '../../../src/kit/egress/decision-log.ts';
import { temporaryFolder } from '../../support/cli.ts';
import { hasDovecot, openMailServers } from '../../support/mail-servers.ts';
import { rawMail } from '../../support/raw-mail.ts';
import { openRealEgress, outerAddress } from '../../support/real-egress.ts';

const own = outerAddress;

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
    const route = accessRoute(() => Promise.resolve(secret), (await openRealEgress(folder.dir, decided)).routes);
    const channel = openMailChannel(settings, channelTools('mail', route));
    const about = { kind: 'test', title: 'Hello', body: '', link: null, thread: 't', run: null } as const;
    const sent = await channel.announce(
      { ...about, delivery: 'mail.1', attempt: 1, urgency: 'normal', files: [], origin: null, replaces: null },
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
