/**
 * Owns: remembering: pieces from the ledgers, kept up to date, and the search over them.
 * Does not own: the ledgers, which it only reads; the thread it runs in (thread.ts).
 *
 * 1. Everything here can be deleted and comes back from the ledgers; nothing here changes them.
 * 2. At most one process writes the index. Others see it, and read in memory what it does not have yet.
 * 3. An index that is damaged, of another ledger or of another version is made anew without a word.
 * 4. What cannot be written, on a full disk say, is kept in memory: recall goes on.
 */
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

export type RecallOptions = {
  /** Folder of the index, .oka/index. */
  folder: string;
  ledgers: Readonly<Record<Pen, string>>;
  artifacts: Pick<ArtifactStore, 'get'>;
  settings: MemoryConfig;
  clock: Clock;
  /** Opens the search by meaning; left out, words alone are searched. */
  meaning?: (keeps: boolean) => Promise<Meaning | null>;
};

const PENS: readonly Pen[] = ['run', 'maintenance'];
const TRIES = 3;

export class Recall {
  readonly options: RecallOptions;
  readonly corpus: { now: Corpus } = { now: emptyCorpus() };
  #shelf: Shelf;
  #pen: HeldPen | null;
  #meaning: Promise<Meaning | null> | null = null;
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

  /** Deletes the index and makes it again. */
  async rebuild(): Promise<number> {
    if (this.#pen === null)
      throw new OkaError('pen-held', 'the index is being kept by another process', {
        fix: 'Stop the worker first: it keeps the index up to date by itself.',
      });
    await (await this.meaning())?.forget();
    this.#restart('keep');
    return this.catchUp();
  }

  /** The search by meaning, when it is open and knows nearly everything; it is never waited for otherwise. */
  async readyMeaning(): Promise<Meaning | null> {
    return null;
  }

  /** Makes the vectors that are missing; resolves at once where there are none. */
  async learnAll(_signal: AbortSignal, _tell: (done: number, all: number) => void = () => undefined): Promise<void> {
    await Promise.resolve();
  }

  meaning(): Promise<Meaning | null> {
    this.#meaning ??= this.options.settings.vectors && this.options.meaning !== undefined
      ? this.options.meaning(this.keeps)
      : Promise.resolve(null);
    return this.#meaning;
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
  if (!keeps) return Shelf.open(file, 'look');
  try {
    return Shelf.open(file, 'keep');
  } catch (error) {
    if (error instanceof Damaged) {
      Shelf.remove(file);
      return Shelf.open(file, 'keep');
    }
    if (isFull(error)) return Shelf.open(file, 'look');
    throw error;
  }
}

function isFull(error: unknown): boolean {
  return /disk is full|database or disk|readonly database|unable to open|disk I\/O|ENOSPC|EROFS|EACCES/.test(messageOf(error));
}
