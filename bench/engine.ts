/** What the engine costs: a node through decide, ledger and the whole chain. */
import { closeSync, openSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Graph } from '../src/core/schema/graph.ts';
import type { Flush } from '../src/core/schema/ports.ts';
import { type Figure, median } from './figure.ts';
import { conditions, engineOn, layers, noOpTools, sequence } from './support/engine.ts';
import { memoryFolder, storesIn, temporaryHome } from './support/home.ts';
import { slowFlush } from './support/slow-flush.ts';

const ROUNDS = 7;
/** Rounds that are not counted: the worker is a process that stays, and its code is compiled while it works. */
const WARMING = 3;
const NODES = 1000;
const noFlush: Flush = { now: () => undefined, later: async () => undefined };

export async function measure(note: (text: string) => void): Promise<Figure[]> {
  note('warming up');
  await deltasOf(20_000);
  note('a sequence with a flush of 1 ms');
  const sequential = await sequenceFigures();
  note('software cost of a node');
  const software = await softwareFigures();
  note('layers side by side');
  const fanout = await fanoutFigure();
  note('64 runs at once');
  const many = await manyRunsFigure();
  note('conditions');
  const condition = await conditionFigure();
  note('a run of 100,000 nodes');
  const long = await longRunFigure();
  return [...sequential, ...software, fanout, many, condition, long];
}

async function sequenceFigures(): Promise<Figure[]> {
  await using flush = slowFlush();
  const times: number[] = [];
  const floors: number[] = [];
  let flushes = 0;
  let bytes = 0;
  for (let round = 0; round < WARMING + ROUNDS; round += 1) {
    using temporary = temporaryHome(memoryFolder);
    const stores = await storesIn(temporary.home, flush);
    floors.push(floorMs(join(temporary.home.dir, 'floor'), flush));
    const engine = engineOn(stores);
    const graph = sequence(NODES);
    const before = flush.count();
    const start = performance.now();
    await (await engine.start(graph, { id: 'bench' })).done;
    times.push((performance.now() - start) / NODES);
    flushes = (flush.count() - before) / NODES;
    await stores.close();
    bytes = statSync(temporary.home.ledgers.run).size / NODES;
  }
  return [
    {
      name: 'engine_flushes',
      value: flushes,
      unit: '',
      bar: { most: 1.002 },
      about: 'flushes a node, one behind the other (and one at the end)',
    },
    {
      name: 'engine_vs_floor',
      value: median(times.slice(WARMING)) / median(floors.slice(WARMING)),
      unit: '×',
      bar: { most: 1.15 },
      about: 'time of a node of 1 KB in and out, against write + flush',
    },
    { name: 'engine_bytes', value: bytes, unit: 'bytes', bar: { most: 3072 }, about: 'of ledger a node' },
  ];
}

/** The least a durable step can do: write what went in and what came out, flush once. */
function floorMs(file: string, flush: Flush): number {
  const fd = openSync(file, 'a');
  const record = Buffer.alloc(2048, 'x');
  const start = performance.now();
  for (let index = 0; index < 200; index += 1) {
    writeSync(fd, record);
    flush.now(fd);
  }
  closeSync(fd);
  return (performance.now() - start) / 200;
}

async function softwareFigures(): Promise<Figure[]> {
  const costs: number[] = [];
  const growths: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const deltas = await deltasOf(10_500);
    costs.push(median(deltas.slice(500)));
    growths.push(median(deltas.slice(9500, 10_500)) / median(deltas.slice(500, 1500)));
  }
  return [
    {
      name: 'engine_us',
      value: median(costs),
      unit: 'µs',
      bar: { most: 100 },
      about: 'p50 of a node through the whole chain, without the flush',
    },
    {
      name: 'engine_growth',
      value: median(growths),
      unit: '×',
      bar: { most: 1.1 },
      about: 'cost around node 10,000 against that around node 1,000',
    },
  ];
}

