/** Servers whose disk is full: what they do not store waits at its home, people are told which server, and nothing is lost. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isStarting, type ServerReport } from '../../src/rooms/fleet/servers/check-servers.ts';
import { TASKS } from '../../src/rooms/fleet/servers/fleet-subjects.ts';
import { mayBeClaimed } from '../../src/kit/inbox/inbox-folders.ts';
import { type FleetHome, fleetHomes, until } from '../support/fleet-commands-homes.ts';
import { findNatsServer, type NatsCluster, startCluster } from '../support/nats-cluster.ts';
import { fillDisk, freeDisk, mayMount } from '../support/small-disk.ts';

const missing = findNatsServer() === null ? 'there is no nats-server' : mayMount ? null : 'only root can mount a disk';
if (missing !== null) console.warn(`SKIPPED: ${missing}`);

/** More than fits into what is left of a block of the disk. */
const COUNT = `# Count\n\n\`\`\`bash\necho once >> count.txt\n\`\`\`\n\n<!-- ${'x'.repeat(50_000)} -->\n`;
const WAIT =
  '# Wait\n\n```bash\necho once >> count.txt\nuntil [ -e go ]; do sleep 0.1; done\nseq 50000 > end.txt\n```\n';
const DISK = 'size=32m';
const NO_SERVER = -1;

describe.skipIf(missing !== null)('a server with a full disk', () => {
  it.concurrent('alone: everything waits, people are told why, and it goes on when there is space and the server was restarted', async () => {
    await using cluster = await startCluster({ size: 1, disks: DISK });
    await using homes = fleetHomes(cluster);
    const home = homes.open('home');
    home.start();
    home.drop('running', WAIT);
    await until('it runs', () => existsSync(deskFile(home, 'running', 'count.txt')));
    fillDisk(cluster.storeOf(0));
    writeFileSync(deskFile(home, 'running', 'go'), '');
    home.drop('held', COUNT);
    const said =
      /the message server at [\d.:]+ could not write the stream \w+ to its disk \(.*no space left on device\)/;
    const saidOf = (what: string): RegExp => new RegExp(`${what}: ${said.source}`);
    await until('the log says so', () => saidOf('stays in the inbox').test(home.log()));
    await until('also of the run', () => saidOf('what is done here waits until it is stored').test(home.log()));
    expect(await home.oka('status')).toMatch(saidOf('held stays in the inbox since [^ ]+'));
    for (const words of [['status'], ['why', 'held'], ['why', 'running']])
      expect(await home.oka('fleet', ...words)).toMatch(said);
    expect(await home.oka('doctor').catch(({ stdout }: { stdout: string }) => stdout)).toMatch(said);
    expect(mayBeClaimed(join(home.home.workspace, 'inbox'), 'held')).toBe(true);

    freeDisk(cluster.storeOf(0));
    await cluster.kill(0);
    await cluster.start(0);
    await until('both are done', async () => (await home.events('task.returned')).length === 2);
    for (const id of ['running', 'held']) {
      expect(readFileSync(deskFile(home, id, 'count.txt'), 'utf8')).toBe('once\n');
      for (const type of ['task.received', 'task.sent', 'run.claimed', 'task.returned'] as const)
        expect(
          (await home.events(type)).filter(({ run }) => run === id),
          `${type} of ${id}`,
        ).toHaveLength(1);
    }
    expect(await home.oka('status')).not.toMatch(said);
    expect(await home.oka('fleet', 'status')).not.toMatch(said);
  });

  it.concurrent('of three: the others go on, also with a worker that starts now, and people are told which one it is', async () => {
    await using cluster = await startCluster({ size: 3, disks: DISK });
    await using homes = fleetHomes(cluster);
    const home = homes.open('home');
    home.start();
    home.drop('before', COUNT);
    await until('it is done', async () => (await home.events('task.returned')).length === 1);
    const full = (await cluster.leaderOf(TASKS)) ?? 0;
    await cluster.kill(full); // asked once, /varz shows the JetStream of before also when it is off
    await cluster.start(full);
    await cluster.untilOthersCurrent(NO_SERVER);
    fillDisk(cluster.storeOf(full));
    home.drop('after', COUNT);
    await until('it is done', async () => (await home.events('task.returned')).length === 2);
    const address = cluster.monitors.split(',')[full]?.replace('http://', '') ?? '';
    const said = `the message server at ${address} has switched its JetStream off`;
    await until('it is off', async () => (await home.oka('fleet', 'status')).includes(said));
    expect(await home.oka('doctor').catch(({ stdout }: { stdout: string }) => stdout)).toContain(said);
    await home.stop();
    await until('it does not count as starting', () => hasStarted(cluster, full));
    home.start();
    home.drop('restarted', COUNT);
    await until('it is done', async () => (await home.events('task.returned')).length === 3);

    freeDisk(cluster.storeOf(full));
    await cluster.kill(full);
    await cluster.start(full);
    await until('it is back', async () => !(await home.oka('fleet', 'status')).includes(said));
    for (const id of ['before', 'after', 'restarted'])
      expect(readFileSync(deskFile(home, id, 'count.txt'), 'utf8')).toBe('once\n');
    expect(await home.events('task.sent')).toHaveLength(3);
  });
});

const deskFile = ({ home }: FleetHome, task: string, name: string): string => join(home.workspace, 'desk', task, name);

async function hasStarted({ monitors }: NatsCluster, index: number): Promise<boolean> {
  const answer = await fetch(`${monitors.split(',')[index]}/varz`);
  return !isStarting((await answer.json()) as ServerReport);
}
