/**
 * Owns: watching the inbox for changes, and noticing that the folder was replaced. The only door to chokidar.
 * Does not own: what is in it (scan-inbox.ts); a missed change only delays the next scan.
 */
import { statSync } from 'node:fs';
import type { FSWatcher } from 'chokidar';
import { errnoOf, messageOf } from '../../core/schema/errors.ts';
import { newFolder } from './inbox-folders.ts';

/** `replaced`: another folder was watched until now. */
type Found = { kind: 'same' } | { kind: 'gone' } | { kind: 'new'; identity: string; replaced: boolean };

type Listener = {
  hint: () => void;
  /** Changes may be missed from now on. */
  problem: (text: string) => void;
};

export class WatchedFolder {
  readonly #folder: string;
  readonly #listener: Listener;
  #watched: { identity: string; watcher: Promise<FSWatcher | null> } | null = null;
  #closed = false;

  constructor(folder: string, listener: Listener) {
    this.#folder = folder;
    this.#listener = listener;
  }

  /** Compares the folder with the watched one; a folder that was replaced is no longer watched. */
  check(): Found {
    const identity = identityOf(this.#folder);
    if (identity === this.#watched?.identity) return { kind: 'same' };
    if (this.#watched !== null) void this.#watched.watcher.then((watcher) => watcher?.close());
    const replaced = this.#watched !== null;
    this.#watched = null;
    return identity === null ? { kind: 'gone' } : { kind: 'new', identity, replaced };
  }

  watch(identity: string): void {
    this.#watched = { identity, watcher: this.#open() };
  }

  async close(): Promise<void> {
    this.#closed = true;
    await (await this.#watched?.watcher)?.close();
  }

  async #open(): Promise<FSWatcher | null> {
    const { hint, problem } = this.#listener;
    const folders = [this.#folder, newFolder(this.#folder)];
    const { watch } = await import('chokidar'); // loaded here so that only a worker pays for it
    if (this.#closed) return null;
    // One watch per folder is enough; any raw event triggers a scan.
    const watcher = watch(folders, {
      depth: 0,
      ignoreInitial: true,
      followSymlinks: false,
      ignored: (path: string) => !folders.includes(path),
    });
    watcher.on('raw', hint).on('all', hint).on('ready', hint);
    watcher.on('error', (error) => problem(messageOf(error)));
    return watcher;
  }
}

/** Null if it does not exist or is not a folder. */
function identityOf(folder: string): string | null {
  try {
    const stats = statSync(folder);
    return stats.isDirectory() ? `${stats.dev} ${stats.ino} ${stats.birthtimeMs}` : null; // inodes are reused
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return null;
    throw error;
  }
}
