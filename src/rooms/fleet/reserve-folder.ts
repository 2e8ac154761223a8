/**
 * Owns: which folders of the desk a task of another home may have here. Whoever gives a task away chooses its id, and with
 * it the name of its folder: one that was there before belongs to somebody else, and is neither used, sent nor replaced.
 * Nor is the result of a task of this home that has the same id, and stayed here.
 *
 * A note in `.oka/state` says that a task has its folder here; it is there before the run is claimed, until the result is
 * on its way.
 */
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { knownTasks, receivedCheck } from '../../kit/inbox/known-tasks.ts';
import { lstatIfPresent, replaceFile } from '../../core/ledger/disk.ts';
import type { TaskMessage } from '../../core/schema/fleet.ts';
import { deskFolder } from '../../kit/desk-folder.ts';
import type { Host } from '../../kit/house/host.ts';
import { ports } from '../../kit/ports/room-ports.ts';
import { fleetRuns } from '../../kit/fleet/fleet-runs.ts';

/** Why this member cannot take the task; null when its folder is its own here. */
export function reserveFolder(host: Host, member: string, { id, home }: TaskMessage): string | null {
  const note = noteOf(host, id);
  if (home === member || existsSync(note)) return null;
  const { projections } = host.valuesOf({ projections: ports.projections });
  const isThere = lstatIfPresent(join(deskFolder(host.home), id)) !== undefined;
  const isReceived = receivedCheck(host.home, () => projections.stateOf(knownTasks).ids)(id);
  if (isThere && !hasWorkedOn(host, id)) return `desk/${id} is there already and belongs to something else`;
  if (isReceived && !hasWorkedOn(host, id)) return `this home has a task of its own with the id ${id}`;
  mkdirSync(notesFolder(host), { recursive: true });
  replaceFile(note, '', { durable: true });
  return null;
}

/** Called when nothing more is done for the task. */
export function releaseFolder(host: Host, task: string): void {
  rmSync(noteOf(host, task), { force: true });
}

const notesFolder = ({ home }: Host): string => join(home.oka, 'state', 'fleet_folders');
const noteOf = (host: Host, task: string): string => join(notesFolder(host), task);

/** The notes can be gone, as everything in `.oka/state` can. */
function hasWorkedOn(host: Host, task: string): boolean {
  const { claimed, fenced } = host.valuesOf({ projections: ports.projections }).projections.stateOf(fleetRuns);
  return claimed[task] !== undefined || fenced.includes(task);
}
