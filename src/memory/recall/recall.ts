/**
 * Owns: remembering: pieces from the ledgers, kept up to date, and the search over them.
 * Does not own: the ledgers, which it only reads; the thread it runs in (thread.ts); what is known by meaning
 * (embedding/semantic-search.ts).
 *
 * 1. Everything here can be deleted and comes back from the ledgers; nothing here changes them.
 * 2. At most one process writes the index. Others see it, and read in memory what it does not have yet.
 * 3. An index that is damaged, of another ledger or of another version is made anew without a word.
 * 4. What cannot be written, on a full disk say, is kept in memory: recall goes on.
 */
import { join } from 'node:path';
import { StoreDamaged } from '../../ledger/fold-database.ts';
import { FoldStore } from '../../ledger/fold-store.ts';
import { foldBatches } from '../../ledger/follower.ts';
import { type PenLock, takePen } from '../../ledger/pen.ts';
import { messageOf, OkaError } from '../../schema/errors.ts';
import type { Pen } from '../../schema/event.ts';
import type { Fact, MemoryConfig } from '../../schema/memory.ts';
import type { ArtifactStore, Clock } from '../../schema/ports.ts';
import { addToCorpus, type Corpus, emptyCorpus, removeFromCorpus } from '../index/corpus.ts';
import { createIndexFold, INDEX_SHAPE, type IndexFold, itemOfFact, reportedTokens } from '../index/index-fold.ts';
import { ItemTable } from '../index/item-table.ts';
import { shownFact, storedFacts } from '../fact-view.ts';
import { SemanticSearch, type SemanticSearchOptions, type EmbedMissingOptions } from '../embedding/semantic-search.ts';
import type { ModelFamily } from '../text/tokens.ts';

export type RecallOptions = {
  /** Folder of the index, .oka/index. */
  folder: string;
  ledgers: Readonly<Record<Pen, string>>;
  artifacts: Pick<ArtifactStore, 'get'>;
  settings: MemoryConfig;
  clock: Clock;
} & Pick<SemanticSearchOptions, 'patienceMs' | 'embedder'>;

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

  /** Reads what the ledgers have beyond the index; one at a time. Returns how many events were read. */
  catchUp(): Promise<number> {
    const read = this.#turn.then(() => this.#caughtUp());
    this.#turn = read.catch(() => undefined);
    return read;
  }

  /** Does something with what is remembered; when the index turns out to be damaged it is made anew first. */
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

  /** Deletes the index and makes it again. */
  async rebuild(): Promise<number> {
    if (this.#pen === null)
      throw new OkaError('pen-held', 'the index is being kept by another process', {
        fix: 'Stop the worker first: it keeps the index up to date by itself.',
      });
    await this.semantic.deleteAll();
    this.#restart();
    return this.catchUp();
  }

  /** Whether vectors should be made in the background. */
  get shouldEmbed(): boolean {
    return this.semantic.needsVectors(this.corpus.now);
  }

  /** Makes the vectors that are missing, newest first, until it is told to stop. */
  embedAll(signal: AbortSignal, ways: Omit<EmbedMissingOptions, 'signal'> = {}): Promise<void> {
    const textOf = (at: number): string | null => this.items.item(at + 1)?.text ?? null;
    return this.withRepair(() => this.semantic.embedMissing(() => this.corpus.now, textOf, { signal, ...ways }));
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

  async #caughtUp(): Promise<number> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#readOn();
      } catch (error) {
        if (tries === TRIES) throw error;
        if (error instanceof StoreDamaged) this.#restart();
        else if (isUnwritable(error)) this.#stopWriting();
        else throw error;
      }
    }
  }

  async #readOn(): Promise<number> {
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
  }

  #loadFacts(): Map<string, { n: number; fact: Fact }> {
    const facts = new Map<string, { n: number; fact: Fact }>();
    for (const row of storedFacts(this.store)) {
      const fact = shownFact(row);
      if (fact !== null) facts.set(fact.id, { n: itemOfFact(this.store, fact.id), fact });
    }
    return facts;
  }

  /** Builds the index again, from the first event on (3). */
  #restart(): void {
    this.store.reset();
    this.#reload();
  }

  /** Goes on in memory (4). */
  #stopWriting(): void {
    this.store.stopWriting();
    this.#reload();
  }

  #reload(): void {
    this.corpus.now = emptyCorpus();
    this.#load();
  }
}

export const indexFile = (folder: string): string => join(folder, 'memory.sqlite');

/** 2. The lock dies with its holder. */
function tryTakePen(folder: string, now: number): PenLock | null {
  try {
    return takePen(join(folder, '..', 'memory_index.jsonl'), now);
  } catch (error) {
    if (error instanceof OkaError && ['pen-held', 'not-permitted', 'disk-full', 'not-set-up'].includes(error.code))
      return null;
    throw error;
  }
}

/** An index that cannot be written is read, as far as it can be. */
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
