/**
 * Owns: which run made or changed which file of the desk, the latest first. Read from the ledger and the snapshots: a run
 * whose snapshots were removed is left out, since nobody can say any more what it did.
 */
import { deskFolder } from '../../../kit/desk-folder.ts';
import type { FileChange } from '../../../kit/desk/desk-changes.ts';
import { openSnapshots } from '../../../kit/desk/snapshots.ts';
import { stepsOf } from '../../../kit/runs/recorded-steps.ts';
import { undoFolder } from '../../../kit/runs/undo-folder.ts';
import { listEvents } from '../../../kit/views/events-query.ts';
import { storedRun } from '../../../kit/views/run-rows.ts';
import type { QueryRequest } from '../../../kit/web/page.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import type { Event } from '../../../core/schema/event.ts';
import type { Rows } from '../../../core/schema/rows.ts';
import type { Touch } from './files-answer.ts';

/** Events about states of the desk that are looked at: some hundreds of runs. */
const MOST_EVENTS = 2000;
const MOST_REMEMBERED = 1000;

type Request = Pick<QueryRequest<unknown>, 'home' | 'views'>;
type Work = { run: string; title: string; events: Event[] };

export async function listTouches({ home, views }: Request): Promise<Touch[]> {
  const { works, undone } = await views(async (rows) => {
    const kept = (await listEvents(rows, home.ledgers, { type: 'desk.kept', limit: MOST_EVENTS })) as Event[];
    const undos = await listEvents(rows, home.ledgers, { type: 'run.undone', limit: MOST_EVENTS });
    return { works: byWork(rows, kept), undone: new Map(undos.map(({ run, seq }) => [run, seq])) };
  });
  const shadow = openSnapshots({ store: undoFolder(home), desk: deskFolder(home) });
  const touches = works.flatMap(({ run, title, events }): Touch[] => {
    const last = events.findLast(({ type, data }) => type === 'desk.kept' && data.when === 'after');
    if (last === undefined) return [];
    const isUndone = (undone.get(run) ?? -1) > last.seq;
    const isMovedAway = ({ path, after }: FileChange): boolean => after === null && path.startsWith(`${run}/`);
    const changes = changesOf(`${home.dir}\n${run}\n${last.seq}`, () => shadow.fileChanges(stepsOf(events, null)));
    return changes
      .filter((change) => !isMovedAway(change))
      .map(({ path, before, after }) => ({
        path,
        change: before === null ? 'created' : after === null ? 'removed' : 'changed',
        run,
        title,
        at: last.at,
        is_undone: isUndone,
      }));
  });
  return touches.toSorted((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0));
}

/** Runs inside a task are part of it: that is the run a person knows, and the one that is undone. */
function byWork(rows: Rows, events: readonly Event[]): Work[] {
  const works = new Map<string, Work>();
  for (const event of events) {
    if (event.run === null) continue;
    const run = storedRun(rows, event.run)?.root ?? event.run;
    const work = works.get(run) ?? { run, title: storedRun(rows, run)?.title ?? run, events: [] };
    work.events.push(event);
    works.set(run, work);
  }
  return [...works.values()];
}

/** What a run had changed at a time stays true, and comparing its snapshots takes time. */
const remembered = new Map<string, readonly FileChange[]>();

function changesOf(key: string, compare: () => readonly FileChange[]): readonly FileChange[] {
  const known = remembered.get(key);
  if (known !== undefined) return known;
  try {
    const found = compare();
    remembered.set(key, found);
    const [oldest] = remembered.keys();
    if (remembered.size > MOST_REMEMBERED && oldest !== undefined) remembered.delete(oldest);
    return found;
  } catch (error) {
    if (error instanceof OkaError) return []; // its snapshots were removed
    throw error;
  }
}
