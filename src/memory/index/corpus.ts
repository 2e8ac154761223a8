/**
 * Owns: the inverted index in memory, so that every item can be weighed for a question in milliseconds.
 *
 * 1. Items are only added or marked as gone; item n is at index n - 1.
 * 2. The weights of a question are those of BM25, exactly, over all items and over all threads. Only a name may weigh the
 *    same in every item that has it: how often it occurs, and among how many words, says nothing about relevance.
 */
import { KINDS } from './index-item.ts';
import type { IndexedItem } from './item-table.ts';

const K1 = 1.2;
const B = 0.75;

type Postings = { at: number[]; times: number[] };
type Names = { byName: Map<string, number>; names: string[] };

export type Corpus = {
  size: number;
  postings: Map<string, Postings>;
  lengths: number[];
  /** Sum of the lengths of what is not gone. */
  total: number;
  alive: number;
  gone: boolean[];
  kinds: number[];
  seconds: number[];
  threads: number[];
  /** The items before and after in the same thread, -1 for none. */
  before: number[];
  after: number[];
  speakers: number[];
  namespaces: number[];
  runs: number[];
  /** The checksum of the text of each item, under which its vector is stored. */
  sums: string[];
  bySum: Map<string, number[]>;
  lastOfThread: number[];
  threadLengths: number[];
  names: { thread: Names; who: Names; namespace: Names; run: Names };
};

export function emptyCorpus(): Corpus {
  const names = (): Names => ({ byName: new Map(), names: [] });
  return {
    size: 0,
    postings: new Map(),
    lengths: [],
    total: 0,
    alive: 0,
    gone: [],
    kinds: [],
    seconds: [],
    threads: [],
    before: [],
    after: [],
    speakers: [],
    namespaces: [],
    runs: [],
    sums: [],
    bySum: new Map(),
    lastOfThread: [],
    threadLengths: [],
    names: { thread: names(), who: names(), namespace: names(), run: names() },
  };
}

export function addToCorpus(corpus: Corpus, item: IndexedItem): void {
  const at = corpus.size;
  if (item.n !== at + 1) throw new Error(`item ${item.n} came after item ${at}`);
  const terms = item.terms === '' ? [] : item.terms.split(' ');
  const thread = numberOf(corpus.names.thread, item.thread);
  corpus.size += 1;
  corpus.lengths.push(terms.length);
  noteSum(corpus, item.sum.split(' ', 1)[0] ?? '', at);
  corpus.gone.push(item.gone === 1);
  corpus.kinds.push(KINDS.indexOf(item.kind));
  corpus.seconds.push(Math.floor(Date.parse(item.at) / 1000));
  corpus.threads.push(thread);
  corpus.speakers.push(numberOf(corpus.names.who, item.who));
  corpus.namespaces.push(numberOf(corpus.names.namespace, item.namespace));
  corpus.runs.push(numberOf(corpus.names.run, item.run ?? ''));
  const previous = corpus.lastOfThread[thread] ?? -1;
  corpus.before.push(previous);
  corpus.after.push(-1);
  if (previous >= 0) corpus.after[previous] = at;
  corpus.lastOfThread[thread] = at;
  if (item.gone === 1) return;
  corpus.alive += 1;
  corpus.total += terms.length;
  corpus.threadLengths[thread] = (corpus.threadLengths[thread] ?? 0) + terms.length;
  for (const [term, times] of countTerms(terms)) post(corpus, term, at, times);
}

function noteSum({ sums, bySum }: Corpus, sum: string, at: number): void {
  sums.push(sum);
  const same = bySum.get(sum);
  if (same === undefined) bySum.set(sum, [at]);
  else same.push(at);
}

/** Marks an item as gone; its postings stay and are skipped. */
export function removeFromCorpus(corpus: Corpus, n: number): void {
  const at = n - 1;
  if (corpus.gone[at] !== false) return;
  corpus.gone[at] = true;
  corpus.alive -= 1;
  corpus.total -= corpus.lengths[at] ?? 0;
}

function post({ postings }: Corpus, term: string, at: number, times: number): void {
  let list = postings.get(term);
  if (list === undefined) {
    list = { at: [], times: [] };
    postings.set(term, list);
  }
  list.at.push(at);
  list.times.push(times);
}

function countTerms(terms: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}

function numberOf({ byName, names }: Names, name: string): number {
  const known = byName.get(name);
  if (known !== undefined) return known;
  byName.set(name, names.length);
  return names.push(name) - 1;
}

/** `most`: the weight of an item that repeated every word of the question endlessly. */
export type Weights = { items: Float64Array; threads: Float64Array; most: number };

/** Of a long question only the most significant words are used. */
const MOST_TERMS = 64;

/** The weights of all items and threads for a question (2). What is gone weighs nothing. */
export function weighAll(corpus: Corpus, terms: readonly string[], names: ReadonlySet<string> = new Set()): Weights {
  const items = new Float64Array(corpus.size);
  const threads = new Float64Array(corpus.names.thread.names.length);
  const sums = { items, threads, inThread: new Uint32Array(threads.length) };
  let most = 0;
  for (const term of selectTerms(corpus, terms)) {
    most += (K1 + 1) * term.weight;
    weighTerm(corpus, { ...term, isName: names.has(term.term) }, sums);
  }
  return { items, threads, most };
}

type Term = { term: string; asked: number; weight: number };

function selectTerms(corpus: Corpus, terms: readonly string[]): Term[] {
  const found = [...countTerms(terms)].map(([term, asked]): Term => {
    const having = corpus.postings.get(term)?.at.length ?? 0;
    return { term, asked, weight: asked * inverseFrequency(corpus.alive, having) };
  });
  return found.length <= MOST_TERMS ? found : found.toSorted((a, b) => b.weight - a.weight).slice(0, MOST_TERMS);
}

type Sums = { items: Float64Array; threads: Float64Array; inThread: Uint32Array };

function weighTerm(corpus: Corpus, asked: Term & { isName: boolean }, { items, threads, inThread }: Sums): void {
  const { weight, isName } = asked;
  const list = corpus.postings.get(asked.term);
  if (list === undefined) return;
  const mean = corpus.total / Math.max(1, corpus.alive);
  const touched: number[] = [];
  for (let index = 0; index < list.at.length; index += 1) {
    const at: number = list.at[index] ?? 0;
    if (corpus.gone[at]) continue;
    const times = list.times[index] ?? 0;
    const own = isName ? 1 : saturate(times, corpus.lengths[at] ?? 0, mean);
    items[at] = (items[at] ?? 0) + weight * own;
    const thread = corpus.threads[at] ?? 0;
    if (inThread[thread] === 0) touched.push(thread);
    inThread[thread] = (inThread[thread] ?? 0) + times;
  }
  const rarity = asked.asked * inverseFrequency(threads.length, touched.length);
  const threadMean = corpus.total / Math.max(1, threads.length);
  for (const thread of touched) {
    const own = saturate(inThread[thread] ?? 0, corpus.threadLengths[thread] ?? 0, threadMean);
    threads[thread] = (threads[thread] ?? 0) + rarity * own;
    inThread[thread] = 0;
  }
}

const inverseFrequency = (all: number, having: number): number =>
  Math.log(1 + (Math.max(all, having) - having + 0.5) / (having + 0.5));

const saturate = (times: number, length: number, mean: number): number =>
  (times * (K1 + 1)) / (times + K1 * (1 - B + (B * length) / Math.max(1, mean)));
