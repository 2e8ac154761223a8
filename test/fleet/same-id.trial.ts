/** An id that people at two homes have chosen: the first home has it, the other one is told, and nobody waits in vain. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from '@nats-io/transport-node';
import { nanos } from '@nats-io/nats-core';
import { describe, expect, it } from 'vitest';
import { connectFleet } from '../../src/rooms/fleet/servers/connect-fleet.ts';
import { TASKS, taskSubjects } from '../../src/rooms/fleet/servers/fleet-subjects.ts';
import { type FleetHome, fleetHomes, until } from '../support/fleet-commands-homes.ts';
import { findNatsServer, startCluster } from '../support/nats-cluster.ts';

const hasServer = findNatsServer() !== null;
if (!hasServer) console.warn('SKIPPED: there is no nats-server; set OKA_NATS, or run .ci/install-nats');

const taskOf = (word: string): string => `# Say it\n\n\`\`\`bash\necho ${word} >> said.txt\n\`\`\`\n`;

describe.skipIf(!hasServer)('an id that two homes have chosen', () => {
  it('belongs to the first, also if it was killed right after it sent the task; the other one refuses the file and says why', async () => {
    await using cluster = await startCluster({ size: 1 });
    await using homes = fleetHomes(cluster);
    const [here, there] = [homes.open('here'), homes.open('there', { OKA_FLEET_LABELS: 'w' })];
    for (const each of [here, there]) each.start();
    await until('both have joined', async () => (await joined(here)) && (await joined(there)));
    const { manager, close } = await connectFleet({
      servers: [cluster.url],
      credentials: null,
      authority: null,
      name: 'root',
    });
    await manager.streams.update(TASKS, { duplicate_window: nanos(100) }); // as if it were back after hours
    const listener = await connect({ servers: cluster.url.replace('nats://', '') });
    const killed = new Promise((resolve) => {
      listener.subscribe(taskSubjects('*'), { max: 1, callback: () => resolve(here.stop('SIGKILL')) });
    });
    await listener.flush();
    here.drop('report', taskOf('here'), { needs: ['w'] }); // else it may be killed in its own call, and has to ask
    await killed;
    there.drop('report', taskOf('here')); // also with the same content
    await until('it is refused', async () => (await rejectedAt(there)).length === 1);
    here.start();
    await until('the first gets its result', async () => (await here.events('task.returned')).length === 1);
    expect(readFileSync(join(here.home.workspace, 'desk/report/said.txt'), 'utf8')).toBe('here\n');
    expect(await rejectedAt(there)).toEqual([
      expect.stringMatching(
        /"report" was (given to the fleet by here|accepted before); .* give it another id, or none/,
      ),
    ]);

    here.drop('queued', taskOf('here'), { needs: ['nobody-has-it'] });
    await until('it is sent', async () => (await here.events('task.sent')).length === 2);
    there.drop('queued', taskOf('there'));
    await until('it is refused', async () => (await rejectedAt(there)).length === 2);
    expect((await rejectedAt(there))[1]).toContain('"queued" was given to the fleet by here; the same id means');
    expect(readdirSync(join(there.home.workspace, 'inbox/rejected'))).toHaveLength(4); // each with its reason
    expect(await there.oka('status')).toContain('given to the fleet by here');
    there.drop('another', taskOf('there'));
    await until('the other gets its own', async () => (await there.events('task.returned')).length === 1);
    expect(readFileSync(join(there.home.workspace, 'desk/another/said.txt'), 'utf8')).toBe('there\n');
    expect(await rejectedAt(here)).toEqual([]);
    await listener.close();
    await close();
  });
});

const joined = async (home: FleetHome): Promise<boolean> => (await home.events('worker.started')).length > 0;

const rejectedAt = async (home: FleetHome): Promise<string[]> =>
  (await home.events('task.rejected')).map(({ data }) => data.reason);
