/** What a walk knows of one entry of a folder, as a code that fits into the stat cache. */
import type { TreeKind } from '../../../core/schema/tree.ts';

export const FILE = 0;
export const FOLDER = 1;
export const LINK = 2;
export const UNREADABLE = 3;
export const TOO_LARGE = 4;
export const SPECIAL = 5;
export const SECRET_NAME = 6;
/** Entries with this code or a higher one are not in the tree. */
export const IGNORED = 7;
export const VANISHED = 8;

export const isInTree = (code: number): boolean => code < IGNORED;

export const kindOfCode = (code: number): TreeKind =>
  code === FILE ? 'file' : code === FOLDER ? 'folder' : code === LINK ? 'link' : 'skipped';

const reasons: Readonly<Record<number, string>> = {
  [UNREADABLE]: 'it cannot be read',
  [TOO_LARGE]: 'it is too large',
  [SPECIAL]: 'it is not a regular file',
  [SECRET_NAME]: 'its name contains a secret',
};

/** Why an entry was recorded without being read; undefined for others. */
export const reasonOfCode = (code: number): string | undefined => reasons[code];
