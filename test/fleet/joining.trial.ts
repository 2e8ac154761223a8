/** What a worker refuses when it joins a fleet, against a real server. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { OpenFleet } from '../../src/kit/ports/fleet-port.ts';
import type { FleetMember } from '../../src/rooms/fleet/fleet-member.ts';
import { openFleet } from '../../src/rooms/fleet/open-fleet.ts';
import { setUp } from '../../src/kit/home/set-up.ts';
import { fleetEnvironment, homeAt, loadConfig } from '../../src/kit/settings.ts';
import { openStores } from '../../src/kit/house/stores.ts';
import { connectFleet } from '../../src/rooms/fleet/servers/connect-fleet.ts';
import { RUNS } from '../../src/rooms/fleet/servers/fleet-subjects.ts';
import type { Home } from '../../src/core/schema/home.ts';
import { findNatsServer, type NatsCluster, startCluster } from '../support/nats-cluster.ts';

const hasServer = findNatsServer() !== null;
if (!hasServer) console.warn('SKIPPED: there is no nats-server; set OKA_NATS, or run .ci/install-nats');

const root = mkdtempSync(join(tmpdir(), 'oka-joining-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe.skipIf(!hasServer)('joining a fleet', () => {
  it('is refused by a server that acknowledges before its disk has the message, with the line to change', async () => {
    await using cluster = await startCluster({ size: 1, syncAlways: false });
    await expect(joinWith(newHome('a'), cluster)).rejects.toMatchObject({
      code: 'fleet-refused',
      fix: expect.stringContaining('sync_interval: always'),
    });
  });

  it('S1 is refused when the stream of runs was created again, and the files of before are still there', async () => {
    await using cluster = await startCluster({ size: 1 });
    const home = newHome('b');
    const content = Buffer.from('kept');
    const sha256 = await joinWith(home, cluster, ({ member }) => member.files.put(content));
    expect(await joinWith(home, cluster, async ({ member }) => (await member.files.get(sha256)).toString())).toBe(
      'kept',
    );
    const servers = cluster.url.split(',');
    const connection = await connectFleet({ servers, credentials: null, authority: null, name: 't' });
    const { config } = await connection.manager.streams.info(RUNS);
    await connection.manager.streams.delete(RUNS);
    await expect(joinWith(home, cluster)).rejects.toThrow('is gone');
    await expect(joinWith(newHome('c'), cluster)).rejects.toThrow('is gone');
    await connection.manager.streams.add(config);
    await expect(joinWith(home, cluster)).rejects.toThrow('was created again');
    await connection.close();
  });
});

function newHome(name: string): Home {
  const home = homeAt(join(root, name));
  setUp(home);
  return home;
}

/** Joins with the environment of a worker, and leaves again. */
async function joinWith<T>(
  home: Home,
  cluster: NatsCluster,
  use?: (fleet: OpenFleet<FleetMember>) => Promise<T>,
): Promise<T> {
  const stores = await openStores(home, await loadConfig(home));
  try {
    const fleet = await openFleet(home, stores, environmentFor(cluster), () => undefined);
    try {
      return (await use?.(fleet)) as T;
    } finally {
      await fleet.close();
    }
  } finally {
    await stores.close();
  }
}

function environmentFor({ url, monitors }: NatsCluster): NonNullable<ReturnType<typeof fleetEnvironment>> {
  const before = { ...process.env };
  try {
    Object.assign(process.env, { OKA_FLEET: url, OKA_FLEET_MONITOR: monitors });
    const environment = fleetEnvironment();
    if (environment === null) throw new Error('OKA_FLEET is not read');
    return environment;
  } finally {
    process.env = before;
  }
}
