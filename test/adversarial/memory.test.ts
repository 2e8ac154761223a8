import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { search } from '../../src/memory/search.ts';
import { memoryHome, recallOf, said } from '../support/memory.ts';

const child = fileURLToPath(new URL('../support/memory-child.ts', import.meta.url));
const EVENTS = 6000;

it('a process that is killed while it indexes loses nothing: the next one goes on where it was', async () => {
  await using home = await memoryHome();
  for (let from = 0; from < EVENTS; from += 1000)
    await home.append(
      ...Array.from({ length: 1000 }, (_, index) =>
        said(`t${from + index}`, `note about topic${from + index} and more words to index`),
      ),
    );
  const ledger = readFileSync(home.options.ledgers.run);
  const kept: number[] = [];
  for (const delay of [0, 30, 60, 120, 240]) kept.push(await killedAfter(home.dir, delay));
  expect(kept).toEqual(kept.toSorted((a, b) => a - b));
  const recall = await recallOf(home);
  expect(recall.keeps).toBe(true);
  expect(recall.shelf.size).toBe(EVENTS);
  for (const at of [0, 499, 500, 3001, EVENTS - 1])
    expect((await search(recall, { query: `topic${at}`, limit: 1 })).found[0]?.id).toBe(`t${at}`);
  await recall.close();
  expect(readFileSync(home.options.ledgers.run).equals(ledger)).toBe(true);
});

/** Returns how many pieces it found when it began. */
async function killedAfter(dir: string, ms: number): Promise<number> {
  const process_ = spawn(process.execPath, [child, dir], { stdio: ['ignore', 'pipe', 'inherit'] });
  const { promise, resolve } = Promise.withResolvers<number>();
  process_.stdout.on('data', (said: Buffer) => {
    const begun = /begun (\d+)/.exec(said.toString());
    if (begun !== null) resolve(Number(begun[1]));
  });
  const exited = new Promise((done) => process_.on('exit', done));
  const found = await promise;
  await sleep(ms);
  process_.kill('SIGKILL');
  await exited;
  return found;
}
