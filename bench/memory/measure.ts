/** Evidence inside a budget: how much of what answers a question is among what fits. */
import { addToCorpus, type Corpus, emptyCorpus } from '../../src/kit/learning/corpus.ts';
import { sumOf } from '../../src/kit/learning/index-item.ts';
import { topRanked, type Ranked } from '../../src/rooms/memory/recall/best-entries.ts';
import { scoreEntries, type Weights, WEIGHTS } from '../../src/rooms/memory/recall/ranker.ts';
import { type Found, fitToBudget } from '../../src/rooms/memory/recall/search-memory.ts';
import type { TokenCounter } from '../../src/kit/text/tokens.ts';
import { dateInWords, extractTerms } from '../../src/kit/text/terms.ts';
import type { Asked, Conversations, Turn } from './data.ts';

export type Vectors = { of: (text: string) => Float32Array | undefined };

/** How pieces are ranked: `plain` is BM25 over the words alone, without who and when. */
export type Way = { name: string; plain?: boolean; vectors?: boolean; weights: Weights };

const flat: Weights = { ...WEIGHTS, neighbour: 0, otherNeighbour: 0, thread: 0, speaker: 0, time: 0 };
export const WAYS: readonly Way[] = [
  { name: 'bm25', plain: true, weights: flat },
  { name: 'vectors', vectors: true, plain: true, weights: { ...flat, words: 0, meaning: 1 } },
  { name: 'no_vectors', weights: WEIGHTS },
  { name: 'full', vectors: true, weights: WEIGHTS },
  /** What was proposed for other sets: assistants at 0.6 whatever is asked, and nothing but the best neighbour. */
  {
    name: 'other_weights',
    vectors: true,
    weights: { ...WEIGHTS, neighbour: 0.4, otherNeighbour: 0, advised: 0.6, kind: { ...WEIGHTS.kind, replied: 0.6 } },
  },
];

/** Shares of the evidence, by budget, of all questions of a set. */
export function recallOf(
  set: Conversations,
  way: Way,
  budgets: readonly number[],
  counter: TokenCounter,
  vectors: Vectors | null,
): number[] {
  const sums = budgets.map(() => 0);
  for (const [namespace, turns] of Map.groupBy(set.turns, (turn) => turn.namespace)) {
    const corpus = corpusOf(turns, way.plain ?? false);
    for (const asked of set.questions.filter((each) => each.namespace === namespace)) {
      const found = best(corpus, turns, asked, way, vectors).map((each) => foundOf(turns, each));
      budgets.forEach((budget, index) => {
        const ids = new Set(fitToBudget(found, budget, counter).map(({ id }) => id));
        const hit = asked.evidence.filter((id) => ids.has(id)).length / asked.evidence.length;
        sums[index] = (sums[index] ?? 0) + hit;
      });
    }
  }
  return sums.map((sum) => (100 * sum) / set.questions.length);
}

function corpusOf(turns: readonly Turn[], plain: boolean): Corpus {
  const corpus = emptyCorpus();
  turns.forEach((turn, index) => {
    const { who, at, text, namespace } = turn;
    const session = /^D(\d+)/.exec(turn.id)?.[1] ?? '';
    const terms = extractTerms(plain ? text : `${who} ${dateInWords(at)} ${text}`).join(' ');
    const piece = {
      n: index + 1,
      kind: turn.role === 'assistant' ? ('replied' as const) : ('said' as const),
      who,
      at,
      thread: session,
      run: null,
      namespace,
      terms,
      sum: sumOf(text),
      gone: 0,
    };
    addToCorpus(corpus, piece);
  });
  return corpus;
}

function best(
  corpus: Corpus,
  turns: readonly Turn[],
  { question }: Asked,
  way: Way,
  vectors: Vectors | null,
): Ranked[] {
  const meaning = way.vectors === true && vectors !== null ? closeness(turns, question, vectors) : null;
  const scores = scoreEntries(corpus, { text: question, now: 0, meaning }, way.weights);
  return topRanked(scores, 600, () => true);
}

function closeness(turns: readonly Turn[], question: string, vectors: Vectors): Float32Array {
  const asked = vectors.of(question);
  return Float32Array.from(turns, ({ text }) => {
    const vector = vectors.of(text);
    return asked === undefined || vector === undefined ? Number.NaN : dot(asked, vector);
  });
}

export function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let index = 0; index < a.length; index += 1) sum += (a[index] ?? 0) * (b[index] ?? 0);
  return sum;
}

function foundOf(turns: readonly Turn[], { at, score }: Ranked): Found {
  const { id, text, who, at: moment, namespace } = turns[at] as Turn;
  const shared = { id, text, who, at: moment, namespace, score, n: at + 1, kind: 'said' as const, part: 0 };
  return { ...shared, run: null, node: null, thread: '', evidence: [], similarity: null, importance: null, own: 0 };
}
