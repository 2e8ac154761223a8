/** Orders for a fleet: stop, resume and drain reach every worker, and each home records them. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { TaskExplanation } from '../../src/rooms/fleet/explain-task.ts';
import { type FleetHome, fleetHomes, until } from '../support/fleet-commands-homes.ts';
import { findNatsServer, startCluster } from '../support/nats-cluster.ts';

const hasServer = findNatsServer() !== null;
if (!hasServer) console.warn('SKIPPED: there is no nats-server; set OKA_NATS, or run .ci/install-nats');

const RUNBOOK = '# Say it\n\n```bash\necho done > said.txt\n```\n';
describe.skipIf(!hasServer)('orders for a fleet', () => {
  it('stop everybody, also who joins later, until they may go on; each home records it once', async () => {
    await using cluster = await startCluster({ size: 1 });
    await using homes = fleetHomes(cluster);
    const [one, two, later] = [homes.open('one'), homes.open('two'), homes.open('later')];
    one.start();
    two.start();
    await until('both report', async () => (await membersAt(one)).length === 2);
    expect(await one.oka<object>('fleet', 'stop', '--json')).toMatchObject({ order: 'stop', was: false });
    expect(await two.oka<object>('fleet', 'stop', '--json')).toMatchObject({ was: true });
    later.start();
    for (const home of [one, two, later])
      await until(`${home.name} stops`, async () => (await ordersOf(home)).length === 1);
    expect(await later.oka('status')).toContain('the fleet is stopped');
    one.drop('said', RUNBOOK);
    await sleep(4000);
    expect(one.result('said')).toBeNull();
    await two.stop();
    two.start(); // a worker that starts while the fleet is stopped waits for the order to go on
    await two.oka('fleet', 'resume');
    await until('the result', () => one.result('said') !== null);
    for (const home of [one, two, later]) {
      await until(`${home.name} goes on`, async () => (await ordersOf(home)).length === 2);
      expect(await ordersOf(home)).toEqual(['stop', 'resume']);
    }
    expect((await one.events('task.returned')).map(({ data }) => data.status)).toEqual(['done']);
  });

  it('drain a member: it takes nothing new, and what waits for a person goes on at another', async () => {
    await using cluster = await startCluster({ size: 1 });
    await using homes = fleetHomes(cluster);
    const home = homes.open('home');
    const able = [homes.open('left', { OKA_FLEET_LABELS: 'able' }), homes.open('right', { OKA_FLEET_LABELS: 'able' })];
    for (const each of able) each.askBeforeCommands();
    for (const each of [home, ...able]) each.start();
    await until('all report', async () => (await membersAt(home)).length === 3);
    home.drop('far', RUNBOOK, { needs: ['gpu'] });
    await until('far is sent', async () => (await home.events('task.sent')).length === 1);
    const far = await whyAt(home, 'far');
    expect(far).toMatchObject({ state: 'waiting', reasons: [expect.stringContaining('no member has the label gpu')] });
    expect(far.members).toContainEqual({ member: 'left', why: 'it does not have gpu' });

    home.drop('asked', RUNBOOK, { needs: ['able'] });
    await until('it asks', async () => (await whyAt(home, 'asked')).reasons.some((why) => why.includes('waits for')));
    const { member: first } = await whyAt(home, 'asked');
    const [owner, other] = first === 'left' ? [able[0], able[1]] : [able[1], able[0]];
    if (owner === undefined || other === undefined) throw new Error('no owner');
    const atOwner = new RegExp(`asked +at ${owner.name}: waits for`);
    await until('status says where it is', async () => atOwner.test(await home.oka('status'))); // members report now and then
    const drained = await home.oka<object>('fleet', 'drain', owner.name, '--wait', '--json');
    expect(drained).toMatchObject({ member: owner.name, order: 'drain', state: 'drained' });
    await until('the other has it', async () => (await whyAt(home, 'asked')).member === other.name);
    await until('it asks there', async () => (await other.oka('status')).includes('waits for your approval'));
    const claims = (await owner.events('run.claimed')).length;
    await other.oka('approve', 'asked');
    await until('the result', async () => (await home.events('task.returned')).length === 1);
    expect((await home.events('task.returned'))[0]?.data).toMatchObject({ worker: other.name, status: 'done' });
    home.drop('next', RUNBOOK, { needs: ['able'] });
    await until('the other takes the next', async () => (await whyAt(home, 'next')).member === other.name);
    expect(await owner.events('run.claimed')).toHaveLength(claims);
    expect(await ordersOf(owner)).toEqual(['drain']);
    await home.oka('fleet', 'resume', owner.name);
    await until('it works again', async () => (await ordersOf(owner)).at(-1) === 'work');
  });

  it('say what is wrong when the servers are not there, or the member is unknown', async () => {
    await using homes = fleetHomes({ url: 'nats://127.0.0.1:9', monitors: 'http://127.0.0.1:9' });
    await expect(homes.open('alone').oka('fleet', 'stop')).rejects.toThrow('does not answer');
    await using cluster = await startCluster({ size: 1 });
    await using there = fleetHomes(cluster);
    await expect(there.open('one').oka('fleet', 'drain', 'nobody')).rejects.toThrow('no member "nobody"');
  });
});

const membersAt = (home: FleetHome): Promise<{ name: string }[]> => home.oka('fleet', 'members', '--json');
const whyAt = (home: FleetHome, task: string): Promise<TaskExplanation> => home.oka('fleet', 'why', task, '--json');
const ordersOf = async (home: FleetHome): Promise<string[]> =>
  (await home.events('fleet.ordered')).map(({ data }) => data.order);
