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

export type Ranked = { at: number; score: number };

/** Returns the score of every entry, by place. */
export function scoreEntries(corpus: Corpus, question: Question, weights: Weights = WEIGHTS): Float64Array {
  const { words, threads, speakers } = scoreByKeywords(corpus, question.text, weights);
  const scores = addNeighbourScores(corpus, combineScores(words, question.meaning, weights), weights);
  const kinds = KINDS.map((kind) => weights.kind[kind]);
  const range = parseTimeRange(question.text, question.now);
  for (let at = 0; at < corpus.size; at += 1) {
    let score = scores[at] ?? 0;
    if (score <= 0) continue;
    score += weights.thread * (threads[corpus.threads[at] ?? 0] ?? 0);
    if (speakers[corpus.speakers[at] ?? -1] === 1) score += weights.speaker;
    const second = corpus.seconds[at] ?? 0;
    if (range !== null && second >= range.from && second < range.to) score += weights.time;
    scores[at] = score * (kinds[corpus.kinds[at] ?? 0] ?? 0);
  }
  return scores;
}

/** Scores by keywords ahead of `scoreEntries`, which then finds the result in the cache. */
export function scoreKeywords(corpus: Corpus, text: string): void {
  scoreByKeywords(corpus, text, WEIGHTS);
}

type KeywordScores = { words: Float64Array; threads: Float64Array; speakers: Uint8Array };

/** Caches the last question, since a pack asks the same of facts and of episodes. */
const lastScored = new WeakMap<Corpus, KeywordScores & { stamp: string }>();

/** With a speaker weight of zero, a name counts as an ordinary word. */
function scoreByKeywords(corpus: Corpus, text: string, { poor, speaker }: Weights): KeywordScores {
  const stamp = `${corpus.size} ${corpus.alive} ${poor} ${speaker} ${text}`;
  const last = lastScored.get(corpus);
  if (last?.stamp === stamp) return last;
  const { speakers, names } = speakersNamedIn(corpus, text);
  const { items, threads, most } = weighAll(corpus, extractTerms(text), speaker > 0 ? names : undefined);
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
  if (meaning === null) return words;
  let [closest, farthest] = [-1, 1];
  for (const value of meaning) {
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

/** The better of the two neighbours counts more: an answer is next to its question on one side only. */
function addNeighbourScores(corpus: Corpus, base: Float64Array, { neighbour, otherNeighbour }: Weights): Float64Array {
  const { gone, before: previous, after: next, size } = corpus;
  const scoreAt = (at: number): number => (at < 0 || gone[at] ? 0 : (base[at] ?? 0));
  const scores = base.slice();
  for (let at = 0; at < size; at += 1) {
    const before = scoreAt(previous[at] ?? -1);
    const after = scoreAt(next[at] ?? -1);
    if (before === 0 && after === 0) continue;
    scores[at] = (base[at] ?? 0) + neighbour * Math.max(before, after) + otherNeighbour * Math.min(before, after);
  }
  return scores;
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

const BINS = 1024;

/** Returns the best of the places marked 1 (3). A histogram selects them, so that only these are sorted. */
export function topRanked(scores: Float64Array, most: number, able: Uint8Array): Ranked[] {
  let highest = 0;
  for (let at = 0; at < able.length; at += 1) if (able[at] === 1) highest = Math.max(highest, scores[at] ?? 0);
  const finely = (BINS - 1) / highest;
  const binOf = (score: number): number => Math.floor(score * finely);
  const counts = new Uint32Array(BINS);
  for (let at = 0; at < able.length; at += 1) {
    const score = scores[at] ?? 0;
    if (score > 0 && able[at] === 1) increment(counts, binOf(score));
  }
  const least = lowestBinFor(counts, most);
  const best: Ranked[] = [];
  for (let at = 0; at < able.length; at += 1) {
    const score = scores[at] ?? 0;
    if (score > 0 && able[at] === 1 && binOf(score) >= least) best.push({ at, score });
  }
  return best.toSorted((a, b) => b.score - a.score || a.at - b.at).slice(0, most);
}

function increment(counts: Uint32Array, bin: number): void {
  counts[bin] = (counts[bin] ?? 0) + 1;
}

/** At least `most` scores are in this bin or a higher one. */
function lowestBinFor(counts: Uint32Array, most: number): number {
  let bin = BINS - 1;
  for (let seen = counts[bin] ?? 0; bin > 0 && seen < most; seen += counts[bin] ?? 0) bin -= 1;
  return bin;
}
