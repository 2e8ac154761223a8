/**
 * Owns: the memory index, its updates from the ledgers, and access to it for the search.
 * Does not own: the ledgers, which it only reads; the worker thread it runs in (recall-worker.ts); search by embeddings
 * (embedding/semantic-search.ts).
 *
 * 1. Everything here can be deleted and is rebuilt from the ledgers; nothing here changes them.
 * 2. At most one process writes the index. Others read it, and fold in memory what it does not contain yet.
 * 3. An index that is damaged, of another ledger or of another version is silently rebuilt.
 * 4. When the index cannot be written, for example on a full disk, recall continues in memory.
 */
import { join } from 'node:path';
import { StoreDamaged } from '../../../core/ledger/fold-database.ts';
import { FoldStore } from '../../../core/ledger/fold-store.ts';
import { foldBatches } from '../../../core/ledger/follower.ts';
import { type PenLock, takePen } from '../../../core/ledger/pen.ts';
import { messageOf, OkaError } from '../../../core/schema/errors.ts';
import type { Pen } from '../../../core/schema/event.ts';
import type { Fact, MemoryConfig } from '../../../core/schema/memory.ts';
import type { ArtifactStore, Clock } from '../../../core/schema/ports.ts';
import { addToCorpus, type Corpus, emptyCorpus, removeFromCorpus } from '../../../kit/learning/corpus.ts';
import { createIndexFold, INDEX_SHAPE, type IndexFold, itemOfFact, reportedTokens } from '../index/index-fold.ts';
import { ItemTable } from '../index/item-table.ts';
import { LEARNED_ID } from '../../../kit/learning/index-item.ts';
import { shownFact, storedFacts } from '../fact-view.ts';
import { SemanticSearch, type SemanticSearchOptions, type EmbedMissingOptions } from '../embedding/semantic-search.ts';
import type { ModelFamily } from '../../../kit/text/tokens.ts';

export type RecallOptions = {
  /** Folder of the index, .oka/index. */
  folder: string;
  ledgers: Readonly<Record<Pen, string>>;
  artifacts: Pick<ArtifactStore, 'get'>;
  settings: MemoryConfig;
  clock: Clock;
} & Pick<SemanticSearchOptions, 'patienceMs' | 'embedder' | 'table'>;

const TRIES = 3;

export class Recall {
  readonly options: RecallOptions;
  readonly corpus: { now: Corpus } = { now: emptyCorpus() };
  readonly semantic: SemanticSearch;
  readonly store: FoldStore;
  readonly items: ItemTable;
  readonly #fold: IndexFold;
  #pen: PenLock | null;
  #facts: Map<string, { n: number; fact: Fact }> | null = null;
  #learned: LearnedStatements | null = null;
  #turn: Promise<unknown> = Promise.resolve();

  private constructor(options: RecallOptions, store: FoldStore, pen: PenLock | null) {
    this.options = options;
    this.store = store;
    this.items = new ItemTable(store);
    this.#fold = createIndexFold(store);
    this.#pen = pen;
    this.semantic = new SemanticSearch({ ...options, canWrite: pen !== null });
  }

  static open(options: RecallOptions): Recall {
    const pen = tryTakePen(options.folder, options.clock());
    const recall = new Recall(options, openIndex(options, pen !== null), pen);
    recall.#load();
    return recall;
  }

  /** Whether it may write the index. */
  get canWrite(): boolean {
    return this.#pen !== null;
  }

  get facts(): ReadonlyMap<string, { n: number; fact: Fact }> {
    this.#facts ??= this.#loadFacts();
    return this.#facts;
  }

  get learned(): LearnedStatements {
    this.#learned ??= findLearned(storedFacts(this.store));
    return this.#learned;
  }

  /** Indexes new events of the ledgers, one call at a time. Returns how many events were read. */
  catchUp(): Promise<number> {
    const read = this.#turn.then(() => this.#catchUpWithRetries());
    this.#turn = read.catch(() => undefined); // whoever asked is told; the next reads on
    return read;
  }

