/** Owns: listing what lies in workspace/inbox and was not taken yet, for those who show it. */
import { join } from 'node:path';
import { newFolder, REJECTED, shownNames } from './inbox-folders.ts';

/** At most `most` names, and how many there are in all. */
export function listUntaken(inbox: string, most: number): { total: number; names: string[] } {
  const dropped = shownNames(inbox).filter((name) => name !== REJECTED && !name.startsWith('.'));
  const added = shownNames(newFolder(inbox)).filter((name) => !name.startsWith('.'));
  const names = [...added.flatMap((name) => shownNames(join(newFolder(inbox), name))), ...dropped].toSorted();
  return { total: names.length, names: names.slice(0, most) };
}
