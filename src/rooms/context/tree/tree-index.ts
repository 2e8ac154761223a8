/**
 * Owns: .oka/index/tree.sqlite, the rows of all context trees, and the stat caches beside it.
 *
 * 1. Whoever has the pen of the run ledger writes the file, nobody else.
 * 2. Others read the file as it is and fold in memory what the ledger has beyond it.
 * 3. The worker folds what was recorded in the background (`follow`), so that others have little to fold.
 */
import { join } from 'node:path';
import { openArtifacts } from '../../../core/ledger/artifact-store.ts';
import { IN_MEMORY } from '../../../core/ledger/fold-database.ts';
import { FoldStore } from '../../../core/ledger/fold-store.ts';
import {
  catchUp,
  type FoldSources,
  type FollowOptions,
  LARGE_BATCH,
  withRepair,
} from '../../../core/ledger/follower.ts';
import type { Home } from '../../../core/schema/home.ts';
import type { ArtifactStore } from '../../../core/schema/ports.ts';
import type { Rows } from '../../../core/schema/rows.ts';
import { treeFold } from '../model/tree-fold.ts';
import type { IdPaths } from '../model/tree-store.ts';
import type { LedgerPort } from '../../../kit/ports/port-types.ts';
import { statCacheFile, treeFile } from './tree-files.ts';
import { joinPath } from '../model/tree-rows.ts';
import { toPathText } from '../scan/path-text.ts';
import { isInTree, VANISHED } from '../scan/scan-entry.ts';
import { idAt, namesOf, readCache, type StatCache } from '../scan/stat-cache.ts';
import { oneAtATime } from '../../../kit/pause.ts';

const SHAPE = { version: `tree.${treeFold.version}` };

/** For readers of the rows. */
export const idPathsIn =
  (home: Home, workspace: string): IdPaths =>
  (root, start) =>
    cachedIdPaths(statCacheFile(home, workspace), root, start);

/** The rows for the process with the pen. */
type TreeIndex = {
  /** Lets `query` read rows that are up to date. Readers take turns. */
  read: <T>(query: (rows: Rows) => T | Promise<T>) => Promise<T>;
  /** Starts to fold in the background when the rows are at least `lag` events behind the ledger. */
  follow: (lag: number) => void;
  close: () => Promise<void>;
};

export function openTreeIndex(
  home: Home,
  artifacts: Pick<ArtifactStore, 'get'>,
  ledger: Pick<LedgerPort, 'end'>,
): TreeIndex {
  const closing = new AbortController();
  let store: FoldStore | null = null;
  let reached = 0;
  const inTurn = oneAtATime();
  const openRows = async (options: FollowOptions = {}): Promise<FoldStore> => {
    store ??= FoldStore.open(treeFile(home), SHAPE);
    const rows = store;
    await withRepair(rows, async () => {
      if (!isUpToDate(rows, ledger))
        await catchUp(rows, sourcesOf(home, artifacts), { batch: LARGE_BATCH, ...options });
    });
    reached = rows.cursor('run').seq;
    return rows;
  };
  return {
    read: (query) => inTurn(async () => query(await openRows())),
    follow: (lag) => {
      if (ledger.end.seq - reached < lag) return;
      reached = ledger.end.seq;
      // Whoever reads next folds again what could not be folded now, and gets the error.
      inTurn(() => openRows({ signal: closing.signal })).catch(() => undefined);
    },
    close: () => {
      closing.abort();
      return inTurn(async () => store?.close());
    },
  };
}

/** The writer of the ledger knows its end, so nothing has to be read from disk when there is nothing new. */
function isUpToDate(rows: FoldStore, { end }: Pick<LedgerPort, 'end'>): boolean {
  const { seq, hash } = rows.cursor('run');
  return seq === end.seq && hash === end.hash;
}

/** Lets `query` read rows that are up to date, in a process without the pen. */
export async function withTreeRows<T>(home: Home, query: (rows: Rows) => T | Promise<T>): Promise<T> {
  const store = FoldStore.openReadOnly(treeFile(home), SHAPE);
  try {
    const sources = sourcesOf(home, readableArtifacts(home));
    await withRepair(store, () => catchUp(store, sources, { batch: LARGE_BATCH }));
    return await query(store);
  } finally {
    store.close();
  }
}

/** Throws the rows away and folds the ledger from its first event on. For whoever has the pen. */
export async function rebuildTree(home: Home): Promise<void> {
  const store = FoldStore.open(treeFile(home), SHAPE);
  try {
    store.reset();
    await catchUp(store, sourcesOf(home, readableArtifacts(home)), { batch: LARGE_BATCH });
  } finally {
    store.close();
  }
}

/** Artifacts for reading: nothing is stored through them, so there is nothing to redact. */
export const readableArtifacts = (home: Home): Pick<ArtifactStore, 'get'> =>
  openArtifacts(join(home.oka, 'artifacts'), (text) => text);

const sourcesOf = (home: Home, artifacts: Pick<ArtifactStore, 'get'>): FoldSources => ({
  ledgers: { run: home.ledgers.run },
  artifacts,
  folds: [treeFold],
});

/** Folds the ledger from its first event on, in memory. */
export async function foldTreeAgain<T>(home: Home, query: (rows: Rows) => T | Promise<T>): Promise<T> {
  const store = FoldStore.open(IN_MEMORY, SHAPE);
  try {
    await catchUp(store, sourcesOf(home, readableArtifacts(home)), { batch: LARGE_BATCH });
    return await query(store);
  } finally {
    store.close();
  }
}

/** Null when the cache is about another tree. */
function cachedIdPaths(file: string, root: string, start: string): string[] | null {
  const cache = readCache(file);
  return cache.folders.get('')?.id === root ? pathsOfStart(cache, start) : null;
}

function pathsOfStart(cache: StatCache, start: string): string[] {
  const [first, second] = Buffer.from(start.slice(0, 4), 'hex');
  const found: string[] = [];
  for (const folder of cache.folders.values()) {
    for (let index = folder.first; index < folder.first + folder.count; index += 1) {
      if (cache.ids[index * 32] !== first || cache.ids[index * 32 + 1] !== second) continue;
      if (!isInTree(cache.codes[index] ?? VANISHED) || !idAt(cache, index).startsWith(start)) continue;
      found.push(joinPath(folder.path, namesOf(folder)[index - folder.first] ?? ''));
    }
  }
  return found.map((path) => path.split('/').map(toPathText).join('/'));
}
