/** What remembering costs the worker: nodes a second while the index follows, by words and with vectors being learned. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BackgroundRecall, openBackgroundRecall } from '../../src/rooms/memory/recall/background-recall.ts';
import type { Home } from '../../src/core/schema/home.ts';
import type { NewEvent } from '../../src/core/schema/event.ts';
import { MemoryConfig } from '../../src/core/schema/memory.ts';
import { type Figure, median } from '../figure.ts';
import { engineOn, sequence } from '../support/engine.ts';
import { memoryFolder, storesIn, temporaryHome } from '../support/home.ts';
import { generator } from './data.ts';
import { fillers, topics } from './topics.ts';

const ROUNDS = 5;
const NODES = 20_000;
const EVENTS = 1000;

type Way = 'none' | 'words' | 'vectors';
/** Nodes a second, and what the thread of the engine itself spent on each. */
type Round = { perSecond: number; cpu: number };

export async function followingFigures(note: (text: string) => void): Promise<Figure[]> {
  const ratios: Record<Exclude<Way, 'none'>, Round[]> = { words: [], vectors: [] };
  for (let round = 0; round < ROUNDS; round += 1)
    for (const way of ['words', 'vectors'] as const) {
      const [plain, beside] = [await measureWork('none'), await measureWork(way)];
      note(`${way}: ${plain.perSecond.toFixed(0)} nodes a second without, ${beside.perSecond.toFixed(0)} with`);
      ratios[way].push({ perSecond: beside.perSecond / plain.perSecond, cpu: beside.cpu / plain.cpu });
    }
  const ratio = (way: Exclude<Way, 'none'>, about: string): Figure => ({
    name: `worker_with_${way}`,
    value: median(ratios[way].map(({ perSecond }) => perSecond)),
    unit: '×',
    bar: { least: 0.9 },
    about,
  });
  return [
    ratio('words', 'nodes a second while the index follows, against without'),
    ratio('vectors', 'nodes a second while vectors are being learned all the time, against without'),
    {
      name: 'engine_cpu_with_vectors',
      value: median(ratios.vectors.map(({ cpu }) => cpu)),
      unit: '×',
      bar: { most: 1.1 },
      about: 'processor time of the thread of the engine for a node while vectors are being learned, against without',
    },
    await learnedFigure(),
  ];
}

/** With vectors there is more to learn than the round lasts. */
async function measureWork(way: Way): Promise<Round> {
  using temporary = temporaryHome(memoryFolder);
  const { home } = temporary;
  const stores = await storesIn(home, { now: () => undefined, later: async () => undefined });
  const beside = besideIn(home, way === 'vectors');
  if (way === 'vectors') {
    await stores.ledger.append(talk(4 * EVENTS));
    await learning(beside);
  }
  if (way !== 'none') stores.onDurable(() => beside.notifyChange());
  const start = performance.now();
  const cpu = process.threadCpuUsage();
  await (await engineOn(stores).start(sequence(NODES), { id: 'bench' })).done;
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.threadCpuUsage(cpu);
  await beside.close();
  await stores.close();
  return { perSecond: NODES / seconds, cpu: (user + system) / NODES };
}

/** How long it takes until a thousand events are known by meaning, while nobody works and while somebody does. */
async function learnedFigure(): Promise<Figure> {
  using temporary = temporaryHome(memoryFolder);
  const { home } = temporary;
  const stores = await storesIn(home, { now: () => undefined, later: async () => undefined });
  const beside = besideIn(home, true);
  await stores.ledger.append(talk(EVENTS));
  const start = performance.now();
  while ((await beside.search({ query: 'who has a dog', limit: 1 })).by === 'keywords') await sleep(500);
  const seconds = (performance.now() - start) / 1000;
  await beside.close();
  await stores.close();
  return {
    name: 'learned_1000',
    value: seconds,
    unit: 's',
    bar: { most: 60 },
    about: 'until 1,000 new events are found by meaning, as slowly as beside work, with the load of the model',
  };
}

/** Asks until the model is there and at work. */
async function learning(beside: BackgroundRecall): Promise<void> {
  await beside.search({ query: 'warm', limit: 1 });
  await sleep(3000);
}

function besideIn({ oka, ledgers }: Home, vectors: boolean): BackgroundRecall {
  const settings = MemoryConfig.parse({ vectors });
  return openBackgroundRecall({ folder: join(oka, 'index'), ledgers, artifacts: join(oka, 'artifacts'), settings });
}

/** Things of the usual length, none of them twice. */
function talk(count: number): NewEvent[] {
  const random = generator(count);
  return Array.from({ length: count }, (_, index): NewEvent => {
    const { again, tells } = random.of(topics);
    const text = `${index}: ${random.of(tells)} ${random.of(fillers.besides)} ${random.of(again)}`;
    const episode = { id: `t${index}`, text, who: 'Ann', at: '2026-01-10T10:00:00Z', namespace: `n${index % 20}` };
    return { type: 'episode.imported', data: { episode, from: { name: 'x', line: index + 1 } } };
  });
}
