/**
 * Owns: what counts as a file that somebody dropped onto a page. Names come from another machine and are not trusted.
 *
 * N1 A path stays below its folder, consists of plain names, and names each file once.
 * N2 Number and size are bounded by the limits of the inbox, before anything is written.
 */
import { hasControls, isLitter, isUnfinished } from '../../../kit/inbox/entry-name.ts';
import { LIMITS } from '../../../kit/inbox/add-task.ts';
import { OkaError } from '../../../core/schema/errors.ts';

/** `path` is relative, with slashes, as the browser names it: `report.csv` or `folder/data/report.csv`. */
export type DroppedFile = { readonly path: string; readonly bytes: Uint8Array };

const DEEPEST = 20;
const LONGEST_NAME = 255;
const LONGEST_PATH = 1000;

/** The files without those that operating systems leave behind; throws for what cannot be accepted. */
export function acceptDropped(files: readonly DroppedFile[]): DroppedFile[] {
  if (files.length > LIMITS.mostFiles)
    throw refuse(`${files.length} files are too many at once; at most ${LIMITS.mostFiles} are accepted`);
  const total = files.reduce((sum, { bytes }) => sum + bytes.length, 0);
  if (total > LIMITS.mostFolderBytes)
    throw refuse(`the files are larger than ${Math.round(LIMITS.mostFolderBytes / 1024 / 1024)} MB together`);
  const accepted = files.filter(({ path }) => !path.split('/').some(isLitter));
  for (const { path } of accepted) assertPath(path);
  assertDistinct(accepted.map(({ path }) => path));
  return accepted;
}

function assertPath(path: string): void {
  const problem = problemOf(path);
  if (problem !== null) throw refuse(`the file name ${JSON.stringify(path.slice(0, 200))} is not accepted: ${problem}`);
}

/** Null for a path that can be stored as it is. */
function problemOf(path: string): string | null {
  if (path === '' || path.length > LONGEST_PATH) return path === '' ? 'it is empty' : 'it is too long';
  if (!path.isWellFormed() || hasControls(path) || path.includes('\\'))
    return 'it contains control characters, backslashes or half characters';
  const names = path.split('/');
  if (names.length > DEEPEST) return `it is more than ${DEEPEST} folders deep`;
  if (names.some((name) => name === '' || name === '.' || name === '..')) return 'it could lead out of its folder';
  if (names.some((name) => Buffer.byteLength(name) > LONGEST_NAME)) return 'a part of it is too long';
  if (names[0]?.startsWith('.') === true) return 'it begins with a dot, so that it would be hidden in the inbox';
  return names.some(isUnfinished) ? 'it looks like a file that is still being written' : null;
}

/** Two names that differ only in case would be one file on other systems; a file is not a folder, too. */
function assertDistinct(paths: readonly string[]): void {
  const seen = new Set(paths.map((path) => path.normalize().toLowerCase()));
  if (seen.size < paths.length) throw refuse('two of the files have the same name');
  for (const path of seen) {
    const parts = path.split('/');
    const above = parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'));
    if (above.some((folder) => seen.has(folder))) throw refuse(`${path} is below a file of the same name`);
  }
}

const refuse = (message: string): OkaError =>
  new OkaError('usage', message, { fix: 'Rename or leave out these files, or put the folder into workspace/inbox.' });
