/** A command that outlives its worker has the desk until it ends: what the member cannot begin is left to others. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type FleetHome, fleetHomes, until } from '../support/fleet-commands-homes.ts';
import { findNatsServer, startCluster } from '../support/nats-cluster.ts';

const hasServer = findNatsServer() !== null;
if (!hasServer) console.warn('SKIPPED: there is no nats-server; set OKA_NATS, or run .ci/install-nats');

const LONG = '# Long\n\n```bash\ntouch begun; until [ -e go ]; do sleep 0.1; done; echo 1 >> count.txt\n```\n';
const SHORT = '# Short\n\n```bash\necho 1 >> count.txt\n```\n';

describe.skipIf(!hasServer)('a member whose desk is in use by a command of before', () => {
  it('G6 goes on with the task of that command, and takes no other until it has ended', async () => {
    await using cluster = await startCluster({ size: 1 });
    await using homes = fleetHomes(cluster);
    const [home, one, two] = ['home', 'one', 'two'].map((name) =>
      homes.open(name, name === 'home' ? {} : { OKA_FLEET_LABELS: 'w' }),
    ) as [FleetHome, FleetHome, FleetHome];
    home.start();
    one.start();
    home.drop('long', LONG, { needs: ['w'] });
    const folder = join(one.home.workspace, 'desk', 'long');
    await until('the long command runs', () => existsSync(join(folder, 'begun')));
    await one.stop('SIGKILL');
    one.start();
    await until('it has its own task again', async () => (await one.events('run.claimed')).length === 2);
    home.drop('short', SHORT, { needs: ['w'] });
    await until('it says why it takes no other', () => one.log().includes('short: not taken, a command'));
    two.start();
    await until('the other member does it', async () => (await home.events('task.returned')).length === 1);
    expect(home.result('long')).toBeNull();
    writeFileSync(join(folder, 'go'), '');
    await until('the first one is done', async () => (await home.events('task.returned')).length === 2);
    expect((await home.events('task.returned')).map(({ run, data }) => [run, data.worker, data.status])).toEqual([
      ['short', 'two', 'done'],
      ['long', 'one', 'done'],
    ]);
  });
});
