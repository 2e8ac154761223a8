/** Owns: which tasks are in the ledger, so that none is accepted twice: the latest as a projection, all by their rows. */
import { FoldStore } from '../../core/ledger/fold-store.ts';
import { StoreDamaged } from '../../core/ledger/fold-database.ts';
import type { Home } from '../../core/schema/home.ts';
import type { Projection } from '../../core/schema/ports.ts';
import { viewsFile, versionOfView } from '../rows/views-writer.ts';
import { storedRun } from '../views/run-rows.ts';
import { runView } from '../views/run-view.ts';

type KnownTasks = { ids: string[] };

/** The rows of a task are there long before so many others have come, and a state that is stored often stays small. */
const MOST = 1000;

export const knownTasks: Projection<KnownTasks> = {
  name: 'known_tasks',
  version: 1,
  types: ['task.received'],
  initial: () => ({ ids: [] }),
  apply: (known, event) => {
    if (event.type !== 'task.received' || event.run === null) return known;
    return { ids: [...known.ids, event.run].slice(-MOST) };
  },
};

/** Answers from a set of the latest tasks, and from rows where there are older ones. */
export function receivedCheck(home: Pick<Home, 'oka'>, idsNow: () => readonly string[]): (id: string) => boolean {
  let known = new Set<string>();
  let list: readonly string[] = [];
  return (id) => {
    const ids = idsNow();
    if (ids !== list) [known, list] = [new Set(ids), ids];
    return known.has(id) || (ids.length >= MOST && hasRow(home, id));
  };
}

/** Rows that are damaged are folded again by their writer; until then the folder in the outbox says as much. */
function hasRow(home: Pick<Home, 'oka'>, run: string): boolean {
  const shape = { version: versionOfView(runView), sharesRows: true, isPart: true };
  const store = FoldStore.openReadOnly(viewsFile(home), shape);
  try {
    return storedRun(store, run) !== undefined;
  } catch (error) {
    if (error instanceof StoreDamaged) return false;
    throw error;
  } finally {
    store.close();
  }
}
