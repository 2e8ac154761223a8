import { execFile, execFileSync } from 'node:child_process';
import { promisify } from 'node:util';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import {
  vectorTableClient,
  type VectorTableClient,
} from '../../../../src/rooms/memory/embedding/vector-table-client.ts';
import type { VectorRows } from '../../../../src/rooms/memory/embedding/vector-table.ts';
import { temporaryFolder } from '../../../support/cli.ts';

const opened: VectorTableClient[] = [];
afterEach(() => Promise.all(opened.splice(0).map((each) => each.close())));

const model = "it's a model";
const rowsOf = (from: number, count: number): VectorRows => ({
  keys: Array.from({ length: count }, (_, index) => `k${from + index}`),
  vectors: Float32Array.from({ length: 2 * count }, (_, index) => 2 * from + index),
});

function open(folder: string, { quietMs = 60_000, canWrite = true } = {}): VectorTableClient {
  const client = vectorTableClient({ folder, dims: 2, canWrite }, quietMs);
  opened.push(client);
  return client;
}

async function read(client: VectorTableClient, of = model): Promise<Map<string, number[]>> {
  const found = new Map<string, number[]>();
  await client.ask({ kind: 'read', model: of }, ({ keys, vectors }) => {
    for (const [row, key] of keys.entries()) found.set(key, Array.from(vectors.subarray(2 * row, 2 * row + 2)));
  });
  return found;
}

/** The processes of a table, by the folder in their arguments. */
const childrenFor = (folder: string): number[] =>
  execFileSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes('vector-table-child') && line.includes(folder))
    .map((line) => Number(line.trim().split(' ')[0]));

it('gives back what was written, however much, and a row that is written again once, and has one model in the end', async () => {
  using folder = temporaryFolder();
  const client = open(join(folder.dir, 'vectors'));
  expect(await client.ask({ kind: 'open' })).toBe(true);
  await client.ask({ kind: 'merge', model, rows: rowsOf(0, 3000) });
  await client.ask({ kind: 'merge', model, rows: rowsOf(2999, 2) });
  await client.ask({ kind: 'merge', model: 'another', rows: rowsOf(9000, 1) });
  const found = await read(client);
  expect([found.size, found.get('k0'), found.get('k2999'), found.get('k3000')]).toEqual([
    3001,
    [0, 1],
    [5998, 5999],
    [6000, 6001],
  ]);
  expect((await read(client, 'another')).size).toBe(1);
  await client.ask({ kind: 'delete other models', model });
  expect([(await read(client)).size, (await read(client, 'another')).size]).toEqual([3001, 0]);
});

it('1 has no process when nobody has asked for a while, and the next request starts one again', async () => {
  using folder = temporaryFolder();
  const client = open(join(folder.dir, 'vectors'), { quietMs: 50 });
  await client.ask({ kind: 'merge', model, rows: rowsOf(0, 2) });
  await expect.poll(() => childrenFor(folder.dir), { timeout: 30_000 }).toEqual([]);
  expect((await read(client)).size).toBe(2);
});

it('2 a process that is killed rejects what it was asked, and the next request finds what was written', async () => {
  using folder = temporaryFolder();
  const client = open(join(folder.dir, 'vectors'));
  await client.ask({ kind: 'merge', model, rows: rowsOf(0, 2) });
  const [pid = 0] = childrenFor(folder.dir);
  process.kill(pid, 'SIGSTOP');
  const asked = client.ask({ kind: 'compact' });
  process.kill(pid, 'SIGKILL');
  await expect(asked).rejects.toThrow('the process of the vectors ended (SIGKILL)');
  expect((await read(client)).size).toBe(2);
});

it('3 whoever asked ends when it has nothing else to do, also without closing it, and no process stays', async () => {
  using folder = temporaryFolder();
  const file = JSON.stringify(
    join(import.meta.dirname, '../../../../src/rooms/memory/embedding/vector-table-client.ts'),
  );
  const settings = JSON.stringify({ folder: join(folder.dir, 'vectors'), dims: 2, canWrite: true });
  const body = `import(${file}).then(async (module) => {
    const client = module.vectorTableClient(${settings});
    console.log(await client.ask({ kind: 'open' }));
    if (process.argv[1] === 'close') await client.close().then(() => console.log('closed'));
  })`;
  for (const [how, said] of [
    ['leave', 'true\n'],
    ['close', 'true\nclosed\n'],
  ] as const) {
    const { stdout } = await promisify(execFile)(process.execPath, ['-e', body, how]);
    expect(stdout).toBe(said);
    await expect.poll(() => childrenFor(folder.dir), { timeout: 30_000 }).toEqual([]);
  }
});

it('3 whoever asked one that ends at once gets to know, also with nothing else to do', async () => {
  using folder = temporaryFolder();
  const file = JSON.stringify(
    join(import.meta.dirname, '../../../../src/rooms/memory/embedding/vector-table-client.ts'),
  );
  const settings = JSON.stringify({ folder: join(folder.dir, 'vectors'), dims: 2, canWrite: true });
  const body = `import(${file}).then(async (module) => {
    process.env.NODE_OPTIONS = '--require=/there/is/nothing';
    await module.vectorTableClient(${settings}).ask({ kind: 'open' }).catch((error) => console.log(error.message));
  })`;
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', body]);
  expect(stdout).toBe('the process of the vectors ended (1)\n');
});

it('4 one that is frozen is killed when it is closed, or when whoever asks it is about to close it', async () => {
  using folder = temporaryFolder();
  const ends = new AbortController();
  const client = vectorTableClient(
    { folder: join(folder.dir, 'vectors'), dims: 2, canWrite: true },
    60_000,
    ends.signal,
  );
  await client.ask({ kind: 'open' });
  freeze(folder.dir);
  const closing = client.close();
  await client.ask({ kind: 'open' });
  await closing;
  freeze(folder.dir);
  const asked = client.ask({ kind: 'compact' });
  ends.abort();
  await expect(asked).rejects.toThrow('the process of the vectors ended (SIGKILL)');
  await client.close();
  expect(childrenFor(folder.dir)).toEqual([]);
});

function freeze(folder: string): void {
  for (const pid of childrenFor(folder)) process.kill(pid, 'SIGSTOP');
}

it('creates no table for one that only looks, which finds what another has written since', async () => {
  using folder = temporaryFolder();
  const looks = open(join(folder.dir, 'vectors'), { canWrite: false });
  expect(await looks.ask({ kind: 'open' })).toBe(false);
  const writes = open(join(folder.dir, 'vectors'));
  await writes.ask({ kind: 'merge', model, rows: rowsOf(0, 1) });
  expect((await read(looks)).size).toBe(1);
  await writes.ask({ kind: 'merge', model, rows: rowsOf(1, 1) });
  expect((await read(looks)).size).toBe(2);
});
