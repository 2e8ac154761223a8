/**
 * Owns: making a home again from a backup.
 *
 * B1 Nothing is overwritten: the folder is new or empty. Everything is made beside it and verified, and takes its place by
 *    one rename: whoever is killed leaves either nothing there, or the whole home.
 * B2 A restored home is paused and its channels are silent. Its original may still run somewhere: a person decides which one goes on.
 * B3 The ledgers are verified from their first event; the record they end with is the one that the backup names.
 */
import {
  chmodSync,
  closeSync,
  fsyncSync,
  lutimesSync,
  openSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createPrivateKey } from 'node:crypto';
import { basename, dirname, isAbsolute, join, normalize, resolve } from 'node:path';
import { signAnchor } from '../../core/ledger/anchor.ts';
import { listFolder, lstatIfPresent, makeFolder, replaceFile, syncFolder, writeAll } from '../../core/ledger/disk.ts';
import { verifyLedger } from '../../core/ledger/verify-ledger.ts';
import { OkaError } from '../../core/schema/errors.ts';
import type { Home } from '../../core/schema/home.ts';
import { penFile } from '../../kit/home/home-notes.ts';
import { pauseFile, restoredFile } from '../../kit/home/stop-files.ts';
import { homeAt } from '../../kit/settings.ts';
import { restoreKeys } from './backup-keys.ts';
import {
  type BackedUpFile,
  type BackupStore,
  openStore,
  readState,
  type Seal,
  type State,
  stateTimes,
} from './backup-store.ts';

type RestoreWish = {
  from: string;
  /** Begins the time of the backup, as `oka backup list` shows it; the latest without one. */
  at: string | undefined;
  /** Only these paths and what is below them; then the folder is no home. */
  only: readonly string[];
  crypt: Seal;
  signal: AbortSignal;
  onProgress: (bytes: number, total: number) => void;
};

export type Restored = {
  dir: string;
  at: string;
  files: number;
  bytes: number;
  events: number | null;
  left: State['left'];
  /** Where another key is in the place of the vault's; null when the vault can be opened. */
  otherKey: string | null;
  isHome: boolean;
};

export async function restoreBackup(home: Home, wish: RestoreWish): Promise<Restored> {
  assertEmpty(home.dir);
  const state = await readState(wish.from, chooseState(wish.from, wish.at), wish.crypt);
  const files = state.files.filter((file) => isChosen(file.path, wish.only));
  if (files.length === 0)
    throw new OkaError('usage', `the backup of ${state.at} has nothing at ${wish.only.join(', ')}`);
  const isHome = wish.only.length === 0;
  const beside = join(dirname(resolve(home.dir)), `.${basename(resolve(home.dir))}.restoring`);
  rmSync(beside, { recursive: true, force: true }); // what an interrupted restore has left
  makeFolder(beside, 0o700);
  const bytes = await writeFiles(beside, files, await openStore(wish.from, wish.crypt), wish);
  if (isHome) {
    const made = homeAt(beside);
    await assertLedger(made, state);
    for (const file of [pauseFile(made), restoredFile(made)])
      writeFileSync(file, `restored from the backup of ${state.at}; oka unpause lets it work\n`, { mode: 0o600 });
    anchorLedger(made, state);
  }
  syncFolder(beside);
  const otherKey = isHome ? restoreKeys(home, state.home, state.keys).vault : null;
  renameSync(beside, resolve(home.dir));
  syncFolder(dirname(resolve(home.dir)));
  const count = files.filter(({ kind }) => kind === 'file').length;
  return {
    dir: home.dir,
    at: state.at,
    files: count,
    bytes,
    events: state.ledger?.seq ?? null,
    left: state.left,
    otherKey,
    isHome,
  };
}

/** The backup whose time begins as given, the latest of several. */
function chooseState(from: string, wanted: string | undefined): Date {
  const times = stateTimes(from);
  const found = times.find((at) => wanted === undefined || at.toISOString().startsWith(wanted.toUpperCase()));
  if (found !== undefined) return found;
  throw new OkaError(
    'usage',
    wanted === undefined ? `there is no backup in ${from}` : `there is no backup of ${wanted} in ${from}`,
    {
      fix: `See them: oka backup list --to ${from}`,
    },
  );
}

