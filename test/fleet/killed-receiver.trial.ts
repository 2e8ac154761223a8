/**
 * A worker that is killed at any step of returning a result, and a home at any step of storing it: it is there once, and
 * can be undone.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { connectFleet } from '../../src/rooms/fleet/servers/connect-fleet.ts';
import { RESULTS, TASKS } from '../../src/rooms/fleet/servers/fleet-subjects.ts';
import { type FleetHome, fleetHomes, until } from '../support/fleet-commands-homes.ts';
import type { KillStep } from '../support/kill-at-step.ts';
import { findNatsServer, startCluster } from '../support/nats-cluster.ts';

const hasServer = findNatsServer() !== null;
if (!hasServer) console.warn('SKIPPED: there is no nats-server; set OKA_NATS, or run .ci/install-nats');

const TASK = '# Count\n\n```bash\necho once >> count.txt\n```\n';

const momentsOf = (...patterns: string[]): KillStep[] =>
  patterns.flatMap((pattern) => [
    { pattern, when: 'before' },
    { pattern, when: 'after' },
  ]);

const STORING = momentsOf(
  '^rename /proc/[^\n]*/h[0-9]+$',
  '^rename [^\n]*/outbox/h[0-9]+/RESULT[.]md$',
  '^event [^\n]*"task[.]returned"',
  `^message [^\n]*PUB [$]JS[.]ACK[.]${RESULTS}`,
);
const MERGING = momentsOf('^rename /proc/[^\n]*/b[.]txt$', '^event [^\n]*"when":"after"');
const RETURNING = momentsOf(
  '^rename [^\n]*/outbox/w[0-9]+/RESULT[.]md$',
  '^message [^\n]*PUB oka[.]result[.]',
  '^message [^\n]*"kind":"returned"',
  `^message [^\n]*PUB [$]JS[.]ACK[.]${TASKS}[^\n]*\n[^\n]*[+]ACK`,
);

describe.skipIf(!hasServer)('a result', () => {
  it('is stored once by a home that is killed meanwhile', async () => {
    await using cluster = await startCluster({ size: 1 });
    await using homes = fleetHomes(cluster);
    const worker = homes.open('worker', { OKA_FLEET_LABELS: 'w' });
    worker.start();
    const all = STORING.map((moment, index) => ({ moment, home: homes.open(`h${index}`) }));
    for (const { moment, home } of all) {
      home.drop(home.name, TASK, { needs: ['w'] });
      home.start(moment);
    }
    await Promise.all(all.map(({ home }) => home.ended()));
    for (const { home } of all) home.start();
    await assertOnce(
      cluster.url,
      all.map(({ moment, home }) => ({ moment, home, id: home.name })),
    );
  });

  it('that was merged with files of its home can be undone, whenever the home was killed', async () => {
    await using cluster = await startCluster({ size: 1 });
    await using homes = fleetHomes(cluster);
    homes.open('worker', { OKA_FLEET_LABELS: 'w' }).start();
    const all = MERGING.map((moment, index) => ({ moment, home: homes.open(`h${index}`) }));
    for (const { moment, home } of all) {
      mkdirSync(deskOf(home), { recursive: true });
      writeFileSync(join(deskOf(home), 'mine.txt'), 'mine');
      home.drop(home.name, '# Three\n\n```bash\ntouch a.txt b.txt c.txt\n```\n', { needs: ['w'] });
      home.start(moment);
    }
    await Promise.all(all.map(({ home }) => home.ended()));
    for (const { home } of all) home.start();
    for (const { moment, home } of all) {
      const killed = `killed ${moment.when} ${moment.pattern}`;
      await until('it is recorded', async () => (await home.events('task.returned')).length === 1);
      expect(readdirSync(deskOf(home)), killed).toEqual(['a.txt', 'b.txt', 'c.txt', 'mine.txt']);
      expect(await home.oka('undo', home.name), killed).toContain('3 removed');
      expect(readdirSync(deskOf(home)), killed).toEqual(['mine.txt']);
    }
  });

  it('comes once from a worker that is killed meanwhile', async () => {
    await using cluster = await startCluster({ size: 1 });
    await using homes = fleetHomes(cluster);
    const home = homes.open('home');
    home.start();
    const all = RETURNING.map((moment, index) => {
      const id = `w${index}`;
      return { moment, id, home, worker: homes.open(id, { OKA_FLEET_LABELS: id }) };
    });
    for (const { moment, id, worker } of all) {
      home.drop(id, TASK, { needs: [id] });
      worker.start(moment);
    }
    await Promise.all(all.map(({ worker }) => worker.ended()));
    for (const { worker } of all) worker.start();
    await assertOnce(cluster.url, all);
  });
});

const deskOf = ({ home, name }: FleetHome): string => join(home.workspace, 'desk', name);

type Returned = { moment: KillStep; home: FleetHome; id: string };

async function assertOnce(server: string, all: readonly Returned[]): Promise<void> {
  const servers = [server];
  const { manager, close } = await connectFleet({ servers, credentials: null, authority: null, name: 'root' });
  const isEmpty = async (stream: string): Promise<boolean> => (await manager.streams.info(stream)).state.messages === 0;
  await until('the queue is empty', () => isEmpty(TASKS));
  await until('every result was taken', () => isEmpty(RESULTS));
  for (const { moment, home, id } of all) {
    const killed = `killed ${moment.when} ${moment.pattern}`;
    for (const type of ['task.sent', 'task.returned'] as const)
      expect(
        (await home.events(type)).filter(({ run }) => run === id),
        `${type}, ${killed}`,
      ).toHaveLength(1);
    const { workspace, oka } = home.home;
    expect(readdirSync(join(oka, 'state')).filter((name) => name.startsWith('fleet-'))).toEqual([]);
    expect(readFileSync(join(workspace, 'desk', id, 'count.txt'), 'utf8'), killed).toBe('once\n');
    expect(readdirSync(join(workspace, 'desk', id)), killed).toEqual(['count.txt']);
    expect(readdirSync(join(workspace, 'outbox', id)), killed).toEqual(['RESULT.md', 'TASK.md', 'files']);
  }
  await close();
}
