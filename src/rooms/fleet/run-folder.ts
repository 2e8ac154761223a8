/** Owns: the folder of a task on the desk, as a list of files in the object store, and back. */
import { hash } from 'node:crypto';
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { FleetFiles } from './servers/fleet-files.ts';
import { listFolder, lstatIfPresent } from '../../core/ledger/disk.ts';
import { OkaError } from '../../core/schema/errors.ts';
import { isAbsence } from '../../kit/desk/open-folder.ts';
import type { Bundle } from '../../kit/desk/place-task-files.ts';

export type LeftOut = { path: string; why: string };
export type FolderFile = { path: string; sha256: string; executable: boolean };

const FETCHED = 'fleet-';
/** Larger files are not copied; the result names them. */
const MOST_BYTES = 64 * 1024 * 1024;

/** The regular files below a folder; links and special files are left out. */
export async function storeFiles(folder: string, files: FleetFiles): Promise<FolderFile[]> {
  if (lstatIfPresent(folder)?.isDirectory() !== true) return [];
  const stored: FolderFile[] = [];
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted()) {
    const stats = lstatSync(join(folder, path), { throwIfNoEntry: false });
    if (stats?.isFile() !== true || stats.size > MOST_BYTES) continue;
    const sha256 = await files.put(readFileSync(join(folder, path)));
    stored.push({ path, sha256, executable: (stats.mode & 0o111) !== 0 });
  }
  return stored;
}

/** A file as `storeFiles` would list it, without storing it. What it leaves out is like no file that it lists. */
export function describeFile(folder: string, path: string): FolderFile | undefined {
  const at = join(folder, checkedPath(path));
  try {
    const stats = lstatSync(at);
    const isListed = stats.isFile() && stats.size <= MOST_BYTES;
    const sha256 = isListed ? hash('sha256', readFileSync(at)) : '';
    return { path, sha256, executable: (stats.mode & 0o111) !== 0 };
  } catch (error) {
    if (isAbsence(error)) return undefined; // also where a file is in place of its folder
    throw error;
  }
}

/** What `storeFiles` leaves out, and why. */
export function listLeftOut(folder: string): LeftOut[] {
  if (lstatIfPresent(folder)?.isDirectory() !== true) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .toSorted()
    .flatMap((path): LeftOut[] => {
      const stats = lstatSync(join(folder, path), { throwIfNoEntry: false });
      if (stats === undefined || stats.isDirectory()) return [];
      if (!stats.isFile()) return [{ path, why: stats.isSymbolicLink() ? 'a symbolic link' : 'no regular file' }];
      return stats.size > MOST_BYTES ? [{ path, why: `larger than ${MOST_BYTES / 1024 / 1024} MB` }] : [];
    });
}

/** The same as one file, by which the state of the folder is named. */
export async function storeFolder(folder: string, files: FleetFiles): Promise<string | null> {
  const stored = await storeFiles(folder, files);
  return stored.length === 0 ? null : files.put(Buffer.from(JSON.stringify(stored)));
}

export async function readFolder(sha256: string, files: FleetFiles): Promise<FolderFile[]> {
  return JSON.parse((await files.get(sha256)).toString()) as FolderFile[];
}

/** Fetches files into a temporary folder below `around`, for as long as `use` needs them. */
export async function withFetched<T>(
  around: string,
  list: readonly FolderFile[],
  files: FleetFiles,
  use: (bundle: Pick<Bundle, 'folder' | 'files'> & { folder: string }) => Promise<T>,
): Promise<T> {
  mkdirSync(around, { recursive: true, mode: 0o700 });
  const folder = mkdtempSync(join(around, FETCHED));
  try {
    const fetched: Bundle['files'][number][] = [];
    for (const { path, sha256, executable } of list) {
      const content = await files.get(sha256);
      const at = join(folder, checkedPath(path));
      mkdirSync(dirname(at), { recursive: true });
      writeFileSync(at, content, { mode: executable ? 0o755 : 0o644 });
      fetched.push({ path, bytes: content.length, executable });
    }
    return await use({ folder, files: fetched });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Removes what a worker that was killed has left of `withFetched`. Nobody may be using it. */
export function sweepFetched(around: string): void {
  for (const name of listFolder(around).filter((each) => each.startsWith(FETCHED)))
    rmSync(join(around, name), { recursive: true, force: true });
}

/** A member may be wrong or worse: a path must not lead out of the folder. */
function checkedPath(path: string): string {
  if (path.startsWith('/') || path.split('/').some((part) => part === '..' || part === '' || part === '.'))
    throw new OkaError('unsafe-file', `a file of the fleet has the path "${path}", which leads out of its folder`);
  return path;
}
