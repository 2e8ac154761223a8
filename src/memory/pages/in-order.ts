/** What has to be done with a page before anything else: mend what a crash left, wait for whoever is saving it. */
import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { lookAt, replaceFile } from '../../ledger/disk.ts';
import { bytesOf, linkNew, newFile, type PagesFolder, type Place, replacedFile, replacedIn } from './page-files.ts';
import { wasOf } from './remembered.ts';

/** The page was taken and nothing came into its place; or something stood there that has gone since. */
export function putInOrder(place: Place): void {
  const fresh = newFile(place);
  if (lookAt(fresh) === undefined) return;
  const found = lookAt(place.file);
  const id = replacedIn(place).at(-1);
  if (found !== undefined && !found.isFile()) return;
  const bytes = id === undefined || wasOf(place, id) !== null ? null : bytesOf(replacedFile(place, id));
  if (found === undefined && bytes !== null) replaceFile(fresh, bytes);
  if (found === undefined) linkNew(fresh, place.file);
  rmSync(fresh, { force: true });
}

/** Waits until nobody has saved it for a moment, but not for long. */
export async function quiet({ quietMs = 100 }: PagesFolder, file: string): Promise<void> {
  for (let tries = 0; tries < 10; tries += 1) {
    const age = Date.now() - (lookAt(file)?.mtimeMs ?? 0);
    if (age < 0 || age >= quietMs) return;
    await sleep(quietMs - age);
  }
}
