/** Messages by way of the real egress proxy, as in Docker: through it, with a ticket for their server, and nowhere past it. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, expect, it, onTestFinished } from 'vitest';
import { signWebhook } from '../../../src/rooms/channels/webhook/webhook-channel.ts';
import { accessRoute } from '../../../src/kit/egress/server-access.ts';
import type { ProxyDecision } from '../../../src/kit/egress/decision-log.ts';
import { temporaryFolder } from '../../support/cli.ts';
import { openRealEgress, outerAddress } from '../../support/real-egress.ts';
import { reachingStories, runEnded, runStarted } from '../../support/reaching.ts';

const { tell, closeStories } = reachingStories();
afterEach(closeStories);

it.skipIf(outerAddress === undefined)(
  'webhooks, ntfy, Apprise and the heartbeat leave through the proxy; without it nothing leaves, and it is sent later',
  async () => {
    using folder = temporaryFolder();
    const decided: ProxyDecision[] = [];
    const egress = await openRealEgress(folder.dir, decided);
    const { host, calls } = await openReceiver();
    const secret = {
      value: 'the key',
      version: 1,
      tools: ['channels.hook'],
      hosts: [host],
      commands: [],
      fingerprint: '',
    };
    const url = `http://${host}`;
    const file = {
      announce: ['done'],
      heartbeat: { url: `${url}/alive`, every_minutes: 60 },
      channels: {
        hook: { kind: 'webhook', url: `${url}/hook`, secret: 'secret:KEY' },
        phone: { kind: 'ntfy', url, topic: 'oka' },
        all: { kind: 'apprise', url: `${url}/notify` },
      },
    };
    const story = tell(
      file,
      undefined,
      accessRoute(() => Promise.resolve(secret), egress.routes),
    );
    const paths = (): string[] => calls.map(({ path }) => path).toSorted();

    await story.append(runStarted('a'), runEnded('a'));
    await story.pass(20_000);
    await expect.poll(paths, { timeout: 60_000 }).toEqual(['/', '/alive', '/hook', '/notify']);
    const hook = calls.find(({ path }) => path === '/hook');
    const { id = '', timestamp = '', signature } = hook ?? {};
    expect(signature).toBe(signWebhook('the key', id, timestamp, hook?.body ?? ''));
    expect(JSON.parse(hook?.body ?? '')).toMatchObject({ type: 'on_done', data: { title: 'The task a', run: 'a' } });
    await expect
      .poll(() => new Set(decided.map(({ verdict, host: to, port }) => `${verdict} ${to}:${port}`)))
      .toEqual(new Set([`allowed ${host}`]));
    expect(decided.length).toBeGreaterThan(0);

    await egress.stop();
    await story.append(runStarted('b'), runEnded('b'));
    await story.pass(60_000);
    expect(calls).toHaveLength(4);
    for (const name of ['hook', 'phone', 'all'])
      expect(story.state().channels[name]).toMatchObject({
        problem: expect.stringContaining('ECONNREFUSED') as string,
      });
    await egress.start();
    await story.pass(600_000, 5000);
    expect(paths().filter((path) => path !== '/alive')).toEqual(['/', '/', '/hook', '/hook', '/notify', '/notify']);
  },
);

type Call = { path: string; body: string; id: string | undefined; timestamp: string | undefined; signature: unknown };

/** A server on an address of this machine that is not the loopback, which needs no proxy. */
async function openReceiver(): Promise<{ host: string; calls: Call[] }> {
  const calls: Call[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const header = (name: string): string | undefined => request.headers[`webhook-${name}`]?.toString();
      const [id, timestamp, signature] = [header('id'), header('timestamp'), header('signature')];
      calls.push({ path: request.url ?? '', body, id, timestamp, signature });
      response.setHeader('connection', 'close').end('{"id":"x"}');
    });
  }).listen(0, outerAddress);
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { host: `${outerAddress}:${(server.address() as AddressInfo).port}`, calls };
}
