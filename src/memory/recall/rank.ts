/**
 * Owns: how well each piece fits a question.
 *
 * 1. Words and meaning count alike, each scaled to at most 1; without vectors words count alone. Every piece is weighed by
 *    meaning: were it only the closest of a long history, then which of hundreds that share only a name with the question
 *    is meant would be left to the length of their words. A name itself tells nothing between them (index/corpus.ts 2).
 * 2. Then what is around: the pieces before and after, the thread as a whole, who and when are asked about, and the kind:
 *    a person's own words weigh most.
 * 3. The same question over the same pieces gives the same order; what weighs the same stays in the order of the ledger.
 */
import { type Corpus, weightsOf } from '../index/corpus.ts';
import { type Kind, KINDS } from '../index/item.ts';
import { termsOf } from '../text/words.ts';
import { stretchIn } from './when.ts';

/** Measured by `oka bench memory`; see there for what each is worth. */
export const WEIGHTS = {
  words: 0.5,
  meaning: 0.5,
  /** Of what a question could weigh: where no piece weighs that much, words say little and count for less. */
  poor: 0.3,
  /** Of the scores of the pieces before and after, together. */
  neighbours: 0.4,
  thread: 0.2,
  speaker: 0.15,
  time: 0.15,
  /** What a score is multiplied with. */
  kind: { said: 1, fact: 1, judged: 0.8, ended: 0.8, decided: 0.7, did: 0.6 } satisfies Record<Kind, number>,
} as const;

export type Weights = { [Name in keyof typeof WEIGHTS]: Name extends 'kind' ? Record<Kind, number> : number };

export type Question = {
  text: string;
  now: number;
  /** Closeness in meaning by place in the corpus, -1 to 1, NaN for what is not asked for; null when there are no vectors. */
  meaning: Float32Array | null;
};

export type Ranked = { at: number; score: number };

/** How well every piece fits, by place. */
export function scoresFor(corpus: Corpus, question: Question, weights: Weights = WEIGHTS): Float64Array {
  const { words, threads, speakers } = byWords(corpus, question.text, weights);
  const scores = withNeighbours(corpus, combined(words, question.meaning, weights), weights.neighbours);
  const kinds = KINDS.map((kind) => weights.kind[kind]);
  const stretch = stretchIn(question.text, question.now);
  for (let at = 0; at < corpus.size; at += 1) {
    let score = scores[at] ?? 0;
    if (score <= 0) continue;
    score += weights.thread * (threads[corpus.threads[at] ?? 0] ?? 0);
    if (speakers[corpus.speakers[at] ?? -1] === 1) score += weights.speaker;
    const second = corpus.seconds[at] ?? 0;
    if (stretch !== null && second >= stretch.from && second < stretch.to) score += weights.time;
    scores[at] = score * (kinds[corpus.kinds[at] ?? 0] ?? 0);
  }
  return scores;
}

/**
 * Told within hundredths only (meaning/scan.ts), as the rest is, they cost up to two questions of forty at 100,000
 * events.
 */
const LIKELIEST = 2000;

/** Those that words speak for most: among these meaning has to be exact. */
export function likeliest(corpus: Corpus, text: string, able: Uint8Array): number[] {
  return bestOf(byWords(corpus, text, WEIGHTS).words, LIKELIEST, able).map(({ at }) => at);
}

type ByWords = { words: Float64Array; threads: Float64Array; speakers: Uint8Array };

/** The last question: a pack asks the same of facts and of what happened. */
const lastAsked = new WeakMap<Corpus, ByWords & { stamp: string }>();

/** Where it does not matter who is asked about, a name is a word as any other. */
function byWords(corpus: Corpus, text: string, { poor, speaker }: Weights): ByWords {
  const stamp = `${corpus.size} ${corpus.alive} ${poor} ${speaker} ${text}`;
  const last = lastAsked.get(corpus);
  if (last?.stamp === stamp) return last;
  const { speakers, names } = namedIn(corpus, text);
  const { pieces, threads, most } = weightsOf(corpus, termsOf(text), speaker > 0 ? names : undefined);
  const found = { stamp, words: scaled(pieces, poor * most), threads: scaled(threads), speakers };
  lastAsked.set(corpus, found);
  return found;
}

/** To at most 1; there is no negative weight. Where the best is worse than `least`, it stays below 1. */
function scaled(values: Float64Array, least = 0): Float64Array {
  let most = least;
  for (let at = 0; at < values.length; at += 1) most = Math.max(most, values[at] ?? 0);
  if (most > 0) for (let at = 0; at < values.length; at += 1) values[at] = (values[at] ?? 0) / most;
  return values;
}

/** 1. Meaning is scaled between the farthest and the closest. */
function combined(words: Float64Array, meaning: Question['meaning'], weights: Weights): Float64Array {
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

function withNeighbours(corpus: Corpus, base: Float64Array, share: number): Float64Array {
  const scores = base.slice();
  for (let at = 0; at < corpus.size; at += 1) {
    const value = base[at] ?? 0;
    if (value === 0 || corpus.gone[at]) continue;
    const [before, after] = [corpus.before[at] ?? -1, corpus.after[at] ?? -1];
    if (before >= 0) scores[before] = (scores[before] ?? 0) + (share / 2) * value;
    if (after >= 0) scores[after] = (scores[after] ?? 0) + (share / 2) * value;
  }
  return scores;
}

/** A 1 for each speaker whom the question names, and the terms it names them by. */
function namedIn(corpus: Corpus, text: string): { speakers: Uint8Array; names: Set<string> } {
  const words = new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu));
  const names = new Set<string>();
  const speakers = Uint8Array.from(corpus.names.who.names, (who) => {
    const parts = (who.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? []).filter((part) => words.has(part));
    for (const term of parts.flatMap(termsOf)) names.add(term);
    return Number(parts.length > 0);
  });
  return { speakers, names };
}

const BINS = 1024;

/** 3. Of the places with a 1. Only the best are put in order: bins tell which they are. */
export function bestOf(scores: Float64Array, most: number, able: Uint8Array): Ranked[] {
  let highest = 0;
  for (let at = 0; at < able.length; at += 1) if (able[at] === 1) highest = Math.max(highest, scores[at] ?? 0);
  const finely = (BINS - 1) / highest;
  const binOf = (score: number): number => Math.floor(score * finely);
  const counts = new Uint32Array(BINS);
  for (let at = 0; at < able.length; at += 1) {
    const score = scores[at] ?? 0;
    if (score > 0 && able[at] === 1) count(counts, binOf(score));
  }
  const least = lowestBin(counts, most);
  const best: Ranked[] = [];
  for (let at = 0; at < able.length; at += 1) {
    const score = scores[at] ?? 0;
    if (score > 0 && able[at] === 1 && binOf(score) >= least) best.push({ at, score });
  }
  return best.toSorted((a, b) => b.score - a.score || a.at - b.at).slice(0, most);
}

function count(counts: Uint32Array, bin: number): void {
  counts[bin] = (counts[bin] ?? 0) + 1;
}

/** From here upwards there are at least `most`. */
function lowestBin(counts: Uint32Array, most: number): number {
  let bin = BINS - 1;
  for (let seen = counts[bin] ?? 0; bin > 0 && seen < most; seen += counts[bin] ?? 0) bin -= 1;
  return bin;
}
