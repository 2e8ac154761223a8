/** `oka pause`, `resume` and `cancel` for a task that was given away: while it waits, is worked on, or changes hands. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { TaskExplanation } from '../../src/rooms/fleet/explain-task.ts';
import { type FleetHome, fleetHomes, until } from '../support/fleet-commands-homes.ts';
import { findNatsServer, startCluster } from '../support/nats-cluster.ts';

const hasServer = findNatsServer() !== null;
if (!hasServer) console.warn('SKIPPED: there is no nats-server; set OKA_NATS, or run .ci/install-nats');

const SLOW = '# Wait for it\n\n```bash\nuntil [ -e go ]; do sleep 0.1; done; echo once >> count.txt\n```\n';
const PATIENT = 300;

describe.skipIf(!hasServer)('orders for a task that was given away', () => {
  it('a pause that ends its command leaves a question, which its home is asked and answers', async () => {
    await using cluster = await startCluster({ size: 1 });
    await using homes = fleetHomes(cluster);
    const home = homes.open('home');
    const there = homes.open('there', { OKA_FLEET_LABELS: 'able' });
    for (const each of [home, there]) each.start();
    home.drop('paused', SLOW, { needs: ['able'] });
    await until('its command runs', () => isInCommand(there), PATIENT);
    await home.oka('pause', 'paused', '--now');
    await until('it is paused', async () => (await there.events('run.paused')).length === 2, PATIENT);
    await home.oka('resume', 'paused');
    await until('home is asked', async () => (await home.oka('status')).includes('oka answer paused'), PATIENT);
    letGo(there, 'paused');
    await home.oka('answer', 'paused', 'repeat');
    await until('it is done', async () => (await returnedAt(home))['paused'] === 'done', PATIENT);
    expect(readFileSync(join(home.home.workspace, 'desk/paused/count.txt'), 'utf8')).toBe('once\n');
  });

  it('a task that nobody has claimed is cancelled at once, and nobody does it afterwards', async () => {
    await using cluster = await startCluster({ size: 1 });
    await using homes = fleetHomes(cluster);
    const home = homes.open('home');
    home.start();
    for (const task of ['queued', 'awaited']) home.drop(task, SLOW, { needs: ['gpu'] });
    await until('both are sent', async () => (await home.events('task.sent')).length === 2, PATIENT);
    const pausing = home.oka('pause', 'queued').catch(() => ''); // it waits for somebody, and the cancellation does not
    await home.oka('cancel', 'queued');
    await until('it is back', async () => (await returnedAt(home))['queued'] === 'cancelled', PATIENT);
    await pausing;
    expect(home.result('queued')).toContain('Nobody had taken the task yet');
    expect(await home.oka<object>('fleet', 'status', '--json')).toMatchObject({ waiting: 1, sent: ['awaited'] });

    const later = homes.open('later', { OKA_FLEET_LABELS: 'gpu' });
    later.start();
    await until('it does the other', () => isInCommand(later), PATIENT);
    letGo(later, 'awaited');
    await until('that is done', async () => (await returnedAt(home))['awaited'] === 'done', PATIENT);
    expect((await later.events('run.claimed')).map(({ run }) => run)).toEqual(['awaited']);
    expect(existsSync(join(later.home.workspace, 'desk/queued'))).toBe(false);
  });

  it('a cancellation reaches whoever has taken the task over', async () => {
    await using cluster = await startCluster({ size: 1 });
    await using homes = fleetHomes(cluster);
    const home = homes.open('home');
    const able = ['left', 'right'].map((name) => homes.open(name, { OKA_FLEET_LABELS: 'able' }));
    for (const each of [home, ...able]) each.start();
    home.drop('moved', SLOW, { needs: ['able'] });
    await until('its command runs', async () => (await isInCommand(able[0])) || (await isInCommand(able[1])), PATIENT);
    const { member } = await home.oka<TaskExplanation>('fleet', 'why', 'moved', '--json');
    const owner = able.find(({ name }) => name === member);
    await owner?.stop('SIGKILL');
    await home.oka('cancel', 'moved');
    await until('it is cancelled', async () => (await returnedAt(home))['moved'] === 'cancelled', PATIENT);
    expect((await home.events('task.returned'))[0]?.data.worker).not.toBe(member);
  });
});

const isInCommand = async (member: FleetHome | undefined): Promise<boolean> =>
  (await member?.events('desk.kept'))?.some(({ data }) => data.when === 'before') === true;

const letGo = ({ home }: FleetHome, task: string): void => writeFileSync(join(home.workspace, 'desk', task, 'go'), '');

async function returnedAt(home: FleetHome): Promise<Record<string, string>> {
  return Object.fromEntries((await home.events('task.returned')).map(({ run, data }) => [run, data.status]));
}
