/**
 * Owns: the inverted index in memory, so that every item can be weighed for a question in milliseconds.
 *
 * 1. Items are only added or marked as gone; item n is at index n - 1.
 * 2. The weights of a question are those of BM25, exactly, over all items and over all threads. Only a name may weigh the
 *    same in every item that has it: how often it occurs, and among how many words, says nothing about relevance.
 */
import { type IndexedItem, KINDS } from './index-item.ts';
import { addPosting, countPostings, type Postings, postingsOf } from './postings.ts';

const K1 = 1.2;
const B = 0.75;

/** A posting is the place of the item, and in the lowest bits how often it has the term. */
const TIMES_BITS = 7;
const MOST_TIMES = (1 << TIMES_BITS) - 1;

type Names = { byName: Map<string, number>; names: string[] };

/** One value for each item, by place; there may be room for more items behind the last. */
type Columns = {
  gone: Uint8Array;
  kinds: Uint8Array;
  lengths: Int32Array;
  seconds: Float64Array;
  threads: Int32Array;
  /** The items before and after in the same thread, -1 for none. */
  before: Int32Array;
  after: Int32Array;
  speakers: Int32Array;
  namespaces: Int32Array;
  runs: Int32Array;
};

export type Corpus = Columns & {
  size: number;
  postings: Postings;
  /** Sum of the lengths of what is not gone. */
  total: number;
  alive: number;
  /** The checksum of the text of each item, under which its vector is stored. */
  sums: string[];
  lastOfThread: number[];
  threadLengths: number[];
  names: { thread: Names; who: Names; namespace: Names; run: Names };
};

export function emptyCorpus(): Corpus {
  const names = (): Names => ({ byName: new Map(), names: [] });
  return {
    ...createColumns(FIRST_ROOM),
    size: 0,
    postings: new Map(),
    total: 0,
    alive: 0,
    sums: [],
    lastOfThread: [],
    threadLengths: [],
    names: { thread: names(), who: names(), namespace: names(), run: names() },
  };
}

const FIRST_ROOM = 64;

function createColumns(room: number): Columns {
  return {
    gone: new Uint8Array(room),
    kinds: new Uint8Array(room),
    lengths: new Int32Array(room),
    seconds: new Float64Array(room),
    threads: new Int32Array(room),
    before: new Int32Array(room),
    after: new Int32Array(room),
    speakers: new Int32Array(room),
    namespaces: new Int32Array(room),
    runs: new Int32Array(room),
  };
}

/** Doubles the room of every column when it is used up. */
function makeRoom(corpus: Corpus): void {
  if (corpus.size < corpus.gone.length) return;
  const larger = createColumns(2 * corpus.size);
  for (const name of Object.keys(larger) as (keyof Columns)[]) larger[name].set(corpus[name]);
  Object.assign(corpus, larger);
}

export function addToCorpus(corpus: Corpus, item: IndexedItem): void {
  const at = corpus.size;
  if (item.n !== at + 1) throw new Error(`item ${item.n} came after item ${at}`);
  const terms = item.terms === '' ? [] : item.terms.split(' ');
  const thread = numberOf(corpus.names.thread, item.thread);
  makeRoom(corpus);
  corpus.size += 1;
  corpus.sums.push(item.sum);
  corpus.lengths[at] = terms.length;
  corpus.gone[at] = item.gone;
  corpus.kinds[at] = KINDS.indexOf(item.kind);
  corpus.seconds[at] = Math.floor(Date.parse(item.at) / 1000);
  corpus.threads[at] = thread;
  corpus.speakers[at] = numberOf(corpus.names.who, item.who);
  corpus.namespaces[at] = numberOf(corpus.names.namespace, item.namespace);
  corpus.runs[at] = numberOf(corpus.names.run, item.run ?? '');
  const previous = corpus.lastOfThread[thread] ?? -1;
  corpus.before[at] = previous;
  corpus.after[at] = -1;
  if (previous >= 0) corpus.after[previous] = at;
  corpus.lastOfThread[thread] = at;
  if (item.gone === 1) return;
  corpus.alive += 1;
  corpus.total += terms.length;
  corpus.threadLengths[thread] = (corpus.threadLengths[thread] ?? 0) + terms.length;
  for (const [term, times] of countTerms(terms))
    addPosting(corpus.postings, term, (at << TIMES_BITS) | Math.min(times, MOST_TIMES));
}

/** Marks an item as gone; its postings stay and are skipped. */
export function removeFromCorpus(corpus: Corpus, n: number): void {
  const at = n - 1;
  if (at >= corpus.size || corpus.gone[at] === 1) return;
  corpus.gone[at] = 1;
  corpus.alive -= 1;
  corpus.total -= corpus.lengths[at] ?? 0;
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
type Weights = { items: Float64Array; threads: Float64Array; most: number };

/** Of a long question only the most significant words are used. */
const MOST_TERMS = 64;

/** The weights of all items and threads for a question (2). What is gone weighs nothing. `items` are zeros to add to. */
export function weighAll(
  corpus: Corpus,
  terms: readonly string[],
  names: ReadonlySet<string> = new Set(),
  items: Float64Array = new Float64Array(corpus.size),
): Weights {
  const threads = new Float64Array(corpus.names.thread.names.length);
  const sums = { items, threads, inThread: new Uint32Array(threads.length), once: weightsOfOne(corpus) };
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
    const having = countPostings(corpus.postings, term);
    return { term, asked, weight: asked * inverseFrequency(corpus.alive, having) };
  });
  return found.length <= MOST_TERMS ? found : found.toSorted((a, b) => b.weight - a.weight).slice(0, MOST_TERMS);
}

/** `once`: the weight of a term that occurs once, by the length of the item, since most do. */
type Sums = { items: Float64Array; threads: Float64Array; inThread: Uint32Array; once: Float64Array };

const meanLength = ({ total, alive }: Corpus): number => total / Math.max(1, alive);

function weightsOfOne(corpus: Corpus): Float64Array {
  const mean = meanLength(corpus);
  return new Float64Array(SHORT_ITEM).map((_, length) => saturate(1, length, mean));
}

const SHORT_ITEM = 512;

function weighTerm(corpus: Corpus, asked: Term & { isName: boolean }, sums: Sums): void {
  const { items, threads, inThread, once } = sums;
  const { weight, isName } = asked;
  const list = postingsOf(corpus.postings, asked.term);
  if (list.length === 0) return;
  const { gone, lengths, threads: threadOf } = corpus;
  const mean = meanLength(corpus);
  const touched: number[] = [];
  for (let index = 0; index < list.length; index += 1) {
    const entry = list[index] ?? 0;
    const at = entry >> TIMES_BITS;
    if (gone[at] === 1) continue;
    const times = entry & MOST_TIMES;
    const length = lengths[at] ?? 0;
    const own = isName ? 1 : times === 1 && length < SHORT_ITEM ? (once[length] ?? 0) : saturate(times, length, mean);
    items[at] = (items[at] ?? 0) + weight * own;
    const thread = threadOf[at] ?? 0;
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
