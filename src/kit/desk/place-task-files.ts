/** Owns: putting the files of a task folder onto the desk, into a folder of their own, whole or not at all. */
import { randomUUID } from 'node:crypto';
import { fsyncSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describeErrno, writeNewFile } from '../../core/ledger/disk.ts';
import { errnoOf, OkaError } from '../../core/schema/errors.ts';
import {
  type Bytes,
  toBytesPath,
  OpenFolder,
  openTopFolder,
  withFolderAt,
  baseName,
  parentPath,
} from './open-folder.ts';
import { repairDeskMode } from './repair-modes.ts';
import { readContentUpTo } from './take-snapshot.ts';

/** A task as the inbox hands it out; `folder` contains the files. */
export type Bundle = {
  id: string;
  folder: string | null;
  files: readonly { path: string; bytes: number; executable: boolean; mtimeMs?: number }[];
  /** Symbolic links that stay inside the folder. */
  links?: readonly { path: string; target: string }[];
};

/** `onPlaced` is called in the same moment in which a new folder appears. Returns the folder's name below the desk. Called again it finds what it laid out before. Null when there is nothing. */
export function placeTaskFiles(
  bundle: Bundle,
  desk: string,
  onPlaced: (name: string) => void = () => undefined,
): string | null {
  const { folder, files, id } = bundle;
  if (folder === null || files.length === 0) return null;
  repairDeskMode(desk);
  using top = openTopFolder(desk);
  const temporary = `.oka-${randomUUID()}`;
  try {
    mkdirSync(top.at(temporary));
    using place = top.enter(temporary);
    for (const file of files) copyFile(folder, file, place);
    for (const { path, target } of bundle.links ?? []) {
      using parent = makeFolders(place, parentPath(toBytesPath(path)));
      symlinkSync(target, parent.at(baseName(toBytesPath(path))));
    }
    fsyncSync(place.fd);
    const { name, isNew } = moveIntoPlace(top, temporary, { ...bundle, folder }, desk);
    if (isNew) onPlaced(name);
    return name;
  } catch (error) {
    throw describeErrno(error, join(desk, id));
  } finally {
    rmSync(top.at(temporary), { recursive: true, force: true });
  }
}

/** A folder of that name with the same content is ours, from before a crash; another one is somebody's. */
function moveIntoPlace(
  top: OpenFolder,
  temporary: Bytes,
  bundle: Bundle & { folder: string },
  desk: string,
): { name: string; isNew: boolean } {
  const { folder } = bundle;
  for (let number = 1; ; number++) {
    const name = number === 1 ? bundle.id : `${bundle.id}-${number}`;
    if (top.stat(name) === undefined) {
      renameSync(top.at(temporary), top.at(name));
      fsyncSync(top.fd);
      return { name, isNew: true };
    }
    if (bundle.files.every((file) => isAlreadyAt(folder, file, desk, name))) return { name, isNew: false };
  }
}

function copyFile(folder: string, file: Bundle['files'][number], place: OpenFolder): void {
  const bytes = readTaskFile(folder, file);
  using parent = makeFolders(place, parentPath(toBytesPath(file.path)));
  const name = baseName(toBytesPath(file.path));
  writeNewFile(parent.at(name), bytes, { mode: file.executable ? 0o755 : 0o644, mtimeMs: file.mtimeMs, durable: true });
}

/** A file of a bundle, as large as it was. */
export function readTaskFile(folder: string, { path, bytes }: Bundle['files'][number]): Buffer {
  const name = baseName(toBytesPath(path));
  const content = withFolderAt(folder, parentPath(toBytesPath(path)), (held) => readContentUpTo(held.at(name), bytes));
  if (content !== null) return content;
  throw new OkaError('unsafe-file', `${join(folder, path)} is not the regular file that it was`);
}

/** The folder at this path, with all folders above it. */
function makeFolders(top: OpenFolder, path: Bytes): OpenFolder {
  let held = top.enter('.');
  for (const name of path === '' ? [] : path.split('/')) {
    try {
      mkdirSync(held.at(name));
    } catch (error) {
      if (errnoOf(error) !== 'EEXIST') throw error;
    }
    const below = held.enter(name);
    held[Symbol.dispose]();
    held = below;
  }
  return held;
}

function isAlreadyAt(folder: string, file: Bundle['files'][number], desk: string, name: string): boolean {
  const path = toBytesPath(join(name, file.path));
  const there = withFolderAt(desk, parentPath(path), (held) => {
    if (held.stat(baseName(path))?.isFile() !== true) return null;
    return readContentUpTo(held.at(baseName(path)), file.bytes);
  });
  return there?.equals(readTaskFile(folder, file)) ?? false;
}
