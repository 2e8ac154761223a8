/** Owns: the projection of the tasks in the ledger, so that none is accepted twice after a crash. */
import type { Projection } from '../../core/schema/ports.ts';

type KnownTasks = { ids: string[] };

/** Older tasks are recognised by their folder in the outbox. */
const MOST = 20_000;

export const knownTasks: Projection<KnownTasks> = {
  name: 'known_tasks',
  version: 1,
  types: ['task.received'],
  initial: () => ({ ids: [] }),
  apply: (known, event) => {
    if (event.type !== 'task.received' || event.run === null) return known;
    known.ids.push(event.run);
    if (known.ids.length > 2 * MOST) known.ids.splice(0, known.ids.length - MOST);
    return known;
  },
};

/** Answers from a set, which follows the list: it only grows, or is cut at its start. */
export function receivedCheck(idsNow: () => readonly string[]): (id: string) => boolean {
  let known = new Set<string>();
  let list: readonly string[] = [];
  let read = 0;
  return (id) => {
    const ids = idsNow();
    if (ids !== list || ids.length < read) [known, list, read] = [new Set(), ids, 0];
    for (; read < ids.length; read += 1) known.add(ids[read] ?? '');
    return known.has(id);
  };
}
