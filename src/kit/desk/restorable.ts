/** Owns: whether snapshots of a folder outside the desk can be taken often enough for undo to restore it. */
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf } from '../../core/schema/errors.ts';

const MOST_ENTRIES = 20_000;
const MOST_BYTES = 1024 ** 3;
const MOST_FILE_BYTES = 256 * 1024 ** 2;
const KNOWN_MS = 120_000;

const known = new Map<string, { at: number; isRestorable: boolean }>();

/** An answer is good for two minutes: to know it, all files have to be counted. */
export function isRestorable(folder: string): boolean {
  const before = known.get(folder);
  const now = performance.now();
  if (before !== undefined && now - before.at < KNOWN_MS) return before.isRestorable;
  const answer = isSmallEnough(folder);
  known.set(folder, { at: now, isRestorable: answer });
  return answer;
}

function isSmallEnough(folder: string): boolean {
  const pending = [folder];
  let [entries, bytes] = [0, 0];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    for (const entry of listFolder(next)) {
      entries += 1;
      const path = join(next, entry.name);
      if (entry.isDirectory()) pending.push(path);
      const size = entry.isFile() ? sizeOf(path) : 0;
      bytes += size;
      if (entries > MOST_ENTRIES || bytes > MOST_BYTES || size > MOST_FILE_BYTES) return false;
    }
  }
  return true;
}

function listFolder(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return []; // a command cannot change it, either
  }
}

function sizeOf(file: string): number {
  return lstatSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
