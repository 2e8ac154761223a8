/**
 * Owns: making one backup of a home, while its worker runs.
 *
 * M1 A ledger is cut after its last record that is on disk. It is read before everything that it refers to: artifacts come
 *    before the events that name them, so what the backup has of a ledger is never ahead of its artifacts.
 * M2 A file that is as it was at the last backup is not read again.
 * M3 One that changes while it is read is read again, and left out, by name, if it does not come to rest.
 */
import { hash } from 'node:crypto';
import { closeSync, constants, fdatasyncSync, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { closeHistory, openHistory } from '../../core/ledger/history.ts';
import { lastPositionIn } from '../../core/ledger/seek.ts';
import { messageOf, OkaError } from '../../core/schema/errors.ts';
import type { Home } from '../../core/schema/home.ts';
import { readIdentity } from '../../kit/home/home-identity.ts';
import { programVersion } from '../../kit/settings.ts';
import type { BackupConfig } from './backup-config.ts';
import {
  type BackedUpFile,
  type BackupStore,
  type LedgerEnd,
  openStore,
  prepareStore,
  readState,
  removeState,
  type Seal,
  type State,
  stateTimes,
} from './backup-store.ts';
import { homeFiles, ledgerFiles } from './home-files.ts';
import { statesToKeep } from './keep-states.ts';

export type BackupWish = Pick<BackupConfig, 'keep' | 'desk'> & {
  dir: string;
  recovery: string;
  crypt: Seal;
  keys: State['keys'];
  signal: AbortSignal;
  onProgress: (bytes: number) => void;
};

export type MadeBackup = {
  at: string;
  dir: string;
  files: number;
  bytes: number;
  /** Bytes that this backup has added to the folder. */
  added: number;
  events: number | null;
  left: State['left'];
  removed: number;
};

const PIECE_BYTES = 4 * 1024 * 1024;

export async function makeBackup(home: Home, wish: BackupWish): Promise<MadeBackup> {
  const { dir, crypt } = wish;
  const id = readIdentity(home)?.id ?? null;
  prepareStore(dir, id, wish.recovery);
  const store = await openStore(dir, crypt);
  const [latest] = stateTimes(dir);
  const before = latest === undefined ? null : await readState(dir, latest, crypt).catch(() => null); // then all is read
  const known = new Map(before?.files.map((file) => [file.path, file]));
  const state: State = {
    v: 1,
    at: nextTime(latest).toISOString(),
    home: id,
    version: programVersion(),
    ledger: null,
    files: [],
    left: [],
    keys: wish.keys,
  };
  const copy = copier(home, store, known, wish);
  for (const { pen, path } of ledgerFiles(home)) {
    const end = ledgerEnd(home.ledgers[pen]);
    if (end === null) continue;
    state.files.push(await copy.upTo(path, end.bytes));
    if (pen === 'run') state.ledger = end.last;
  }
  for (const found of homeFiles(home, { withDesk: wish.desk })) {
    wish.signal.throwIfAborted();
    if (found.kind === 'left') state.left.push({ path: found.path, why: found.why });
    else if (found.kind !== 'file') state.files.push(found);
    else {
      const copied = await copy.whole(found);
      if ('why' in copied) state.left.push(copied);
      else state.files.push(copied);
    }
  }
  await store.finish(state);
  const removed = await sweepOld(dir, store, wish);
  const bytes = state.files.reduce((sum, file) => sum + (file.kind === 'file' ? file.size : 0), 0);
  return {
    at: state.at,
    dir,
    files: state.files.filter(({ kind }) => kind === 'file').length,
    bytes,
    added: copy.added(),
    events: state.ledger?.seq ?? null,
    left: state.left,
    removed,
  };
}

/** Later than the backup before it, whatever the clock says: the latest is the last that was made. */
function nextTime(latest: Date | undefined): Date {
  return new Date(Math.max(Date.now(), (latest?.getTime() ?? 0) + 1));
}

type Cut = { bytes: number; last: LedgerEnd | null };

/** How much of a ledger's live file is on disk for good (M1); null when there is none. Its archive never changes. */
export function ledgerEnd(file: string): Cut | null {
  const history = openHistory(file);
  if (history === null) return null;
  try {
    fdatasyncSync(history.live.fd);
    const last = lastPositionIn(history.live);
    if (last === null && history.live.size > 0)
      throw new OkaError('ledger-damaged', `${file}: the last record cannot be read`, { fix: 'Run: oka verify' });
    const bytes = last === null ? 0 : last.offset - history.live.base;
    return { bytes, last: last === null ? null : { ...last, at: new Date().toISOString() } };
  } finally {
    closeHistory(history);
  }
}

type PlainFile = Omit<Extract<BackedUpFile, { kind: 'file' }>, 'pieces'>;

function copier(home: Home, store: BackupStore, known: ReadonlyMap<string, BackedUpFile>, wish: BackupWish) {
  let added = 0;
  let done = 0;

  async function piecesOf(fd: number, size: number): Promise<string[]> {
    const pieces: string[] = [];
    const buffer = Buffer.allocUnsafe(Math.min(PIECE_BYTES, Math.max(size, 1)));
    for (let offset = 0; offset < size; ) {
      wish.signal.throwIfAborted();
      const want = Math.min(buffer.length, size - offset);
      const count = reading(() => readSync(fd, buffer, 0, want, offset));
      if (count === 0) throw new Shorter();
      const piece = buffer.subarray(0, count);
      const id = hash('sha256', piece);
      added += await store.add(id, piece);
      pieces.push(id);
      offset += count;
      done += count;
      wish.onProgress(done);
    }
    return pieces;
  }

  return {
    added: () => added,
    /** The first bytes of a file that grows at its end only. */
    upTo: async (path: string, size: number): Promise<BackedUpFile> => {
      const fd = openSync(join(home.dir, path), READ);
      try {
        const { mode, mtimeMs } = fstatSync(fd);
        return {
          path,
          kind: 'file',
          mode: mode & 0o7777,
          at: mtimeMs,
          size,
          stamp: '',
          pieces: await piecesOf(fd, size),
        };
      } finally {
        closeSync(fd);
      }
    },
    whole: async (found: PlainFile): Promise<BackedUpFile | { path: string; why: string }> => {
      const before = known.get(found.path);
      if (before?.kind === 'file' && before.stamp === found.stamp && before.pieces.every((id) => store.has(id)))
        return { ...found, pieces: before.pieces };
      for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
        const read = await readAtRest(join(home.dir, found.path), piecesOf);
        if (read.state === 'copied')
          return { ...found, size: read.size, at: read.at, stamp: read.stamp, pieces: read.pieces };
        if (read.state === 'failed') return { path: found.path, why: read.why };
      }
      return { path: found.path, why: 'it was being changed all the time' };
    },
  };
}

