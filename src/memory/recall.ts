/**
 * Owns: remembering: pieces from the ledgers, kept up to date, and the search over them.
 * Does not own: the ledgers, which it only reads; the thread it runs in (thread.ts).
 *
 * 1. Everything here can be deleted and comes back from the ledgers; nothing here changes them.
 * 2. At most one process writes the index. Others see it, and read in memory what it does not have yet.
 * 3. An index that is damaged, of another ledger or of another version is made anew without a word.
 * 4. What cannot be written, on a full disk say, is kept in memory: recall goes on.
 */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type HeldPen, takePen } from '../ledger/pen.ts';
import { lastSeqOf } from '../ledger/seek.ts';
import { messageOf, OkaError } from '../schema/errors.ts';
import type { Pen } from '../schema/event.ts';
import type { Fact, MemoryConfig } from '../schema/memory.ts';
import type { ArtifactStore, Clock } from '../schema/ports.ts';
import { catchUp } from './catch-up.ts';
import { addTo, type Corpus, emptyCorpus, giveUpIn } from './corpus.ts';
import type { Meaning } from './meaning.ts';
import { Damaged, Shelf } from './shelf.ts';
import type { Family } from './tokens.ts';

export type RecallOptions = {
  /** Folder of the index, .oka/index. */
  folder: string;
  ledgers: Readonly<Record<Pen, string>>;
  artifacts: Pick<ArtifactStore, 'get'>;
  settings: MemoryConfig;
  clock: Clock;
};

const PENS: readonly Pen[] = ['run', 'maintenance'];
const TRIES = 3;
/** Where fewer pieces have vectors, words alone are fairer. */
const ENOUGH = 0.9;
const AT_ONCE = 32;

export class Recall {
  readonly options: RecallOptions;
  readonly corpus: { now: Corpus } = { now: emptyCorpus() };
  #shelf: Shelf;
  #pen: HeldPen | null;
  #meaning: Promise<Meaning | null> | null = null;
  #trouble: string | null = null;
  #wanted = false;
  #covered: { stamp: string; enough: boolean } | null = null;
  #facts: Map<string, { n: number; fact: Fact }> | null = null;
  #turn: Promise<unknown> = Promise.resolve();

  private constructor(options: RecallOptions, shelf: Shelf, pen: HeldPen | null) {
    this.options = options;
    this.#shelf = shelf;
    this.#pen = pen;
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
  reported(family: Family): number {
    return Number(this.#shelf.scrap(`reported ${family}`) ?? 0);
  }

  /** Deletes the index and makes it again. */
  async rebuild(): Promise<number> {
    if (this.#pen === null)
      throw new OkaError('pen-held', 'the index is being kept by another process', {
        fix: 'Stop the worker first: it keeps the index up to date by itself.',
      });
    if (this.#meaning === null) rmSync(vectorsFolder(this.options.folder), { recursive: true, force: true });
    else await (await this.#meaning)?.forget();
    this.#restart('keep');
    return this.catchUp();
  }

  /**
   * The search by meaning, when it knows nearly everything. It is opened only where somebody has learned or learns: a home
   * that nobody asks loads no model.
   */
  async readyMeaning(): Promise<Meaning | null> {
    this.#wanted = true;
    if (this.#meaning === null && !existsSync(vectorsFolder(this.options.folder))) return null;
    const meaning = await this.meaning();
    if (meaning === null) return null;
    return this.#knowsEnough(meaning) ? meaning : null;
  }

  /** Looked at again only when something came. */
  #knowsEnough(meaning: Meaning): boolean {
    const { now } = this.corpus;
    const stamp = `${now.size} ${now.alive} ${meaning.size()}`;
    if (this.#covered?.stamp !== stamp) {
      const known = now.sums.reduce((sum, each, at) => sum + (!now.gone[at] && meaning.has(each) ? 1 : 0), 0);
      this.#covered = { stamp, enough: known > 0 && known >= ENOUGH * now.alive };
    }
    return this.#covered.enough;
  }

  /** Whether vectors are made in the background: somebody asks here, or asked before. */
  get learns(): boolean {
    return (
      this.keeps && this.options.settings.vectors && (this.#wanted || existsSync(vectorsFolder(this.options.folder)))
    );
  }

  /** Makes the vectors that are missing, newest first, until it is told to stop. */
  async learnAll(signal: AbortSignal, tell: (done: number, all: number) => void = () => undefined): Promise<void> {
    if (!this.keeps) return;
    const meaning = await this.meaning();
    if (meaning === null) return;
    const missing = this.#unlearned(meaning);
    for (let from = 0; from < missing.length && !signal.aborted; from += AT_ONCE) {
      const pieces = missing.slice(from, from + AT_ONCE).flatMap((n) => this.#shelf.item(n) ?? []);
      await meaning.learn(new Map(pieces.map((item) => [this.corpus.now.sums[item.n - 1] ?? '', item.text])));
      tell(Math.min(from + AT_ONCE, missing.length), missing.length);
    }
  }

  #unlearned(meaning: Meaning): number[] {
    const { bySum, gone } = this.corpus.now;
    const newest = [...bySum].flatMap(([sum, places]) =>
      meaning.has(sum) ? [] : (places.findLast((at) => gone[at] === false) ?? []),
    );
    return newest.map((at) => at + 1).toSorted((a, b) => b - a);
  }

  /** Null when it is off or cannot be had; why is kept. */
  meaning(): Promise<Meaning | null> {
    this.#meaning ??= this.#opened();
    return this.#meaning;
  }

  /** Why there is no search by meaning. */
  get trouble(): string | null {
    return this.#trouble;
  }

  async #opened(): Promise<Meaning | null> {
    const { folder, settings } = this.options;
    if (!settings.vectors) return null;
    try {
      const { openVectors } = await import('./vectors.ts'); // the packages behind it are large
      return await openVectors({ folder, model: settings.model, download: settings.model_download, keeps: this.keeps });
    } catch (error) {
      this.#trouble = messageOf(error);
      return null;
    }
  }

  async close(): Promise<void> {
    await this.#turn;
    const meaning = await this.#meaning;
    await meaning?.close();
    this.#shelf.close();
    this.#pen?.release();
    this.#pen = null;
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

/** The folder is there once vectors were made. */
const vectorsFolder = (folder: string): string => join(folder, 'vectors');

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
