/**
 * Owns: tasks that this home has given to the fleet, that have no result, and that the queue has lost. They are sent again
 * with the same id: a run that somebody has claimed or finished counts, and its result is sent again.
 */
import type { FleetFiles } from './servers/fleet-files.ts';
import { readEventBatches } from '../../core/ledger/read-events.ts';
import type { Event } from '../../core/schema/event.ts';
import type { TaskMessage } from '../../core/schema/fleet.ts';
import type { Home } from '../../core/schema/home.ts';
import type { ArtifactStore } from '../../core/schema/ports.ts';
import type { FleetAccess } from './fleet-access.ts';
import { readFolder } from './run-folder.ts';

export async function lostTasks({ known, queue }: Pick<FleetAccess, 'known' | 'queue'>): Promise<string[]> {
  if (known.sent.length === 0) return [];
  const queued = new Set<string>();
  for await (const { task } of queue.all()) queued.add(task.id);
  return [...new Set(known.sent)].filter((id) => !queued.has(id));
}

type Sent = {
  received?: Extract<Event, { type: 'task.received' }>['data'];
  sent?: Extract<Event, { type: 'task.sent' }>['data'];
};

/** Returns those that the queue has now. The ledger has what they said, and the object store their files. */
export async function sendAgain(
  home: Home,
  { name, queue }: Pick<FleetAccess, 'name' | 'queue'>,
  { artifacts, files }: { artifacts: ArtifactStore; files: FleetFiles },
  tasks: readonly string[],
): Promise<string[]> {
  const done: string[] = [];
  for (const [id, { received, sent }] of await readSent(home, new Set(tasks))) {
    if (received === undefined || sent === undefined) continue;
    const message: TaskMessage = {
      id,
      home: name,
      by: received.by,
      name: received.name,
      needs: sent.needs,
      body: await files.put(await artifacts.get(received.body)),
      files: sent.folder === undefined ? null : await readFolder(sent.folder, files),
      links: received.links ?? [],
      again: true,
    };
    await queue.send(message);
    done.push(id);
  }
  return done;
}

export async function readSent(home: Home, tasks: ReadonlySet<string>): Promise<Map<string, Sent>> {
  const found = new Map<string, Sent>();
  if (tasks.size === 0) return found;
  for await (const lines of readEventBatches(home.ledgers.run))
    for (const { type, run, data } of lines) {
      if (run === null || !tasks.has(run)) continue;
      if (type === 'task.received') found.set(run, { ...found.get(run), received: data });
      if (type === 'task.sent') found.set(run, { ...found.get(run), sent: data });
    }
  return found;
}
