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
import { type Corpus, weighAll } from '../../../kit/learning/corpus.ts';
import { type Kind, KINDS } from '../../../kit/learning/index-item.ts';
import { extractTerms } from '../../../kit/text/terms.ts';
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
  /** The factor of what assistants replied, where the question is about that. */
  advised: 0.9,
  /** Factors by kind of entry. */
  kind: {
    said: 1,
    fact: 1,
    judged: 0.8,
    ended: 0.8,
    decided: 0.7,
    did: 0.6,
    replied: 0.5,
    pasted: 0.7,
  } satisfies Record<Kind, number>,
} as const;

export type Weights = { [Name in keyof typeof WEIGHTS]: Name extends 'kind' ? Record<Kind, number> : number };

type Question = {
  text: string;
  now: number;
  /** Similarity by place in the corpus, -1 to 1, NaN where not requested; null when there are no vectors. */
  meaning: Float32Array | null;
};

/**
 * What the scores of single entries are computed from (`scoreOf`). An entry scores at most its own part, that of its
 * thread, that of its speaker, and that of the time if it is inside.
 */
export type Scoring = {
  own: Float64Array;
  ofThread: Float64Array;
  ofSpeaker: Float64Array;
  /** By thread: the most that an entry's own part and that of its speaker are together. */
  reach: Float64Array;
  time: { from: number; to: number; score: number };
  threads: Float64Array;
  kinds: Float64Array;
  weights: Weights;
};

/** Returns the score of every entry, by place. */
export function scoreEntries(corpus: Corpus, question: Question, weights: Weights = WEIGHTS): Float64Array {
  const scoring = openScoring(corpus, question, weights);
  return new Float64Array(corpus.size).map((_, at) => scoreOf(corpus, scoring, at));
}

/** What it returns holds until the next question about the same corpus, which uses the same arrays. */
export function openScoring(corpus: Corpus, question: Question, weights: Weights = WEIGHTS): Scoring {
  const { threads, speakers, ...keywords } = scoreByKeywords(corpus, question.text, weights);
  const { neighbour, otherNeighbour, thread, speaker, time } = weights;
  const ofSpeaker = Float64Array.from(speakers, (isNamed) => isNamed * speaker);
  const { base, best, reach } = combineScores(corpus, { ...keywords, ofSpeaker }, question.meaning, weights);
  const range = parseTimeRange(question.text, question.now);
  return {
    own: base,
    // Neighbours are of the same thread, so the best of a thread bounds what they add.
    ofThread: best.map((most, at) => (neighbour + otherNeighbour) * most + thread * (threads[at] ?? 0)),
    ofSpeaker,
    reach,
    time: range === null ? NO_TIME : { ...range, score: time },
    threads,
    kinds: Float64Array.from(KINDS, (kind) =>
      kind === 'replied' && ASKS_FOR_ADVICE.test(question.text) ? weights.advised : weights.kind[kind],
    ),
    weights,
  };
}

/** Most questions are about what the person said; these are about what an assistant answered. */
const ASKS_FOR_ADVICE =
  /(?<![\p{L}])(?:assistant|suggest\w*|recommend\w*|advi[sc]ed?|proposed?|should|vorgeschlagen|empfohlen|geraten|suggéré|conseillé|sugeriste|recomendaste)(?![\p{L}])[^]*\?\s*$/iu;

const NO_TIME: Scoring['time'] = { from: Infinity, to: -Infinity, score: 0 };

/** A function of its own: one that is made for each question would be slow. */
export function scoreOf(corpus: Corpus, scoring: Scoring, at: number): number {
  const { own, threads, ofSpeaker, time, kinds, weights } = scoring;
  const previous = scoreAt(own, corpus.before[at] ?? -1);
  const next = scoreAt(own, corpus.after[at] ?? -1);
  // The better of the two neighbours counts more: an answer is next to its question on one side only.
  const around = weights.neighbour * Math.max(previous, next);
  let score = (own[at] ?? 0) + around + weights.otherNeighbour * Math.min(previous, next);
  if (score <= 0) return 0;
  score += weights.thread * (threads[corpus.threads[at] ?? 0] ?? 0);
  score += ofSpeaker[corpus.speakers[at] ?? 0] ?? 0;
  const second = corpus.seconds[at] ?? 0;
  if (second >= time.from && second < time.to) score += time.score;
  return score * (kinds[corpus.kinds[at] ?? 0] ?? 0);
}

const scoreAt = (scores: Float64Array, at: number): number => (at < 0 ? 0 : (scores[at] ?? 0));

/** Scores by keywords ahead of `scoreEntries`, which then finds the result in the cache. */
export function scoreKeywords(corpus: Corpus, text: string): void {
  scoreByKeywords(corpus, text, WEIGHTS);
}