function assertEmpty(dir: string): void {
  if (lstatIfPresent(dir) === undefined || listFolder(dir).length === 0) return;
  throw new OkaError('refused', `${dir} is not empty, and a restore overwrites nothing`, {
    fix: 'Name a new folder: oka restore --from … --dir NEW',
  });
}

const isChosen = (path: string, only: readonly string[]): boolean =>
  only.length === 0 ||
  only.some((each) => path === each.replace(/\/+$/, '') || path.startsWith(`${each.replace(/\/+$/, '')}/`));

async function writeFiles(
  dir: string,
  files: readonly BackedUpFile[],
  store: BackupStore,
  wish: RestoreWish,
): Promise<number> {
  const total = files.reduce((sum, file) => sum + (file.kind === 'file' ? file.size : 0), 0);
  let done = 0;
  for (const { path, kind } of files) if (kind === 'folder') makeFolder(inside(dir, path), 0o700);
  const firstPieceOf = (file: BackedUpFile): string =>
    file.kind === 'file' ? store.orderOf(file.pieces[0] ?? '') : '';
  const inOrder = files.toSorted((a, b) => (firstPieceOf(a) < firstPieceOf(b) ? -1 : 1));
  for (const file of inOrder) {
    wish.signal.throwIfAborted();
    const path = inside(dir, file.path);
    if (file.kind === 'folder') continue;
    makeFolder(dirname(path), 0o700);
    if (file.kind === 'link') {
      symlinkSync(file.to, path);
      lutimesSync(path, file.at / 1000, file.at / 1000);
      continue;
    }
    const fd = openSync(path, 'wx', 0o600);
    try {
      for (const id of file.pieces) {
        const piece = await store.read(id);
        writeAll(fd, piece);
        wish.onProgress((done += piece.length), total);
      }
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    chmodSync(path, file.mode);
    utimesSync(path, file.at / 1000, file.at / 1000);
  }
  const folders = files.filter(({ kind }) => kind === 'folder').toReversed(); // a folder is closed after what is in it
  for (const { path, mode, at } of folders) {
    syncFolder(inside(dir, path));
    chmodSync(inside(dir, path), mode);
    utimesSync(inside(dir, path), at / 1000, at / 1000);
  }
  return total;
}

/** A list says where files go: it was encrypted, and still leads nowhere else. */
function inside(dir: string, path: string): string {
  if (isAbsolute(path) || normalize(path) !== path || path.startsWith('..') || path === '.')
    throw new OkaError('invalid-file', `the backup names a path outside the home: ${path.slice(0, 200)}`);
  return join(dir, path);
}

async function assertLedger(home: Home, { ledger, at }: State): Promise<void> {
  const verdict = await verifyLedger(home.ledgers.run);
  const found = verdict.state === 'intact' ? `${verdict.events} ${verdict.head}` : verdict.state;
  if (
    ledger === null
      ? verdict.state !== 'absent' && found.split(' ')[0] !== '0'
      : found !== `${ledger.seq} ${ledger.hash}`
  )
    throw new OkaError('ledger-damaged', `the backup of ${at} has a ledger that is not intact: ${found}`, {
      fix: 'Restore an earlier one: oka backup list, then oka restore --state TIME',
    });
}

/** A ledger of a home that has a key is opened only with a signed note of its end. */
function anchorLedger(home: Home, { ledger, home: id, keys }: State): void {
  if (ledger === null || id === null || keys.home === null) return;
  const { seq, offset, hash, at } = ledger;
  const anchor = signAnchor({ v: 1, home: id, pen: 'run', seq, offset, hash, at }, createPrivateKey(keys.home));
  makeFolder(dirname(penFile(home, 'run')), 0o700);
  replaceFile(penFile(home, 'run'), `${JSON.stringify(anchor)}\n`, { durable: true, mode: 0o600 });
}
