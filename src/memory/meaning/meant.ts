/**
 * Owns: which pieces are known by meaning, and the search among them.
 *
 * 1. A home that nobody asks, or that remembers nothing, loads no model.
 * 2. Who asks waits for a model that is being loaded as long as patience lasts, no longer; words answer until it is there.
 * 3. Meaning counts once nearly every piece has a vector: before, what has none would have no chance. What has none then,
 *    being new, counts as the usual piece does.
 * 4. Why there is no meaning is kept, and one that failed is not tried again at once.
 */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../schema/errors.ts';
import type { MemoryConfig } from '../../schema/memory.ts';
import type { Clock } from '../../schema/ports.ts';
import type { Corpus } from '../index/corpus.ts';
import { sumOf } from '../index/item.ts';
import type { LearnWays, Meaning } from './port.ts';
import type { VectorSettings } from './vectors.ts';

export type MeantOptions = {
  /** Folder of the index. */
  folder: string;
  settings: MemoryConfig;
  clock: Clock;
  keeps: boolean;
  /** How long a question waits for a model that is being loaded. */
  patienceMs?: number | undefined;
  embedder?: VectorSettings['embedder'];
};

/** Where fewer pieces have vectors, words alone are fairer. */
const ENOUGH = 0.9;
/** So few are found by their words. */
const FEWEST = 32;
/** Written together; a process that dies makes these again. */
const AT_ONCE = 128;
const AGAIN_AFTER_MS = 5 * 60 * 1000;

export class Meant {
  readonly #options: MeantOptions;
  #opening: Promise<Meaning | null> | null = null;
  #trouble: { why: string; at: number } | null = null;
  #asked = false;
  /** No vector of another model is left. */
  #isAlone = false;
  #known: Known | null = null;

  constructor(options: MeantOptions) {
    this.#options = options;
  }

  /** Why there is no search by meaning. */
  get trouble(): string | null {
    return this.#trouble?.why ?? null;
  }

