/** A process that scans and adds frames is killed at random moments: nothing acknowledged is lost, and the tree is intact. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import { setUp } from '../../src/kit/home/set-up.ts';
import { homeAt } from '../../src/kit/settings.ts';
import { withTreeRows } from '../../src/rooms/context/tree/tree-index.ts';
import { validateHomeTree } from '../../src/rooms/context/tree/validate-home-tree.ts';
import { readTree } from '../../src/rooms/context/model/tree-store.ts';
import { temporaryFolder } from '../support/cli.ts';
import { scaled } from '../support/thorough.ts';

it('kills at any point: validate is clean, and no acknowledged frame is lost', async () => {
  using folder = temporaryFolder();
  const home = homeAt(folder.dir);
  setUp(home);
  const acknowledged = new Set<string>();
  // On a slow machine a round is over before much was acknowledged: then there are more of them.
  for (let round = 0; round < scaled(8) || acknowledged.size <= 10; round += 1) {
    await runUntilKilled(folder.dir, round, acknowledged);
    const { problems } = await validateHomeTree(home, 'workspace');
    expect(problems).toEqual([]);
    const known = await withTreeRows(home, (rows) => {
      const tree = readTree(rows, 'workspace');
      return [...acknowledged].filter((id) => tree.frame(id) === null);
    });
    expect(known).toEqual([]);
  }
  expect(acknowledged.size).toBeGreaterThan(10);
});

/** Lets it work for a while that differs from round to round, and kills it in the middle of whatever it does. */
async function runUntilKilled(dir: string, round: number, acknowledged: Set<string>): Promise<void> {
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, '../support/tree-child.ts'), dir, String(round + 1)],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const ended = new Promise((resolve) => void child.once('close', resolve));
  for await (const line of createInterface({ input: child.stdout })) {
    const [, id] = /^put ([0-9a-f]{64}) /.exec(line) ?? [];
    if (id !== undefined) acknowledged.add(id);
    if (line === 'begun') setTimeout(() => child.kill('SIGKILL'), 150 + ((round * 137) % 700));
  }
  await ended;
}
