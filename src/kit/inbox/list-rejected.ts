/** Owns: listing what is in workspace/inbox/rejected, with the reason of each, for those who show it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf } from '../../core/schema/errors.ts';
import { rejectedFolder, shownNames } from './inbox-folders.ts';

type RejectedEntry = { name: string; reason: string };

const REASON = '.reason.md';

/** At most `most` entries, by name, and how many there are in all. An entry that was moved back or removed is not one. */
export function listRejected(inbox: string, most: number): { total: number; entries: RejectedEntry[] } {
  const folder = rejectedFolder(inbox);
  const present = new Set(shownNames(folder));
  const names = [...present].filter((name) => present.has(`${name}${REASON}`)).toSorted();
  const entries = names.slice(0, most).map((name) => ({ name, reason: readReason(join(folder, `${name}${REASON}`)) }));
  return { total: names.length, entries };
}

/** The first paragraph below the heading. */
function readReason(file: string): string {
  try {
    return readFileSync(file, 'utf8').split('\n\n')[1]?.trim() ?? '';
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return ''; // it was removed meanwhile, or is not readable
  }
}
