/** A run that a member has lost comes back to it when the next owner is gone: it goes on from the stream. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { addTask } from '../../src/kit/inbox/add-task.ts';
import { submit } from '../../src/kit/requests/submit-request.ts';
import type { TaskGraph } from '../../src/core/ledger/task-graph.ts';
import { verifyLedger } from '../../src/core/ledger/verify-ledger.ts';
import { eventsAt, type FleetHome, startFleetHomes, until } from '../support/fleet-homes.ts';
import { findNatsServer, startCluster } from '../support/nats-cluster.ts';

const hasServer = findNatsServer() !== null;
if (!hasServer) console.warn('SKIPPED: there is no nats-server; set OKA_NATS, or run .ci/install-nats');

/** The first step is done by the first owner; in the second one it is paused. */
const TASK =
  '# Two steps\n\n```bash\necho first > first.txt\n```\n\n```bash\nsleep 12\necho second > second.txt\n```\n';

const COUNT = '# Count\n\n```bash\necho 1 >> count.txt\n```\n\n```bash\nsleep 12\necho 2 >> count.txt\n```\n';

describe.skipIf(!hasServer)('a run that its first owner has lost', () => {
  it('G3 is taken again by it, from the stream, when the next owner is gone for good', async () => {
    await using cluster = await startCluster({ size: 1 });
    await using homes = await startFleetHomes(cluster, ['one', 'two']);
    const [one, two] = homes.list as [FleetHome, FleetHome];
    two.pause(); // so that the first one gets it
    addTask(join(one.home.workspace, 'inbox'), { text: TASK, fields: { id: 't' } });
    await until(homes.list, 'the second step begins', () => callsOf(one, /sleep 12/));
    two.resume();
    one.pause();
    await until(homes.list, 'another member asks about the call in doubt', () => questionOf(two) !== null);
    await two.kill();
    one.resume();
    await until(homes.list, 'it is lost', async () => (await typesAt(one)).includes('run.fenced'));
    await until(homes.list, 'the first member asks now', () => questionOf(one) !== null);
    expect(readFileSync(join(one.home.workspace, 'desk/t/first.txt'), 'utf8')).toBe('first\n');
    const wait = questionOf(one) ?? '';
    submit(join(one.home.oka, 'intake'), { kind: 'answer', wait, answer: { verdict: 'answered', text: 'repeat' } });
    await until(homes.list, 'the result is there', async () => (await typesAt(one)).includes('task.returned'));
    const returned = (await eventsAt(one)).findLast(({ type }) => type === 'task.returned');
    expect(returned?.data).toMatchObject({ worker: 'one', status: 'done' });
    const result = join(one.home.workspace, 'outbox/t/RESULT.md');
    expect(existsSync(result) && readFileSync(result, 'utf8')).not.toContain('owns it now');
    expect(readFileSync(join(one.home.workspace, 'desk/t/second.txt'), 'utf8')).toBe('second\n');
    expect(await verifyLedger(one.home.ledgers.run)).toMatchObject({ state: 'intact' });
  });

  it('F2 is merged into the folder of its home as it was taken over there, when another member ends it', async () => {
    const able = { OKA_FLEET_LABELS: 'able' };
    await using cluster = await startCluster({ size: 1 });
    const variablesOf = (name: string): Record<string, string> => (name === 'two' ? able : {});
    await using homes = await startFleetHomes(cluster, ['one', 'two'], { variablesOf });
    const [one, two] = homes.list as [FleetHome, FleetHome];
    addTask(join(one.home.workspace, 'inbox'), { text: COUNT, fields: { id: 't', needs: ['able'] } });
    await until(homes.list, 'the second step begins', () => callsOf(two, /sleep 12/));
    two.pause();
    await one.kill();
    one.start(able);
    await until(homes.list, 'its home asks about the call in doubt', () => questionOf(one) !== null);
    await one.kill();
    two.resume();
    await until([two], 'it is lost', async () => (await typesAt(two)).includes('run.fenced'));
    await until([two], 'the first owner asks now', () => questionOf(two) !== null);
    const wait = questionOf(two) ?? '';
    submit(join(two.home.oka, 'intake'), { kind: 'answer', wait, answer: { verdict: 'answered', text: 'repeat' } });
    await until([two], 'it is done', () => readResult(two).includes('✅ Done'));
    one.start();
    await until(homes.list, 'the result is there', async () => (await typesAt(one)).includes('task.returned'));
    expect(readdirSync(join(one.home.workspace, 'desk/t'))).toEqual(['count.txt']);
    expect(readFileSync(join(one.home.workspace, 'desk/t/count.txt'), 'utf8')).toBe('1\n2\n');
  });
});

const typesAt = async (home: FleetHome): Promise<string[]> => (await eventsAt(home)).map(({ type }) => type);

const callsOf = async (home: FleetHome, line: RegExp): Promise<boolean> =>
  (await eventsAt(home)).some(({ type, data }) => type === 'call.started' && line.test(JSON.stringify(data)));

const readResult = ({ home }: FleetHome): string => {
  const file = join(home.workspace, 'outbox/t/RESULT.md');
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
};

function questionOf({ home }: FleetHome): string | null {
  const file = join(home.oka, 'active_task_graph.json');
  if (!existsSync(file)) return null;
  const { state } = JSON.parse(readFileSync(file, 'utf8')) as { state: TaskGraph };
  const waits = state.goals.flatMap((goal) => goal.waits);
  return waits.find(({ for: awaited }) => awaited.kind === 'question')?.wait ?? null;
}