  /** Does something with the index; if that turns out to be damaged, rebuilds it and tries again. */
  async withRepair<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof StoreDamaged)) throw error;
      this.#restart();
      await this.catchUp();
      return work();
    }
  }

  /** The most tokens that a provider of this family reported for one of ours. */
  reportedTokens(family: ModelFamily): number {
    return reportedTokens(this.store, family);
  }

  /** Deletes the index and rebuilds it. */
  async rebuild(): Promise<number> {
    if (this.#pen === null)
      throw new OkaError('pen-held', 'another process is writing the index', {
        fix: 'Stop the worker first. While it runs, it updates the index automatically.',
      });
    await this.semantic.deleteAll();
    this.#restart();
    return this.catchUp();
  }

  /** Whether embeddings should be computed in the background. */
  get shouldEmbed(): boolean {
    return this.semantic.needsVectors(this.corpus.now);
  }

  /** Computes the missing embeddings, newest first, until the signal. */
  embedAll(signal: AbortSignal, options: Omit<EmbedMissingOptions, 'signal'> = {}): Promise<void> {
    const itemText = (at: number): string | null => this.items.item(at + 1)?.text ?? null;
    return this.withRepair(() => this.semantic.embedMissing(() => this.corpus.now, itemText, { signal, ...options }));
  }

  async close(): Promise<void> {
    await this.#turn;
    try {
      await this.semantic.close();
    } finally {
      this.store.close();
      this.#pen?.release();
      this.#pen = null;
    }
  }

  async #catchUpWithRetries(): Promise<number> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#indexNewEvents();
      } catch (error) {
        if (tries === TRIES) throw error;
        if (error instanceof StoreDamaged) this.#restart();
        else if (isUnwritable(error)) this.#stopWriting();
        else throw error;
      }
    }
  }

  async #indexNewEvents(): Promise<number> {
    const { ledgers, artifacts } = this.options;
    const sources = { ledgers, artifacts, folds: [this.#fold] };
    const prepare: IndexFold['prepare'] = (events) => this.#fold.prepare(events);
    let count = 0;
    for await (const events of foldBatches(this.store, sources, { prepare })) {
      count += events.length;
      for (const n of this.#fold.gone) removeFromCorpus(this.corpus.now, n);
      this.#load();
    }
    return count;
  }

  #load(): void {
    const { now } = this.corpus;
    for (const row of this.items.items(now.size)) addToCorpus(now, row);
    this.#facts = null;
    this.#learned = null;
  }

  #loadFacts(): Map<string, { n: number; fact: Fact }> {
    const facts = new Map<string, { n: number; fact: Fact }>();
    for (const row of storedFacts(this.store)) {
      const fact = shownFact(row);
      if (fact !== null) facts.set(fact.id, { n: itemOfFact(this.store, fact.id), fact });
    }
    return facts;
  }

  /** Rebuilds the index from the first event on (3). */
  #restart(): void {
    this.store.reset();
    this.#reload();
  }

  /** Continues in memory (4). */
  #stopWriting(): void {
    this.store.stopWriting();
    this.#reload();
  }

  #reload(): void {
    this.corpus.now = emptyCorpus();
    this.#load();
  }
}

/**
 * `texts`: every fact that was ever stored, in its original words, whatever became of it. `until`: the last event that one
 * was learned from; maintenance has read everything before it, and what it did not learn there it refused.
 */
type LearnedStatements = { texts: ReadonlySet<string>; until: number };

function findLearned(rows: Iterable<{ fact: Pick<Fact, 'id' | 'text' | 'evidence'> }>): LearnedStatements {
  const texts = new Set<string>();
  let until = 0;
  for (const { fact } of rows) {
    texts.add(fact.text);
    if (LEARNED_ID.test(fact.id)) for (const { seq } of fact.evidence) until = Math.max(until, seq);
  }
  return { texts, until };
}

export const indexFile = (folder: string): string => join(folder, 'memory.sqlite');

/** Null when another process writes the index (2), or when it cannot be written. */
function tryTakePen(folder: string, now: number): PenLock | null {
  try {
    return takePen(join(folder, '..', 'memory_index.jsonl'), now);
  } catch (error) {
    if (error instanceof OkaError && ['pen-held', 'not-permitted', 'disk-full', 'not-set-up'].includes(error.code))
      return null;
    throw error;
  }
}

/** An index that cannot be written is opened for reading. */
function openIndex({ folder }: RecallOptions, canWrite: boolean): FoldStore {
  const file = indexFile(folder);
  if (!canWrite) return FoldStore.openReadOnly(file, INDEX_SHAPE);
  try {
    return FoldStore.open(file, INDEX_SHAPE);
  } catch (error) {
    if (error instanceof OkaError || isUnwritable(error)) return FoldStore.openReadOnly(file, INDEX_SHAPE);
    throw error;
  }
}

function isUnwritable(error: unknown): boolean {
  if (error instanceof OkaError) return ['disk-full', 'not-permitted'].includes(error.code);
  return /disk I\/O|ENOSPC|EROFS|EACCES/.test(messageOf(error));
}