/** `words` are to be divided by `most`, so that none is above 1. */
type KeywordScores = { words: Float64Array; most: number; threads: Float64Array; speakers: Uint8Array };

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
  const best = largestOf(threads) || 1;
  const found = {
    stamp,
    words: items,
    most: Math.max(poor * most, largestOf(items)) || 1,
    threads: threads.map((value) => value / best),
    speakers,
  };
  lastScored.set(corpus, found);
  return found;
}

/** Of values that are not negative. */
function largestOf(values: Float64Array): number {
  let largest = 0;
  for (let at = 0; at < values.length; at += 1) {
    const value = values[at] ?? 0;
    if (value > largest) largest = value;
  }
  return largest;
}

const lastCombined = new WeakMap<Corpus, Float64Array>();

/** `best` is the best score of each thread, and `reach` the best together with what its speaker adds. */
type Combined = { base: Float64Array; best: Float64Array; reach: Float64Array };

/** Combines keywords with similarity, which is scaled between its lowest and highest value (1). */
function combineScores(
  corpus: Corpus,
  { words, most, ofSpeaker }: Pick<KeywordScores, 'words' | 'most'> & Pick<Scoring, 'ofSpeaker'>,
  meaning: Question['meaning'],
  weights: Weights,
): Combined {
  const last = lastCombined.get(corpus);
  const base = last?.length === words.length ? last : new Float64Array(words.length);
  lastCombined.set(corpus, base);
  const threads = corpus.names.thread.names.length;
  const combined = { base, best: new Float64Array(threads), reach: new Float64Array(threads) };
  if (meaning === null) {
    scaleWords(base, words, 1 / most);
  } else {
    const range = Float64Array.of(1, -1);
    findRange(meaning, range);
    const [lowest = 0, highest = 0] = range;
    const perMeaning = weights.meaning / Math.max(highest - lowest, 1e-9);
    addMeaning(base, words, weights.words / most, meaning, perMeaning, lowest);
  }
  findBest(combined, corpus.threads, corpus.speakers, ofSpeaker);
  return combined;
}

// The loops over all entries are functions that do nothing after their loop: Node compiles these for good. From others it
// falls back to the interpreter at the end of each loop, and a question takes ten times as long.

function scaleWords(base: Float64Array, words: Float64Array, perWord: number): void {
  for (let at = 0; at < base.length; at += 1) base[at] = perWord * (words[at] ?? 0);
}

function addMeaning(
  base: Float64Array,
  words: Float64Array,
  perWord: number,
  meaning: Float32Array,
  perMeaning: number,
  lowest: number,
): void {
  for (let at = 0; at < base.length; at += 1) {
    const own = perWord * (words[at] ?? 0);
    const value = meaning[at] ?? 0;
    base[at] = value >= lowest ? own + perMeaning * (value - lowest) : own; // NaN is not
  }
}

function findBest(
  { base, best, reach }: Combined,
  threads: Int32Array,
  speakers: Int32Array,
  ofSpeaker: Float64Array,
): void {
  // Entries of a thread mostly follow each other: its numbers are read and written once for all of these.
  let [thread, highest, farthest] = [0, 0, 0];
  for (let at = 0; at < base.length; at += 1) {
    const next = threads[at] ?? 0;
    if (next !== thread) {
      best[thread] = highest;
      reach[thread] = farthest;
      thread = next;
      highest = best[next] ?? 0;
      farthest = reach[next] ?? 0;
    }
    const score = base[at] ?? 0;
    if (score > highest) highest = score;
    const most = score + (ofSpeaker[speakers[at] ?? 0] ?? 0);
    if (most > farthest) farthest = most;
  }
  best[thread] = highest;
  reach[thread] = farthest;
}

/** Lowers the first number and raises the second where a value is beyond them. */
function findRange(values: Float32Array, range: Float64Array): void {
  for (let at = 0; at < values.length; at += 1) {
    const value = values[at] ?? 0;
    if (value < (range[0] ?? 0)) range[0] = value;
    if (value > (range[1] ?? 0)) range[1] = value;
  }
}

/** Marks each speaker the question names with 1, and returns the terms it names them by. */
function speakersNamedIn(corpus: Corpus, text: string): { speakers: Uint8Array; names: Set<string> } {
  const words = new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu));
  const names = new Set<string>();
  const speakers = Uint8Array.from(partsOfNames(corpus), (parts) => {
    const named = parts.filter((part) => words.has(part));
    for (const term of named.flatMap(extractTerms)) names.add(term);
    return Number(named.length > 0);
  });
  return { speakers, names };
}

const knownParts = new WeakMap<Corpus, string[][]>();

/** The words of each speaker's name; speakers are only added. */
function partsOfNames(corpus: Corpus): readonly string[][] {
  const parts = knownParts.get(corpus) ?? [];
  knownParts.set(corpus, parts);
  for (const who of corpus.names.who.names.slice(parts.length))
    parts.push(who.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? []);
  return parts;
}