  /** Whether vectors should be made in the background: somebody asks here, or asked before, and there is something. */
  wantsMore({ alive }: Corpus): boolean {
    const { keeps, settings } = this.#options;
    if (!keeps || !settings.vectors || this.#isTired()) return false;
    return existsSync(this.#folder) ? alive > 0 : this.#asked && alive >= FEWEST;
  }

  /**
   * By place; `able` has a 1 for each place that may be given, the others are NaN; it is exact for those that `closely`
   * names. Null when words have to be enough.
   */
  async closeness(
    corpus: Corpus,
    query: string,
    able: Uint8Array,
    closely: () => readonly number[],
  ): Promise<Float32Array | null> {
    const meaning = await this.ready(corpus);
    if (meaning === null || query.trim() === '') return null;
    const { rows } = this.#synced(corpus, meaning);
    const allowed = new Uint8Array(meaning.size());
    for (let at = 0; at < able.length; at += 1) if (able[at] === 1) allowed[rows[at] ?? -1] = 1;
    for (const at of closely()) allowed[rows[at] ?? -1] = 2;
    return placed(await meaning.closeness(query, allowed), rows, able);
  }

  /** 1, 2, 3. */
  async ready(corpus: Corpus): Promise<Meaning | null> {
    this.#asked = true;
    if (corpus.alive === 0 || (this.#opening === null && !existsSync(this.#folder))) return null;
    const meaning = await withPatience(this.opened(), this.#options.patienceMs);
    if (meaning === null) return null;
    const missing = this.#synced(corpus, meaning).missing.filter((at) => !corpus.gone[at]).length;
    return missing < corpus.alive && missing <= (1 - ENOUGH) * corpus.alive ? meaning : null;
  }

  /** Null when it is off or cannot be had. */
  async opened(): Promise<Meaning | null> {
    if (this.#opening === null && this.#isTired()) return null;
    this.#opening ??= this.#open();
    return this.#opening;
  }

  /** Makes the vectors that are missing, newest first, until it is told to stop or fails; what is made is kept. */
  async learn(now: () => Corpus, textOf: (at: number) => string | null, ways: Ways): Promise<void> {
    const meaning = this.#options.keeps ? await this.opened() : null;
    if (meaning === null) return;
    const missing = this.#unlearned(now(), meaning);
    for (let from = 0; from < missing.length && !ways.signal.aborted; from += AT_ONCE) {
      const texts = missing.slice(from, from + AT_ONCE).flatMap((at) => textOf(at) ?? []);
      const bySum = new Map(texts.map((text) => [sumOf(text), text]));
      if (!(await this.#done(meaning.learn(bySum, ways)))) return;
      ways.tell?.(Math.min(from + AT_ONCE, missing.length), missing.length);
    }
    if (ways.signal.aborted || this.#isAlone) return;
    this.#isAlone = await this.#done(meaning.forgetOthers());
  }

  /** Deletes every vector. */
  async forget(): Promise<void> {
    this.#known = null;
    const meaning = await this.#opening;
    if (meaning === null) rmSync(this.#folder, { recursive: true, force: true });
    else await meaning.forget();
  }

  async close(): Promise<void> {
    await (await this.#opening)?.close();
  }

  get #folder(): string {
    return join(this.#options.folder, 'vectors');
  }

  /** 4. */
  #isTired(): boolean {
    return this.#trouble !== null && this.#options.clock() - this.#trouble.at < AGAIN_AFTER_MS;
  }

  /** 4. */
  async #done(work: Promise<void>): Promise<boolean> {
    try {
      await work;
      return true;
    } catch (error) {
      this.#trouble = { why: messageOf(error), at: this.#options.clock() };
      return false;
    }
  }

  async #open(): Promise<Meaning | null> {
    const { folder, settings, keeps, embedder, clock } = this.#options;
    if (!settings.vectors) return null;
    try {
      const { openVectors } = await import('./vectors.ts'); // the packages behind it are large
      return await openVectors({ folder, model: settings.model, download: settings.model_download, keeps, embedder });
    } catch (error) {
      this.#trouble = { why: messageOf(error), at: clock() };
      this.#opening = null;
      return null;
    }
  }

  /** The newest place of each text without a vector, newest first. */
  #unlearned(corpus: Corpus, meaning: Meaning): number[] {
    const newest = new Map<string, number>();
    for (const at of this.#synced(corpus, meaning).missing) if (!corpus.gone[at]) newest.set(corpus.sums[at] ?? '', at);
    return [...newest.values()].toSorted((a, b) => b - a);
  }

  /** What came since it was last looked at, be it pieces or vectors. */
  #synced(corpus: Corpus, meaning: Meaning): Known {
    if (this.#known?.corpus !== corpus) this.#known = { corpus, rows: [], missing: [], size: 0 };
    const known = this.#known;
    const fresh = known.size === meaning.size() ? [] : known.missing;
    if (fresh.length > 0) known.missing = [];
    for (const at of fresh) place(known, meaning, at);
    while (known.rows.length < corpus.size) place(known, meaning, known.rows.length);
    known.size = meaning.size();
    return known;
  }
}

/** `tell` is called after every stretch with how far it is. */
export type Ways = LearnWays & { tell?: (done: number, all: number) => void };

/** The row of each piece, -1 for none; the pieces without, in their order. */
type Known = { corpus: Corpus; rows: number[]; missing: number[]; size: number };

function place({ corpus, rows, missing }: Known, meaning: Meaning, at: number): void {
  const row = meaning.rowOf(corpus.sums[at] ?? '');
  rows[at] = row;
  if (row < 0) missing.push(at);
}

/** 3. Null when nothing that may be given has a vector. */
function placed(close: Float32Array, rows: readonly number[], able: Uint8Array): Float32Array | null {
  const places = new Float32Array(able.length).fill(Number.NaN);
  const without: number[] = [];
  let sum = 0;
  let count = 0;
  for (let at = 0; at < able.length; at += 1) {
    if (able[at] !== 1) continue;
    const value = close[rows[at] ?? -1];
    if (value === undefined) without.push(at);
    else {
      places[at] = value;
      sum += value;
      count += 1;
    }
  }
  for (const at of without) places[at] = sum / count;
  return count === 0 ? null : places;
}

/** 2. Null when it took too long. */
async function withPatience<T>(work: Promise<T>, ms: number | undefined): Promise<T | null> {
  if (ms === undefined) return work;
  const over = new AbortController();
  try {
    return await Promise.race([work, sleep(ms, null, { signal: over.signal, ref: false })]);
  } finally {
    over.abort();
  }
}
