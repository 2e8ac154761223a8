/** The same schedules at three homes, whose workers are killed around the times: each time runs once, counted from outside. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { verifyLedger } from '../../src/core/ledger/verify-ledger.ts';
import { SHARED } from '../../src/rooms/fleet/servers/fleet-subjects.ts';
import { type Counter, startCounter } from '../support/call-counter.ts';
import { eventsAt, type FleetHome, startFleetHomes, until } from '../support/fleet-homes.ts';
import { findNatsServer, restartLeader, startCluster } from '../support/nats-cluster.ts';
import { scaled } from '../support/thorough.ts';

const COUNT = scaled(8);
const FIRST_MS = 12_000;
const EVERY_MS = 2000;

const hasServer = findNatsServer() !== null;
if (!hasServer) console.warn('SKIPPED: there is no nats-server; set OKA_NATS, or run .ci/install-nats');

describe.skipIf(!hasServer)('schedules of a fleet', () => {
  it(`${COUNT} times at three homes run once each, while workers and a leader are killed`, async () => {
    await using cluster = await startCluster({ size: 3 });
    await using counter = await startCounter();
    const first = Date.now() + FIRST_MS;
    const ids = Array.from({ length: COUNT }, (_, index) => `s-${index}`);
    await using homes = await startFleetHomes(cluster, ['h0', 'h1', 'h2'], {
      policy: `rules:\n  - { effect: allow, host: '${counter.url.slice('http://'.length)}' }`,
      prepare: ({ workspace }) => {
        mkdirSync(join(workspace, 'schedules'), { recursive: true });
        for (const [index, id] of ids.entries())
          writeFileSync(
            join(workspace, 'schedules', `${id}.md`),
            scheduleText(id, new Date(first + index * EVERY_MS), counter),
          );
      },
    });
    const { list } = homes;
    await sleep(first - Date.now());
    for (const [index] of ids.entries()) {
      const killed = list[index % list.length];
      await sleep(EVERY_MS / 2);
      if (index % 2 === 0 && killed !== undefined) {
        await killed.kill();
        killed.start();
      }
      if (index === 3) await restartLeader(cluster, SHARED);
    }
    await until(list, 'every time has run', () => ids.every((id) => counter.counts.has(id)));
    await until(list, 'every home has settled every time', async () =>
      (await Promise.all(list.map(settledAt))).every((settled) => ids.every((id) => settled.has(id))),
    );
    await sleep(3000);
    expect(Object.fromEntries(counter.counts)).toEqual(Object.fromEntries(ids.map((id) => [id, 1])));
    for (const { home } of list) expect(await verifyLedger(home.ledgers.run)).toMatchObject({ state: 'intact' });
    const ran = await Promise.all(list.map(async (each) => (await startedAt(each)).length));
    console.log(JSON.stringify({ times: COUNT, ran }));
  });
});

/** A command that was killed in the middle must not run again, so that a count of two is a fault of the schedule. */
const scheduleText = (id: string, at: Date, { url }: Counter): string =>
  `---\nid: ${id}\nat: ${at.toISOString().slice(0, 19)}Z\n---\n\n# Count ${id}\n\n\`\`\`bash net:${url.slice('http://'.length)}\ncurl -fsS -X POST ${url}/${id}\n\`\`\`\n`;

const settledAt = async (home: FleetHome): Promise<Set<string>> =>
  new Set(
    (await eventsAt(home)).flatMap(({ type, data }) =>
      type === 'slot.came' ? [data.job.slice('schedule/'.length)] : [],
    ),
  );

const startedAt = async (home: FleetHome): Promise<string[]> =>
  (await eventsAt(home)).flatMap(({ type, run }) => (type === 'run.started' && run !== null ? [run] : []));
