import { describe, expect, it } from 'vitest';
import { isStarting, serverProblems } from '../../../../src/rooms/fleet/servers/check-servers.ts';

const good = {
  server_name: 'n1',
  version: '2.15.1',
  jetstream: { config: { sync_always: true } },
  cluster: { urls: ['b:6222', 'c:6222'] },
};
const fixesOf = (report: object, replicas = 3): string[] =>
  serverProblems({ ...good, ...report }, replicas).map(({ fix }) => fix);

describe('the start check of the message servers', () => {
  it('accepts servers that store what they acknowledge', () => {
    expect(serverProblems(good, 3)).toEqual([]);
    expect(serverProblems({ ...good, version: '2.12.3' }, 3)).toEqual([]);
    expect(serverProblems({ ...good, version: '3.0.0-dev' }, 3)).toEqual([]);
  });

  it('refuses each of the others with the line to change', () => {
    expect(fixesOf({ version: '2.12.2' })).toEqual(['Install nats-server 2.15.1 or later.']);
    expect(fixesOf({ version: undefined })).toHaveLength(1);
    expect(fixesOf({ jetstream: undefined })[0]).toContain('jetstream { store_dir:');
    expect(fixesOf({ jetstream: { config: { sync_always: false } } })[0]).toContain('sync_interval: always');
    expect(fixesOf({ cluster: { urls: ['b:6222'] } })[0]).toContain('routes to 3 servers');
    expect(fixesOf({ cluster: {} })[0]).toContain('OKA_FLEET_REPLICAS=1');
    expect(fixesOf({ cluster: undefined }, 1)).toEqual([]);
  });

  it('waits for a server that has just started, by its own clock', () => {
    const start = '2026-01-01T00:00:00.5Z';
    const starting = { server_name: 'n1', version: '2.15.1', start, now: '2026-01-01T00:00:20Z' };
    expect(isStarting(starting)).toBe(true);
    expect(isStarting({ ...starting, now: '2026-01-01T00:00:31Z' })).toBe(false);
    expect(isStarting({ ...starting, jetstream: good.jetstream })).toBe(false);
    expect(isStarting({ server_name: 'n1' })).toBe(false);
  });
});