const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const ATTEMPTS = 3;

/** A file that became shorter while it was read. */
class Shorter extends Error {}
/** One that cannot be read: it is left out. Where a backup cannot be written, there is none. */
class Unreadable extends Error {}

function reading<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new Unreadable(messageOf(error));
  }
}

type ReadAtRest =
  | { state: 'copied'; pieces: string[]; size: number; at: number; stamp: string }
  | { state: 'changed' }
  | { state: 'failed'; why: string };

async function readAtRest(
  file: string,
  piecesOf: (fd: number, size: number) => Promise<string[]>,
): Promise<ReadAtRest> {
  let fd: number | null = null;
  try {
    fd = reading(() => openSync(file, READ));
    const before = fstatSync(fd);
    if (!before.isFile()) return { state: 'failed', why: 'it is no longer a file' };
    const pieces = await piecesOf(fd, before.size);
    const after = fstatSync(fd);
    if (before.size !== after.size || before.mtimeMs !== after.mtimeMs) return { state: 'changed' };
    const stamp = [after.ino, after.size, after.mtimeMs, after.ctimeMs].join(' ');
    return { state: 'copied', pieces, size: after.size, at: after.mtimeMs, stamp };
  } catch (error) {
    if (error instanceof Shorter) return { state: 'changed' };
    if (error instanceof Unreadable) return { state: 'failed', why: error.message };
    throw error;
  } finally {
    if (fd !== null) closeSync(fd);
  }
}

async function sweepOld(dir: string, store: BackupStore, { keep, crypt }: BackupWish): Promise<number> {
  const times = stateTimes(dir);
  const kept = statesToKeep(times, keep, new Date());
  const old = times.filter((at) => !kept.includes(at));
  if (old.length === 0) return 0;
  const states = await Promise.all(kept.map((at) => readState(dir, at, crypt)));
  for (const at of old) removeState(dir, at);
  await store.sweep(states);
  return old.length;
}
