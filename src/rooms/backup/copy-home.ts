/** Owns: a copy of a home that another version can be tried with, made while the worker runs. The desk is not in it. */
import { constants, copyFileSync, linkSync, mkdirSync, symlinkSync, truncateSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { errnoOf } from '../../core/schema/errors.ts';
import type { Home } from '../../core/schema/home.ts';
import { homeFiles, ledgerFiles } from './home-files.ts';
import { ledgerEnd } from './make-backup.ts';

/** Large, and never changed in place: both homes can have the same file. */
const SHARED = /^\.oka\/(?:artifacts|tools|undo)\//;

export function copyHome(home: Home, to: string, signal: AbortSignal): void {
  mkdirSync(to, { recursive: true, mode: 0o700 });
  for (const { pen, path } of ledgerFiles(home)) {
    const end = ledgerEnd(home.ledgers[pen]);
    if (end === null) continue;
    mkdirSync(dirname(join(to, path)), { recursive: true, mode: 0o700 });
    copy(join(home.dir, path), join(to, path));
    truncateSync(join(to, path), end.bytes);
  }
  for (const found of homeFiles(home, { withDesk: false })) {
    signal.throwIfAborted();
    const [from, target] = [join(home.dir, found.path), join(to, found.path)];
    if (found.kind === 'folder') mkdirSync(target, { recursive: true, mode: found.mode });
    else if (found.kind === 'link') symlinkSync(found.to, target);
    else if (found.kind === 'file')
      ignoringGone(() => (SHARED.test(found.path) ? share(from, target) : copy(from, target)));
  }
}

const copy = (from: string, to: string): void => copyFileSync(from, to, constants.COPYFILE_FICLONE);

function share(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') throw error;
    copy(from, to); // another file system, or one without links
  }
}

/** A file that went meanwhile is not part of the copy. */
function ignoringGone(act: () => void): void {
  try {
    act();
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
  }
}
