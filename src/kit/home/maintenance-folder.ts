/**
 * Owns: .oka/maintenance, the folder for all files of maintenance, and the link to its ledger.
 * A process that may write this folder and no other of .oka cannot touch what the worker has written.
 */
import { readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describeErrno, lstatIfPresent, makeFolder, syncFolder } from '../../core/ledger/disk.ts';
import { archiveFolder } from '../../core/ledger/history.ts';
import { takePen } from '../../core/ledger/pen.ts';
import { errnoOf, OkaError } from '../../core/schema/errors.ts';
import type { Home } from '../../core/schema/home.ts';

const NAME = 'maintenance_ledger.jsonl';

/** Folders that maintenance writes besides its own. */
export const WRITTEN = ['brain', 'memory', 'intake'] as const;

export const maintenanceFolder = ({ ledgers }: Home): string => dirname(ledgers.maintenance);
export const learningFile = (home: Home): string => join(maintenanceFolder(home), 'books.sqlite');
export const pageStateFolder = (home: Home): string => join(maintenanceFolder(home), 'pages');

/** The name under which people know the ledger. */
export const ledgerLink = { at: `.oka/${NAME}`, to: `maintenance/${NAME}` } as const;

/** Creates the folder; a ledger that is still where only its link belongs is moved into it. */
export function prepareMaintenanceFolder(home: Home): void {
  makeFolder(maintenanceFolder(home));
  moveOldLedger(home);
  const at = join(home.dir, ledgerLink.at);
  if (lstatIfPresent(at) === undefined) attempt(at, () => symlinkSync(ledgerLink.to, at));
}

/** Segments first: a ledger without those before it would count as damaged. An interrupted move is continued here. */
function moveOldLedger(home: Home): void {
  const before = join(home.dir, ledgerLink.at);
  if (lstatIfPresent(before)?.isFile() !== true) return;
  if (lstatIfPresent(home.ledgers.maintenance) !== undefined)
    throw new OkaError('refused', `${before} and ${home.ledgers.maintenance} are both there`, {
      fix: 'Only one can be the ledger of maintenance: move the other one away.',
    });
  const pen = takePen(before, Date.now());
  try {
    moveSegments(archiveFolder(before), archiveFolder(home.ledgers.maintenance));
    renameSync(before, home.ledgers.maintenance);
    syncFolder(maintenanceFolder(home));
    syncFolder(home.oka);
  } catch (error) {
    throw describeErrno(error, before);
  } finally {
    pen.release();
  }
  for (const ending of ['', '-journal'])
    rmSync(join(home.oka, 'locks', `maintenance_ledger.lock${ending}`), { force: true });
}

function moveSegments(from: string, to: string): void {
  const names =
    lstatIfPresent(from) === undefined
      ? []
      : readdirSync(from).filter((name) => name.startsWith('maintenance_ledger.'));
  if (names.length === 0) return;
  makeFolder(to);
  for (const name of names) renameSync(join(from, name), join(to, name));
  syncFolder(to);
}

/** Where .oka itself is not writable there is no link; `oka init` creates it. */
function attempt(path: string, make: () => void): void {
  try {
    make();
  } catch (error) {
    if (!['EROFS', 'EACCES', 'EPERM', 'EEXIST'].includes(errnoOf(error) ?? '')) throw describeErrno(error, path);
  }
}
