/**
 * Owns: looking at the desk for a person: what is in a folder, and the bytes of a file.
 *
 * 1. Nothing outside of the desk is read: folders are entered by descriptors, and a link is never followed.
 * 2. A pipe or a device is not opened.
 */
import { closeSync, constants, existsSync, fstatSync, openSync, type Stats } from 'node:fs';
import { deskFolder } from '../../../kit/desk-folder.ts';
import {
  baseName,
  isAbsence,
  type OpenFolder,
  parentPath,
  toBytesPath,
  toShownPath,
  withFolderAt,
} from '../../../kit/desk/open-folder.ts';
import type { Home } from '../../../core/schema/home.ts';
import { OkaError } from '../../../core/schema/errors.ts';

export type Listed = { path: string; name: string; kind: 'folder' | 'file' | 'other'; bytes: number; modified: string };

const MOST_SEEN = 30_000;
const DEEPEST = 24;
/** What programs keep for themselves, and what is being placed. */
const isOwn = (name: string): boolean => name.startsWith('.oka-');

/** Null when there is no such folder. */
export function listDeskFolder(home: Home, path: string): Listed[] | null {
  return inFolder(home, checkedPath(path), (held) => entriesOf(held, path));
}

/** A home that nobody has worked in may have no desk yet. */
function inFolder<T>(home: Home, path: string, act: (held: OpenFolder) => T): T | null {
  return existsSync(deskFolder(home)) ? withFolderAt(deskFolder(home), toBytesPath(path), act) : null;
}

function entriesOf(held: OpenFolder, at: string): Listed[] {
  return held
    .names()
    .flatMap((bytes) => {
      const [name, stat] = [toShownPath(bytes), held.stat(bytes)];
      return stat === undefined || isOwn(name) ? [] : [listed(at === '' ? name : `${at}/${name}`, stat)];
    })
    .toSorted((a, b) => rankOf(a) - rankOf(b) || a.name.localeCompare(b.name, 'en', { numeric: true }));
}

/** Folders first, hidden names last. */
const rankOf = ({ kind, name }: Listed): number => (name.startsWith('.') ? 2 : kind === 'folder' ? 0 : 1);

const listed = (path: string, stat: Stats): Listed => ({
  path,
  name: path.slice(path.lastIndexOf('/') + 1),
  kind: stat.isDirectory() ? 'folder' : stat.isFile() ? 'file' : 'other',
  bytes: stat.isFile() ? stat.size : 0,
  modified: stat.mtime.toISOString(),
});

/** Files and folders whose path has all of these words, the best first: those with the words in their name. */
export function findOnDesk(home: Home, text: string, most: number): Listed[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const found: Listed[] = [];
  const folders = [''];
  for (let seen = 0; seen < MOST_SEEN && folders.length > 0; ) {
    const folder = folders.shift() ?? '';
    for (const entry of listDeskFolder(home, folder) ?? []) {
      seen += 1;
      if (words.every((word) => entry.path.toLowerCase().includes(word))) found.push(entry);
      const isEntered = entry.kind === 'folder' && !entry.name.startsWith('.') && entry.name !== 'node_modules';
      if (isEntered && entry.path.split('/').length < DEEPEST) folders.push(entry.path);
    }
  }
  const isNamed = ({ name }: Listed): boolean => words.every((word) => name.toLowerCase().includes(word));
  return found.toSorted((a, b) => Number(isNamed(b)) - Number(isNamed(a))).slice(0, most);
}

/** Whoever opens it closes it. */
export function openDeskFile(home: Home, path: string): { fd: number; stat: Stats } {
  const missing = new OkaError('artifact-missing', 'There is no such file on the desk.');
  const opened = inFolder(home, parentPath(checkedPath(path)), (held) => {
    try {
      const fd = openSync(
        held.at(toBytesPath(baseName(path))),
        constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
      );
      const stat = fstatSync(fd);
      if (stat.isFile()) return { fd, stat };
      closeSync(fd);
      return null;
    } catch (error) {
      if (isAbsence(error)) return null;
      throw error;
    }
  });
  if (opened === null) throw missing;
  return opened;
}

function checkedPath(path: string): string {
  const isWrong = (part: string): boolean => part === '' || part === '.' || part === '..' || part.includes('\0');
  if (path !== '' && path.split('/').some(isWrong))
    throw new OkaError('artifact-missing', 'There is no such file on the desk.');
  return path;
}
