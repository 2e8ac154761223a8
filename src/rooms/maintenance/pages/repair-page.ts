/** Prepares a page for scanning or writing: repairs what a crash left, and waits for an editor that is saving it. */
import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { lstatIfPresent, replaceFile } from '../../../core/ledger/disk.ts';
import {
  readPageBytes,
  linkIfFree,
  pendingFile,
  type PagesFolder,
  type PagePlace,
  replacedFile,
  listReplaced,
} from '../../../kit/learning/page-files.ts';
import { accountedBytes } from './page-state.ts';

/** Puts the latest file back when the page was moved away and nothing replaced it. */
export function repairPage(place: PagePlace): void {
  const fresh = pendingFile(place);
  if (lstatIfPresent(fresh) === undefined) return;
  const found = lstatIfPresent(place.file);
  const id = listReplaced(place).at(-1);
  if (found !== undefined && !found.isFile()) return;
  const bytes = id === undefined || accountedBytes(place, id) !== null ? null : readPageBytes(replacedFile(place, id));
  if (found === undefined && bytes !== null) replaceFile(fresh, bytes);
  if (found === undefined) linkIfFree(fresh, place.file);
  rmSync(fresh, { force: true });
}

/** Waits until the page has not been saved for a moment, up to a limit. */
export async function waitUntilQuiet({ quietMs = 100 }: PagesFolder, file: string): Promise<void> {
  for (let tries = 0; tries < 10; tries += 1) {
    const age = Date.now() - (lstatIfPresent(file)?.mtimeMs ?? 0);
    if (age < 0 || age >= quietMs) return;
    await sleep(quietMs - age);
  }
}
