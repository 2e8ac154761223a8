/**
 * Owns: scanning the pages for edits of people.
 * Does not own: comparing texts (find-edit.ts), nor replacing pages without losing edits (write-page.ts).
 */
import { join } from 'node:path';
import { messageOf, OkaError } from '../../../core/schema/errors.ts';
import { combineEdits, type SavedFile } from './combine-edits.ts';
import type { PageEdit } from '../../../kit/learning/page-text.ts';
import { repairPage, waitUntilQuiet } from './repair-page.ts';
import {
  readPageBytes,
  removeReplaced,
  listNames,
  type PagesFolder,
  type PagePlace,
  pagePlace,
  replacedFile,
  listReplaced,
  signatureOf,
  checksumOf,
  replacedAt,
} from '../../../kit/learning/page-files.ts';
import { recordAccounted, removeAccounted, writePageState, readPageState, accountedBytes } from './page-state.ts';

/** The text that a page should have according to the ledger; null when there is nothing to show. */
type RenderPage = (page: string) => string | null;

const PAGES = [
  { folder: 'memory', name: /^\d{4}-\d\d-\d\d\.md$/ },
  { folder: 'brain', name: /^(?:LEARNINGS-[^/]+|TODOS)\.md$/ },
  { folder: 'brain/PROCEDURES', name: /^[^.][^/]*\.md$/ },
] as const;

/** Returns edits that are not in the ledger yet. A page that cannot be read is logged and skipped. */
export async function scanPages(folder: PagesFolder, rendered: RenderPage): Promise<PageEdit[]> {
  const edits: PageEdit[] = [];
  for (const { page, isQuiet } of findPages(folder)) {
    try {
      if (isQuiet && isUnchanged(folder, page)) continue;
      const edit = await scanPage(folder, page, () => rendered(page));
      if (edit !== null) edits.push(edit);
    } catch (error) {
      if (error instanceof OkaError && error.code === 'disk-full') throw error;
      folder.log?.(`.oka/${page} is left alone: ${messageOf(error)}`);
    }
  }
  return edits;
}

type FoundPage = { page: string; isQuiet: boolean };

/** Existing pages, and pages of which only replaced files are left; a page without replaced files is quiet. */
function findPages({ oka }: PagesFolder): FoundPage[] {
  const found = PAGES.flatMap(({ folder, name }) => {
    const replaced = new Set(listNames(join(oka, folder, '.replaced')).map((each) => each.replace(/\.[^.]+$/, '')));
    const names = [...replaced.union(new Set(listNames(join(oka, folder))))].filter((each) => name.test(each));
    return names.map((each) => ({ page: `${folder}/${each}`, isQuiet: !replaced.has(each) }));
  });
  return found.toSorted((a, b) => (a.page < b.page ? -1 : 1));
}

function isUnchanged(folder: PagesFolder, page: string): boolean {
  const place = pagePlace(folder, page);
  return signatureOf(place.file) === readPageState(place).signature;
}

async function scanPage(folder: PagesFolder, page: string, rendered: () => string | null): Promise<PageEdit | null> {
  const place = pagePlace(folder, page);
  repairPage(place);
  const late = findLateWrites(folder, place);
  const seen = readPageState(place);
  const signature = signatureOf(place.file);
  const isAsLeft = signature === null || signature === seen.signature;
  if (isAsLeft && late.length === 0) return null;
  if (!isAsLeft) await waitUntilQuiet(folder, place.file);
  const bytes = isAsLeft ? null : readPageBytes(place.file);
  const files: SavedFile[] = [...late, ...(bytes === null ? [] : [{ bytes, from: null }])];
  const edit = combineEdits(folder, page, rendered() ?? '', files);
  if (edit === null) {
    for (const { id, bytes } of late) recordAccounted(place, id, bytes);
    writePageState(place, { signature: bytes === null ? seen.signature : signature, told: [] });
  } else writePageState(place, { ...seen, told: files.map(({ bytes }) => checksumOf(bytes)) });
  return edit;
}

type LateWrite = SavedFile & { id: string };

/** Replaced files that were changed since, or never accounted for. */
function findLateWrites({ lateMs = 3_600_000 }: PagesFolder, place: PagePlace): LateWrite[] {
  return listReplaced(place).flatMap((id) => {
    const bytes = readPageBytes(replacedFile(place, id));
    const was = accountedBytes(place, id);
    if (bytes === null) return [];
    if (was?.equals(bytes) !== true) return [{ id, bytes, from: was }];
    if (Math.abs(Date.now() - replacedAt(id)) > lateMs) {
      removeReplaced(place, id);
      removeAccounted(place, id);
    }
    return [];
  });
}
