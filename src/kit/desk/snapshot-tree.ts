/** What a folder of the desk was: an entry for each name, in git's format; and the difference between two of them. */
import type { Bytes } from './open-folder.ts';
import type { Objects } from './object-store.ts';

/** `mode` contains the kind as well, as the system returns it. */
export type Entry = { mode: number; oid: string };

type Kind = 'folder' | 'file' | 'link' | 'unkept';
const KINDS: Record<number, Kind> = { 0o40000: 'folder', 0o100000: 'file', 0o120000: 'link', 0o160000: 'unkept' };

export const FOLDER = 0o40000;
export const LINK = 0o120000;
/** A folder that leads to the place that a snapshot is of; what it is itself is not recorded. */
export const WAY = FOLDER | 0o755;
/** There was something that is not in the store; `oid` differs between its states. Git treats it as a nested repository. */
export const SKIPPED = 0o160000;

export const entryKind = ({ mode }: Entry): Kind => KINDS[mode & 0o170000] ?? 'unkept';

/** Folders are the same when they are folders alike: what is in them has entries of its own. */
export function isSame(a: Entry | null, b: Entry | null): boolean {
  if (a === null || b === null) return a === b;
  return a.mode === b.mode && (a.oid === b.oid || entryKind(a) === 'folder');
}

export type Named = Entry & { name: Bytes };

export function putTree(objects: Objects, entries: readonly Named[]): string {
  const inOrder = entries.toSorted((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
  const parts = inOrder.flatMap(({ mode, name, oid }) => [
    Buffer.from(`${mode.toString(8)} ${name}\0`, 'latin1'),
    Buffer.from(oid, 'hex'),
  ]);
  return objects.put('tree', Buffer.concat(parts));
}

/** Git orders folders as if their names ended in a slash. */
const sortKey = (entry: Named): Bytes => (entryKind(entry) === 'folder' ? `${entry.name}/` : entry.name);

export function getTree(objects: Objects, oid: string): Map<Bytes, Entry> {
  const bytes = objects.get('tree', oid);
  const entries = new Map<Bytes, Entry>();
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(0x20, at);
    const end = bytes.indexOf(0, space);
    const mode = Number.parseInt(bytes.toString('latin1', at, space), 8);
    const entry = { mode, oid: bytes.toString('hex', end + 1, end + 33) };
    entries.set(bytes.toString('latin1', space + 1, end), entry);
    at = end + 33;
  }
  return entries;
}

/** Everything below, folders included, by path. */
export function flattenTree(objects: Objects, oid: string, at: Bytes = ''): Map<Bytes, Entry> {
  const all = new Map<Bytes, Entry>();
  for (const [name, entry] of getTree(objects, oid)) {
    const path = at === '' ? name : `${at}/${name}`;
    all.set(path, entry);
    if (entryKind(entry) === 'folder') for (const each of flattenTree(objects, entry.oid, path)) all.set(...each);
  }
  return all;
}

export type Change = { path: Bytes; before: Entry | null; after: Entry | null };

/** Parts that are equal are not read. */
export function differences(objects: Objects, before: string | null, after: string | null, at: Bytes = ''): Change[] {
  if (before === after) return [];
  const [old, now] = [before, after].map((oid) => (oid === null ? new Map<Bytes, Entry>() : getTree(objects, oid)));
  const names = new Set([...(old?.keys() ?? []), ...(now?.keys() ?? [])]);
  return [...names].toSorted().flatMap((name): Change[] => {
    const [was, is] = [old?.get(name) ?? null, now?.get(name) ?? null];
    const path = at === '' ? name : `${at}/${name}`;
    const own = isSame(was, is) ? [] : [{ path, before: was, after: is }];
    return [...own, ...differences(objects, folderOid(was), folderOid(is), path)];
  });
}

const folderOid = (entry: Entry | null): string | null =>
  entry !== null && entryKind(entry) === 'folder' ? entry.oid : null;

/** The first name of each path, with what follows it; '' where nothing does. */
export function firstNames(paths: readonly Bytes[]): Map<Bytes, Bytes[]> {
  const names = new Map<Bytes, Bytes[]>();
  for (const path of paths) {
    const [name = '', ...rest] = path.split('/');
    names.set(name, [...(names.get(name) ?? []), rest.join('/')]);
  }
  return names;
}

/** A snapshot in which some paths are what they are in another one, which may be of these alone. */
export function overlayTree(
  objects: Objects,
  tree: string | null,
  over: string | null,
  paths: readonly Bytes[],
): string {
  const entries = tree === null ? new Map<Bytes, Entry>() : getTree(objects, tree);
  const others = over === null ? new Map<Bytes, Entry>() : getTree(objects, over);
  for (const [name, below] of firstNames(paths)) {
    const other = others.get(name) ?? null;
    const [here, there] = [folderOid(entries.get(name) ?? null), folderOid(other)];
    if (below.includes('')) {
      entries.delete(name);
      if (other !== null) entries.set(name, other);
    } else if (here !== null || there !== null) {
      const mode = here === null ? WAY : (entries.get(name)?.mode ?? WAY);
      entries.set(name, { mode, oid: overlayTree(objects, here, there, below) });
    }
  }
  return putTree(
    objects,
    [...entries].map(([name, entry]) => ({ ...entry, name })),
  );
}
