/** Disks that are soon full, where the one who runs the tests may mount them. */
import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const mayMount = process.getuid?.() === 0 && isMounted();

export function mountSmall(folder: string, limits = 'size=1m'): void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', limits, 'tmpfs', folder]);
}

const ballastIn = (folder: string): string => join(folder, 'ballast');

/** Leaves no byte on the disk of this folder. */
export function fillDisk(folder: string): void {
  const opened = openSync(ballastIn(folder), 'w');
  for (const size of [1_048_576, 4096, 1]) writeUntilFull(opened, Buffer.alloc(size));
  closeSync(opened);
}

export const freeDisk = (folder: string): void => rmSync(ballastIn(folder), { force: true });

function writeUntilFull(opened: number, chunk: Buffer): void {
  for (;;)
    try {
      writeSync(opened, chunk);
    } catch {
      return; // ENOSPC
    }
}

/** At once, also while files in it are open. */
export function unmount(folder: string): void {
  execFileSync('umount', ['--lazy', folder]);
}

function isMounted(): boolean {
  const there = mkdtempSync(join(tmpdir(), 'oka-mount-'));
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', there]);
  if (status === 0) unmount(there);
  rmdirSync(there);
  return status === 0;
}
