/**
 * Owns: folding what one or both ledgers have beyond the cursors of a store.
 * Does not own: the order of events (one-order.ts), the rows (fold-store.ts), what a fold makes of an event.
 *
 * F1 A batch of events, its rows and its cursors are stored together or not at all.
 * F2 Where the store stopped is checked against the ledgers: rows about other events, or about a ledger that was longer,
 *    are StoreDamaged, and everything is folded again (`withRepair`).
 * F3 `durable`: nothing is read that a power cut could still take back, and a run ledger that has lost what was already
 *    read is refused; for whoever writes events because of what it has read.
 * F4 Between two batches others get their turn, and an abort is noticed.
 */
import { setImmediate } from 'node:timers/promises';
import type { Line, Pen } from '../schema/event.ts';
import type { ArtifactStore } from '../schema/ports.ts';
import type { View } from '../schema/view.ts';
import { durableEnd, shorterThanRead } from './durable-end.ts';
import { StoreDamaged } from './fold-database.ts';
import type { Cursor, FoldStore } from './fold-store.ts';
import { inOneOrder, isAboutOwnLedger } from './one-order.ts';
import { readEventBatches } from './read-events.ts';

/** What sees each event, in the order of the list: a later fold may read the rows of an earlier one. */
export type Fold = Pick<View, 'types' | 'wants' | 'take'>;

export type FoldSources = {
  /** The files of the ledgers; one that is left out is not read. */
  ledgers: { readonly [pen in Pen]?: string };
  artifacts?: Pick<ArtifactStore, 'get'>;
  folds: readonly Fold[];
};

export type FollowOptions = {
  /** The last run event to read. */
  to?: number;
  /** Reads only what is durable (F3). */
  durable?: boolean;
  /**
   * What happens to an event of maintenance whose cause cannot be read: it is taken last (the default), waits
   * for its cause (the default with `to`), or the run ledger is refused as too short (the default with `durable`).
   */
  missingCause?: 'take' | 'wait' | 'refuse';
  signal?: AbortSignal;
  /** How many events are stored together: more are cheaper an event, and longer until others get their turn (F4). */
  batch?: number;
  /** Called before a batch is folded, for what a fold needs and cannot wait for. */
  prepare?: (events: readonly Line[]) => Promise<void>;
};

const BATCH = 500;
/** For whoever only wants to get to the end. Smaller batches commit more often; in larger ones events outlive young collections. */
export const LARGE_BATCH = 2000;

/** Folds everything new. Returns how many events there were. */
export async function catchUp(store: FoldStore, sources: FoldSources, options: FollowOptions = {}): Promise<number> {
  let count = 0;
  for await (const events of foldBatches(store, sources, options)) count += events.length;
  return count;
}

/** Does something with the rows of a store; when they turn out to be damaged, empties the store and tries once more. */
export async function withRepair<T>(store: Pick<FoldStore, 'reset'>, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof StoreDamaged)) throw error;
    store.reset();
    return work();
  }
}

/** Folds everything new, batch by batch, and gives each after it was stored. */
export async function* foldBatches(
  store: FoldStore,
  sources: FoldSources,
  options: FollowOptions = {},
): AsyncGenerator<readonly Line[]> {
  const { run, maintenance } = sources.ledgers;
  const from = { run: store.cursor('run'), maintenance: store.cursor('maintenance') };
  const to = await lastToRead(run, from.run, options);
  const runs = run === undefined ? nothing() : eventsBehind(run, from.run, to);
  const own = maintenance === undefined ? nothing() : eventsBehind(maintenance, from.maintenance);
  const policy =
    options.missingCause ?? (options.durable === true ? 'refuse' : options.to === undefined ? 'take' : 'wait');
  const onMissingCause = ({ cause }: Line, end: number): boolean => {
    if (policy === 'refuse') throw shorterThanRead(end, cause ?? 0);
    return policy === 'take';
  };
  const foldsOf = foldsByType(sources.folds);
  const reached = run === undefined ? Number.POSITIVE_INFINITY : from.run.seq;
  const batches = inOneOrder(runs, own, options.batch ?? BATCH, { reached, onMissingCause });
  try {
    for await (const batch of batches) {
      if (isAborted(options)) return;
      await options.prepare?.(batch);
      await foldBatch(store, batch, sources, foldsOf);
      yield batch;
      await setImmediate();
      if (isAborted(options)) return;
    }
  } finally {
    await Promise.all([runs.return(undefined), own.return(undefined)]);
  }
}

