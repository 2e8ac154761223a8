/**
 * Owns: whether there is disk space to work with. A full disk is reported once, and nothing is started meanwhile. Whether
 * there is space again is tested by writing, since the figures about a disk do not include a quota.
 */
import { randomBytes } from 'node:crypto';
import { rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../../core/ledger/disk.ts';
import { errnoOf, OkaError } from '../../core/schema/errors.ts';
import type { Home } from '../../core/schema/home.ts';
import { pause } from '../pause.ts';

export type DiskSpace = {
  /** Whether this went wrong for want of space; then it is short from now on. */
  ranOut: (error: unknown) => boolean;
  isShort: () => boolean;
};

type SpacePorts = {
  log: (line: string) => void;
  /** Called when there is space again. */
  onRecovery: () => void;
  pollMs?: number;
};

const FULL = 'the disk is full: nothing is started until there is space again';
const FREED = 'there is space again: work continues';
const POLL_MS = 2000;
/** For the events and the result of a task or two. */
const ENOUGH_BYTES = 1024 * 1024;
const USED_UP_BYTES = 64 * 1024;

export function watchDiskSpace(home: Home, { log, onRecovery, pollMs = POLL_MS }: SpacePorts): DiskSpace {
  let short = false;
  let checkedAt = Number.NEGATIVE_INFINITY;
  const runOut = (): void => {
    if (!short) log(FULL);
    short = true;
  };
  const check = (): void => {
    if (!short && isUsedUp(home)) runOut();
    else if (short && hasSpace(home)) {
      short = false;
      log(FREED);
      onRecovery();
    }
  };
  return {
    ranOut(error) {
      if (isAboutSpace(error)) runOut();
      return isAboutSpace(error);
    },
    isShort() {
      if (performance.now() - checkedAt >= pollMs) {
        check();
        checkedAt = performance.now();
      }
      return short;
    },
  };
}

/**
 * Does work that a full disk may end before anybody watches it, such as a start: it is done again when there is space.
 * Undefined when it was stopped before that.
 */
export async function onceThereIsSpace<T>(
  home: Home,
  { log, signal, pollMs = POLL_MS }: Pick<SpacePorts, 'log' | 'pollMs'> & { signal: AbortSignal },
  work: () => Promise<T>,
): Promise<T | undefined> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isAboutSpace(error)) throw error;
    }
    log(FULL);
    do await pause(pollMs, signal);
    while (!signal.aborted && !hasSpace(home));
    if (signal.aborted) return undefined;
    log(FREED);
  }
}

/** Checked before any write has failed: a command may be waiting for space to record how it ended. */
function isUsedUp({ oka, workspace }: Home): boolean {
  return [oka, workspace].some((folder) => {
    try {
      const { bavail, bsize } = statfsSync(folder);
      return bavail * bsize < USED_UP_BYTES;
    } catch {
      return false; // a disk that does not say is full when a write fails
    }
  });
}

/** The two may be on disks of their own. */
function hasSpace({ oka, workspace }: Home): boolean {
  return [join(oka, 'state'), join(workspace, 'outbox')].every((folder) => canWrite(join(folder, '.space')));
}

function canWrite(file: string): boolean {
  try {
    replaceFile(file, randomBytes(ENOUGH_BYTES));
    return true;
  } catch (error) {
    return !isAboutSpace(error); // any other failure is reported by whoever runs into it
  } finally {
    rmSync(file, { force: true });
  }
}

export function isAboutSpace(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const isFull = error instanceof OkaError && error.code === 'disk-full';
  return isFull || ['ENOSPC', 'EDQUOT'].includes(errnoOf(error) ?? '') || isAboutSpace(error.cause);
}
