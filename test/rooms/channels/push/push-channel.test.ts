import { createPublicKey, verify } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { encryptPush } from '../../../../src/rooms/channels/push/encrypt-push.ts';
import { isPushService, openPush, type PushStore } from '../../../../src/rooms/channels/push/push-channel.ts';
import { addSubscription, pushStore, readPushKey } from '../../../../src/rooms/channels/push-subscriptions.ts';
import { homeAt } from '../../../../src/kit/settings.ts';
import type { ChannelMessage, ChannelTools } from '../../../../src/core/schema/channel-port.ts';
import { PushChannel } from '../../../../src/rooms/channels/push/push-settings.ts';
import { temporaryFolder } from '../../../support/cli.ts';
import { newBrowser } from '../../../support/push-browser.ts';

const message: ChannelMessage = {
  delivery: 'push.1',
  attempt: 1,
  kind: 'needs_you',
  title: 'Paint the door',
  body: 'Which colour?',
  link: 'https://oka.example.org/runs/paint',
  thread: 'paint',
  run: 'paint',
  urgency: 'high',
  files: [],
  origin: null,
  replaces: null,
};

let received: { headers: IncomingHttpHeaders; body: Buffer }[] = [];
let status = 201;
const service = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    received.push({ headers: request.headers, body: Buffer.concat(chunks) });
    response.statusCode = status;
    response.end();
  });
});
let host = '';
beforeEach(async () => {
  [received, status] = [[], 201];
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  host = `127.0.0.1:${(service.address() as AddressInfo).port}`;
});
afterEach(() => new Promise((resolve) => service.close(resolve)));

const tools: ChannelTools = {
  name: 'push',
  reveal: () => Promise.reject(new Error('it needs no secret')),
  proxyFor: () => Promise.resolve(null),
  fetch: (url, ask) => fetch(url, ask),
};

describe('Web Push', () => {
  it('a subscribed browser reads the message, and the push service can check who sent it but not read it', async () => {
    using folder = temporaryFolder();
    const home = homeAt(folder.dir);
    const events: unknown[] = [];
    const ledger = { append: (event: unknown) => Promise.resolve(void events.push(event)) } as never;
    const browser = newBrowser();
    const endpoint = `http://${host}/send/abc`;
    await addSubscription(home, 'push', { endpoint, keys: browser.keys, about: 'A phone' }, ledger);
    const store: PushStore = pushStore(home, 'push', ledger);
    const settings = PushChannel.parse({ kind: 'push', contact: 'mailto:me@example.org', hosts: [host] });
    const channel = openPush(settings, tools, store);
    const { signal } = new AbortController();
    expect(await channel.announce(message, signal)).toEqual({ status: 'sent', ref: null });

    const [{ headers, body } = { headers: {}, body: Buffer.alloc(0) }] = received;
    expect(body.toString('latin1')).not.toContain('colour');
    expect(JSON.parse(browser.read(body))).toEqual({
      title: 'Paint the door',
      body: 'Which colour?',
      url: 'https://oka.example.org/runs/paint',
      tag: 'push.1',
      kind: 'needs_you',
    });
    expect(headers).toMatchObject({ 'content-encoding': 'aes128gcm', ttl: '86400', urgency: 'high' });
    const [, token = '', key = ''] = /^vapid t=([^,]+), k=(.+)$/.exec(String(headers.authorization)) ?? [];
    expect(key).toBe(readPushKey(home));
    const [head = '', claims = '', signature = ''] = token.split('.');
    const point = Buffer.from(key, 'base64url');
    const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'));
    const verifying = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y } as never, format: 'jwk' });
    const signed = Buffer.from(`${head}.${claims}`);
    const given = { key: verifying, dsaEncoding: 'ieee-p1363' } as const;
    expect(verify('sha256', signed, given, Buffer.from(signature, 'base64url'))).toBe(true);
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({
      aud: `http://${host}`,
      sub: 'mailto:me@example.org',
    });
    expect(JSON.stringify(events)).not.toContain('/send/abc');

    status = 410;
    expect(await channel.announce(message, signal)).toMatchObject({ status: 'failed' });
    expect(store.list()).toEqual([]);
    expect(await channel.announce(message, signal)).toMatchObject({ status: 'failed', isFinal: true });
    expect(events).toMatchObject([{ data: { change: 'added' } }, { data: { change: 'removed' } }]);
  });

  it('a question has its buttons, and a long text gives way to them', async () => {
    using folder = temporaryFolder();
    const home = homeAt(folder.dir);
    const ledger = { append: () => Promise.resolve() } as never;
    const browser = newBrowser();
    await addSubscription(home, 'push', { endpoint: `http://${host}/send/abc`, keys: browser.keys, about: '' }, ledger);
    const settings = PushChannel.parse({ kind: 'push', contact: 'mailto:me@example.org', hosts: [host] });
    const channel = openPush(settings, tools, pushStore(home, 'push', ledger));
    const token = `push.1~0~${'a'.repeat(26)}`;
    const buttons = ['red', 'blue'].map((label) => ({ label, token, verdict: 'answered' as const }));
    const long = { body: '"\n'.repeat(5000), link: `https://oka.example.org/${'x'.repeat(1500)}` };
    const question = { ...message, ...long, wait: 'paint.ask.1', buttons, textToken: null, expires: null };
    expect(await channel.ask(question, new AbortController().signal)).toMatchObject({ status: 'sent' });
    const body = received[0]?.body ?? Buffer.alloc(0);
    expect(body.length).toBeLessThanOrEqual(4096);
    expect(JSON.parse(browser.read(body))).toMatchObject({
      title: 'Paint the door',
      url: long.link,
      channel: 'push',
      actions: [
        { action: token, title: 'red' },
        { action: token, title: 'blue' },
      ],
    });
  });

  it('another browser cannot read it', () => {
    const [mine, other] = [newBrowser(), newBrowser()];
    const body = encryptPush('secret words', mine.keys);
    expect(mine.read(body)).toBe('secret words');
    expect(() => other.read(body)).toThrow();
  });

  it('the worker asks push services only, whatever address a browser has sent', () => {
    const isAllowed = (url: string): boolean => isPushService(new URL(url), ['push.example.org']);
    expect(['https://fcm.googleapis.com/fcm/send/x', 'https://push.example.org/x'].map(isAllowed)).toEqual([
      true,
      true,
    ]);
    const others = [
      'https://169.254.169.254/latest',
      'http://fcm.googleapis.com/x',
      'https://fcm.googleapis.com.evil.example/x',
      'https://fcm.googleapis.com:8443/x',
      'http://push.example.org/x',
      'http://127.0.0.1:80/x',
    ];
    expect(others.map(isAllowed)).toEqual(others.map(() => false));
  });
});
