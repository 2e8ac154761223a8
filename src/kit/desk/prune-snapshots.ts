/** Owns: how long snapshots of the desk are stored. The newest always stays; nothing that a stored one needs is removed. */
import { closeSync, constants, fdatasyncSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describeErrno, makeFolder, replaceFile, writeAll } from '../../core/ledger/disk.ts';
import { errnoOf, OkaError } from '../../core/schema/errors.ts';
import type { Objects } from './object-store.ts';
import { getTree, entryKind } from './snapshot-tree.ts';

type SnapshotRecord = { at: number; tree: string; label: string };
export type PruneLimits = { mostBytes: number; keepMs: number };
export type Pruned = { states: number; objects: number };

const recordsFile = (store: string): string => join(store, 'kept.jsonl');

/** In the order in which they were stored. A line that a crash cut short does not count. */
export function readRecords(store: string): SnapshotRecord[] {
  return readTextOrEmpty(recordsFile(store))
    .split('\n')
    .flatMap((line) => {
      try {
        return line === '' ? [] : [JSON.parse(line) as SnapshotRecord];
      } catch {
        return []; // half a line: the state it would have named is not relied on by anybody
      }
    });
}

export function appendRecord(store: string, kept: SnapshotRecord): void {
  const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW } = constants;
  makeFolder(store);
  const fd = openSync(recordsFile(store), O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600);
  try {
    writeAll(fd, Buffer.from(`${JSON.stringify(kept)}\n`));
    fdatasyncSync(fd);
  } catch (error) {
    throw describeErrno(error, recordsFile(store));
  } finally {
    closeSync(fd);
  }
}

/**
 * `breathe` is called after each state that was read, and says whether to go on; `alone` does what must not be disturbed.
 * Without them nothing happens meanwhile.
 */
type Beside = { breathe: () => Promise<boolean>; alone: (work: () => Pruned) => Promise<Pruned> };

/**
 * Returns how much went. From the newest back: as many states as are young enough and fit. With tens of thousands of
 * states that takes seconds, in which others may add states: what those need is found before anything goes.
 */
export async function pruneSnapshots(
  objects: Objects,
  now: number,
  { mostBytes, keepMs }: PruneLimits,
  beside: Beside | null = null,
): Promise<Pruned> {
  const all = readRecords(objects.folder);
  const marked = new Set<string>();
  const kept: SnapshotRecord[] = [];
  let bytes = 0;
  for (const each of all.toReversed()) {
    const added = findReachable(objects, each.tree, marked);
    const size = added === null ? 0 : added.reduce((sum, name) => sum + objects.bytesOf(name), 0);
    if (added === null || (kept.length > 0 && (now - each.at > keepMs || bytes + size > mostBytes))) break;
    for (const name of added) marked.add(name);
    bytes += size;
    kept.push(each);
    if (beside !== null && !(await beside.breathe())) return NOTHING;
  }
  const remove = (): Pruned => removeUnmarked(objects, { known: all.length, kept: kept.toReversed(), marked });
  return beside === null ? remove() : beside.alone(remove);
}

const NOTHING: Pruned = { states: 0, objects: 0 };

/** Lets others work whenever this one did for so long, until it is over. */
export function breathing(isOver: () => boolean, ms = 10): () => Promise<boolean> {
  let rested = performance.now();
  return async () => {
    if (performance.now() - rested >= ms) {
      await setImmediate();
      rested = performance.now();
    }
    return !isOver();
  };
}

function removeUnmarked(
  objects: Objects,
  { known, kept, marked }: { known: number; kept: readonly SnapshotRecord[]; marked: Set<string> },
): Pruned {
  const later = readRecords(objects.folder).slice(known);
  for (const { tree } of later) for (const name of findReachable(objects, tree, marked) ?? []) marked.add(name);
  if (kept.length < known)
    replaceFile(recordsFile(objects.folder), [...kept, ...later].map((each) => `${JSON.stringify(each)}\n`).join(''), {
      durable: true,
    });
  const unneeded = objects.names().filter((name) => !marked.has(name));
  for (const name of unneeded) objects.remove(name);
  return { states: known - kept.length, objects: unneeded.length };
}

/** Objects that this state needs and those marked do not; null when it is not whole. */
function findReachable(objects: Objects, tree: string, marked: ReadonlySet<string>): string[] | null {
  const found = new Set<string>();
  const visit = (oid: string): void => {
    if (marked.has(oid) || found.has(oid)) return;
    found.add(oid);
    for (const entry of getTree(objects, oid).values()) {
      if (entryKind(entry) === 'folder') visit(entry.oid);
      else if (entryKind(entry) !== 'unkept' && !marked.has(entry.oid)) found.add(entry.oid);
    }
  };
  try {
    visit(tree);
    return [...found];
  } catch (error) {
    if (error instanceof OkaError && error.code.startsWith('artifact-')) return null;
    throw error;
  }
}

function readTextOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return '';
    throw describeErrno(error, file);
  }
}
