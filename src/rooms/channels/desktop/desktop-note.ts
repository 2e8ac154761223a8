/** Owns: the note of a worker that it notifies on its desktop without a setting (desktop-here.ts). */
import { readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeFolder, replaceFile } from '../../../core/ledger/disk.ts';
import { penHolder } from '../../../core/ledger/pen.ts';
import type { Home } from '../../../core/schema/home.ts';

const noteFile = (home: Home): string => join(home.oka, 'state', 'desktop-channel');

/** Notes for other processes whether this worker notifies on its desktop. A full disk loses the note, no more. */
export function noteDesktop(home: Home, isServed: boolean): void {
  try {
    makeFolder(dirname(noteFile(home)), 0o700);
    if (isServed) replaceFile(noteFile(home), `${process.pid}\n`, { mode: 0o600 });
    else rmSync(noteFile(home), { force: true });
  } catch {
    // it is missing in the list of channels, and works
  }
}

/** Whether the worker that runs now notifies on its desktop; what a dead one has left does not count. */
export function isDesktopServed(home: Home): boolean {
  try {
    return Number(readFileSync(noteFile(home), 'utf8')) === penHolder(home.ledgers.run)?.pid;
  } catch {
    return false;
  }
}
