/**
 * Owns: whether there is space to work in. That there is none is told once, and nothing is begun meanwhile; space is then
 * looked for by writing, since a quota shows in no figure about the disk.
 */
import { randomBytes } from 'node:crypto';
import { rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../../ledger/disk.ts';
import { errnoOf, OkaError } from '../../schema/errors.ts';
import type { Home } from '../../schema/home.ts';

export type DiskSpace = {
  /** Whether this went wrong for want of space; then it is short from now on. */
  ranOut: (error: unknown) => boolean;
  isShort: () => boolean;
};

export type SpacePorts = {
  tell: (line: string) => void;
  /** Called when there is space again. */
  isBack: () => void;
  lookEveryMs?: number;
};

const LOOK_EVERY_MS = 2000;
/** For the events and the result of a task or two. */
const ENOUGH_BYTES = 1024 * 1024;
const USED_UP_BYTES = 64 * 1024;

export function watchDiskSpace(home: Home, { tell, isBack, lookEveryMs = LOOK_EVERY_MS }: SpacePorts): DiskSpace {
  let short = false;
  let looked = Number.NEGATIVE_INFINITY;
  const runOut = (): void => {
    if (!short) tell('the disk is full: nothing is begun until there is space again');
    short = true;
  };
  const look = (): void => {
    if (!short && isUsedUp(home)) runOut();
    else if (short && hasSpace(home)) {
      short = false;
      tell('there is space again: work goes on');
      isBack();
    }
  };
  return {
    ranOut(error) {
      if (isAboutSpace(error)) runOut();
      return isAboutSpace(error);
    },
    isShort() {
      if (performance.now() - looked >= lookEveryMs) {
        look();
        looked = performance.now();
      }
      return short;
    },
  };
}

/** Before anybody has met it: a command may be waiting for space to say how it ended. */
function isUsedUp({ oka, workspace }: Home): boolean {
  return [oka, workspace].some((folder) => {
    try {
      const { bavail, bsize } = statfsSync(folder);
      return bavail * bsize < USED_UP_BYTES;
    } catch {
      return false;
    }
  });
}

/** The two may be on disks of their own. */
function hasSpace({ oka, workspace }: Home): boolean {
  return [join(oka, 'state'), join(workspace, 'outbox')].every((folder) => isRoomIn(join(folder, '.space')));
}

function isRoomIn(file: string): boolean {
  try {
    replaceFile(file, randomBytes(ENOUGH_BYTES));
    return true;
  } catch (error) {
    return !isAboutSpace(error); // whatever else is wrong is for whoever meets it to say
  } finally {
    rmSync(file, { force: true });
  }
}

export function isAboutSpace(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const isFull = error instanceof OkaError && error.code === 'disk-full';
  return isFull || ['ENOSPC', 'EDQUOT'].includes(errnoOf(error) ?? '') || isAboutSpace(error.cause);
}
