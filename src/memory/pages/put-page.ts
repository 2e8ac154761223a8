/**
 * Owns: replacing pages without losing what people do to them meanwhile.
 * Does not own: looking at them (look-at-pages.ts), nor what an edit is (edits.ts).
 *
 * 1. A page is taken out of its place before it is replaced. What was taken is compared; if it holds an edit that was
 *    not told yet, a copy of it goes into its place, and the edit is told instead. Nothing is ever written over, and
 *    a file that somebody may have open never comes back under a name that somebody else may empty.
 * 2. Edits that were told are in the ledger before `putPage` is called: whoever calls it vouches for that.
 * 3. What was replaced is looked at for a while: an editor may still have it open, and what it writes late is an edit.
 * 4. A crash leaves the page, or the file that was taken, or both; `lookAtPages` puts in order what it finds.
 * 5. A page that is not there is no edit. A link, a pipe or a folder in its place is told and left alone, and so is a page
 *    that holds more than the ledger can.
 */
import { renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { assertRegularFile, explained, lookAt, makeFolder, replaceFile } from '../../ledger/disk.ts';
import { errnoOf, messageOf, OkaError } from '../../schema/errors.ts';
import { editIn } from './edit-in.ts';
import type { PageEdit } from './edits.ts';
import { putInOrder, quiet } from './in-order.ts';
import {
  bytesOf,
  giveUp,
  linkNew,
  namesIn,
  newFile,
  newId,
  type PagesFolder,
  type Place,
  placeOf,
  replacedFile,
  replacedIn,
  signatureOf,
  sumOf,
} from './page-files.ts';
import { accountFor, keepText, noteSeen, seenOf } from './remembered.ts';

/** Returns an edit that was made in between; then the page stays as it is, and this is called again once it is told. */
export async function putPage(folder: PagesFolder, page: string, text: string | null): Promise<PageEdit | null> {
  const place = placeOf(folder, page);
  try {
    return await replacePage(folder, page, text ?? '');
  } catch (error) {
    if (!(error instanceof OkaError) || (error.code !== 'unsafe-file' && error.code !== 'refused')) throw error;
    prepare(place, text ?? ''); // it comes into its place when that is free
    folder.tell?.(`.oka/${page} is left alone: ${messageOf(error)}`);
    return null;
  }
}

async function replacePage(folder: PagesFolder, page: string, wanted: string): Promise<PageEdit | null> {
  const place = placeOf(folder, page);
  assertRegularFile(place.file);
  putInOrder(place);
  accountForLate(place);
  if (signatureOf(place.file) !== seenOf(place).signature) await quiet(folder, place.file);
  const found = signatureOf(place.file);
  const there = bytesOf(place.file);
  if ((wanted !== '' && there?.equals(Buffer.from(wanted))) || (there === null && wanted === ''))
    return isKnown(place, found) ? null : settled(place, wanted, found);
  prepare(place, wanted);
  const signature = signatureOf(newFile(place));
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const taken = take(place);
    if (taken !== null) {
      const edit = editTaken(folder, page, wanted, taken);
      if (edit !== null) return edit;
    }
    if (wanted === '' || linkNew(newFile(place), place.file, taken?.mode)) return settled(place, wanted, signature);
  }
  throw new OkaError('refused', `.oka/${page} is saved again and again while it is being replaced`, {
    fix: 'The next pass tries again.',
  });
}

const MOST_TRIES = 20;

/** Everything that needs space comes before anything is moved. */
function prepare(place: Place, text: string): void {
  makeFolder(dirname(place.file));
  makeFolder(place.hidden);
  keepText(place, text, Date.now());
  const halves = namesIn(place.hidden).filter((name) => name.startsWith(`${place.name}.new.`));
  for (const half of halves) rmSync(join(place.hidden, half), { force: true });
  if (text !== '') replaceFile(newFile(place), text);
}

function isKnown(place: Place, signature: string | null): boolean {
  const seen = seenOf(place);
  return seen.signature === signature && seen.told.length === 0 && lookAt(newFile(place)) === undefined;
}

/** The signature is that of the file before anybody else could have it. */
function settled(place: Place, text: string, signature: string | null): null {
  keepText(place, text, Date.now());
  noteSeen(place, { signature, told: [] });
  rmSync(newFile(place), { force: true });
  return null;
}

type Taken = { id: string; bytes: Buffer; mode: number };

/** 1. Null when there is no page. */
function take(place: Place): Taken | null {
  const id = newId(Date.now());
  const file = replacedFile(place, id);
  try {
    renameSync(place.file, file);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null;
    throw explained(error, place.file);
  }
  try {
    const bytes = bytesOf(file);
    if (bytes === null) throw new OkaError('refused', `${file} has gone`);
    return { id, bytes, mode: (lookAt(file)?.mode ?? 0o644) & 0o777 };
  } catch (error) {
    putBack(place, id);
    throw error;
  }
}

/** Null when everything in it is known; else a copy of it is in its place. */
function editTaken(folder: PagesFolder, page: string, wanted: string, taken: Taken): PageEdit | null {
  const { id, bytes } = taken;
  const place = placeOf(folder, page);
  const seen = seenOf(place);
  try {
    const isTold = seen.told.includes(sumOf(bytes));
    const edit = isTold ? null : editIn(folder, page, wanted, [{ bytes, from: null }]);
    if (edit === null) accountFor(place, id, bytes);
    else {
      putCopy(place, taken);
      noteSeen(place, { ...seen, told: [...seen.told, sumOf(bytes)] });
    }
    return edit;
  } catch (error) {
    putBack(place, id);
    throw error;
  }
}

/** If somebody made a new page meanwhile, both are looked at by the next pass. */
function putCopy(place: Place, { bytes, mode }: Taken): void {
  replaceFile(newFile(place), bytes);
  linkNew(newFile(place), place.file, mode);
  rmSync(newFile(place), { force: true });
}

/** What cannot be read or kept goes back as it is. */
function putBack(place: Place, id: string): void {
  const file = replacedFile(place, id);
  if (lookAt(file)?.isFile() === false) {
    if (lookAt(place.file) === undefined) renameSync(file, place.file);
  } else if (lookAt(file) !== undefined && linkNew(file, place.file)) giveUp(place, id);
}

/** 2. */
function accountForLate(place: Place): void {
  const { told } = seenOf(place);
  for (const id of replacedIn(place)) {
    const bytes = bytesOf(replacedFile(place, id));
    if (bytes !== null && told.includes(sumOf(bytes))) accountFor(place, id, bytes);
  }
}
