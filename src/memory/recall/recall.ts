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
import { type HeldPen, takePen } from '../../ledger/pen.ts';
import { lastSeqOf } from '../../ledger/seek.ts';
import { messageOf, OkaError } from '../../schema/errors.ts';
import type { Pen } from '../../schema/event.ts';
import type { Fact, MemoryConfig } from '../../schema/memory.ts';
import type { ArtifactStore, Clock } from '../../schema/ports.ts';
import { catchUp } from '../index/catch-up.ts';
import { addTo, type Corpus, emptyCorpus, giveUpIn } from '../index/corpus.ts';
import { Damaged, Shelf } from '../index/shelf.ts';
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

const PENS: readonly Pen[] = ['run', 'maintenance'];
const TRIES = 3;

export class Recall {
  readonly options: RecallOptions;
  readonly corpus: { now: Corpus } = { now: emptyCorpus() };
  readonly meant: SemanticSearch;
  #shelf: Shelf;
  #pen: HeldPen | null;
  #facts: Map<string, { n: number; fact: Fact }> | null = null;
  #turn: Promise<unknown> = Promise.resolve();

  private constructor(options: RecallOptions, shelf: Shelf, pen: HeldPen | null) {
    this.options = options;
    this.#shelf = shelf;
    this.#pen = pen;
    this.meant = new SemanticSearch({ ...options, canWrite: pen !== null });
  }

  static open(options: RecallOptions): Recall {
    const pen = penOf(options.folder, options.clock());
    const recall = new Recall(options, shelfOf(options, pen !== null), pen);
    recall.#load();
    return recall;
  }

  get shelf(): Shelf {
    return this.#shelf;
  }

  /** Whether it may write the index. */
  get keeps(): boolean {
    return this.#pen !== null;
  }

  get facts(): ReadonlyMap<string, { n: number; fact: Fact }> {
    this.#facts ??= this.#shelf.facts();
    return this.#facts;
  }

  /** Reads what the ledgers have beyond the index; one at a time. Returns how many events were read. */
  catchUp(): Promise<number> {
    const read = this.#turn.then(() => this.#caughtUp());
    this.#turn = read.catch(() => undefined);
    return read;
  }

  /** Does something with what is remembered; when the index turns out to be damaged it is made anew first. */
  async healing<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Damaged)) throw error;
      this.#restart(this.keeps ? 'keep' : 'look');
      await this.catchUp();
      return work();
    }
  }

  /** The most tokens that a provider of this family reported for one of ours. */
  reported(family: ModelFamily): number {
    return Number(this.#shelf.scrap(`reported ${family}`) ?? 0);
  }

  /** Deletes the index and makes it again. */
  async rebuild(): Promise<number> {
    if (this.#pen === null)
      throw new OkaError('pen-held', 'the index is being kept by another process', {
        fix: 'Stop the worker first: it keeps the index up to date by itself.',
      });
    await this.meant.deleteAll();
    this.#restart('keep');
    return this.catchUp();
  }

  /** Whether vectors should be made in the background. */
  get learns(): boolean {
    return this.meant.needsVectors(this.corpus.now);
  }

  /** Makes the vectors that are missing, newest first, until it is told to stop. */
  learnAll(signal: AbortSignal, ways: Omit<EmbedMissingOptions, 'signal'> = {}): Promise<void> {
    const textOf = (at: number): string | null => this.#shelf.item(at + 1)?.text ?? null;
    return this.healing(() => this.meant.embedMissing(() => this.corpus.now, textOf, { signal, ...ways }));
  }

  async close(): Promise<void> {
    await this.#turn;
    try {
      await this.meant.close();
    } finally {
      this.#shelf.close();
      this.#pen?.release();
      this.#pen = null;
    }
  }

  async #caughtUp(): Promise<number> {
    for (let tries = 1; ; tries += 1) {
      try {
        let events = 0;
        for (const pen of PENS) events += await this.#read(pen);
        return events;
      } catch (error) {
        if (tries === TRIES) throw error;
        if (error instanceof Damaged) this.#restart(this.keeps ? 'keep' : 'look');
        else if (isFull(error)) this.#restart('look');
        else throw error;
      }
    }
  }

  async #read(pen: Pen): Promise<number> {
    const file = this.options.ledgers[pen];
    const cursor = this.#shelf.cursor(pen);
    if (cursor !== null && lastSeqOf(file) < cursor.seq) throw new Damaged('it is of a longer ledger');
    return catchUp(this.#shelf, pen, file, this.options.artifacts, (change) => {
      for (const n of change.goneBefore) giveUpIn(this.corpus.now, n);
      this.#load();
      this.#facts = null;
    });
  }

  #load(): void {
    const { now } = this.corpus;
    for (const row of this.#shelf.items(now.size)) addTo(now, row);
  }

  /** 3, 4. */
  #restart(mode: 'keep' | 'look'): void {
    this.#shelf.close();
    if (mode === 'keep') Shelf.remove(indexFile(this.options.folder));
    this.#shelf = Shelf.open(mode === 'keep' ? indexFile(this.options.folder) : ':memory:', mode);
    this.corpus.now = emptyCorpus();
    this.#facts = null;
    this.#load();
  }
}

export const indexFile = (folder: string): string => join(folder, 'memory.sqlite');

/** 2. The lock dies with its holder. */
function penOf(folder: string, now: number): HeldPen | null {
  try {
    return takePen(join(folder, '..', 'memory_index.jsonl'), now);
  } catch (error) {
    if (error instanceof OkaError && ['pen-held', 'not-permitted', 'disk-full', 'not-set-up'].includes(error.code))
      return null;
    throw error;
  }
}

function shelfOf({ folder }: RecallOptions, keeps: boolean): Shelf {
  const file = indexFile(folder);
  if (!keeps) return seen(file);
  try {
    return Shelf.open(file, 'keep');
  } catch (error) {
    if (!(error instanceof Damaged)) return unwritable(error, file);
    Shelf.remove(file);
    return Shelf.open(file, 'keep');
  }
}

function unwritable(error: unknown, file: string): Shelf {
  if (error instanceof OkaError || isFull(error)) return seen(file);
  throw error;
}

/** What can be seen of the index; nothing, where even that is not possible. */
function seen(file: string): Shelf {
  try {
    return Shelf.open(file, 'look');
  } catch {
    return Shelf.open(':memory:', 'look');
  }
}

function isFull(error: unknown): boolean {
  return /disk is full|database or disk|readonly database|unable to open|disk I\/O|ENOSPC|EROFS|EACCES/.test(
    messageOf(error),
  );
}
