/** Servers without space: the task stays in the inbox, people are told, and it is sent once there is space. What runs waits. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { TaskExplanation } from '../../src/rooms/fleet/explain-task.ts';
import { connectFleet } from '../../src/rooms/fleet/servers/connect-fleet.ts';
import { FILES_STREAM, RUNS, TASKS } from '../../src/rooms/fleet/servers/fleet-subjects.ts';
import { type FleetHome, fleetHomes, until } from '../support/fleet-commands-homes.ts';
import { findNatsServer, startCluster } from '../support/nats-cluster.ts';

const hasServer = findNatsServer() !== null;
if (!hasServer) console.warn('SKIPPED: there is no nats-server; set OKA_NATS, or run .ci/install-nats');

const TASK = '# Count\n\n```bash\necho once >> count.txt\n```\n';
const SAID = 'the message servers have no space for it';
const PATIENT = 300;

describe.skipIf(!hasServer)('servers without space', () => {
  it.each([
    ['the queue', TASKS],
    ['the store of files', FILES_STREAM],
  ])('%s is full: the task stays in the inbox, which is said; it is sent once when there is space', async (_, full) => {
    await using cluster = await startCluster({ size: 1 });
    await using homes = fleetHomes(cluster);
    const home = homes.open('home');
    home.start();
    await until('it has joined', async () => (await home.events('worker.started')).length === 1, PATIENT);
    const servers = cluster.url.split(',');
    const { manager, close } = await connectFleet({ servers, credentials: null, authority: null, name: 'root' });
    await manager.streams.update(full, { max_bytes: 100 });
    home.drop('held', TASK);
    await until('the log says so', () => home.log().includes(`stays in the inbox: ${SAID}`), PATIENT);
    home.drop('here', TASK, { dir: '.' });
    await until('a task that stays here passes', () => home.result('here') !== null, PATIENT);
    expect(readFileSync(join(home.home.workspace, 'desk/count.txt'), 'utf8')).toBe('once\n');
    expect(await home.oka('status')).toMatch(new RegExp(`held stays in the inbox since .*: ${SAID}`));
    expect(await home.oka('fleet', 'status')).toContain(SAID);
    const why = await home.oka<TaskExplanation>('fleet', 'why', 'held', '--json');
    expect(why).toMatchObject({ state: 'waiting', reasons: [expect.stringContaining(SAID)] });
    expect(inboxOf(home).filter((name) => name.endsWith('.md'))).toHaveLength(1);
    await home.stop('SIGKILL');
    home.start();
    await until('it is tried again', () => home.log().split(SAID).length > 2, PATIENT);
    expect(home.log().split(SAID).length).toBe(3); // once by each worker, however often it was tried

    await manager.streams.update(full, { max_bytes: -1 });
    await until('it is done', async () => (await home.events('task.returned')).length === 1, PATIENT);
    expect(readFileSync(join(home.home.workspace, 'desk/held/count.txt'), 'utf8')).toBe('once\n');
    for (const type of ['task.received', 'task.sent', 'run.claimed'] as const)
      expect(
        (await home.events(type)).filter(({ run }) => run === 'held'),
        type,
      ).toHaveLength(1);
    expect(await home.oka('status')).not.toContain(SAID);
    expect(inboxOf(home).filter((name) => name === 'held')).toEqual([]);
    await close();
  });

  it.each([
    ['the stream of runs', RUNS],
    ['the store of files', FILES_STREAM],
  ])(
    '%s is full while a task runs: it waits, which is said once; then it goes on, and nothing is done twice',
    async (_, full) => {
      await using cluster = await startCluster({ size: 1 });
      await using homes = fleetHomes(cluster);
      const home = homes.open('home');
      home.start();
      const waits = 'echo once >> count.txt\nuntil [ -e go ]; do sleep 0.1; done\ndate >> end.txt';
      home.drop('t', `# Wait\n\n\`\`\`bash\n${waits}\n\`\`\`\n\n\`\`\`bash\necho then >> count.txt\n\`\`\`\n`);
      const desk = join(home.home.workspace, 'desk/t');
      await until('it runs', () => existsSync(join(desk, 'count.txt')), PATIENT);
      const servers = cluster.url.split(',');
      const { manager, close } = await connectFleet({ servers, credentials: null, authority: null, name: 'root' });
      await manager.streams.update(full, { max_bytes: 100 });
      writeFileSync(join(desk, 'go'), '');
      const said = `what is done here waits until it is stored: ${SAID}`;
      await until('the log says so', () => home.log().includes(said), PATIENT);
      expect(await home.oka('fleet', 'why', 't')).toContain(`the stream ${full} has no space left`);
      await sleep(3000); // it is tried some more times
      expect(home.log().split(said)).toHaveLength(2);
      expect(readFileSync(join(desk, 'count.txt'), 'utf8')).toBe('once\n');
      await manager.streams.update(full, { max_bytes: -1 });
      await until('it is done', async () => (await home.events('task.returned')).length === 1, PATIENT);
      expect(readFileSync(join(desk, 'count.txt'), 'utf8')).toBe('once\nthen\n');
      await close();
    },
  );
});

const inboxOf = ({ home }: FleetHome): string[] =>
  readdirSync(join(home.workspace, 'inbox'), { recursive: true, encoding: 'utf8' }).filter(
    (name) => !name.includes('.finished-'),
  );
