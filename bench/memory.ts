/**
 * Memory: how much of the evidence is inside a budget, that no pack exceeds its cap, and that neither depends on how much
 * is remembered. Seeds below 10 were used when the weights were chosen; the figures are of others.
 */
import { openEmbedder } from '../src/rooms/memory/embedding/embedding-model.ts';
import type { Figure } from './figure.ts';
import { conversationSets, type Conversations } from './memory/data.ts';
import { followingFigures } from './memory/following.ts';
import { growthFigures } from './memory/growth.ts';
import { learningFigures } from './memory/learning.ts';
import { recallOf, type Vectors, WAYS } from './memory/measure.ts';
import { packFigures } from './memory/packs.ts';
import { plantedFigures } from './memory/planted.ts';
import { workChats } from './memory/work-chats.ts';
import { createTokenCounter } from '../src/kit/text/tokens.ts';

const SEEDS = [11, 12];
const BUDGETS = [1000, 2000, 4000];

export async function measure(note: (text: string) => void): Promise<Figure[]> {
  const figures = await measureRecall(note);
  note('what people write into tasks, in four languages');
  figures.push(...learningFigures());
  note('instructions stated once, in a long history');
  figures.push(...(await plantedFigures(note)));
  note('packs of hostile text');
  figures.push(...(await packFigures()));
  note('history from 1,000 to 100,000 events');
  figures.push(...growthFigures(note));
  note('the worker while the index follows');
  figures.push(...(await followingFigures(note)));
  return figures;
}

export async function measureRecall(note: (text: string) => void): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const set of [...conversationSets(SEEDS), ...SEEDS.map(workChats)]) {
    note(`evidence in a budget, ${set.name}: ${set.turns.length} turns, ${set.questions.length} questions`);
    figures.push(...(await recallFigures(set)));
  }
  return figures;
}

async function recallFigures(set: Conversations): Promise<Figure[]> {
  const counter = await createTokenCounter('openai');
  const counts = new Map<string, number>();
  const counted = (text: string): number => {
    const known = counts.get(text) ?? counter.count(text);
    counts.set(text, known);
    return known;
  };
  const vectors = await vectorsOf(set);
  const shares = WAYS.map((way) => recallOf(set, way, BUDGETS, { name: counter.name, count: counted }, vectors));
  const at2k = (name: string): number => shares[WAYS.findIndex((way) => way.name === name)]?.[1] ?? 0;
  return [
    ...WAYS.flatMap((way, index) =>
      BUDGETS.map((budget, each) => ({
        name: `${set.name}_${way.name}_${budget / 1000}k`,
        value: shares[index]?.[each] ?? 0,
        unit: '%',
        about: `of the evidence within ${budget} tokens`,
      })),
    ),
    ...(set.turns.some(({ role }) => role === 'assistant')
      ? []
      : [
          lead(set, 'full', at2k('full') - at2k('bm25'), 8),
          lead(set, 'no_vectors', at2k('no_vectors') - at2k('bm25'), 3),
        ]),
  ];
}

function lead({ name }: Conversations, way: string, value: number, least: number): Figure {
  return {
    name: `${name}_${way}_lead`,
    value,
    unit: 'points',
    bar: { least },
    about: 'above BM25 alone, within 2000 tokens',
  };
}

async function vectorsOf({ turns, questions }: Conversations): Promise<Vectors> {
  const embedder = await openEmbedder({ model: 'Xenova/all-MiniLM-L6-v2', download: false, cache: '' });
  const known = new Map<string, Float32Array>();
  for (const text of [...turns.map((turn) => turn.text), ...questions.map(({ question }) => question)])
    if (!known.has(text)) known.set(text, await embedder.embed(text));
  await embedder.close();
  return { of: (text) => known.get(text) };
}
