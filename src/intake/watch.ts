/**
 * Owns: watching the inbox for hints, and noticing that it is another folder by now. The only door to chokidar.
 * Does not own: what lies in it (scan.ts); a hint that never comes costs time and nothing else.
 */
import { statSync } from 'node:fs';
import type { FSWatcher } from 'chokidar';
import { errnoOf, messageOf } from '../schema/errors.ts';
import { newFolder } from './places.ts';

/** `replaced` says that another one was watched until now. */
export type Found = { kind: 'same' } | { kind: 'gone' } | { kind: 'new'; identity: string; replaced: boolean };

export type Listener = {
  hint: () => void;
  /** Hints may be missing from now on. */
  trouble: (text: string) => void;
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

  /** One that is not the same any more is no longer watched. */
  look(): Found {
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
    const { hint, trouble } = this.#listener;
    const folders = [this.#folder, newFolder(this.#folder)];
    const { watch } = await import('chokidar'); // only a worker should pay for it
    if (this.#closed) return null;
    // Files are not its matter: one watch for each folder, whose raw events are hints enough.
    const watcher = watch(folders, {
      depth: 0,
      ignoreInitial: true,
      followSymlinks: false,
      ignored: (path: string) => !folders.includes(path),
    });
    watcher.on('raw', hint).on('all', hint).on('ready', hint);
    watcher.on('error', (error) => trouble(messageOf(error)));
    return watcher;
  }
}

/** Null when it is not there or no folder. */
function identityOf(folder: string): string | null {
  try {
    const stats = statSync(folder);
    return stats.isDirectory() ? `${stats.dev} ${stats.ino} ${stats.birthtimeMs}` : null; // inodes are given out again
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return null;
    throw error;
  }
}
