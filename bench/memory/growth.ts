/** The same questions over a history that grows: what is found, what it costs, how long it takes, how much memory it needs. */
import { openLedger } from '../../src/ledger/ledger.ts';
import { recallOptions } from '../../src/daemon/memory/recall.ts';
import { packFor } from '../../src/memory/pack-for.ts';
import { Recall } from '../../src/memory/recall.ts';
import { emptyScan } from '../../src/memory/scan.ts';
import type { NewEvent } from '../../src/schema/event.ts';
import { MemoryConfig } from '../../src/schema/memory.ts';
import { engineOn, sequence } from '../support/engine.ts';
import { memoryFolder, storesIn, temporaryHome } from '../support/home.ts';
import { recallBeside } from '../../src/memory/beside.ts';
import { join } from 'node:path';
import { type Figure, median } from '../figure.ts';
import { generator, madeUp } from './data.ts';
import { fillers, topics } from './topics.ts';

const SIZES = [1000, 10_000, 100_000];
const ASKED = 60;

type Sized = { tokens: number; recall: number; p50: number; p99: number; rss: number; indexMs: number };

export async function growthFigures(note: (text: string) => void): Promise<Figure[]> {
  const sized: Sized[] = [];
  for (const events of SIZES) {
    sized.push(await at(events));
    note(`${events} events: ${JSON.stringify(sized.at(-1))}`);
  }
  const tokens = sized.map((each) => each.tokens);
  const [first, last] = [sized[0] as Sized, sized.at(-1) as Sized];
  return [
    {
      name: 'growth_tokens',
      value: (100 * (Math.max(...tokens) - Math.min(...tokens))) / Math.max(...tokens),
      unit: '%',
      bar: { most: 5 },
      about: 'between the tokens used at 1,000 and at 100,000 events',
    },
    {
      name: 'growth_recall_lost',
      value: first.recall - last.recall,
      unit: 'points',
      bar: { most: 5 },
      about: `of planted facts in the pack: ${first.recall.toFixed(1)} % at 1,000 events`,
    },
    { name: 'pack_p50', value: last.p50, unit: 'ms', bar: { most: 100 }, about: 'a pack at 100,000 events' },
    { name: 'pack_p99', value: last.p99, unit: 'ms', bar: { most: 200 }, about: 'a pack at 100,000 events' },
    {
      name: 'memory_rss',
      value: last.rss,
      unit: 'MB',
      bar: { most: 400 },
      about: 'more at 100,000 events than before anything was opened',
    },
    { name: 'index_1000', value: (last.indexMs * 1000) / 100_000, unit: 'ms', about: 'to index 1,000 events by words' },
    scanFigure(),
    await throughputFigure(),
  ];
}

async function at(events: number): Promise<Sized> {
  using temporary = temporaryHome(memoryFolder);
  const { home } = temporary;
  const planted = madeUp(21);
  const mine = planted.questions.filter(({ namespace }) => namespace === 'talk-21-0').slice(0, ASKED);
  const turns = planted.turns.filter(({ namespace }) => namespace === 'talk-21-0');
  const ledger = await openLedger(home.ledgers.run, 'run', {
    redact: (text) => text,
    flush: { now: () => undefined, later: async () => undefined },
  });
  const noise = history(events - turns.length);
  for (let from = 0; from < noise.length; from += 1000) await ledger.append(noise.slice(from, from + 1000));
  await ledger.append(
    turns.map(
      (episode, index): NewEvent => ({
        type: 'episode.imported',
        data: { episode, from: { name: 'x', line: index + 1 } },
      }),
    ),
  );
  await ledger.close();
  globalThis.gc?.();
  const before = process.memoryUsage().rss;
  const recall = Recall.open(recallOptions(home, MemoryConfig.parse({ vectors: false })));
  const start = performance.now();
  await recall.catchUp();
  const indexMs = performance.now() - start;
  const ask = (query: string) =>
    packFor(recall, { role: 'executor', run: 'none', node: null, query, model: 'openai:x', given: [] });
  for (const { question } of mine.slice(0, 10)) await ask(question);
  const times: number[] = [];
  let [tokens, found] = [0, 0];
  for (let round = 0; round < 3; round += 1)
    for (const { question, evidence } of mine) {
      const asked = performance.now();
      const { manifest } = await ask(question);
      times.push(performance.now() - asked);
      tokens += manifest.tokens;
      const ids = new Set(manifest.items.map(({ id }) => id));
      found += evidence.filter((id) => ids.has(`talk-21-0:${id}`)).length / evidence.length;
    }
  globalThis.gc?.();
  const rss = (process.memoryUsage().rss - before) / 1e6;
  await recall.close();
  times.sort((a, b) => a - b);
  return {
    tokens: tokens / times.length,
    recall: (100 * found) / times.length,
    p50: median(times),
    p99: times[Math.floor(times.length * 0.99)] ?? 0,
    rss,
    indexMs,
  };
}

/** Other people's talk and work, about the same topics. */
function history(events: number): NewEvent[] {
  const random = generator(events);
  const at = Date.UTC(2020, 0, 1);
  return Array.from({ length: Math.max(0, events) }, (_, index): NewEvent => {
    const topic = random.of(topics);
    const text = `${random.of([...topic.again, ...fillers.besides, ...fillers.between])} ${random.of(fillers.besides)} ${random.of(topic.again)}`;
    const episode = {
      id: `n${index}`,
      text,
      who: `Person${random.below(200)}`,
      at: new Date(at + index * 600_000).toISOString(),
      namespace: `n${index % 300}`,
    };
    return { type: 'episode.imported', data: { episode, from: { name: 'noise', line: index + 1 } } };
  });
}

function scanFigure(): Figure {
  const random = generator(5);
  const vector = (): Float32Array => Float32Array.from({ length: 384 }, () => random.next() - 0.5);
  const scan = emptyScan(384);
  for (let row = 0; row < 100_000; row += 1) scan.add(`k${row}`, vector());
  const times = Array.from({ length: 30 }, () => {
    const asked = vector();
    const start = performance.now();
    scan.closest(asked, 1000);
    return performance.now() - start;
  });
  return {
    name: 'scan_100k',
    value: median(times),
    unit: 'ms',
    bar: { most: 50 },
    about: 'the 1,000 closest of 100,000 vectors',
  };
}

/** Nodes a second with the index following, against the same without. */
async function throughputFigure(): Promise<Figure> {
  const ratios: number[] = [];
  for (let round = 0; round < 5; round += 1) ratios.push((await rate(true)) / (await rate(false)));
  return {
    name: 'worker_while_indexing',
    value: median(ratios),
    unit: '×',
    bar: { least: 0.9 },
    about: 'nodes a second while the index follows, against without',
  };
}

async function rate(indexing: boolean): Promise<number> {
  using temporary = temporaryHome(memoryFolder);
  const { home } = temporary;
  const stores = await storesIn(home, { now: () => undefined, later: async () => undefined });
  const beside = recallBeside({
    folder: join(home.oka, 'index'),
    ledgers: home.ledgers,
    artifacts: join(home.oka, 'artifacts'),
    settings: MemoryConfig.parse({ vectors: false }),
  });
  if (indexing) {
    await beside.search({ query: 'warm', limit: 1 });
    stores.whenDurable(() => beside.changed());
  }
  const engine = engineOn(stores);
  const nodes = 20_000;
  const start = performance.now();
  await (await engine.start(sequence(nodes), { id: 'bench' })).done;
  const seconds = (performance.now() - start) / 1000;
  await beside.close();
  await stores.close();
  return nodes / seconds;
}
