/**
 * Owns: scoring how well each entry answers a question.
 *
 * 1. Keywords and vectors count equally, each normalised to at most 1; without vectors, keywords count alone. Every entry
 *    gets a semantic score: in a long history hundreds of entries may share only a name with the question, and scoring
 *    just the most similar ones would leave the choice among the others to chance.
 * 2. Context is added: neighbouring entries, the whole thread, the person and time asked about, and the kind of entry,
 *    where a person's own words weigh most.
 * 3. The same question over the same entries gives the same order; ties keep the order of the ledger.
 */
import { type Corpus, weighAll } from '../index/corpus.ts';
import { type Kind, KINDS } from '../index/index-item.ts';
import { extractTerms } from '../text/terms.ts';
import { parseTimeRange } from './time-range.ts';

/** Tuned with `oka bench memory`, which shows what each contributes. */
export const WEIGHTS = {
  words: 0.5,
  meaning: 0.5,
  /** The share of the best possible keyword score below which keywords count for less. */
  poor: 0.3,
  /** The shares of the scores of the entries before and after: of the better one, and of the other. */
  neighbour: 0.3,
  otherNeighbour: 0.1,
  thread: 0.2,
  speaker: 0.25,
  time: 0.15,
  /** Factors by kind of entry. */
  kind: { said: 1, fact: 1, judged: 0.8, ended: 0.8, decided: 0.7, did: 0.6, replied: 0.8 } satisfies Record<
    Kind,
    number
  >,
} as const;

export type Weights = { [Name in keyof typeof WEIGHTS]: Name extends 'kind' ? Record<Kind, number> : number };

export type Question = {
  text: string;
  now: number;
  /** Similarity by place in the corpus, -1 to 1, NaN where not requested; null when there are no vectors. */
  meaning: Float32Array | null;
};

/** Scores of single entries, computed when they are asked for. */
export type Scoring = {
  scoreOf(at: number): number;
  /** An entry scores at most its own part, that of its thread and that of all entries together. */
  own: Float64Array;
  ofThread: Float64Array;
  ofAll: number;
};

/** Returns the score of every entry, by place. */
export function scoreEntries(corpus: Corpus, question: Question, weights: Weights = WEIGHTS): Float64Array {
  const scoring = openScoring(corpus, question, weights);
  return new Float64Array(corpus.size).map((_, at) => scoring.scoreOf(at));
}

export function openScoring(corpus: Corpus, question: Question, weights: Weights = WEIGHTS): Scoring {
  const { words, threads, speakers } = scoreByKeywords(corpus, question.text, weights);
  const base = combineScores(words, question.meaning, weights);
  const kinds = Float64Array.from(KINDS, (kind) => weights.kind[kind]);
  const { neighbour, otherNeighbour, thread, speaker, time } = weights;
  const { from, to } = parseTimeRange(question.text, question.now) ?? { from: Infinity, to: -Infinity };
  const { before, after, seconds, threads: threadOf, speakers: speakerOf, kinds: kindOf } = corpus;
  const scoreOf = (at: number): number => {
    const previous = scoreAt(base, before[at] ?? -1);
    const next = scoreAt(base, after[at] ?? -1);
    // The better of the two neighbours counts more: an answer is next to its question on one side only.
    let score = (base[at] ?? 0) + neighbour * Math.max(previous, next) + otherNeighbour * Math.min(previous, next);
    if (score <= 0) return 0;
    score += thread * (threads[threadOf[at] ?? 0] ?? 0);
    if (speakers[speakerOf[at] ?? 0] === 1) score += speaker;
    const second = seconds[at] ?? 0;
    if (second >= from && second < to) score += time;
    return score * (kinds[kindOf[at] ?? 0] ?? 0);
  };
  const ofAll = (speakers.includes(1) ? speaker : 0) + (from < to ? time : 0);
  return { scoreOf, own: base, ofThread: boundThreads(corpus, base, threads, weights), ofAll };
}

