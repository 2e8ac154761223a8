import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { encryptPush } from '../../../src/channels/push/encrypt-push.ts';
import { isPushService, openPush, type PushStore } from '../../../src/channels/push/push-channel.ts';
import { addSubscription, pushStore, readPushKey } from '../../../src/daemon/channels/push-subscriptions.ts';
import { homeAt } from '../../../src/daemon/settings.ts';
import type { ChannelMessage, ChannelTools } from '../../../src/schema/channel-port.ts';
import { PushChannel } from '../../../src/schema/channel.ts';
import { temporaryFolder } from '../../support/cli.ts';

const message: ChannelMessage = {
  delivery: 'push.1',
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

/** A browser: it makes the keys of a subscription, and reads what it is sent, as RFC 8291 says. */
function newBrowser() {
  const ecdh = createECDH('prime256v1');
  const own = ecdh.generateKeys();
  const auth = randomBytes(16);
  const read = (body: Buffer): string => {
    const [salt, size, length] = [body.subarray(0, 16), body.readUInt32BE(16), body[20] ?? 0];
    const sender = body.subarray(21, 21 + length);
    const sealed = body.subarray(21 + length);
    const info = Buffer.concat([Buffer.from('WebPush: info\0'), own, sender]);
    const input = Buffer.from(hkdfSync('sha256', ecdh.computeSecret(sender), auth, info, 32));
    const derive = (label: string, bytes: number): Buffer =>
      Buffer.from(hkdfSync('sha256', input, salt, Buffer.from(`Content-Encoding: ${label}\0`), bytes));
    const decipher = createDecipheriv('aes-128-gcm', derive('aes128gcm', 16), derive('nonce', 12));
    decipher.setAuthTag(sealed.subarray(-16));
    const plain = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]);
    expect(sealed.length).toBeLessThanOrEqual(size);
    expect(plain.at(-1)).toBe(2);
    return plain.subarray(0, -1).toString('utf8');
  };
  return { keys: { p256dh: own.toString('base64url'), auth: auth.toString('base64url') }, read };
}

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
