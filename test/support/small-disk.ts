/** Disks that are soon full, where the one who runs the tests may mount them. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const mayMount = process.getuid?.() === 0 && isMounted();

export function mountSmall(folder: string, limits = 'size=1m'): void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', limits, 'tmpfs', folder]);
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
