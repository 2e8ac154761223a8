import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signWebhook } from '../../../src/rooms/channels/webhook/webhook-channel.ts';
import { isWatched } from '../../../src/rooms/channels/presence.ts';
import { openWebClient, type WebClient } from '../../support/web-client.ts';

let client: WebClient;
beforeAll(async () => {
  client = await openWebClient();
  mkdirSync(join(client.home.oka, 'rules', 'hooks'), { recursive: true });
  writeFileSync(join(client.home.oka, 'rules', 'hooks', 'deploy.md'), '# deploy\n');
});
afterAll(() => client.close());

const folder = (): string => join(client.home.oka, 'web', 'hooks');
const stored = (): string[] => {
  try {
    return readdirSync(folder());
  } catch {
    return [];
  }
};
async function call(id: string, body: string, changed: { timestamp?: string; signature?: string; name?: string } = {}) {
  const { timestamp = String(Math.floor(Date.now() / 1000)), name = 'deploy' } = changed;
  const { signature = signWebhook('any key', id, timestamp, body) } = changed;
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signature,
  };
  return client.send(`/hooks/${name}`, { method: 'POST', headers, body });
}

describe('/hooks/<name> without a worker', () => {
  it('refuses what can be no call of a hook that there is, and stores nothing', async () => {
    const statuses = [
      await call('msg_1', '{}', { signature: '' }),
      await call('msg_2', '{}', { timestamp: 'now' }),
      await call('msg_3', '{}', { name: 'other' }),
      await call('msg_4', '{}', { name: '..%2f..%2fPOLICY' }),
      await call('', '{}'),
    ].map(({ status }) => status);
    expect(statuses).toEqual([401, 401, 401, 401, 401]);
    expect((await call('msg_5', 'x'.repeat(300_000))).status).toBeGreaterThanOrEqual(400);
    expect(stored()).toEqual([]);
  });

  it('stores a call for the worker, for nobody else to read: a hundred of one machine, and four hundred at most', async () => {
    const first = await call('msg_6', '{"a":1}');
    expect([first.status, JSON.parse(first.text)]).toEqual([202, { status: 'stored' }]);
    const [file = ''] = stored();
    expect(statSync(join(folder(), file)).mode & 0o077).toBe(0);
    expect(JSON.parse(readFileSync(join(folder(), file), 'utf8'))).toMatchObject({ hook: 'deploy', body: '{"a":1}' });
    const ours = file.split('-')[1] ?? '-';
    const fill = (machine: string, count: number): void => {
      for (let more = 0; more < count; more += 1) writeFileSync(join(folder(), `1-${machine}-${more}.json`), '');
    };
    fill('another', 299);
    expect((await call('msg_7', '{}')).status).toBe(202);
    fill(ours, 98);
    expect((await call('msg_8', '{}')).status).toBe(503);
    for (let more = 0; more < 50; more += 1) rmSync(join(folder(), `1-${ours}-${more}.json`));
    fill('third', 51);
    expect((await call('msg_9', '{}')).status).toBe(503);
    expect(stored()).toHaveLength(400);
  });
});

describe('presence', () => {
  it('a page with a session reports that somebody looks; nobody else can', async () => {
    const headers = { 'content-type': 'application/json', origin: client.origin };
    expect((await client.send('/api/v1/presence', { method: 'POST', headers, body: '{}' })).status).toBe(401);
    expect(isWatched(client.home, Date.now())).toBe(false);
    expect((await client.post('/api/v1/presence', {})).status).toBe(200);
    expect(isWatched(client.home, Date.now())).toBe(true);
    expect(isWatched(client.home, Date.now() + 80_000)).toBe(false);
  });
});
