/**
 * Owns: which entries have vectors, and semantic search among them.
 *
 * 1. A home that is never searched, or has nothing to search, loads no model.
 * 2. A search waits for a model that is loading only up to a limit; until it is ready, keywords answer alone.
 * 3. Vectors count once nearly every entry has one; before that, entries without a vector would have no chance. After
 *    that, a new entry without one counts as average.
 * 4. The reason for a failure is remembered, and a failed start is retried only after a pause.
 */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../../core/schema/errors.ts';
import type { MemoryConfig } from '../../../core/schema/memory.ts';
import type { Clock } from '../../../core/schema/ports.ts';
import type { Corpus } from '../../../kit/learning/corpus.ts';
import { sumOf } from '../../../kit/learning/index-item.ts';
import type { EmbedOptions, VectorIndex } from './vector-index.ts';
import type { VectorSettings } from './stored-vectors.ts';

export type SemanticSearchOptions = {
  /** Folder of the index. */
  folder: string;
  settings: MemoryConfig;
  clock: Clock;
  canWrite: boolean;
  /** How long a search waits for a model that is loading. */
  patienceMs?: number | undefined;
} & Pick<VectorSettings, 'embedder' | 'table'>;

/** Below this share of entries with vectors, keywords alone are fairer. */
const MIN_COVERAGE = 0.9;
/** So few that are new do not matter, however few there are. */
const FEW_MISSING = 2;
/** Written together; a process that dies embeds at most these again. */
const BATCH_SIZE = 128;
const RETRY_AFTER_MS = 5 * 60 * 1000;

export class SemanticSearch {
  readonly #options: SemanticSearchOptions;
  #opening: Promise<VectorIndex | null> | null = null;
  #failure: { why: string; at: number } | null = null;
  #asked = false;
  /** Whether no vector of another model is left. */
  #hasDeletedOthers = false;
  #known: RowMap | null = null;
  #places = new Float32Array(0);

  constructor(options: SemanticSearchOptions) {
    this.#options = options;
  }

  /** Why there is no semantic search. */
  get failure(): string | null {
    return this.#failure?.why ?? null;
  }

