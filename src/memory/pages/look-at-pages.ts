/**
 * Owns: seeing what people did to pages. What the comparison is, and what comes of it: edits.ts. How pages are replaced,
 * and what is promised about that: put-page.ts.
 */
import { join } from 'node:path';
import { messageOf, OkaError } from '../../schema/errors.ts';
import { editIn, type Look } from './edit-in.ts';
import type { PageEdit } from './edits.ts';
import { putInOrder, quiet } from './in-order.ts';
import {
  bytesOf,
  giveUp,
  namesIn,
  type PagesFolder,
  type Place,
  placeOf,
  replacedFile,
  replacedIn,
  signatureOf,
  sumOf,
  takenAt,
} from './page-files.ts';
import { accountFor, forgetWas, noteSeen, seenOf, wasOf } from './remembered.ts';

/** The text that a page has to have as far as the ledger knows; null when there is nothing to show. */
export type Rendered = (page: string) => string | null;

const PAGES = [
  { folder: 'memory', name: /^\d{4}-\d\d-\d\d\.md$/ },
  { folder: 'brain', name: /^(?:LEARNINGS-[^/]+|TODOS)\.md$/ },
  { folder: 'brain/PROCEDURES', name: /^[^.][^/]*\.md$/ },
] as const;

/** Edits that are not in the ledger yet. What cannot be looked at is told, and the others go on. */
export async function lookAtPages(folder: PagesFolder, rendered: Rendered): Promise<PageEdit[]> {
  const edits: PageEdit[] = [];
  for (const { page, isQuiet } of pagesIn(folder)) {
    try {
      if (isQuiet && isAsLeft(folder, page)) continue;
      const edit = await lookAtPage(folder, page, () => rendered(page));
      if (edit !== null) edits.push(edit);
    } catch (error) {
      if (error instanceof OkaError && error.code === 'disk-full') throw error;
      folder.tell?.(`.oka/${page} is left alone: ${messageOf(error)}`);
    }
  }
  return edits;
}

type Found = { page: string; isQuiet: boolean };

/** Pages that are there, and those of which only what was replaced is left; quiet are those without such. */
function pagesIn({ oka }: PagesFolder): Found[] {
  const found = PAGES.flatMap(({ folder, name }) => {
    const replaced = new Set(namesIn(join(oka, folder, '.replaced')).map((each) => each.replace(/\.[^.]+$/, '')));
    const names = [...replaced.union(new Set(namesIn(join(oka, folder))))].filter((each) => name.test(each));
    return names.map((each) => ({ page: `${folder}/${each}`, isQuiet: !replaced.has(each) }));
  });
  return found.toSorted((a, b) => (a.page < b.page ? -1 : 1));
}

function isAsLeft(folder: PagesFolder, page: string): boolean {
  const place = placeOf(folder, page);
  return signatureOf(place.file) === seenOf(place).signature;
}

export async function lookAtPage(
  folder: PagesFolder,
  page: string,
  rendered: () => string | null,
): Promise<PageEdit | null> {
  const place = placeOf(folder, page);
  putInOrder(place);
  const late = lateIn(folder, place);
  const seen = seenOf(place);
  const signature = signatureOf(place.file);
  const isAsLeft = signature === null || signature === seen.signature;
  if (isAsLeft && late.length === 0) return null;
  if (!isAsLeft) await quiet(folder, place.file);
  const bytes = isAsLeft ? null : bytesOf(place.file);
  const looks: Look[] = [...late, ...(bytes === null ? [] : [{ bytes, from: null }])];
  const edit = editIn(folder, page, rendered() ?? '', looks);
  if (edit === null) {
    for (const { id, bytes } of late) accountFor(place, id, bytes);
    noteSeen(place, { signature: bytes === null ? seen.signature : signature, told: [] });
  } else noteSeen(place, { ...seen, told: looks.map(({ bytes }) => sumOf(bytes)) });
  return edit;
}

type LateLook = Look & { id: string };

/** What was replaced and says something else now, or was never accounted for. */
function lateIn({ lateMs = 3_600_000 }: PagesFolder, place: Place): LateLook[] {
  return replacedIn(place).flatMap((id) => {
    const bytes = bytesOf(replacedFile(place, id));
    const was = wasOf(place, id);
    if (bytes === null) return [];
    if (was?.equals(bytes) !== true) return [{ id, bytes, from: was }];
    if (Math.abs(Date.now() - takenAt(id)) > lateMs) {
      giveUp(place, id);
      forgetWas(place, id);
    }
    return [];
  });
}