const isAborted = ({ signal }: FollowOptions): boolean => signal?.aborted === true;

async function lastToRead(file: string | undefined, { seq }: Cursor, { to, durable }: FollowOptions): Promise<number> {
  const end = durable === true && file !== undefined ? await durableEnd(file, seq) : Number.POSITIVE_INFINITY;
  return Math.min(end, to ?? Number.POSITIVE_INFINITY);
}

/** What comes behind a cursor; the event at the cursor is read first and compared (F2). */
async function* eventsBehind(file: string, { seq, hash }: Cursor, to?: number): AsyncGenerator<Line[]> {
  let isFound = seq === 0;
  const last = to === undefined ? Number.POSITIVE_INFINITY : Math.max(seq, to);
  for await (const lines of readEventBatches(file, { from: Math.max(1, seq), to: last })) {
    if (isFound) yield lines;
    else {
      const [first, ...rest] = lines;
      if (first?.seq !== seq || first.hash !== hash) throw new StoreDamaged('it is about other events');
      isFound = true;
      yield rest;
    }
  }
  if (!isFound) throw new StoreDamaged('it is about a longer ledger');
}

async function* nothing(): AsyncGenerator<Line[]> {
  // There is no such ledger.
}

/** The folds that handle an event, in their order. */
type FoldsOf = (event: Line) => readonly Fold[];

function foldsByType(folds: readonly Fold[]): FoldsOf {
  const known = new Map<string, readonly Fold[]>();
  const find = (type: Line['type']): readonly Fold[] => {
    const found = folds.filter(({ types }) => types?.includes(type) ?? true);
    known.set(type, found);
    return found;
  };
  return (event) => (isAboutOwnLedger(event) ? [] : (known.get(event.type) ?? find(event.type)));
}

/** Folds a batch with the texts that it is known to want; a text that turns out to be wanted later is waited for. */
async function foldBatch(
  store: FoldStore,
  batch: readonly Line[],
  { folds, artifacts }: FoldSources,
  foldsOf: FoldsOf,
): Promise<void> {
  if (folds.every(({ wants }) => wants === undefined)) return store.transaction(() => foldNow(store, batch, foldsOf));
  const texts = new Map<string, string | null>();
  const fetch = async (hashes: readonly string[]): Promise<void> => {
    for (const sha256 of hashes) if (!texts.has(sha256)) texts.set(sha256, await readText(sha256, artifacts));
  };
  await fetch(batch.flatMap((event) => foldsOf(event).flatMap((fold) => fold.wants?.(event, store) ?? [])));
  await store.transactionAsync(() => foldWithTexts(store, batch, foldsOf, texts, fetch));
}

function foldNow(store: FoldStore, batch: readonly Line[], foldsOf: FoldsOf): void {
  const text = (): null => null;
  for (const event of batch) {
    const read = { event, text };
    for (const fold of foldsOf(event)) fold.take(read, store);
  }
  setCursors(store, batch);
}

async function foldWithTexts(
  store: FoldStore,
  batch: readonly Line[],
  foldsOf: FoldsOf,
  texts: Map<string, string | null>,
  fetch: (hashes: readonly string[]) => Promise<void>,
): Promise<void> {
  const text = (sha256: string): string | null => texts.get(sha256) ?? null;
  for (const event of batch) {
    for (const fold of foldsOf(event)) {
      const missing = fold.wants?.(event, store).filter((sha256) => !texts.has(sha256)) ?? [];
      if (missing.length > 0) await fetch(missing);
      fold.take({ event, text }, store);
    }
  }
  setCursors(store, batch);
}

/** The cursors are stored with the rows (F1). */
function setCursors(store: FoldStore, batch: readonly Line[]): void {
  const last = new Map<Pen, Line>();
  for (const event of batch) last.set(event.pen, event);
  for (const [pen, { seq, hash }] of last) store.setCursor(pen, { seq, hash });
}

/** A text that is lost stays lost; the ledger still says that there was one. */
async function readText(sha256: string, artifacts: FoldSources['artifacts']): Promise<string | null> {
  try {
    const bytes = await artifacts?.get({ sha256 });
    return bytes?.toString('utf8') ?? null;
  } catch {
    return null;
  }
}
