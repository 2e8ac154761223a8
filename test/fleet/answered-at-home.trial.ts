/**
 * Questions of a task that another member works on are answered at the home that gave it away, whoever is killed between
 * the question and the answer. A server counts what was really done.
 */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { TaskExplanation } from '../../src/rooms/fleet/explain-task.ts';
import { connectFleet } from '../../src/rooms/fleet/servers/connect-fleet.ts';
import { resultQueue } from '../../src/rooms/fleet/servers/result-queue.ts';
import { type Counter, startCounter } from '../support/call-counter.ts';
import { type FleetHome, fleetHomes, until } from '../support/fleet-commands-homes.ts';
import { findNatsServer, startCluster } from '../support/nats-cluster.ts';

const hasServer = findNatsServer() !== null;
if (!hasServer) console.warn('SKIPPED: there is no nats-server; set OKA_NATS, or run .ci/install-nats');

const SLOW = '# Wait for it\n\n```bash\nuntil [ -e go ]; do sleep 0.1; done\n```\n';

describe.skipIf(!hasServer)('a task that another member works on', () => {
  it('is answered at home, once, also when its owner or the home is killed before the answer arrives', async () => {
    await using cluster = await startCluster({ size: 3 });
    await using counter = await startCounter();
    await using homes = fleetHomes(cluster);
    const home = homes.open('home');
    const able = ['left', 'right'].map((name) => homes.open(name, { OKA_FLEET_LABELS: 'able' }));
    for (const each of able) each.askBeforeCommands();
    for (const each of [home, ...able]) each.start();
    const tasks = ['owner-killed', 'home-killed', 'denied', 'forged'];
    for (const task of tasks) home.drop(task, callOf(counter, task), { needs: ['able'] });
    for (const task of tasks)
      await until(`${task} asks at home`, async () => (await home.oka('status')).includes(`oka approve ${task}.`), 300);

    const [owner, other] = await ownerOf(home, 'owner-killed', able);
    await owner.stop('SIGKILL');
    await home.oka('approve', 'owner-killed');
    await until('it is done by the other', async () => (await returnedAt(home))['owner-killed'] === 'done', 180);
    expect((await home.events('task.returned'))[0]?.data.worker).toBe(other.name);
    owner.start();

    await home.stop('SIGKILL');
    const answering = home.oka('approve', 'home-killed').catch(() => ''); // no worker: it is refused, and changes nothing
    await answering;
    home.start();
    await until('its worker is there', () => home.hasWorker());
    await until('it still asks', async () => (await home.oka('status')).includes('oka approve home-killed.'));
    const submitted = home.oka('approve', 'home-killed').catch(() => '');
    await until(
      'its request is there',
      async () => (await requestsAt(home)) > 0 || (await wasAnswered(home, 'home-killed')),
    );
    await home.stop('SIGKILL');
    await submitted;
    home.start();
    await until('it is done', async () => (await returnedAt(home))['home-killed'] === 'done', 180);

    await forgeAnswer(cluster.url.split(','), home, 'forged', (await ownerOf(home, 'forged', able))[0].name);
    await home.oka('deny', 'denied');
    await until('denied comes back', async () => (await returnedAt(home))['denied'] !== undefined, 180);
    expect((await home.oka('status')).includes('oka approve forged.')).toBe(true);
    expect(Object.fromEntries(counter.counts)).toEqual({ 'owner-killed': 1, 'home-killed': 1 });
    await expect(home.oka('approve', 'owner-killed')).rejects.toThrow();

    const here = await answersIn(home);
    const there = [...(await answersIn(able[0] as FleetHome)), ...(await answersIn(able[1] as FleetHome))];
    for (const task of ['owner-killed', 'home-killed', 'denied']) {
      const [mine] = here.filter(({ wait }) => wait.startsWith(`${task}.`));
      expect(there).toContainEqual({ ...mine, by: `${mine?.by} at home` });
    }
    expect(there.filter(({ wait }) => wait.startsWith('forged.'))).toEqual([]);
  });

  it('is paused, resumed and cancelled from home, and refuses answers where that is set', async () => {
    await using cluster = await startCluster({ size: 1 });
    await using counter = await startCounter();
    await using homes = fleetHomes(cluster);
    const home = homes.open('home');
    const there = homes.open('there', { OKA_FLEET_LABELS: 'able' });
    const strict = homes.open('strict', { OKA_FLEET_LABELS: 'strict', OKA_FLEET_ANSWERS: 'here' });
    strict.askBeforeCommands();
    for (const each of [home, there, strict]) each.start();
    home.drop('cancelled', SLOW, { needs: ['able'] });
    home.drop('paused', SLOW, { needs: ['able'] });
    home.drop('asked', callOf(counter, 'asked'), { needs: ['strict'] });
    await until('all are sent', async () => (await home.events('task.sent')).length === 3);
    for (const task of ['cancelled', 'paused'])
      await until(`${task} runs`, async () => (await whyAt(home, task)).member === 'there');
    await home.oka('cancel', 'cancelled');
    await until('it is cancelled', async () => (await returnedAt(home))['cancelled'] === 'cancelled');
    await home.oka('pause', 'paused');
    await until('its owner has the request', async () =>
      (await there.events('intake.received')).some(({ data }) => data.intake.kind === 'pause'),
    );
    writeFileSync(join(there.home.workspace, 'desk', 'paused', 'go'), '');
    await until('it is paused after its command', async () => (await there.events('run.paused')).length > 0);
    expect((await returnedAt(home))['paused']).toBeUndefined();
    await home.oka('resume', 'paused');
    await until('it is done', async () => (await returnedAt(home))['paused'] === 'done');

    await until('it asks', async () => (await home.oka('status')).includes('oka approve asked.'));
    await expect(home.oka('approve', 'asked')).rejects.toThrow('wants its questions to be answered there');
    await strict.oka('approve', 'asked');
    await until('it is approved there', async () => (await returnedAt(home))['asked'] === 'done');
    expect(counter.counts.get('asked')).toBe(1);
    expect(await home.oka('status')).not.toContain('oka approve'); // the result may come before the end of the wait is seen
  });
});

