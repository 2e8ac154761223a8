/**
 * A worker that stands still inside a call, with its command, as where a machine sleeps; another member takes the task
 * over, a person answers that the call is to be repeated, and then the first one wakes. What arrives outside is counted.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { TaskGraph } from '../../src/core/ledger/task-graph.ts';
import { addTask } from '../../src/kit/inbox/add-task.ts';
import { submit } from '../../src/kit/requests/submit-request.ts';
import { startCounter } from '../support/call-counter.ts';
import { eventsAt, type FleetHome, startFleetHomes, until } from '../support/fleet-homes.ts';
import { findNatsServer, startCluster } from '../support/nats-cluster.ts';

const hasServer = findNatsServer() !== null && process.platform === 'linux';
if (!hasServer) console.warn('SKIPPED: there is no nats-server; set OKA_NATS, or run .ci/install-nats');

/** How a command reaches the outside; each posts to this path of the counter after a while. */
const WAYS: Record<string, (host: string) => string> = {
  'opens a connection': (host) => `sleep 7; curl -fsS -X POST http://${host}/opens`,
  'has a tunnel open already': (host) => tunnel(host, 'tunnels'),
};

/** Asks the proxy for a tunnel, waits, and sends its request through it. */
const tunnel = (host: string, key: string): string =>
  [
    `proxy=\${http_proxy#http://}; ticket=\${proxy%@*}; at=\${proxy##*@}`,
    `exec 3<>/dev/tcp/\${at%:*}/\${at#*:}`,
    String.raw`printf 'CONNECT ${host} HTTP/1.1\r\nProxy-Authorization: Basic %s\r\n\r\n' "$(printf %s "$ticket" | base64 -w0)" >&3`,
    String.raw`read -r line <&3; case $line in *200*) ;; *) echo "$line"; exit 1 ;; esac; read -r line <&3`,
    'sleep 7',
    String.raw`printf 'POST /${key} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n' >&3`,
    'grep -m1 ok <&3',
  ].join('\n');

describe.skipIf(!hasServer)('a worker that wakes after its run was taken over', () => {
  it.each(Object.keys(WAYS))('lets nothing out: its command %s', async (way) => {
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
    const text = `# Post\n\n\`\`\`bash net:${host}\n${WAYS[way]?.(host)}\n\`\`\`\n`;
    addTask(join(one.home.workspace, 'inbox'), { text, fields: { id: 't' } });
    await until(homes.list, 'the command runs', () => callsOf(one, /sleep 7/));
    await sleep(3000); // its tunnel is open
    const frozen = one.freeze();
    two.resume();
    await until([two], 'the other member asks', () => questionOf(two) !== null);
    expect(textOf(two)).toMatch(
      /the former worker, one, may still have finished it: its last message came at .* UTC; it sends/,
    );
    await sleep(4000); // what its command waited for has passed
    expect(counter.counts.size).toBe(0); // what a person sees who looks
    const wait = questionOf(two) ?? '';
    submit(join(two.home.oka, 'intake'), { kind: 'answer', wait, answer: { verdict: 'answered', text: 'repeat' } });
    frozen.thawCommands();
    await sleep(500); // the command asks a proxy that does not answer yet
    frozen.thawWorker();
    await until(homes.list, 'it is done', async () => (await typesAt(one)).includes('task.returned'));
    const returned = (await eventsAt(one)).findLast(({ type }) => type === 'task.returned');
    expect(returned?.data).toMatchObject({ worker: 'two', status: 'done' });
    expect([...counter.counts.values()]).toEqual([1]);
  });
});

const typesAt = async (home: FleetHome): Promise<string[]> => (await eventsAt(home)).map(({ type }) => type);

const callsOf = async (home: FleetHome, line: RegExp): Promise<boolean> =>
  (await eventsAt(home)).some(({ type, data }) => type === 'call.started' && line.test(JSON.stringify(data)));

function waitOf({ home }: FleetHome): TaskGraph['goals'][number]['waits'][number] | undefined {
  const file = join(home.oka, 'active_task_graph.json');
  if (!existsSync(file)) return undefined;
  const { state } = JSON.parse(readFileSync(file, 'utf8')) as { state: TaskGraph };
  return state.goals.flatMap((goal) => goal.waits).find(({ for: awaited }) => awaited.kind === 'question');
}

const questionOf = (home: FleetHome): string | null => waitOf(home)?.wait ?? null;

const textOf = (home: FleetHome): string => JSON.stringify(waitOf(home)?.for ?? null);
