/**
 * Owns: putting the files of a result onto the desk of the home of its task.
 *
 * F1 A folder of the task that is there already is merged with, file by file: what people have changed in it stays
 *    (tools/desk/merge-folder.ts). Files that make other programs run are left out.
 * F2 The base is what the folder of this home and that of the worker had in common: what this home had recorded of it when
 *    it worked on the task itself, or had restored when it took the task over, else the files that travelled with the task,
 *    else nothing.
 * F3 Nothing else writes to the desk while it is merged, and it is recorded as a step that undo knows.
 */
import { join } from 'node:path';
import { lstatIfPresent } from '../../ledger/disk.ts';
import type { StoredMessage } from '../../fleet/run-owner.ts';
import type { NewEvent } from '../../schema/event.ts';
import type { ResultMessage } from '../../schema/fleet.ts';
import { triggersAmong } from '../../schema/program-triggers.ts';
import type { Conflict } from '../../tools/desk/merge-folder.ts';
import { placeTaskFiles } from '../../tools/desk/place-task-files.ts';
import { deskFolder } from '../desk-folder.ts';
import type { Host } from '../host.ts';
import { ports } from '../room-ports.ts';
import type { FleetMember } from './fleet-member.ts';
import { fleetRuns } from './fleet-runs.ts';
import { type FolderFile, readFolder, withFetched } from './run-folder.ts';

export type PutOnDesk = {
  /** The folder below the desk. */
  name: string;
  conflicts: Conflict[];
  leftOut: string[];
};

export async function putOnDesk(host: Host, member: FleetMember, result: ResultMessage): Promise<PutOnDesk> {
  const { home } = host;
  const { id, desk } = result;
  const { deskPlaced } = host.valuesOf({ deskPlaced: ports.deskPlaced });
  const leftOut = triggersAmong(desk.map(({ path }) => path)).map(({ path }) => path);
  const files = desk.filter(({ path }) => !leftOut.includes(path));
  if (lstatIfPresent(join(deskFolder(home), id)) !== undefined)
    return { name: id, conflicts: await mergeInto(host, member, result, files), leftOut };
  const name = await withFetched(join(home.oka, 'state'), files, member.files, (bundle) =>
    Promise.resolve(placeTaskFiles({ id, ...bundle }, deskFolder(home), deskPlaced)),
  );
  return { name: name ?? id, conflicts: [], leftOut };
}

async function mergeInto(
  host: Host,
  member: FleetMember,
  result: ResultMessage,
  files: readonly FolderFile[],
): Promise<Conflict[]> {
  const { shadow, deskTurn, ledger } = host.valuesOf({
    shadow: ports.shadow,
    deskTurn: ports.deskTurn,
    ledger: ports.ledger,
  });
  const { id } = result;
  const state = join(host.home.oka, 'state');
  const { base, theirs } = changedFiles(await baseOf(host, member, id), files, result);
  if (base.length + theirs.length === 0) return [];
  return withFetched(state, base, member.files, (before) =>
    withFetched(state, theirs, member.files, (after) =>
      deskTurn(async () => {
        const { merged, step } = await shadow.merge({ name: id, base: before, theirs: after });
        const kept = (when: 'before' | 'after'): NewEvent => ({
          type: 'desk.kept',
          run: id,
          data: { call: `${id}.returned`, node: null, when, tree: step[when] },
        });
        if (step.before !== step.after) await ledger.append([kept('before'), kept('after')]);
        return merged.conflicts;
      }),
    ),
  );
}

/** What the worker has changed. What did not travel, and what is left out here, counts as unchanged. */
export function changedFiles(
  base: readonly FolderFile[],
  theirs: readonly FolderFile[],
  { desk, left = [] }: Pick<ResultMessage, 'desk' | 'left'>,
): { base: FolderFile[]; theirs: FolderFile[] } {
  const taken = new Map(theirs.map((file) => [file.path, file]));
  const present = new Set(desk.map(({ path }) => path));
  const isUnknown = (path: string): boolean =>
    (present.has(path) && !taken.has(path)) || left.some((each) => path === each || path.startsWith(`${each}/`));
  const known = base.filter(({ path }) => !isUnknown(path));
  const began = new Map(known.map((file) => [file.path, file]));
  const isAlike = (one: FolderFile | undefined, other: FolderFile | undefined): boolean =>
    one?.sha256 === other?.sha256 && one?.executable === other?.executable;
  const isChanged = ({ path }: FolderFile): boolean => !isAlike(began.get(path), taken.get(path));
  return { base: known.filter(isChanged), theirs: theirs.filter(isChanged) };
}

/** The files that both folders began with (F2). */
async function baseOf(host: Host, { name, log, files }: FleetMember, task: string): Promise<FolderFile[]> {
  const { folders } = host.valuesOf({ projections: ports.projections }).projections.stateOf(fleetRuns);
  const list = lastFolderAt(name, await log.read(task)) ?? folders[task];
  return list === undefined ? [] : readFolder(list, files);
}

/** The list of the files that a member had in the folder of a run when it last recorded or restored them; null for none. */
export function lastFolderAt(member: string, messages: readonly StoredMessage[]): string | null {
  let recorded: string | null = null;
  let own: string | null = null;
  for (const { message } of messages) {
    if (message.kind === 'events') recorded = message.desk ?? recorded;
    if (message.worker === member) own = recorded ?? own;
  }
  return own;
}
