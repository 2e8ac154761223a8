/**
 * Owns: that what is in `.oka` is readable by its user only. New files are created so (core/ledger/disk.ts); homes of older
 * versions are tightened when they are started.
 *
 * Does not own: `.oka/tools`, whose many files nobody else reaches either, since `.oka` itself is closed.
 */
import { chmodSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { lstatIfPresent } from '../../core/ledger/disk.ts';
import type { Home } from '../../core/schema/home.ts';

const FOR_OTHERS = 0o077;

/** Only reads the entries of `.oka` when nothing is open to others. */
export function tightenFiles({ oka }: Home): void {
  const isOpen = tighten(oka);
  for (const name of listNames(oka)) {
    const path = join(oka, name);
    const wasOpen = tighten(path);
    if ((isOpen || wasOpen) && name !== 'tools') tightenBelow(path);
  }
}

function tightenBelow(folder: string): void {
  if (lstatIfPresent(folder)?.isDirectory() !== true) return;
  for (const name of listNames(folder)) {
    const path = join(folder, name);
    tighten(path);
    tightenBelow(path);
  }
}

/** Whether others had access. Links are left alone, and so is what this user may not change: a mounted folder of rules. */
function tighten(path: string): boolean {
  const found = lstatIfPresent(path);
  if (found === undefined || !(found.isFile() || found.isDirectory()) || (found.mode & FOR_OTHERS) === 0) return false;
  try {
    chmodSync(path, found.mode & 0o700);
  } catch {
    return false;
  }
  return true;
}

function listNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // none, or of another user
  }
}
