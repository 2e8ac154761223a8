/** A stream of runs that was created again has forgotten who has done what: nothing is claimed there, and so nothing is done twice. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { connectFleet } from '../../src/rooms/fleet/servers/connect-fleet.ts';
import { openStreams } from '../../src/rooms/fleet/servers/fleet-streams.ts';
import { RUNS } from '../../src/rooms/fleet/servers/fleet-subjects.ts';
import { addTask } from '../../src/kit/inbox/add-task.ts';
import { startCounter } from '../support/call-counter.ts';
import { until } from '../support/fleet-commands-homes.ts';
import { ACK_SECONDS, startFleetHomes } from '../support/fleet-homes.ts';
import { findNatsServer, startCluster } from '../support/nats-cluster.ts';

const hasServer = findNatsServer() !== null;
if (!hasServer) console.warn('SKIPPED: there is no nats-server; set OKA_NATS, or run .ci/install-nats');

describe.skipIf(!hasServer)('a stream of runs that was created again', () => {
  it('S1 is refused by members that run, and by those that join', async () => {
    await using cluster = await startCluster({ size: 1 });
    await using counter = await startCounter();
    const host = counter.url.slice('http://'.length);
    const policy = `rules:\n  - { effect: allow, host: '${host}' }`;
    await using homes = await startFleetHomes(cluster, ['h0'], { policy });
    const [member] = homes.list;
    if (member === undefined) throw new Error('there is no member');
    const { workspace } = member.home;
    const text = `# Count it\n\n\`\`\`bash net:${host}\ncurl -fsS -X POST ${counter.url}/once\nuntil [ -e go ]; do sleep 0.1; done\n\`\`\`\n`;
    addTask(join(workspace, 'inbox'), { text, fields: { id: 'once' } });
    await until('it is called', () => counter.counts.get('once') === 1);

    const connection = await connectFleet({
      servers: cluster.url.split(','),
      credentials: null,
      authority: null,
      name: 't',
    });
    const { config } = await connection.manager.streams.info(RUNS);
    await connection.manager.streams.delete(RUNS);
    await expect(openStreams(connection, { replicas: 1, known: null })).rejects.toThrow('is gone');
    await connection.manager.streams.add(config);
    writeFileSync(join(workspace, 'desk', 'once', 'go'), '');
    await until('it refuses', () => member.log().includes('was created again'));
    await sleep(3000 * ACK_SECONDS); // nobody takes it
    expect(counter.counts.get('once')).toBe(1);
    await connection.close();
  });
});
