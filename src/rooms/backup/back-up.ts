/** One backup at a time, noted for whoever asks when the last one was made. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder, replaceFile } from '../../core/ledger/disk.ts';
import { messageOf, OkaError } from '../../core/schema/errors.ts';
import type { Home } from '../../core/schema/home.ts';
import { withLock } from '../../kit/vault/vault-file.ts';
import { keysOf, machineSeal } from './backup-keys.ts';
import { readTag } from './backup-store.ts';
import { type BackupWish, type MadeBackup, makeBackup } from './make-backup.ts';

/** `at`: when the last good one was made. `problem`: why a later one was not. */
type LastBackup = { at: string | null; dir: string; added: number; problem: string | null };

const noteFile = ({ oka }: Home): string => join(oka, 'state', 'backup.json');

type Wish = Omit<BackupWish, 'crypt' | 'keys'>;

export async function backUp(home: Home, wish: Wish): Promise<MadeBackup> {
  return alone(home, () => makeNoted(home, wish));
}

/** One that goes on to somewhere else: whether it has arrived there is not known here, so it is not noted. */
export async function backUpUnnoted(home: Home, wish: Wish): Promise<MadeBackup> {
  return alone(home, () => make(home, wish));
}

const alone = (home: Home, work: () => Promise<MadeBackup>): Promise<MadeBackup> =>
  withLock(join(home.oka, 'locks', 'backup.lock'), work, 'making a backup');

async function make(home: Home, wish: Wish): Promise<MadeBackup> {
  const crypt = await machineSeal(home, wish.recovery);
  return makeBackup(home, { ...wish, crypt, keys: keysOf(home) });
}

async function makeNoted(home: Home, wish: Wish): Promise<MadeBackup> {
  try {
    assertMounted(home, wish.dir);
    const made = await make(home, wish);
    note(home, { at: made.at, dir: made.dir, added: made.added, problem: null });
    return made;
  } catch (error) {
    if (!wish.signal.aborted)
      note(home, {
        at: lastBackup(home)?.at ?? null,
        dir: wish.dir,
        added: 0,
        problem: messageOf(error).slice(0, 1000),
      });
    throw error;
  }
}

/** The empty mount point of a disk that is not there does not become a new folder of backups. */
function assertMounted(home: Home, dir: string): void {
  const last = lastBackup(home);
  if (last === null || last.at === null || last.dir !== dir || readTag(dir) !== null) return;
  throw new OkaError('refused', `${dir} had backups until ${last.at.slice(0, 10)}, and has none now`, {
    fix: 'Mount its disk. If they are really gone, name another folder: oka backup --to DIR',
  });
}

/** Null when none was ever tried here. */
export function lastBackup(home: Home): LastBackup | null {
  try {
    return JSON.parse(readFileSync(noteFile(home), 'utf8')) as LastBackup;
  } catch {
    return null; // there is none, or it is damaged: the next backup writes it again
  }
}

function note(home: Home, last: LastBackup): void {
  makeFolder(join(home.oka, 'state'), 0o700);
  replaceFile(noteFile(home), `${JSON.stringify(last)}\n`, { mode: 0o600 });
}