  /** Whether to embed in the background: there are entries, and somebody has searched, now or earlier. */
  needsVectors({ alive }: Corpus): boolean {
    const { canWrite, settings } = this.#options;
    if (!canWrite || !settings.vectors || this.#isBackingOff()) return false;
    return alive > 0 && (this.#asked || existsSync(this.#folder));
  }

  /**
   * Reads a question; null when keywords have to be enough. `meanwhile` runs while the model, in its own thread, reads it.
   */
  async readQuestion(
    corpus: Corpus,
    query: string,
    meanwhile: () => void = () => undefined,
  ): Promise<ReadQuestion | null> {
    const index = await this.ready(corpus);
    if (index === null || query.trim() === '') return null;
    const reading = index.embedQuery(query);
    meanwhile();
    return { index, vector: await reading };
  }

  /** By place in the corpus, NaN where `able` is 0; null when nothing that is able has a vector. The next call overwrites them. */
  similarities(corpus: Corpus, { index, vector }: ReadQuestion, able: Uint8Array): Float32Array | null {
    if (this.#places.length !== able.length) this.#places = new Float32Array(able.length);
    const { rows } = this.#sync(corpus, index);
    return spreadToPlaces(index.similarities(vector), rows, able, this.#places);
  }

  /** Returns the index if it is loaded in time and covers nearly every entry (1, 2, 3). */
  async ready(corpus: Corpus): Promise<VectorIndex | null> {
    this.#asked = true;
    if (corpus.alive === 0 || (this.#opening === null && !existsSync(this.#folder))) return null;
    const meaning = await withTimeout(this.open(), this.#options.patienceMs);
    if (meaning === null) return null;
    const missing = this.#sync(corpus, meaning).missing.filter((at) => corpus.gone[at] === 0).length;
    const most = Math.max(FEW_MISSING, (1 - MIN_COVERAGE) * corpus.alive);
    return missing < corpus.alive && missing <= most ? meaning : null;
  }

  /** Null when vectors are turned off or not available. */
  async open(): Promise<VectorIndex | null> {
    if (this.#opening === null && this.#isBackingOff()) return null;
    this.#opening ??= this.#open();
    return this.#opening;
  }

  /** Embeds what is missing, newest first, until the signal aborts or embedding fails; finished vectors are stored. */
  async embedMissing(
    now: () => Corpus,
    textOf: (at: number) => string | null,
    options: EmbedMissingOptions,
  ): Promise<void> {
    const meaning = this.#options.canWrite ? await this.open() : null;
    if (meaning === null) return;
    const missing = this.#missingPlaces(now(), meaning);
    for (let from = 0; from < missing.length && !options.signal.aborted; from += BATCH_SIZE) {
      const texts = missing.slice(from, from + BATCH_SIZE).flatMap((at) => textOf(at) ?? []);
      const bySum = new Map(texts.map((text) => [sumOf(text), text]));
      if (!(await this.#succeeds(meaning.addTexts(bySum, options)))) return;
      options.onProgress?.(Math.min(from + BATCH_SIZE, missing.length), missing.length);
    }
    if (options.signal.aborted || this.#hasDeletedOthers) return;
    this.#hasDeletedOthers = await this.#succeeds(meaning.deleteOtherModels());
  }

  /** Deletes every vector. */
  async deleteAll(): Promise<void> {
    this.#known = null;
    const meaning = await this.#opening;
    if (meaning === null) rmSync(this.#folder, { recursive: true, force: true });
    else await meaning.deleteAll();
  }

  async close(): Promise<void> {
    await (await this.#opening)?.close();
  }

  get #folder(): string {
    return join(this.#options.folder, 'vectors');
  }

  /** Whether a failure is too recent to try again (4). */
  #isBackingOff(): boolean {
    return this.#failure !== null && this.#options.clock() - this.#failure.at < RETRY_AFTER_MS;
  }

  /** Returns whether the work succeeded, and records why if not (4). */
  async #succeeds(work: Promise<void>): Promise<boolean> {
    try {
      await work;
      return true;
    } catch (error) {
      this.#failure = { why: messageOf(error), at: this.#options.clock() };
      return false;
    }
  }

  async #open(): Promise<VectorIndex | null> {
    const { folder, settings, canWrite, embedder, table, clock } = this.#options;
    if (!settings.vectors) return null;
    try {
      const { openVectors } = await import('./stored-vectors.ts'); // the packages behind it are large
      return await openVectors({
        folder,
        model: settings.model,
        download: settings.model_download,
        canWrite,
        embedder,
        table,
      });
    } catch (error) {
      this.#failure = { why: messageOf(error), at: clock() };
      this.#opening = null;
      return null;
    }
  }

  /** The newest place of each text that has no vector, newest first. */
  #missingPlaces(corpus: Corpus, meaning: VectorIndex): number[] {
    const newest = new Map<string, number>();
    for (const at of this.#sync(corpus, meaning).missing)
      if (corpus.gone[at] === 0) newest.set(corpus.sums[at] ?? '', at);
    return [...newest.values()].toSorted((a, b) => b - a);
  }

  /** Updates the row map with new entries and new vectors. */
  #sync(corpus: Corpus, meaning: VectorIndex): RowMap {
    if (this.#known?.corpus !== corpus)
      this.#known = { corpus, rows: new Int32Array(0), count: 0, missing: [], size: 0 };
    const known = this.#known;
    const fresh = known.size === meaning.size() ? [] : known.missing;
    if (fresh.length > 0) known.missing = [];
    for (const at of fresh) assignRow(known, meaning, at);
    if (known.rows.length < corpus.size) known.rows = withRoom(known.rows, corpus.size);
    for (; known.count < corpus.size; known.count += 1) assignRow(known, meaning, known.count);
    known.size = meaning.size();
    return known;
  }
}

type ReadQuestion = { index: VectorIndex; vector: Float32Array };

/** `onProgress` is called after every batch. */
export type EmbedMissingOptions = EmbedOptions & { onProgress?: (done: number, all: number) => void };

/** The row of each of so many entries, -1 for none, and the places of the entries without a vector. */
type RowMap = { corpus: Corpus; rows: Int32Array; count: number; missing: number[]; size: number };

function withRoom(rows: Int32Array, least: number): Int32Array {
  const larger = new Int32Array(Math.max(least, 2 * rows.length));
  larger.set(rows);
  return larger;
}

function assignRow({ corpus, rows, missing }: RowMap, meaning: VectorIndex, at: number): void {
  const row = meaning.rowOf(corpus.sums[at] ?? '');
  rows[at] = row;
  if (row < 0) missing.push(at);
}

/** Gives entries without a vector the average similarity (3). Null when no allowed entry has a vector. */
function spreadToPlaces(
  close: Float32Array,
  rows: Int32Array,
  able: Uint8Array,
  places: Float32Array,
): Float32Array | null {
  const without: number[] = [];
  const count = copyToPlaces(close, rows, able, places, without);
  if (count === 0) return null;
  const mean = without.length === 0 ? 0 : totalOf(places) / count;
  for (const at of without) places[at] = mean;
  return places;
}

/** Returns how many allowed places have a vector. Like the loops of the ranker it does nothing afterwards, to be fast. */
function copyToPlaces(
  close: Float32Array,
  rows: Int32Array,
  able: Uint8Array,
  places: Float32Array,
  without: number[],
): number {
  let count = 0;
  for (let at = 0; at < places.length; at += 1) {
    const row = able[at] === 0 ? -1 : (rows[at] ?? -1);
    if (row >= 0) {
      places[at] = close[row] ?? 0;
      count += 1;
    } else {
      places[at] = Number.NaN;
      if (able[at] !== 0) without.push(at);
    }
  }
  return count;
}

/** Of the places that have a number. */
function totalOf(places: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < places.length; at += 1) {
    const value = places[at] ?? 0;
    if (!Number.isNaN(value)) sum += value;
  }
  return sum;
}

/** Returns null when it took too long (2). */
async function withTimeout<T>(work: Promise<T>, ms: number | undefined): Promise<T | null> {
  if (ms === undefined) return work;
  const over = new AbortController();
  try {
    return await Promise.race([work, sleep(ms, null, { signal: over.signal, ref: false })]);
  } finally {
    over.abort();
  }
}
