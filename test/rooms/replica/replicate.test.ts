import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { replicaStatus, replicate, keepReplicating } from '../../../src/rooms/replica/replicate.ts';
import { replicaFolder } from '../../../src/rooms/replica/replica-connection.ts';
import { loadConfig } from '../../../src/kit/settings.ts';
import type { Home } from '../../../src/core/schema/home.ts';
import { switchReplication } from '../../../src/rooms/replica/copy/state.ts';
import type { Config } from '../../../src/core/schema/config.ts';
import { temporaryFolder } from '../../support/cli.ts';
import { type ConvexServer, openConvexServer } from '../../support/convex-server.ts';
import { many, write } from '../../support/replica.ts';
import { replicaHome } from '../../support/replica-children.ts';

const now = new Date(0).toISOString();

async function homeWith(dir: string, url: string, events: number): Promise<{ home: Home; config: Config }> {
  const home = replicaHome(dir, { url, ledger: 'home-1', batch: { seconds: 0.05 } });
  await write(home.ledgers.run, 'run', many(events, 'a'));
  return { home, config: await loadConfig(home) };
}

/** A follower that is ended with the block, and what it told. */
function following(home: Home, config: Config): { told: string[]; [Symbol.asyncDispose](): Promise<void> } {
  const [told, ending]: [string[], AbortController] = [[], new AbortController()];
  const done = keepReplicating(home, config, ending.signal, (text) => void told.push(text));
  return {
    told,
    [Symbol.asyncDispose]: async () => {
      ending.abort();
      await done;
    },
  };
}

async function until(holds: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await holds())) await after(20);
}

const stored = async (server: ConvexServer): Promise<number> => (await server.dump()).events.length;

describe('replicating', () => {
  it('follows a ledger that grows, says so, and ends with the signal', async () => {
    using folder = temporaryFolder();
    await using server = await openConvexServer({ open: true });
    const { home, config } = await homeWith(folder.dir, server.url, 30);
    {
      await using _ = following(home, config);
      await until(async () => (await stored(server)) === 30);
      await write(home.ledgers.run, 'run', many(12, 'b'));
      await write(home.ledgers.maintenance, 'maintenance', many(3, 'm'));
      await until(async () => (await stored(server)) === 45);
      await until(async () => (await replicaStatus(home, config)).pens.maintenance.there === 3);
      await until(async () => (await replicaStatus(home, config)).pens.run.there === 42);
      expect((await replicaStatus(home, config)).follower?.pid).toBe(process.pid);
      expect(await replicate(home, config, { kind: 'ever' }, AbortSignal.abort())).toBe('locked');
    }
    expect(await replicaStatus(home, config)).toMatchObject({
      follower: null,
      pens: { run: { here: 42, there: 42 }, maintenance: { here: 3, there: 3 } },
    });
  });

  it('R3 switched off it asks nobody, and goes on when it is switched on', async () => {
    using folder = temporaryFolder();
    await using server = await openConvexServer({ open: true });
    const { home, config } = await homeWith(folder.dir, server.url, 10);
    switchReplication(replicaFolder(home), false, now);
    await using _ = following(home, config);
    await after(100);
    expect(server.counts.requests).toBe(0);
    switchReplication(replicaFolder(home), true, now);
    await until(async () => (await stored(server)) === 10);
  });

  it('R3 stopped by another history it asks no more, says so once, and tries again when a person says on', async () => {
    using folder = temporaryFolder();
    using other = temporaryFolder();
    await using server = await openConvexServer({ open: true });
    const another = await homeWith(other.dir, server.url, 4);
    await replicate(another.home, another.config, { kind: 'caught-up', failures: 1 }, AbortSignal.timeout(20_000));
    await write(another.home.ledgers.run, 'run', many(1, 'only there'));
    await replicate(another.home, another.config, { kind: 'caught-up', failures: 1 }, AbortSignal.timeout(20_000));
    const { home, config } = await homeWith(folder.dir, server.url, 20);
    await using follower = following(home, config);
    await until(() => follower.told.length > 0);
    const { requests } = server.counts;
    await after(200);
    expect(server.counts.requests).toBe(requests);
    expect(follower.told).toEqual([expect.stringContaining('another history')]);
    expect((await replicaStatus(home, config)).state?.doing).toMatchObject({ kind: 'stopped' });
    await empty(server);
    switchReplication(replicaFolder(home), true, now);
    await until(async () => (await stored(server)) === 20);
  });

  it('R1 an address that cannot be, or a vault that does not open, is told and ends nothing', async () => {
    using folder = temporaryFolder();
    const { home, config } = await homeWith(folder.dir, 'http://replica.example.org', 2);
    {
      await using follower = following(home, config);
      await until(() => follower.told.length > 0);
      expect(follower.told[0]).toContain('unencrypted');
    }
    const server = await homeWith(folder.dir, 'http://127.0.0.1:9', 2);
    writeFileSync(join(home.oka, 'credentials.age'), 'no age file');
    await using follower = following(server.home, server.config);
    await until(() => follower.told.length > 0);
    expect(follower.told[0]).toMatch(/credentials\.age/);
  });

  it('does nothing where no replica is set', async () => {
    using folder = temporaryFolder();
    const home = replicaHome(folder.dir, {});
    await keepReplicating(home, await loadConfig(home), new AbortController().signal, () => undefined);
    expect(await replicaStatus(home, await loadConfig(home))).toMatchObject({ url: null, ledger: null, state: null });
  });
});

async function empty(server: ConvexServer): Promise<void> {
  await server.tamper(async ({ db }) => {
    for (const table of ['events', 'heads', 'runs'] as const)
      for (const row of await db.query(table).collect()) await db.delete(row._id);
    return null;
  });
}
