/** Acts on many tasks at once, of which some are at another member: what is shown first is what is done. */
import { describe, expect, it } from 'vitest';
import type { BulkPreview } from '../../src/core/schema/bulk.ts';
import { type FleetHome, fleetHomes, until } from '../support/fleet-commands-homes.ts';
import { findNatsServer, startCluster } from '../support/nats-cluster.ts';

const hasServer = findNatsServer() !== null;
if (!hasServer) console.warn('SKIPPED: there is no nats-server; set OKA_NATS, or run .ci/install-nats');

const FAILS = '# Fails\n\n```bash\nexit 3\n```\n';
const WAITS = '# Waits\n\n```bash\nuntil [ -e go ]; do sleep 0.1; done\n```\n';

describe.skipIf(!hasServer)('acts on many tasks of a fleet', () => {
  it('cancel and repeat what others do for this home, by member and state, with the count first and once', async () => {
    await using cluster = await startCluster({ size: 1 });
    await using homes = fleetHomes(cluster);
    const home = homes.open('home', { OKA_FLEET_LABELS: 'mine' });
    const there = homes.open('there', { OKA_FLEET_LABELS: 'there' });
    const other = homes.open('other', { OKA_FLEET_LABELS: 'other' });
    const third = homes.open('third', { OKA_FLEET_LABELS: 'third' });
    for (const each of [home, there, other, third]) each.start();
    for (const id of ['f1', 'f2']) home.drop(id, FAILS, { needs: ['other'] });
    await until('two have failed', async () => Object.values(await returnedAt(home)).length === 2);
    for (const id of ['w1', 'w2', 'w3']) home.drop(id, WAITS, { needs: ['there'], tags: ['slow'] });
    home.drop('w4', WAITS, { needs: ['third'], tags: ['slow'] });
    home.drop('here', WAITS, { needs: ['mine'], tags: ['slow'] });
    home.drop('queued', WAITS, { needs: ['nobody'] });
    await until('all are where they belong', async () => {
      const { runs } = await preview(home, 'cancel', '--since', '7d');
      const where = Object.fromEntries(runs.map(({ run, member }) => [run, member ?? run]));
      return ['there', 'there', 'there', 'third'].every((name, at) => where[`w${at + 1}`] === name) && 'here' in where;
    });

    const shown = await preview(home, 'cancel', '--member', 'there');
    expect(shown.runs.map(({ run }) => run).toSorted()).toEqual(['w1', 'w2', 'w3']);
    expect((await preview(home, 'cancel', '--tag', 'slow')).count).toBe(5);
    expect((await preview(home, 'cancel', '--member', 'home')).runs.map(({ run }) => run)).toEqual(['here']);
    expect(await returnedAt(home)).toEqual({ f1: 'failed', f2: 'failed' }); // a preview changes nothing
    expect(await home.oka('runs', 'cancel', '--member', 'there', '--yes')).toMatch(/^Cancel: 3 runs/);
    await until('three are cancelled', async () => {
      const returned = await returnedAt(home);
      return ['w1', 'w2', 'w3'].every((id) => returned[id] === 'cancelled');
    });
    expect((await home.events('run.ended')).map(({ run }) => run)).not.toContain('here');
    expect((await returnedAt(home))['w4']).toBeUndefined();

    const failed = await preview(home, 'again', '--status', 'failed', '--member', 'other');
    expect(failed.runs.map(({ run }) => run).toSorted()).toEqual(['f1', 'f2']);
    const first = home.oka('runs', 'again', '--status', 'failed', '--yes').catch(() => '');
    const second = home.oka('fleet', 'again', '--status', 'failed', '--yes').catch(() => ''); // at the same time
    await Promise.all([first, second]);
    await until('both were done again', async () => {
      const again = Object.keys(await returnedAt(home)).filter((run) => run.includes('-again-'));
      return again.length === 2;
    });
    const received = (await home.events('task.received')).map(({ run }) => run ?? '');
    expect(received.filter((run) => run.includes('-again-'))).toHaveLength(2);
    const doneBy = (await home.events('task.returned')).filter(({ run }) => run?.includes('-again-') === true);
    expect(doneBy.map(({ data: { worker } }) => worker)).toEqual(['other', 'other']);
    const left = (await preview(home, 'again', 'f1', 'f2')).left_out.map(({ why }) => why);
    expect(left.every((why) => why.startsWith('it was asked for already, as '))).toBe(true);
  });
});

const preview = (home: FleetHome, act: string, ...words: string[]): Promise<BulkPreview> =>
  home.oka<BulkPreview>('runs', act, ...words, '--json').catch((error: { stdout: string }) => {
    return JSON.parse(error.stdout) as BulkPreview; // without --yes nothing is done, and the exit code says so
  });

async function returnedAt(home: FleetHome): Promise<Record<string, string>> {
  return Object.fromEntries((await home.events('task.returned')).map(({ run, data }) => [run, data.status]));
}
