/** A real desk and its shadow, and trees of files as plain values. */
import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Step } from '../../src/kit/desk/plan-undo.ts';
import { openSnapshots, type Snapshots, type SnapshotOptions } from '../../src/kit/desk/snapshots.ts';
import { memoryFolder } from './test-folders.ts';

/** By path: text of a file, what a link leads to, or null for a folder. */
export type Files = Record<string, string | { link: string } | { text: string; mode: number } | null>;

export class TestDesk implements Disposable {
  readonly home = memoryFolder('oka-desk-');
  readonly dir = join(this.home, 'desk');
  readonly store = join(this.home, 'undo');
  readonly options: Partial<SnapshotOptions>;
  shadow: Snapshots;

  constructor(files: Files = {}, options: Partial<SnapshotOptions> = {}) {
    mkdirSync(this.dir);
    this.options = options;
    this.shadow = this.reopened();
    this.put(files);
  }

  reopened(): Snapshots {
    this.shadow = openSnapshots({ store: this.store, desk: this.dir, ...this.options });
    return this.shadow;
  }

  at(...parts: string[]): string {
    return join(this.dir, ...parts);
  }

  put(files: Files): void {
    for (const [path, what] of Object.entries(files)) {
      mkdirSync(dirname(this.at(path)), { recursive: true });
      if (what === null) mkdirSync(this.at(path), { recursive: true });
      else if (typeof what === 'string') writeFileSync(this.at(path), what);
      else if ('link' in what) symlinkSync(what.link, this.at(path));
      else {
        writeFileSync(this.at(path), what.text);
        chmodSync(this.at(path), what.mode);
      }
    }
  }

  remove(...paths: string[]): void {
    for (const path of paths) rmSync(this.at(path), { recursive: true });
  }

  clear(): void {
    for (const name of readdirSync(this.dir, { encoding: 'buffer' }))
      rmSync(Buffer.concat([Buffer.from(`${this.dir}/`), name]), { recursive: true });
  }

  /** What a run does, as a step that can be undone. */
  async step(act: () => void): Promise<Step> {
    const before = (await this.shadow.snapshot('before')).tree;
    act();
    return { before, after: (await this.shadow.snapshot('after')).tree };
  }

  /** Everything that is there. */
  state(): Record<string, string> {
    return stateOf(this.dir);
  }

  read(path: string): string {
    return readFileSync(this.at(path), 'utf8');
  }

  [Symbol.dispose](): void {
    rmSync(this.home, { recursive: true, force: true });
  }
}

/** Names are bytes, read as Latin-1. */
export function stateOf(folder: string, at = ''): Record<string, string> {
  const state: Record<string, string> = {};
  const placed = (path: string): Buffer => Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(path, 'latin1')]);
  for (const name of readdirSync(placed(at), { encoding: 'latin1' }).toSorted()) {
    const path = at === '' ? name : `${at}/${name}`;
    const stats = lstatSync(placed(path));
    const mode = (stats.mode & 0o777).toString(8);
    if (stats.isDirectory()) Object.assign(state, { [path]: `folder ${mode}` }, stateOf(folder, path));
    else if (stats.isSymbolicLink()) state[path] = `link ${readlinkSync(placed(path))}`;
    else state[path] = `file ${mode} ${readFileSync(placed(path), 'latin1')}`;
  }
  return state;
}