/** Microseconds from one call to the next. */
async function deltasOf(nodes: number): Promise<number[]> {
  using temporary = temporaryHome(memoryFolder);
  const stores = await storesIn(temporary.home, noFlush);
  const calls: number[] = [];
  const engine = engineOn(stores, (input) => {
    calls.push(performance.now());
    return input;
  });
  await (await engine.start(sequence(nodes), { id: 'bench' })).done;
  await stores.close();
  return calls.slice(1).map((at, index) => (at - (calls[index] ?? at)) * 1000);
}

async function fanoutFigure(): Promise<Figure> {
  await using flush = slowFlush();
  using temporary = temporaryHome(memoryFolder);
  const stores = await storesIn(temporary.home, flush);
  const engine = engineOn(stores);
  const times: number[] = [];
  const sample = layers(10, 100);
  for (let round = 0; round < 4 * (WARMING + ROUNDS); round += 1) {
    const graph = structuredClone(sample); // known to nobody, and without the garbage of parsing it
    const start = performance.now();
    await (await engine.start(graph, { id: `bench-${round}` })).done;
    times.push(((performance.now() - start) * 1000) / 1000);
  }
  await stores.close();
  return {
    name: 'fanout_us',
    value: median(times.slice(4 * WARMING)),
    unit: 'µs',
    bar: { most: 40 },
    about: 'a durable node, 10 layers of 100 with a flush of 1 ms',
  };
}

async function manyRunsFigure(): Promise<Figure> {
  await using flush = slowFlush();
  const rates: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    using temporary = temporaryHome(memoryFolder);
    const stores = await storesIn(temporary.home, flush);
    const engine = engineOn(stores);
    const graph = sequence(NODES);
    const start = performance.now();
    const drives = await Promise.all(
      Array.from({ length: 64 }, (_, index) => engine.start(graph, { id: `bench-${index}` })),
    );
    await Promise.all(drives.map((drive) => drive.done));
    rates.push((64 * NODES * 1000) / (performance.now() - start));
    await stores.close();
  }
  return {
    name: 'runs64_rate',
    value: median(rates),
    unit: 'nodes/s',
    bar: { least: 20_000 },
    about: '64 sequences at once with a flush of 1 ms',
  };
}

/** A typed condition against a tool node that does nothing, both without the flush. */
async function conditionFigure(): Promise<Figure> {
  const ratios: number[] = [];
  for (let round = 0; round < WARMING + ROUNDS; round += 1) {
    using temporary = temporaryHome(memoryFolder);
    const stores = await storesIn(temporary.home, noFlush);
    const engine = engineOn(stores);
    const input = { name: 'bench-7', index: 1_000_000 };
    const timeOf = async (graph: Graph): Promise<number> => {
      const start = performance.now();
      const run = await (await engine.start(graph, { id: graph.id, input })).done;
      if (run.status !== 'done') throw new Error(`${graph.id} ended ${run.status}: ${run.reason}`);
      return performance.now() - start;
    };
    const tools = await timeOf(noOpTools(5 * NODES));
    ratios.push((await timeOf(conditions(5 * NODES))) / tools);
    await stores.close();
  }
  return {
    name: 'condition_vs_tool',
    value: median(ratios.slice(WARMING)),
    unit: '×',
    bar: { most: 1 },
    about: 'time of a typed condition of two comparisons, against a tool node that does nothing',
  };
}

async function longRunFigure(): Promise<Figure> {
  using temporary = temporaryHome(memoryFolder);
  const stores = await storesIn(temporary.home, noFlush);
  const engine = engineOn(stores);
  const start = performance.now();
  const run = await (await engine.start(sequence(100_000), { id: 'bench' })).done;
  await stores.close();
  if (run.status !== 'done') throw new Error(`the long run ended ${run.status}: ${run.reason}`);
  return {
    name: 'engine_long_s',
    value: (performance.now() - start) / 1000,
    unit: 's',
    about: 'a run of 100,000 nodes, start to end',
  };
}
