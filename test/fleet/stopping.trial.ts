/** `.oka/STOP` ends commands of a member although a request waits for message servers that do not answer. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { addTask } from '../../src/kit/inbox/add-task.ts';
import { submit } from '../../src/kit/requests/submit-request.ts';
import { eventsAt, type FleetHome, startFleetHomes, until } from '../support/fleet-homes.ts';
import { findNatsServer, startCluster } from '../support/nats-cluster.ts';

const hasServer = findNatsServer() !== null;
if (!hasServer) console.warn('SKIPPED: there is no nats-server; set OKA_NATS, or run .ci/install-nats');

const TASK = '# Sleep\n\n```bash\necho $$ > pid.txt\nexec sleep 600\n```\n';

describe.skipIf(!hasServer)('a member whose message servers do not answer', () => {
  it('ends its commands when everything is stopped, although a request waits for the fence', async () => {
    await using cluster = await startCluster({ size: 1 });
    await using homes = await startFleetHomes(cluster, ['one']);
    const [one] = homes.list as [FleetHome];
    const { home } = one;
    addTask(join(home.workspace, 'inbox'), { text: TASK, fields: { id: 't' } });
    const pidFile = join(home.workspace, 'desk/t/pid.txt');
    await until(homes.list, 'the command runs', () => existsSync(pidFile) && readFileSync(pidFile, 'utf8') !== '');
    const isRunning = (): boolean => existsSync(join('/proc', readFileSync(pidFile, 'utf8').trim()));
    expect(isRunning()).toBe(true);
    addTask(join(home.workspace, 'inbox'), { text: TASK, fields: { id: 'u' } });
    await until(homes.list, 'another one waits for its turn', async () =>
      (await eventsAt(one)).some(({ type, run }) => type === 'call.started' && run?.startsWith('u.') === true),
    );
    cluster.pause(0);
    submit(join(home.oka, 'intake'), { kind: 'cancel', run: 'u' });
    await sleep(2000); // it is being handled, and waits
    writeFileSync(join(home.oka, 'STOP'), '');
    await until(homes.list, 'the command is ended', () => !isRunning(), 15);
    cluster.resume(0);
  });
});
