import { afterAll, beforeAll, expect, it } from 'vitest';
import { openAccess } from '../../../src/kit/web/login/access.ts';
import { openWebClient, type WebClient } from '../../support/web-client.ts';

let client: WebClient;
beforeAll(async () => {
  client = await openWebClient({ address: 'https://example.org/tools/oka' });
});
afterAll(() => client.close());

const proxied = { host: 'example.org', origin: 'https://example.org', 'content-type': 'application/json' };

async function logIn(): Promise<string> {
  const body = JSON.stringify({ link: client.web.newLink().split('#')[1] });
  const { headers } = await client.send('/tools/oka/api/v1/login', { method: 'POST', headers: proxied, body });
  return headers['set-cookie'] ?? '';
}

it('behind a proxy that is named in the settings, every address has its path, and the cookie is for it alone', async () => {
  expect(client.web.newLink()).toMatch(/^https:\/\/example\.org\/tools\/oka\/login#/);
  const cookie = await logIn();
  expect(cookie).toMatch(/; Path=\/tools\/oka\/; .*; Secure$/);
  const { status, text } = await client.send('/tools/oka/', {
    headers: { host: 'example.org', cookie: cookie.split(';')[0] ?? '' },
  });
  expect(status).not.toBe(401);
  const addresses = [...text.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, address]) => address ?? '');
  expect(addresses.length).toBeGreaterThan(5);
  expect(addresses.filter((address) => !address.startsWith('/tools/oka/'))).toEqual([]);
  const headers = { host: 'example.org', cookie: cookie.split(';')[0] ?? '' };
  for (const address of addresses) expect((await client.send(address, { headers })).status, address).toBe(200);
});

it('outside of that path there is nothing', async () => {
  for (const path of ['/', '/api/v1/login', '/tools', '/tools/okay/login'])
    expect((await client.send(path, { headers: { host: 'example.org' } })).status, path).toBe(404);
});

it('another origin is refused there, too', async () => {
  const headers = { ...proxied, origin: 'https://evil.example' };
  expect((await client.send('/tools/oka/api/v1/login', { method: 'POST', headers, body: '{}' })).status).toBe(403);
});

it('whoever guesses passphrases makes only themselves wait, although all come from the proxy', async () => {
  const guess = async (from: string): Promise<number> => {
    const body = JSON.stringify({ passphrase: 'a guess' });
    const headers = { ...proxied, 'x-forwarded-for': from };
    return (await client.send('/tools/oka/api/v1/login', { method: 'POST', headers, body })).status;
  };
  const stranger = await Promise.all(Array.from({ length: 20 }, (_, n) => guess(`10.0.0.${n}, 192.0.2.7`)));
  expect(stranger.filter((status) => status === 401).length).toBeLessThan(12); // what they claim makes nobody of them
  expect(stranger).toContain(429);
  expect(await guess('192.0.2.8')).toBe(401);
});

it('where no proxy is named, nobody is somebody else by saying so', async () => {
  const own = await openWebClient();
  const guess = async (n: number): Promise<number> => {
    const headers = { origin: own.origin, 'content-type': 'application/json', 'x-forwarded-for': `192.0.2.${n}` };
    const body = JSON.stringify({ passphrase: 'a guess' });
    return (await own.send('/api/v1/login', { method: 'POST', headers, body })).status;
  };
  openAccess(own.home).setPassphrase('correct horse');
  expect(await Promise.all(Array.from({ length: 20 }, (_, n) => guess(n)))).toContain(429);
  await own.close();
});
