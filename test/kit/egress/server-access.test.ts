import { X509Certificate } from 'node:crypto';
import { connect } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { channelTools } from '../../../src/rooms/channels/channel-tools.ts';
import type { Credential } from '../../../src/core/schema/ports.ts';
import { secureServer } from '../../support/https.ts';

const route = { find: () => Promise.resolve(null), proxyFor: () => Promise.resolve(null) };

async function fingerprintOf(host: string): Promise<string> {
  const [hostname = '', port = ''] = host.split(':');
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false }, () => {
    resolve(new X509Certificate(socket.getPeerCertificate().raw).fingerprint256);
    socket.destroy();
  }).on('error', reject);
  return promise;
}

describe('the route of a channel', () => {
  it('a private certificate is accepted when it is the pinned one, and else nothing is sent to the server', async () => {
    const asked: (string | undefined)[] = [];
    await using server = await secureServer((request, response) => {
      if (request.method === 'POST') asked.push(request.headers.authorization);
      response.end('fine');
    });
    const { fetch } = channelTools('phone', route);
    const post = (certificate?: string): Promise<string> => {
      const headers = { authorization: 'Bearer t' };
      const ask = { method: 'POST', headers, body: 'x', signal: AbortSignal.timeout(20_000) };
      return fetch(new URL(server.url), ask, certificate).then((response) => response.text());
    };
    const right = await fingerprintOf(server.host);
    const wrong = right.replace(/^../, right.startsWith('00') ? '11' : '00');
    await expect(post()).rejects.toThrow();
    await expect(post(wrong)).rejects.toThrow('not the one that is pinned');
    expect(asked).toEqual([]);
    expect(await post(right)).toBe('fine');
    expect(await post(right.replaceAll(':', '').toLowerCase())).toBe('fine');
    expect(asked).toEqual(['Bearer t', 'Bearer t']);
  });

  it('a secret is given to the channel and the host that it was set for, and to no other', async () => {
    const stored = { value: 'v', tools: ['channels.phone'], hosts: ['ntfy.example.org'] } as unknown as Credential;
    const find = (name: string): Promise<Credential | null> => Promise.resolve(name === 'TOKEN' ? stored : null);
    const reveal = (channel: string, secret: string, host: string): Promise<string> =>
      channelTools(channel, { ...route, find }).reveal(secret, host);
    expect(await reveal('phone', 'secret:TOKEN', 'ntfy.example.org')).toBe('v');
    await expect(reveal('other', 'secret:TOKEN', 'ntfy.example.org')).rejects.toThrow('may not be given');
    await expect(reveal('phone', 'secret:TOKEN', 'evil.example.org')).rejects.toThrow('may not be given');
    await expect(reveal('phone', 'secret:NONE', 'ntfy.example.org')).rejects.toThrow('there is no secret');
  });
});