function callOf({ url }: Counter, key: string): string {
  const host = url.slice('http://'.length);
  return `# Call it\n\n\`\`\`bash net:${host}\ncurl -fsS -X POST ${url}/${key}\n\`\`\`\n`;
}

const whyAt = (home: FleetHome, task: string): Promise<TaskExplanation> => home.oka('fleet', 'why', task, '--json');

async function ownerOf(home: FleetHome, task: string, able: readonly FleetHome[]): Promise<[FleetHome, FleetHome]> {
  const { member } = await whyAt(home, task);
  const [left, right] = able;
  if (left === undefined || right === undefined) throw new Error('two members are needed');
  return member === left.name ? [left, right] : [right, left];
}

async function returnedAt(home: FleetHome): Promise<Record<string, string>> {
  return Object.fromEntries((await home.events('task.returned')).map(({ run, data }) => [run, data.status]));
}

type Recorded = { id: string; wait: string; by: string | undefined; binding: string | undefined };

async function answersIn(home: FleetHome): Promise<Recorded[]> {
  return (await home.events('intake.received')).flatMap(({ data: { id, intake } }) =>
    intake.kind === 'answer' ? [{ id, wait: intake.wait, by: intake.answer.by, binding: intake.answer.binding }] : [],
  );
}

const wasAnswered = async (home: FleetHome, task: string): Promise<boolean> =>
  (await answersIn(home)).some(({ wait }) => wait.startsWith(`${task}.`));

async function requestsAt({ home }: FleetHome): Promise<number> {
  return readdirSync(join(home.oka, 'intake')).filter((name) => name.endsWith('.json')).length;
}

/** A member that is not the home of the task approves it, with the right binding. */
async function forgeAnswer(servers: string[], home: FleetHome, task: string, owner: string): Promise<void> {
  const asked = (await home.events('task.asked')).findLast(({ run }) => run === task)?.data.waits[0];
  if (asked?.for.kind !== 'approval') throw new Error('it does not ask');
  const { binding } = asked.for;
  const answer = { verdict: 'approved' as const, by: 'somebody', binding };
  const connection = await connectFleet({ servers, credentials: null, authority: null, name: 'mallory' });
  const intake = { kind: 'answer' as const, wait: asked.wait, answer };
  const queue = resultQueue(connection);
  await queue.request(owner, 'mallory', { kind: 'request', id: 'forged-1', task, intake }, 1);
  await until('it is refused', async () => {
    const delivery = await queue.take('mallory');
    return delivery?.kind === 'reply' && 'refused' in delivery.reply.reply;
  });
  await connection.close();
}
