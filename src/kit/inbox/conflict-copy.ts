/**
 * Owns: recognising the copies that sync programs make of a file that two machines have changed. Run as tasks, they
 * would do the same thing twice.
 */
import { parse } from 'node:path';

/** `isCertain`: only a sync program gives such a name; otherwise it counts only if the original is a task, too. */
type ConflictCopy = { original: string; isCertain: boolean };

const CERTAIN = [
  / \([^()]*(?:conflicted copy|case conflict|sync conflict|conflict copy|SFConflict)[^()]*\)(?: ?\(\d+\))?$/i, // Dropbox, Nextcloud, Seafile
  / ?\(conflict(?:ed)?[^()]*\)$/i,
  /\.sync-conflict-\d{8}-\d{6}-[A-Z0-9]{7}$/, // Syncthing
  /[_-]conflict-\d{8}-\d{6}$/i, // ownCloud
  /\.conflict$/i, // Resilio
  /-(?:DESKTOP|LAPTOP)-[A-Z0-9]{5,8}(?:-\d+)?$/, // OneDrive, with the name that Windows gives a computer
];

const POSSIBLE = [
  / \d{1,2}$/, // iCloud
  / ?\(\d{1,2}\)$/, // Google Drive
  /-[A-Z][A-Z0-9-]{2,14}$/, // OneDrive, with any name of a computer
  /-[A-Za-z0-9-]{1,20}-(?:PC|Mac|MacBook(?:-(?:Air|Pro))?|iMac|iPad|iPhone)$/,
];

export function conflictCopyOf(name: string): ConflictCopy | null {
  const { name: stem, ext } = parse(name);
  const originalOf = (shape: RegExp): string | null => {
    const start = stem.search(shape);
    return start > 0 ? `${stem.slice(0, start)}${ext}` : null;
  };
  const certain = CERTAIN.map(originalOf).find((each) => each !== null);
  if (certain !== undefined && certain !== null) return { original: certain, isCertain: true };
  const possible = POSSIBLE.map(originalOf).find((each) => each !== null);
  return possible === undefined || possible === null ? null : { original: possible, isCertain: false };
}

export const conflictReason = ({ original }: ConflictCopy): string =>
  `its name is that of a conflict copy, which sync programs make when ${original} has changed in two places; if it is a task of its own, give it another name`;
