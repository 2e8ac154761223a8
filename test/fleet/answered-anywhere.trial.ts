/**
 * What a task asks is answered at a home that neither gave it away nor works on it, where its worker allows that: also
 * when its worker, or the answering home, is killed between question and answer. A server counts what was really done.
 */
import { describe, expect, it } from 'vitest';
import { type Counter, startCounter } from '../support/call-counter.ts';
import { type FleetHome, fleetHomes, until } from '../support/fleet-commands-homes.ts';
import { findNatsServer, startCluster } from '../support/nats-cluster.ts';

const hasServer = findNatsServer() !== null;
if (!hasServer) console.warn('SKIPPED: there is no nats-server; set OKA_NATS, or run .ci/install-nats');

describe.skipIf(!hasServer)('a task that another home gave away', () => {
  it('is answered at a third home, once, and not by a home that its worker does not name', async () => {
    await using cluster = await startCluster({ size: 3 });
    await using counter = await startCounter();
    await using homes = fleetHomes(cluster);
    const home = homes.open('home');
    const worker = homes.open('worker', { OKA_FLEET_LABELS: 'able', OKA_FLEET_ANSWERS: 'third' });
    const third = homes.open('third', { OKA_FLEET_ANSWERS: 'fleet' });
    const stranger = homes.open('stranger', { OKA_FLEET_ANSWERS: 'fleet' });
    worker.askBeforeCommands();
    for (const each of [home, worker, third, stranger]) each.start();
    const tasks = ['worker-killed', 'third-killed', 'denied'];
    for (const task of tasks) home.drop(task, callOf(counter, task), { needs: ['able'] });
    for (const task of tasks) await until(`${task} asks at the third home`, () => asksAt(third, task), 300);
    expect(await third.oka('status')).toContain('(a task of home, at worker)');

    await worker.stop('SIGKILL');
    const waiting = third.oka('approve', 'worker-killed').catch(() => '');
    worker.start();
    await waiting;
    await until('it is done', async () => (await returnedAt(home))['worker-killed'] === 'done', 180);

    await third.stop('SIGKILL');
    await third.oka('approve', 'third-killed').catch(() => ''); // no worker: it is refused, and changes nothing
    third.start();
    await until('its worker is there', () => third.hasWorker());
    await until('it still asks', () => asksAt(third, 'third-killed'));
    await third.oka('approve', 'third-killed');
    await until('it is done', async () => (await returnedAt(home))['third-killed'] === 'done', 180);

    await third.oka('deny', 'denied');
    await until('it comes back', async () => (await returnedAt(home))['denied'] !== undefined, 180);
    await expect(home.oka('approve', 'denied')).rejects.toThrow();
    expect(Object.fromEntries(counter.counts)).toEqual({ 'worker-killed': 1, 'third-killed': 1 });
    await until('nothing is open at the third home', async () => !(await third.oka('status')).includes('oka approve'));

    const [here, there] = [await answersIn(third), await answersIn(worker)];
    for (const task of tasks) {
      const [mine] = here.filter(({ wait }) => wait.startsWith(`${task}.`));
      expect(there).toContainEqual({ ...mine, by: `${mine?.by} at third` });
    }
    expect(await stranger.events('task.asked')).toEqual([]);
    expect(await answersIn(home)).toEqual([]);
  });
});

function callOf({ url }: Counter, key: string): string {
  const host = url.slice('http://'.length);
  return `# Call it\n\n\`\`\`bash net:${host}\ncurl -fsS -X POST ${url}/${key}\n\`\`\`\n`;
}

const asksAt = async (home: FleetHome, task: string): Promise<boolean> =>
  (await home.oka('status')).includes(`oka approve ${task}.`);

const returnedAt = async (home: FleetHome): Promise<Record<string, string>> =>
  Object.fromEntries((await home.events('task.returned')).map(({ run, data }) => [run, data.status]));

type Recorded = { id: string; wait: string; by: string | undefined; binding: string | undefined };

async function answersIn(home: FleetHome): Promise<Recorded[]> {
  return (await home.events('intake.received')).flatMap(({ data: { id, intake } }) =>
    intake.kind === 'answer' ? [{ id, wait: intake.wait, by: intake.answer.by, binding: intake.answer.binding }] : [],
  );
}
