/** A home that is killed at any step of taking its task over: what another member then makes of it is merged cleanly. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type FleetHome, fleetHomes, until } from '../support/fleet-commands-homes.ts';
import type { KillStep } from '../support/kill-at-step.ts';
import { findNatsServer, startCluster } from '../support/nats-cluster.ts';

const hasServer = findNatsServer() !== null;
if (!hasServer) console.warn('SKIPPED: there is no nats-server; set OKA_NATS, or run .ci/install-nats');

const TASK = `# Count\n${['echo 1 >> count.txt', 'echo 2 >> count.txt; echo 2 > second.txt', 'echo 3 >> count.txt']
  .map((line) => `\n\`\`\`bash\n${line}\n\`\`\`\n`)
  .join('')}`;

const TAKING: [string, KillStep][] = [
  ['has claimed it', { pattern: '^message [^\n]*"kind":"claim"', when: 'after' }],
  ['has removed its folder', { pattern: '^mkdir [^\n]*/[.]oka-', when: 'before' }],
  ['has restored its folder', { pattern: '^event [^\n]*"run[.]claimed"', when: 'before' }],
];

describe.skipIf(!hasServer)('a home that takes its task over again', () => {
  it.concurrent.each(TAKING)('F2 and is killed when it %s gets the result without a conflict', async (_, moment) => {
    await using cluster = await startCluster({ size: 1 });
    await using homes = fleetHomes(cluster);
    const [home, other] = [homes.open('home'), homes.open('other')];
    for (const each of [home, other]) each.askBeforeCommands();
    home.drop('t', TASK);
    home.start();
    await approve(home, 'echo 1');
    await asks(home, 'echo 2');
    await home.stop('SIGKILL');
    other.start();
    await approve(other, 'echo 2');
    await asks(other, 'echo 3');
    await other.stop('SIGKILL');
    home.start(moment);
    await home.ended();
    other.start();
    await until('the other has it again', async () => (await other.events('run.claimed')).length === 2);
    await approve(other, 'echo 3');
    await until('it is done', () => other.result('t')?.includes('✅ Done') === true);
    home.start();
    await until('the result is there', async () => (await home.events('task.returned')).length === 1);
    const desk = join(home.home.workspace, 'desk/t');
    expect(readdirSync(desk)).toEqual(['count.txt', 'second.txt']);
    expect(readFileSync(join(desk, 'count.txt'), 'utf8')).toBe('1\n2\n3\n');
    expect(home.result('t')).not.toContain('.result');
  });
});

const asks = (home: FleetHome, about: string): Promise<void> =>
  until(`${home.name} asks about ${about}`, async () => (await home.oka('status')).includes(`approval: ${about}`));

async function approve(home: FleetHome, about: string): Promise<void> {
  await asks(home, about);
  await home.oka('approve', 't');
}
