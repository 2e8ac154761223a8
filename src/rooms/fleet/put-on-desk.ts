/**
 * Owns: putting the files of a result onto the desk of the home of its task.
 *
 * F1 A folder of the task that is there already is merged with, file by file: what people have changed in it stays
 *    (kit/desk/merge-folder.ts). Files that make other programs run are left out.
 * F2 The base is what the folder of this home and that of the worker had in common: what this home had recorded of it when
 *    it worked on the task itself, or had restored when it took the task over, else the files that travelled with the task,
 *    else nothing.
 *    After a crash while this home took the task over, its folder may be as it was before or as it was restored: then
 *    each file that is as in one of these states counts as unchanged by people.
 * F3 Nothing else writes to the desk while it is merged, and it is recorded as a step that undo knows. The state before it
 *    is recorded first: after a crash the desk is settled, and what was merged until then is a step, too.
 */
import { join } from 'node:path';
import { lstatIfPresent } from '../../core/ledger/disk.ts';
import type { StoredMessage } from './servers/run-owner.ts';
import type { ResultMessage } from '../../core/schema/fleet.ts';
import { triggersAmong } from '../../core/schema/program-triggers.ts';
import type { Conflict } from '../../kit/desk/merge-folder.ts';
import { placeTaskFiles } from '../../kit/desk/place-task-files.ts';
import { deskFolder } from '../../kit/desk-folder.ts';
import type { Host } from '../../kit/house/host.ts';
import { ports } from '../../kit/ports/room-ports.ts';
import type { FleetMember } from './fleet-member.ts';
import { fleetRuns } from '../../kit/fleet/fleet-runs.ts';
import { describeFile, type FolderFile, readFolder, withFetched } from './run-folder.ts';

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
        const record = (when: 'before' | 'after', tree: string): Promise<unknown> =>
          ledger.append({ type: 'desk.kept', run: id, data: { call: `${id}.returned`, node: null, when, tree } });
        let hasBegun = false;
        const { merged, step } = await shadow.merge({ name: id, base: before, theirs: after }, async (tree) => {
          await record('before', tree);
          hasBegun = true;
        });
        shadow.origins.add({ run: id, call: `${id}.returned` }, shadow.fileChanges([step]));
        if (hasBegun) await record('after', step.after);
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
  const isChanged = ({ path }: FolderFile): boolean => !isAlike(began.get(path), taken.get(path));
  return { base: known.filter(isChanged), theirs: theirs.filter(isChanged) };
}

const isAlike = (one: FolderFile | undefined, other: FolderFile | undefined): boolean =>
  one?.sha256 === other?.sha256 && one?.executable === other?.executable;

/** The files that both folders began with (F2). */
async function baseOf(host: Host, { name, log, files }: FleetMember, task: string): Promise<FolderFile[]> {
  const { folders } = host.valuesOf({ projections: ports.projections }).projections.stateOf(fleetRuns);
  const states: FolderFile[][] = [];
  for (const list of foldersAt(name, await log.read(task))) {
    const known = list ?? folders[task];
    states.push(known === undefined ? [] : await readFolder(known, files));
  }
  return chooseBase(states, (path) => describeFile(join(deskFolder(host.home), task), path));
}

/** Each file as it is here, if it is so in one of the states; else as in the first of them. */
export function chooseBase(
  states: readonly (readonly FolderFile[])[],
  here: (path: string) => FolderFile | undefined,
): FolderFile[] {
  const [first = [], ...others] = states;
  if (others.length === 0) return [...first];
  const byPath = states.map((state) => new Map(state.map((file) => [file.path, file])));
  const paths = new Set(states.flat().map(({ path }) => path));
  return [...paths].flatMap((path) => {
    const now = here(path);
    const state = byPath.find((each) => isAlike(each.get(path), now)) ?? byPath[0];
    return state?.get(path) ?? [];
  });
}

/**
 * The states in which the folder of a run may be at a member, by the lists of their files, the last one first; null is the
 * one that its task began with. There is one, unless nothing of a member was heard after it had claimed the run: it may
 * have restored the folder, or not.
 */
export function foldersAt(member: string, messages: readonly StoredMessage[]): (string | null)[] {
  let recorded: string | null = null;
  let own: (string | null)[] = [null];
  for (const { message } of messages) {
    if (message.kind === 'events') recorded = message.desk ?? recorded;
    if (message.worker !== member || recorded === null) continue;
    own = message.kind === 'claim' ? [...new Set([recorded, ...own])] : [recorded];
  }
  return own;
}
