/** Owns: listing what lies in workspace/inbox and was not taken yet, for those who show it. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf } from '../../core/schema/errors.ts';
import { newFolder, REJECTED } from './inbox-folders.ts';

/** At most `most` names, and how many there are in all. */
export function listUntaken(inbox: string, most: number): { total: number; names: string[] } {
  const dropped = namesIn(inbox).filter((name) => name !== REJECTED && !name.startsWith('.'));
  const added = namesIn(newFolder(inbox)).filter((name) => !name.startsWith('.'));
  const names = [...added.flatMap((name) => namesIn(join(newFolder(inbox), name))), ...dropped].toSorted();
  return { total: names.length, names: names.slice(0, most) };
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EACCES'].includes(errnoOf(error) ?? '')) return [];
    throw error;
  }
}
