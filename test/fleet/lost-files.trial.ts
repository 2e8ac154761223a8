/** A step that has acted outside, and whose files stayed with a member that is gone: what a person can answer. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { TaskGraph } from '../../src/core/ledger/task-graph.ts';
import { addTask } from '../../src/kit/inbox/add-task.ts';
import { submit } from '../../src/kit/requests/submit-request.ts';
import { startCounter } from '../support/call-counter.ts';
import { type FleetHome, startFleetHomes, until } from '../support/fleet-homes.ts';
import { findNatsServer, startCluster } from '../support/nats-cluster.ts';

const hasServer = findNatsServer() !== null;
if (!hasServer) console.warn('SKIPPED: there is no nats-server; set OKA_NATS, or run .ci/install-nats');

/** With the network it pays, and never ends; the second step needs what the first one has written. */
const textFor = (host: string): string =>
  [
    `# Pay\n\n\`\`\`bash net:${host}`,
    `if curl -fsS -m 20 -X POST http://${host}/paid; then echo paid > receipt.txt; sleep 600; fi`,
    'echo paid again > receipt.txt\n```\n',
    '```bash\ncat receipt.txt > sent.txt\n```\n',
  ].join('\n');

describe.skipIf(!hasServer)('files that stayed with a member that is gone', () => {
  it.each([
    ['files', 'paid again\n'],
    ['wait', 'brought\n'],
  ])('%s: what it did outside happens once, and the task ends well', async (answer, receipt) => {
    await using cluster = await startCluster({ size: 1 });
    await using counter = await startCounter();
    const host = counter.url.slice('http://'.length);
    const policy = `rules:\n  - { effect: allow, host: '${host}' }`;
    await using homes = await startFleetHomes(cluster, ['one', 'two'], { policy });
    const [one, two] = homes.list as [FleetHome, FleetHome];
    await until(homes.list, 'both are members', () =>
      homes.list.every(({ log }) => log().includes('member of the fleet')),
    );
    two.pause(); // so that the first one gets it
    addTask(join(one.home.workspace, 'inbox'), { text: textFor(host), fields: { id: 't' } });
    await until(homes.list, 'it has paid', () => counter.counts.get('paid') === 1);
    await one.kill();
    two.resume();
    await until([two], 'the other member asks', () => questionOf(two, 't') !== null);
    expect(questionOf(two, 't')?.for).toMatchObject({ options: ['done', 'files', 'wait', 'repeat', 'fail'] });
    reply(two, answer);
    if (answer === 'wait') {
      await until([two], 'it asks for the files', () => JSON.stringify(questionOf(two, 't')).includes('Put the files'));
      mkdirSync(join(two.home.workspace, 'desk/t'), { recursive: true });
      writeFileSync(join(two.home.workspace, 'desk/t/receipt.txt'), 'brought\n');
      reply(two, 'done');
    }
    const sent = join(two.home.workspace, 'desk/t/sent.txt');
    await until([two], 'it is done', () => existsSync(sent) && readFileSync(sent, 'utf8') === receipt);
    expect(counter.counts.get('paid')).toBe(1);
  });
});

function reply(home: FleetHome, text: string): void {
  const wait = questionOf(home, 't')?.wait ?? '';
  submit(join(home.home.oka, 'intake'), { kind: 'answer', wait, answer: { verdict: 'answered', text } });
}

type Asked = TaskGraph['goals'][number]['waits'][number];

function questionOf({ home }: FleetHome, task: string): Asked | null {
  const file = join(home.oka, 'active_task_graph.json');
  if (!existsSync(file)) return null;
  const { state } = JSON.parse(readFileSync(file, 'utf8')) as { state: TaskGraph };
  const goals = state.goals.filter(({ run }) => run.startsWith(task));
  return goals.flatMap(({ waits }) => waits).find(({ for: awaited }) => awaited.kind === 'question') ?? null;
}
