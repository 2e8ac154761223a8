/**
 * Owns: making one task of a task file and the files of the same name next to it: report.md and report.pdf become a
 * folder with a TASK.md and report.pdf, as if somebody had delivered that. Does not own: claiming it.
 *
 * G1 A task waits until each file of its name has settled and nobody writes to it.
 * G2 Every file is in one place at any time: moved by one rename into a folder of its own, which then moves on as a
 *    whole. What a crash leaves in between is completed or moved back (`resumePairs`).
 */
import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { lstatIfPresent, syncFolder } from '../../core/ledger/disk.ts';
import { messageOf } from '../../core/schema/errors.ts';
import { type Observed, type Patience, stampOfEntry, statsOf } from './delivery.ts';
import { move, newFolder, ownFolder, type Rename, removeIfEmpty } from './inbox-folders.ts';
import { filesOpenForWriting, writerOf } from './open-for-writing.ts';
import { Vanished } from './plain-file.ts';
import { type FolderLimits, TASK } from './task-folder.ts';

type Rules = FolderLimits & Pick<Patience, 'settleMs'> & { inbox: string; rename: Rename };
type Pair = { task: Observed; files: Observed[] };

const TASK_FILE = /\.(?:md|markdown|txt)$/i;
const pairsFolder = (inbox: string): string => join(inbox, '.pairs');

type Gathered = { isChanged: boolean; problems: string[] };

/** Gathers what has settled; a task whose files have not is not ready yet (G1). */
export async function gatherPairs(observed: Map<string, Observed>, now: number, rules: Rules): Promise<Gathered> {
  const problems: string[] = [];
  let isChanged = attempt(problems, () => resumePairs(rules));
  const pairs = findPairs(observed);
  const open = pairs.length === 0 ? null : await filesOpenForWriting(rules.inbox);
  const isSettled = ({ since, entry }: Observed): boolean =>
    now - since >= rules.settleMs && (open === null || writerOf(open, entry.path) === null);
  for (const { task, files } of pairs) {
    const all = [task, ...files];
    if (files.every(isSettled) && all.every((each) => isUnchanged(each, rules))) {
      for (const { entry } of all) observed.delete(entry.path.toString('latin1'));
      isChanged = attempt(problems, () => gather(rules, task, files)) || isChanged;
    } else observed.set(task.entry.path.toString('latin1'), { ...task, state: { kind: 'fresh' } });
  }
  return { isChanged, problems };
}

/** Whether something was done; what fails is a problem, and the other entries of the inbox are processed. */
function attempt(problems: string[], act: () => boolean): boolean {
  try {
    return act();
  } catch (error) {
    if (!(error instanceof Vanished)) problems.push(`files of one name cannot be gathered: ${messageOf(error)}`);
    return false;
  }
}

/** Completes what a crash interrupted: with its task a pair moves on, without it its files go back to the inbox (G2). */
function resumePairs({ inbox, rename }: Rules): boolean {
  const folder = pairsFolder(inbox);
  if (lstatIfPresent(folder)?.isDirectory() !== true) return false;
  let isChanged = false;
  for (const id of readdirSync(folder)) {
    const [name] = readdirSync(join(folder, id));
    const inside = name === undefined ? null : join(folder, id, name);
    if (inside === null) removeIfEmpty(join(folder, id));
    else if (lstatIfPresent(join(inside, TASK)) !== undefined) moveOn(inbox, id, rename);
    else moveBack(inbox, inside, rename);
    isChanged ||= inside !== null;
  }
  removeIfEmpty(folder);
  return isChanged;
}

function findPairs(observed: ReadonlyMap<string, Observed>): Pair[] {
  const dropped = [...observed.values()].filter(({ entry }) => entry.by === 'inbox');
  const others = Map.groupBy(dropped.filter(isOtherFile), ({ name }) => stemOf(name));
  return dropped.flatMap((task) => {
    const files = task.state.kind === 'ready' ? (others.get(stemOf(task.name)) ?? []) : [];
    const isTask = files.length > 0 && TASK_FILE.test(task.name) && statsOf(task.entry.path)?.isFile() === true;
    if (!isTask) return [];
    others.delete(stemOf(task.name)); // they belong to one task
    return [{ task, files }];
  });
}

/** A file that is no task by its name: alone it would be rejected after a while. */
const isOtherFile = ({ name, state, entry }: Observed): boolean =>
  state.kind === 'fresh' && !TASK_FILE.test(name) && statsOf(entry.path)?.isFile() === true;

const stemOf = (name: string): string => basename(name, extname(name)).normalize('NFC').toLowerCase();

function isUnchanged({ entry, stamp }: Observed, limits: FolderLimits): boolean {
  const stats = statsOf(entry.path);
  return stats !== null && stampOfEntry(entry.path, stats, limits) === stamp;
}

/** The task moves last: without it, what is here goes back. */
function gather({ inbox, rename }: Rules, task: Observed, files: readonly Observed[]): boolean {
  const id = randomUUID();
  const folder = join(ownFolder(pairsFolder(inbox)), id, basename(task.name, extname(task.name)));
  mkdirSync(folder, { recursive: true });
  for (const { entry, name } of files) move(entry.path, join(folder, name), rename);
  move(task.entry.path, join(folder, TASK), rename);
  moveOn(inbox, id, rename);
  removeIfEmpty(pairsFolder(inbox));
  return true;
}

function moveOn(inbox: string, id: string, rename: Rename): void {
  const delivered = ownFolder(newFolder(inbox));
  move(join(pairsFolder(inbox), id), join(delivered, id), rename);
  for (const changed of [delivered, inbox]) syncFolder(changed);
}

function moveBack(inbox: string, inside: string, rename: Rename): void {
  for (const name of readdirSync(inside))
    if (lstatIfPresent(join(inbox, name)) === undefined) move(join(inside, name), join(inbox, name), rename);
  removeIfEmpty(inside);
  removeIfEmpty(join(inside, '..'));
}
