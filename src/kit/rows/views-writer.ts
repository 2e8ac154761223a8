/**
 * Owns: keeping .oka/index/views.sqlite up to date while a process has the pen, in the background of its work.
 *
 * 1. Events are folded from the ledger some time after they are durable: nothing waits for it.
 * 2. It takes at most half of the time between batches. A process that ends folds for a moment only, and only when
 *    many events came since: what is missing is folded by the next worker, and by readers in memory.
 * 3. What was erased leaves the log once nobody reads the state before: until then it is tried again.
 * 4. A store that cannot be written (a full disk, a read-only folder) is left as it is and tried again later.
 */
import { join } from 'node:path';
import { type DatabaseShape, StoreDamaged } from '../../core/ledger/fold-database.ts';
import { FoldStore } from '../../core/ledger/fold-store.ts';
import { foldBatches, type FoldSources } from '../../core/ledger/follower.ts';
import type { Home } from '../../core/schema/home.ts';
import type { View } from '../../core/schema/view.ts';
import { pause } from '../pause.ts';

/** Where the rows of all views are stored. */
export const viewsFile = (home: Pick<Home, 'oka'>): string => join(home.oka, 'index', 'views.sqlite');

/** How the version of the store names a view. */
export const versionOfView = ({ name, version }: View): string => `${name}.${version}`;

/** What all rooms fold, and the shape of the store it is folded into. */
export type ViewFolds = { folds: readonly View[]; shape: DatabaseShape };

type ViewsWriter = {
  /** Says which event is durable now. */
  notify: (seq: number) => void;
  close: () => Promise<void>;
};

/** After so many events it does not wait for a quiet moment any longer. */
const MOST_BEHIND = 2000;
const QUIET_MS = 1000;
const LOG_LEFT_MS = 5000;
const MOST_CLOSING_MS = 200;
/** So many events leave tens of megabytes of garbage behind, which only a long history has. */
const COLLECT_AFTER = 20_000;

/** `seq` is the last event of the ledger now. */
export function startViewsWriter(home: Home, views: ViewFolds, seq: number): ViewsWriter {
  const stop = new AbortController();
  let [asked, end] = [seq, seq];
  let timer: NodeJS.Timeout | null = null;
  let again: NodeJS.Timeout | undefined;
  let writing: Promise<void> | null = null;
  const write = (): void => {
    asked = end;
    writing ??= writeOnce().finally(() => {
      writing = null;
    });
  };
  const writeOnce = async (): Promise<void> => {
    const isLogEmpty = await writeViews(home, views, stop.signal);
    if (!isLogEmpty && !stop.signal.aborted) again = setTimeout(write, LOG_LEFT_MS).unref();
  };
  const writeLater = (): void => {
    if (timer === null) timer = setTimeout(write, QUIET_MS).unref();
    else timer.refresh();
  };
  writeLater();
  return {
    notify: (durable) => {
      end = durable;
      if (end - asked < MOST_BEHIND) writeLater();
      else write();
    },
    close: async () => {
      if (timer !== null) clearTimeout(timer);
      clearTimeout(again);
      stop.abort();
      await writing;
      if (crossesThousand(seq, end)) await writeViews(home, views, AbortSignal.timeout(MOST_CLOSING_MS));
    },
  };
}

/** Processes that handle only a few events write the store now and then, too. */
function crossesThousand(from: number, to: number): boolean {
  return Math.floor(from / 1000) < Math.floor(to / 1000);
}

/** Folds what is new into the file. False where its log still has what was erased. */
export async function writeViews(home: Home, { folds, shape }: ViewFolds, signal: AbortSignal): Promise<boolean> {
  let store: FoldStore | null = null;
  try {
    store = FoldStore.open(viewsFile(home), shape);
    await foldWithPauses(store, { ledgers: home.ledgers, folds }, signal);
    return store.emptyLeftLog();
  } catch (error) {
    if (error instanceof StoreDamaged) store?.reset();
    return true;
  } finally {
    store?.close();
  }
}

async function foldWithPauses(store: FoldStore, sources: FoldSources, signal: AbortSignal): Promise<void> {
  let since = performance.now();
  let uncollected = 0;
  for await (const events of foldBatches(store, sources, { signal })) {
    uncollected += events.length;
    if (uncollected >= COLLECT_AFTER) {
      const { collectGarbage } = await import('./collect-garbage.ts'); // readers of views need none of it
      await collectGarbage();
      uncollected = 0;
    }
    await pause(performance.now() - since, signal);
    since = performance.now();
  }
}
