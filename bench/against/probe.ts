/**
 * Measures one version of oka: `probe.ts <checkout> <folder>`. The measuring code is the same for every version; of the
 * version it uses the program and the few lines of bench/support/ that open it. Prints figures as JSON, in CPU time.
 */
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

type Support = typeof import('../support/engine.ts') & typeof import('../support/home.ts');
type Settings = typeof import('../../src/kit/settings.ts');

const [top = '', folder = ''] = process.argv.slice(2);
const load = <T>(path: string): Promise<T> => import(join(top, path)) as Promise<T>;
const { engineOn, sequence, layers } = await load<Support>('bench/support/engine.ts');
const { storesIn, kilobyteEvent, fill } = await load<Support>('bench/support/home.ts');
const settings = ['src/kit/settings.ts', 'src/daemon/settings.ts'].find((path) => existsSync(join(top, path))) ?? '';
const { homeAt } = await load<Settings>(settings);
const { slowFlush } = await load<typeof import('../support/slow-flush.ts')>('bench/support/slow-flush.ts');
const noFlush = { now: () => undefined, later: async () => undefined };
let homes = 0;

process.stdout.write(
  JSON.stringify({
    node_cpu_us: await nodes(),
    fanout_cpu_us: await fanOut(),
    runs64_cpu_us: await manyRuns(),
    event_cpu_us: await events(),
    cold_start_cpu_ms: await coldStart(),
  }),
);
process.exit(0);

/** One behind the other, 1 KB in and out, without the flush. */
async function nodes(): Promise<number> {
  const stores = await storesIn(newHome(), noFlush);
  const engine = engineOn(stores);
  const graph = sequence(2000);
  const run = async (id: number): Promise<void> => void (await (await engine.start(graph, { id: `bench-${id}` })).done);
  for (let warming = 0; warming < 4; warming += 1) await run(warming);
  const cpu = await cpuOf(async () => {
    for (let round = 4; round < 8; round += 1) await run(round);
  });
  await stores.close();
  return cpu / 8000;
}

/** Layers of 100 nodes side by side, with a flush of a millisecond. */
async function fanOut(): Promise<number> {
  await using flush = slowFlush();
  const stores = await storesIn(newHome(), flush);
  const engine = engineOn(stores);
  const graph = layers(10, 100);
  const run = async (id: number): Promise<void> =>
    void (await (
      await engine.start(structuredClone(graph), { id: `bench-${id}` })
    ).done);
  for (let warming = 0; warming < 10; warming += 1) await run(warming);
  const cpu = await cpuOf(async () => {
    for (let round = 10; round < 30; round += 1) await run(round);
  });
  await stores.close();
  return cpu / 20_000;
}

async function manyRuns(): Promise<number> {
  await using flush = slowFlush();
  const stores = await storesIn(newHome(), flush);
  const engine = engineOn(stores);
  const graph = sequence(100);
  const runs = async (round: number): Promise<void> => {
    const ids = Array.from({ length: 64 }, (_, index) => `bench-${round}-${index}`);
    const drives = await Promise.all(ids.map((id) => engine.start(graph, { id })));
    await Promise.all(drives.map((drive) => drive.done));
  };
  await runs(0);
  const cpu = await cpuOf(async () => {
    for (let round = 1; round < 4; round += 1) await runs(round);
  });
  await stores.close();
  return cpu / (3 * 64 * 100);
}

/** Of 1 KB, in batches of 100, without the flush. */
async function events(): Promise<number> {
  const stores = await storesIn(newHome(), noFlush);
  const append = async (): Promise<void> => {
    for (let batch = 0; batch < 200; batch += 1) {
      for (let index = 0; index < 100; index += 1) stores.ledger.stage(kilobyteEvent(index));
      await stores.ledger.flush();
    }
  };
  await append();
  const cpu = await cpuOf(append);
  await stores.close();
  return cpu / 20_000;
}

/** Opening a ledger of 20,000 events again; the first time loads the code. */
async function coldStart(): Promise<number> {
  const home = newHome();
  await fill(home, 20_000);
  const times: number[] = [];
  for (let round = 0; round < 6; round += 1) {
    times.push(await cpuOf(async () => (await storesIn(home, noFlush)).close()));
  }
  return (times.slice(1).toSorted((a, b) => a - b)[2] ?? Number.NaN) / 1000;
}

/** In microseconds, all threads together. */
async function cpuOf(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

function newHome(): ReturnType<Settings['homeAt']> {
  const dir = join(folder, `home-${(homes += 1)}`);
  mkdirSync(dir, { recursive: true });
  return homeAt(dir);
}
