/** Owns: whether the folders of a home, and keys beside it, belong to whoever works in them; reported before anything is tried. */
import { accessSync, constants, lstatSync, readdirSync, type Stats } from 'node:fs';
import { dirname, join } from 'node:path';
import { describeErrno } from '../../core/ledger/disk.ts';
import { errnoOf, OkaError } from '../../core/schema/errors.ts';
import { repairDeskMode } from '../desk/repair-modes.ts';
import { WRITTEN } from './maintenance-folder.ts';
import { isInContainer, shownPath, userPlaces } from '../settings.ts';
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

/** Keys are read by their owner alone: after another OKA_UID, volumes still have those of the user before. */
export function assertOwnKeys(egressKey: string): void {
  const { keys, notes } = userPlaces();
  const volumes = [dirname(dirname(keys)), dirname(dirname(notes)), dirname(egressKey)];
  const me = process.getuid?.() ?? 0;
  const foreign = [dirname(keys), dirname(notes), egressKey].flatMap(partsOf).find(({ uid }) => uid !== me);
  if (foreign === undefined) return;
  const owner = `${me}:${process.getgid?.() ?? me}`;
  const capabilities = '--cap-add CHOWN --cap-add DAC_READ_SEARCH';
  throw new OkaError('not-permitted', `${foreign.path} belongs to uid ${foreign.uid}, not to uid ${me}`, {
    fix: isInContainer()
      ? `If OKA_UID was changed: docker compose run --rm --no-deps --user 0:0 ${capabilities} --entrypoint chown init -R ${owner} ${[...new Set(volumes)].join(' ')}`
      : `If it is yours: sudo chown -R ${owner} ${foreign.path}`,
  });
}

/** A path with what is below it, or what keeps this user from looking; a folder of somebody else is not entered. */
function partsOf(path: string): { path: string; uid: number }[] {
  const found = existing(path);
  if (found === 'hidden') return partsOf(dirname(path));
  if (found === undefined) return [];
  const isEntered = found.isDirectory() && found.uid === process.getuid?.();
  const inside = isEntered ? readdirSync(path).flatMap((name) => partsOf(join(path, name))) : [];
  return [{ path, uid: found.uid }, ...inside];
}

function existing(path: string): Stats | 'hidden' | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (errnoOf(error) === 'EACCES') return 'hidden';
    throw error;
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
