/**
 * Owns: one scan of a workspace: walk the files, compare them with the tree, store what the walk saw for the next one.
 * Does not own: recording the difference (rooms/context/tree).
 */
import { closeSync, mkdirSync, openSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { errnoOf, OkaError } from '../../../core/schema/errors.ts';
import type { FolderRow } from '../model/tree-rows.ts';
import { type Difference, diffTree } from './diff-tree.ts';
import { encodeCache, readCache } from './stat-cache.ts';
import { walkWorkspace, type Walked, type WalkOptions } from './walk-workspace.ts';

type ScanRequest = Omit<WalkOptions, 'cache' | 'clock'> & {
  /** Where the stat cache is stored. */
  cacheFile: string;
  /** Lets the tree as it is known be read by path; the rows are up to date meanwhile. */
  compare: (work: (known: (path: string) => FolderRow | undefined) => Difference) => Promise<Difference>;
  signal?: AbortSignal | undefined;
  onProgress?: ((files: number) => void) | undefined;
};

type Scanned = Difference & { read: number; vanished: number };

/** How long the walk works before others get their turn. */
const SLICE_MS = 15;

export async function scanWorkspace(request: ScanRequest): Promise<Scanned> {
  const before = readCache(request.cacheFile);
  const walked = await driveWalk(walkWorkspace({ ...request, cache: before, clock: Date.now }), request);
  const difference = await request.compare((known) => diffTree(before, walked.cache, known));
  if (walked.isChanged) storeCache(request.cacheFile, encodeCache(walked.cache));
  else noteScan(request.cacheFile);
  return { ...difference, read: walked.read, vanished: walked.vanished };
}

async function driveWalk(walk: Generator<number, Walked>, request: ScanRequest): Promise<Walked> {
  let since = performance.now();
  try {
    for (;;) {
      const next = walk.next();
      if (next.done === true) return next.value;
      if (performance.now() - since < SLICE_MS) continue;
      request.onProgress?.(next.value);
      await setImmediate();
      request.signal?.throwIfAborted();
      since = performance.now();
    }
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    throw new OkaError('usage', `${request.root} cannot be scanned: ${errnoOf(error)}`, {
      fix: 'Check the folder of the workspace, and tree.roots in .oka/rules/config.json.',
      cause: error,
    });
  }
}

/** A cache that cannot be written costs the next scan time, and nothing else. */
function storeCache(file: string, parts: readonly Uint8Array[]): void {
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    mkdirSync(dirname(file), { recursive: true });
    writeParts(temporary, parts);
    renameSync(temporary, file);
  } catch {
    rmSync(temporary, { force: true });
  }
}

function writeParts(file: string, parts: readonly Uint8Array[]): void {
  const fd = openSync(file, 'w');
  try {
    for (const part of parts) writeFileSync(fd, part);
  } finally {
    closeSync(fd);
  }
}

/** The time of the cache is the time of the last scan, also of one that found nothing new. */
function noteScan(file: string): void {
  try {
    const now = new Date();
    utimesSync(file, now, now);
  } catch {
    // There is no cache, or it is on a read-only mount.
  }
}