const scoreAt = (scores: Float64Array, at: number): number => (at < 0 ? 0 : (scores[at] ?? 0));

/** Neighbours are of the same thread, so the best of a thread bounds what they add. */
function boundThreads(
  { size, threads: threadOf }: Corpus,
  base: Float64Array,
  threads: Float64Array,
  { neighbour, otherNeighbour, thread: weight }: Weights,
): Float64Array {
  const bounds = new Float64Array(threads.length);
  for (let at = 0; at < size; at += 1) {
    const thread = threadOf[at] ?? 0;
    const score = base[at] ?? 0;
    if (score > (bounds[thread] ?? 0)) bounds[thread] = score;
  }
  return bounds.map((best, thread) => (neighbour + otherNeighbour) * best + weight * (threads[thread] ?? 0));
}

/** Scores by keywords ahead of `scoreEntries`, which then finds the result in the cache. */
export function scoreKeywords(corpus: Corpus, text: string): void {
  scoreByKeywords(corpus, text, WEIGHTS);
}

type KeywordScores = { words: Float64Array; threads: Float64Array; speakers: Uint8Array };

/** Caches the last question. The next one uses the same array: to allocate one of this size costs as much as to fill it. */
const lastScored = new WeakMap<Corpus, KeywordScores & { stamp: string }>();

/** With a speaker weight of zero, a name counts as an ordinary word. */
function scoreByKeywords(corpus: Corpus, text: string, { poor, speaker }: Weights): KeywordScores {
  const stamp = `${corpus.size} ${corpus.alive} ${poor} ${speaker} ${text}`;
  const last = lastScored.get(corpus);
  if (last?.stamp === stamp) return last;
  const { speakers, names } = speakersNamedIn(corpus, text);
  const into = last?.words.length === corpus.size ? last.words.fill(0) : undefined;
  const { items, threads, most } = weighAll(corpus, extractTerms(text), speaker > 0 ? names : undefined, into);
  const found = { stamp, words: normalize(items, poor * most), threads: normalize(threads), speakers };
  lastScored.set(corpus, found);
  return found;
}

/** Scales values, which are never negative, to at most 1; if the highest is below `least`, it stays below 1. */
function normalize(values: Float64Array, least = 0): Float64Array {
  let most = least;
  for (let at = 0; at < values.length; at += 1) most = Math.max(most, values[at] ?? 0);
  if (most > 0) for (let at = 0; at < values.length; at += 1) values[at] = (values[at] ?? 0) / most;
  return values;
}

/** Combines keywords with similarity, which is scaled between its lowest and highest value (1). */
function combineScores(words: Float64Array, meaning: Question['meaning'], weights: Weights): Float64Array {
  if (meaning === null) return words.slice(); // the next question overwrites it
  let [closest, farthest] = [-1, 1];
  for (let at = 0; at < meaning.length; at += 1) {
    const value = meaning[at] ?? Number.NaN;
    if (value > closest) closest = value;
    if (value < farthest) farthest = value;
  }
  const span = Math.max(closest - farthest, 1e-9);
  const both = new Float64Array(words.length);
  for (let at = 0; at < both.length; at += 1) {
    const value = meaning[at] ?? Number.NaN;
    const close = value >= farthest ? (value - farthest) / span : 0;
    both[at] = weights.words * (words[at] ?? 0) + weights.meaning * close;
  }
  return both;
}

/** Marks each speaker the question names with 1, and returns the terms it names them by. */
function speakersNamedIn(corpus: Corpus, text: string): { speakers: Uint8Array; names: Set<string> } {
  const words = new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu));
  const names = new Set<string>();
  const speakers = Uint8Array.from(corpus.names.who.names, (who) => {
    const parts = (who.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? []).filter((part) => words.has(part));
    for (const term of parts.flatMap(extractTerms)) names.add(term);
    return Number(parts.length > 0);
  });
  return { speakers, names };
}
