/**
 * Owns: replacing pages without losing concurrent edits of people.
 * Does not own: scanning for edits (scan-pages.ts), nor what an edit is (find-edit.ts).
 *
 * 1. A page is moved away before it is replaced, and compared then. If it contains an edit that was not reported yet, a
 *    copy goes back into place and the edit is returned. Nothing is ever overwritten, and a file that an editor may have
 *    open never comes back under a name that somebody else may truncate.
 * 2. Reported edits are in the ledger before `writePage` is called; the caller guarantees that.
 * 3. Replaced files are watched for a while: an editor may still have one open, and what it writes late is an edit.
 * 4. A crash leaves the page, or the file that was moved away, or both; `scanPages` repairs what it finds.
 * 5. A missing page is not an edit. A link, a pipe or a folder in its place is logged and left alone, and so is a page
 *    that does not fit into the ledger.
 */
import { renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  assertRegularFile,
  describeErrno,
  lstatIfPresent,
  makeFolder,
  replaceFile,
} from '../../../core/ledger/disk.ts';
import { errnoOf, messageOf, OkaError } from '../../../core/schema/errors.ts';
import { combineEdits } from './combine-edits.ts';
import type { PageEdit } from '../../../kit/learning/page-text.ts';
import { repairPage, waitUntilQuiet } from './repair-page.ts';
import {
  readPageBytes,
  removeReplaced,
  linkIfFree,
  listNames,
  pendingFile,
  newId,
  type PagesFolder,
  type PagePlace,
  pagePlace,
  replacedFile,
  listReplaced,
  signatureOf,
  checksumOf,
} from '../../../kit/learning/page-files.ts';
import {
  accountedBytes,
  readPageState,
  recordAccounted,
  removeAccounted,
  removeOtherTexts,
  storeText,
  writePageState,
} from './page-state.ts';

/** Returns an edit that was made meanwhile; the page then stays as it is until the edit is recorded. */
export async function writePage(folder: PagesFolder, page: string, text: string | null): Promise<PageEdit | null> {
  const place = pagePlace(folder, page);
  try {
    return await replacePage(folder, page, text ?? '');
  } catch (error) {
    if (!(error instanceof OkaError) || (error.code !== 'unsafe-file' && error.code !== 'refused')) throw error;
    preparePage(place, text ?? ''); // it is put into place when that is free
    folder.log?.(`.oka/${page} is left alone: ${messageOf(error)}`);
    return null;
  }
}

/**
 * Removes what is stored of a page besides the text that it has now. A replaced file that somebody wrote to since stays: it
 * has an edit, which the next pass reads.
 */
export function eraseEarlier(folder: PagesFolder, page: string, text: string | null): void {
  const place = pagePlace(folder, page);
  for (const id of listReplaced(place)) {
    if (accountedBytes(place, id)?.equals(readPageBytes(replacedFile(place, id)) ?? Buffer.of()) !== true) continue;
    removeReplaced(place, id);
    removeAccounted(place, id);
  }
  removeOtherTexts(place, text ?? '');
}

async function replacePage(folder: PagesFolder, page: string, wanted: string): Promise<PageEdit | null> {
  const place = pagePlace(folder, page);
  assertRegularFile(place.file);
  repairPage(place);
  recordLateWrites(place);
  if (signatureOf(place.file) !== readPageState(place).signature) await waitUntilQuiet(folder, place.file);
  const found = signatureOf(place.file);
  const there = readPageBytes(place.file);
  if ((wanted !== '' && there?.equals(Buffer.from(wanted))) || (there === null && wanted === ''))
    return isRecorded(place, found) ? null : recordWritten(place, wanted, found);
  preparePage(place, wanted);
  const signature = signatureOf(pendingFile(place));
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const taken = takePage(place);
    if (taken !== null) {
      const edit = findEditInTaken(folder, page, wanted, taken);
      if (edit !== null) return edit;
    }
    if (wanted === '' || linkIfFree(pendingFile(place), place.file, taken?.mode))
      return recordWritten(place, wanted, signature);
  }
  throw new OkaError('refused', `.oka/${page} is saved again and again while it is being replaced`, {
    fix: 'The next pass tries again.',
  });
}

const MAX_TRIES = 20;

/** Does everything that needs disk space before anything is moved. */
function preparePage(place: PagePlace, text: string): void {
  makeFolder(dirname(place.file));
  makeFolder(place.hidden);
  storeText(place, text, Date.now());
  const halves = listNames(place.hidden).filter((name) => name.startsWith(`${place.name}.new.`));
  for (const half of halves) rmSync(join(place.hidden, half), { force: true });
  if (text !== '') replaceFile(pendingFile(place), text);
}

function isRecorded(place: PagePlace, signature: string | null): boolean {
  const seen = readPageState(place);
  return seen.signature === signature && seen.told.length === 0 && lstatIfPresent(pendingFile(place)) === undefined;
}

/** The signature was taken before anybody else could open the file. */
function recordWritten(place: PagePlace, text: string, signature: string | null): null {
  storeText(place, text, Date.now());
  writePageState(place, { signature, told: [] });
  rmSync(pendingFile(place), { force: true });
  return null;
}

type TakenPage = { id: string; bytes: Buffer; mode: number };

/** Moves the page away (1); null when there is none. */
function takePage(place: PagePlace): TakenPage | null {
  const id = newId(Date.now());
  const file = replacedFile(place, id);
  try {
    renameSync(place.file, file);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null;
    throw describeErrno(error, place.file);
  }
  try {
    const bytes = readPageBytes(file);
    if (bytes === null) throw new OkaError('refused', `${file} has gone`);
    return { id, bytes, mode: (lstatIfPresent(file)?.mode ?? 0o644) & 0o777 };
  } catch (error) {
    restoreTaken(place, id);
    throw error;
  }
}

/** Returns null when everything in it is known; else a copy is put back. */
function findEditInTaken(folder: PagesFolder, page: string, wanted: string, taken: TakenPage): PageEdit | null {
  const { id, bytes } = taken;
  const place = pagePlace(folder, page);
  const seen = readPageState(place);
  try {
    const isReported = seen.told.includes(checksumOf(bytes));
    const edit = isReported ? null : combineEdits(folder, page, wanted, [{ bytes, from: null }]);
    if (edit === null) recordAccounted(place, id, bytes);
    else {
      restoreCopy(place, taken);
      writePageState(place, { ...seen, told: [...seen.told, checksumOf(bytes)] });
    }
    return edit;
  } catch (error) {
    restoreTaken(place, id);
    throw error;
  }
}

/** If somebody created a new page meanwhile, the next pass reads both. */
function restoreCopy(place: PagePlace, { bytes, mode }: TakenPage): void {
  replaceFile(pendingFile(place), bytes);
  linkIfFree(pendingFile(place), place.file, mode);
  rmSync(pendingFile(place), { force: true });
}

/** Moves a page that cannot be read or stored back unchanged. */
function restoreTaken(place: PagePlace, id: string): void {
  const file = replacedFile(place, id);
  if (lstatIfPresent(file)?.isFile() === false) {
    if (lstatIfPresent(place.file) === undefined) renameSync(file, place.file);
  } else if (lstatIfPresent(file) !== undefined && linkIfFree(file, place.file)) removeReplaced(place, id);
}

/** Accounts for late writes that were reported already (2). */
function recordLateWrites(place: PagePlace): void {
  const { told } = readPageState(place);
  for (const id of listReplaced(place)) {
    const bytes = readPageBytes(replacedFile(place, id));
    if (bytes !== null && told.includes(checksumOf(bytes))) recordAccounted(place, id, bytes);
  }
}
