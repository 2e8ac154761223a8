import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AppriseChannel, openApprise } from '../../../src/rooms/channels/apprise/apprise-channel.ts';
import { openWebhook, signWebhook, WebhookChannel } from '../../../src/rooms/channels/webhook/webhook-channel.ts';
import { channelTools } from '../../../src/rooms/channels/channel-tools.ts';
import type { Channel, ChannelMessage, ChannelQuestion } from '../../../src/core/schema/channel-port.ts';
import type { Credential } from '../../../src/core/schema/ports.ts';

type Posted = { headers: IncomingHttpHeaders; body: string };
let posted: Posted[] = [];
let answer: { status: number; headers?: Record<string, string> };
const server = createServer((request, response) => {
  void text(request).then((body) => {
    posted.push({ headers: request.headers, body });
    response.writeHead(answer.status, { connection: 'close', ...answer.headers }).end('so it is');
  });
});
let [url, host] = ['', ''];
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  url = `http://${host}/in`;
});
afterAll(() => void server.close());
beforeEach(() => {
  posted = [];
  answer = { status: 200 };
});

const { signal } = new AbortController();
const tools = (): ReturnType<typeof channelTools> => {
  const secret: Credential = {
    value: 'key',
    version: 1,
    tools: ['channels.x'],
    hosts: [host],
    commands: [],
    fingerprint: '',
  };
  return channelTools('x', { find: () => Promise.resolve(secret), proxyFor: () => Promise.resolve(null) });
};
const message: ChannelMessage = {
  delivery: 'x.1',
  attempt: 1,
  kind: 'done',
  title: 'Totals',
  body: 'The sum is 42.',
  link: 'https://oka.example.org/runs/totals',
  thread: 'totals',
  run: 'totals',
  urgency: 'normal',
  files: [],
  origin: null,
  replaces: null,
};
const asking: ChannelQuestion = {
  ...message,
  kind: 'needs_you',
  wait: 'totals.ask.1',
  buttons: [{ label: 'red', token: 'x.1~0~secret', verdict: 'answered' }],
  textToken: 'x.1~t~secret',
  expires: null,
};

describe('a webhook', () => {
  const NOW = Date.UTC(2026, 0, 5, 12);
  const open = (): Channel =>
    openWebhook(WebhookChannel.parse({ kind: 'webhook', url, secret: 'secret:KEY' }), tools(), () => NOW);

  it('is signed over its id, its time and its body, and says what it is about', async () => {
    expect(await open().announce(message, signal)).toEqual({ status: 'sent', ref: null });
    await open().ask(asking, signal);
    const replaces = { delivery: 'x.1', ref: null, isSettled: true };
    await open().close?.({ ...asking, delivery: 'x.2', replaces }, signal);
    const bodies = posted.map(({ body }) => JSON.parse(body) as { type: string; data: object });
    expect(bodies.map(({ type }) => type)).toEqual(['on_done', 'on_needs_you', 'settled']);
    expect(bodies[0]?.data).toMatchObject({ title: 'Totals', body: 'The sum is 42.', run: 'totals' });
    expect(bodies[1]?.data).toMatchObject({ wait: 'totals.ask.1', options: ['red'] });
    expect(bodies[2]?.data).toMatchObject({ settles: 'x.1' });
    for (const { headers, body } of posted) {
      const [id, at] = [String(headers['webhook-id']), String(headers['webhook-timestamp'])];
      expect(at).toBe(String(NOW / 1000));
      expect(headers['webhook-signature']).toBe(signWebhook('key', id, at, body));
    }
    // Whoever gets it may tell others; it cannot answer.
    expect(JSON.stringify(posted)).not.toContain('~secret');
  });

  it('that is refused for good is not tried again; for a while, later, when the server says so', async () => {
    answer = { status: 422 };
    expect(await open().announce(message, signal)).toMatchObject({ status: 'failed', isFinal: true });
    answer = { status: 503, headers: { 'retry-after': '120' } };
    const later = await open().announce(message, signal);
    expect(later).toMatchObject({ status: 'failed', retryAfterMs: 120_000 });
    expect(later).not.toHaveProperty('isFinal');
    answer = { status: 302, headers: { location: 'http://192.0.2.1/' } };
    expect(await open().announce(message, signal)).toMatchObject({ status: 'failed' });
    expect(posted).toHaveLength(3);
  });

  it('signs as the example of Standard Webhooks does', () => {
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    expect(signWebhook(secret, 'msg_p5jXN8AQM9LWM0D4loKWxJek', '1614265330', '{"test": 2432232314}')).toBe(
      'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    );
  });
});

describe('Apprise', () => {
  it.each([
    ['done', 'success'],
    ['failed', 'failure'],
    ['needs_you', 'warning'],
    ['digest', 'info'],
  ] as const)('gets a message that is %s as %s, with its link and its tag', async (kind, type) => {
    const settings = AppriseChannel.parse({ kind: 'apprise', url, token: 'secret:KEY', tag: 'family' });
    expect(await openApprise(settings, tools()).announce({ ...message, kind }, signal)).toMatchObject({
      status: 'sent',
    });
    const body = 'The sum is 42.\n\nhttps://oka.example.org/runs/totals';
    expect(posted.map((each) => JSON.parse(each.body) as object)).toEqual([
      { title: 'Totals', body, type, tag: 'family' },
    ]);
    expect(posted[0]?.headers.authorization).toBe('Bearer key');
  });
});
