/** A home that loses its power right after it has taken a result: the servers have it no more, so the home must have it. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { connectFleet } from '../../src/rooms/fleet/servers/connect-fleet.ts';
import { RESULTS } from '../../src/rooms/fleet/servers/fleet-subjects.ts';
import { fleetHomes, until } from '../support/fleet-commands-homes.ts';
import { findNatsServer, startCluster } from '../support/nats-cluster.ts';
import { mountPowerDisk, powerDiskProblem } from '../support/power-disk.ts';
import { testFolder } from '../support/test-folders.ts';

const missing = findNatsServer() === null ? 'there is no nats-server' : powerDiskProblem();
if (missing !== null) console.warn(`SKIPPED: ${missing}`);

const DISK_MB = 256;

describe.skipIf(missing !== null)('a home that loses its power', () => {
  it('has every result that it has recorded, whole', async () => {
    const folder = testFolder('cut-power-');
    using disk = mountPowerDisk(join(folder, 'image'), join(folder, 'disk'), DISK_MB);
    await using cluster = await startCluster({ size: 1 });
    await using others = fleetHomes(cluster);
    others.open('worker', { OKA_FLEET_LABELS: 'w' }).start();
    await using homes = fleetHomes(cluster, join(folder, 'disk'));
    const home = homes.open('home');
    home.start();
    home.drop('t', '# Count\n\n```bash\nseq 10000 > count.txt\n```\n', { needs: ['w'] });
    const servers = [cluster.url];
    const { manager, close } = await connectFleet({ servers, credentials: null, authority: null, name: 'root' });
    await until('it is recorded', async () => (await home.events('task.returned')).length === 1);
    await until('the servers have it no more', async () => (await manager.streams.info(RESULTS)).state.messages === 0);
    const before = home.result('t');
    disk.cut();
    await home.stop('SIGKILL');
    disk.restore();
    expect(await home.events('task.returned')).toHaveLength(1);
    expect(home.result('t')).toBe(before);
    await close();
  });
});
