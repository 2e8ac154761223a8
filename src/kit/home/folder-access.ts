/** Owns: whether the folders of a home belong to whoever works in them; reported before anything is tried. */
import { accessSync, constants, lstatSync } from 'node:fs';
import { join } from 'node:path';
import { describeErrno } from '../../core/ledger/disk.ts';
import { errnoOf, OkaError } from '../../core/schema/errors.ts';
import { repairDeskMode } from '../desk/repair-modes.ts';
import { WRITTEN } from './maintenance-folder.ts';
import { isInContainer, shownPath } from '../settings.ts';
import type { Home } from '../../core/schema/home.ts';

const DESK = 'workspace/desk';
/** Whatever else is in them is made by whoever works there. */
const FOLDERS = [
  '.oka',
  '.oka/maintenance',
  ...WRITTEN.map((name) => `.oka/${name}`),
  'workspace',
  'workspace/inbox',
  'workspace/outbox',
  DESK,
];

/** Throws for the first folder that is there and cannot be used. */
export function assertFolderAccess(home: Home): void {
  for (const folder of FOLDERS) {
    const found = lstatSync(join(home.dir, folder), { throwIfNoEntry: false });
    const errno = found === undefined ? null : accessProblem(join(home.dir, folder));
    if (found === undefined || errno === null) continue;
    if (errno === 'EROFS')
      throw describeErrno(Object.assign(new Error(), { code: errno }), shownPath(home, join(home.dir, folder)));
    const me = process.getuid?.() ?? 0;
    if (folder === DESK && found.isDirectory() && found.uid === me) {
      repairDeskMode(join(home.dir, folder)); // a step may have done that
      continue;
    }
    throw new OkaError(
      'not-permitted',
      `${isInContainer() ? folder : join(home.dir, folder)} belongs to uid ${found.uid} and is not open to uid ${me}`,
      { fix: isInContainer() ? fixOutside(found, me) : `sudo chown -R ${me} ${join(home.dir, folder)}` },
    );
  }
}

function accessProblem(folder: string): string | null {
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return null;
  } catch (error) {
    return errnoOf(error) ?? 'EACCES';
  }
}

/** The folder belongs to the person on the host, or, if Docker made it, to root. */
function fixOutside({ uid, gid }: { uid: number; gid: number }, me: number): string {
  const own = `sudo chown -R ${me}:${process.getgid?.() ?? me} .oka workspace`;
  return uid === 0
    ? `On the host, beside docker-compose.yml: ${own}`
    : `On the host, beside docker-compose.yml, put OKA_UID=${uid} and OKA_GID=${gid} into .env (or: ${own})`;
}
