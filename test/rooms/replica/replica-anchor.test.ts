import { cpSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { setUp } from '../../../src/kit/home/set-up.ts';
import { homeAt, loadConfig } from '../../../src/kit/settings.ts';
import { openStores } from '../../../src/kit/house/stores.ts';
import type { Home } from '../../../src/core/schema/home.ts';
import { oka, type TemporaryFolder, temporaryFolder } from '../../support/cli.ts';
import { type ConvexServer, openConvexServer } from '../../support/convex-server.ts';

let folder: TemporaryFolder;
let server: ConvexServer;
let home: Home;
beforeEach(async () => {
  folder = temporaryFolder();
  server = await openConvexServer({ key: 'a key for tests that is long enough' });
  vi.stubEnv('XDG_STATE_HOME', join(folder.dir, 'state'));
  vi.stubEnv('XDG_CONFIG_HOME', join(folder.dir, 'config'));
  vi.stubEnv('CONVEX_URL', server.url);
  vi.stubEnv('OKA_REPLICA_KEY', 'a key for tests that is long enough');
  home = homeAt(join(folder.dir, 'home'));
  mkdirSync(home.dir);
  setUp(home);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await server[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

async function append(count: number): Promise<void> {
  const stores = await openStores(home, await loadConfig(home));
  for (let each = 0; each < count; each += 1)
    await stores.ledger.append({ type: 'run.paused', run: 'r1', data: { reason: `${each}` } });
  await stores.close();
}

/** The home as it is on another machine, from a backup that is older than what the replica has. */
async function restoreOldBackup(): Promise<void> {
  await append(5);
  const backup = join(folder.dir, 'backup');
  cpSync(home.oka, backup, { recursive: true, verbatimSymlinks: true });
  await append(5);
  expect((await oka('replica', 'backfill', '--dir', home.dir)).code).toBe(0);
  rmSync(home.oka, { recursive: true });
  cpSync(backup, home.oka, { recursive: true, verbatimSymlinks: true });
  for (const place of ['state', 'config']) rmSync(join(folder.dir, place), { recursive: true });
}

it('an older backup on a machine that knows nothing of the home is refused, since the replica has more', async () => {
  await restoreOldBackup();
  const before = readFileSync(home.ledgers.run);
  await expect(append(0)).rejects.toThrow(
    /ends at event 5, but event 10 was recorded \(the replica .*5 events are missing/,
  );
  expect(readFileSync(home.ledgers.run)).toEqual(before);
  expect((await oka('ledger', 'accept-rollback', '--dir', home.dir)).code).toBe(0);
  await append(1);
  rmSync(join(folder.dir, 'state'), { recursive: true });
  await append(8); // what was accepted is not asked for again
  rmSync(join(folder.dir, 'state'), { recursive: true });
  await append(1); // nor when there is another event in its place
});

it('a replica that is as far as the ledger, or behind it, agrees; one that does not answer says nothing', async () => {
  await append(5);
  expect((await oka('replica', 'backfill', '--dir', home.dir)).code).toBe(0);
  rmSync(join(folder.dir, 'state'), { recursive: true });
  await append(2);
  rmSync(join(folder.dir, 'state'), { recursive: true });
  await append(2);
  vi.stubEnv('CONVEX_URL', 'http://127.0.0.1:9');
  rmSync(join(folder.dir, 'state'), { recursive: true });
  await append(2);
});
