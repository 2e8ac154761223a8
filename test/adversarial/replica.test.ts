import { mkdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { convexReplica } from '../../src/rooms/replica/copy/convex.ts';
import { temporaryFolder } from '../support/cli.ts';
import { everyFault } from '../support/convex-faults.ts';
import { openConvexServer } from '../support/convex-server.ts';
import { faultsOf, many, storedAt, write } from '../support/replica.ts';
import { killedAndFinished, replicaHome, startFollower } from '../support/replica-children.ts';

const KEY = 'a key for tests that is long enough';

it('R1 a follower killed 20 times with requests failing on the way leaves every event at the replica, once', async () => {
  using folder = temporaryFolder();
  await using server = await openConvexServer({
    engine: 'indexed',
    key: KEY,
    faults: { ...everyFault(0.01), latencyMs: [1, 4] },
    seed: 7,
  });
  const home = replicaHome(folder.dir, { ledger: 'home-1', batch: { events: 20, seconds: 0.05 } });
  mkdirSync(home.oka, { recursive: true });
  await write(home.ledgers.run, 'run', many(3000, 'a'));
  await write(home.ledgers.maintenance, 'maintenance', many(200, 'm'));
  let draw = 0;
  const random = (): number => ((draw += 1) * 0.618033988749895) % 1;
  const start = () => startFollower(home, server.url, KEY, 'caught-up');
  const { last, killed } = await killedAndFinished(start, 20, random);
  expect(last.errors()).toBe('');
  expect(last.said.at(-1)).toMatch(/^ended caught-up /);
  expect(killed).toBeGreaterThan(15);
  server.setFaults({});
  const stored = await storedAt(convexReplica({ url: server.url, key: KEY, timeoutMs: 10_000 }));
  expect(await faultsOf(home.ledgers, stored)).toEqual([]);
}, 600_000);
