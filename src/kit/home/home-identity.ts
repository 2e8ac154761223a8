/**
 * Owns: recognising a home that was set up before. Its id is in three places: `.oka/home.json`, its ledger
 * (`worker.started`), and this user's notes outside the home, which also contain its anchors (home-anchors.ts).
 *
 * N1 A folder that any of the three knows is a known home.
 * N2 Notes belong to an id and a folder: a copy of a home has its own, and those of a home that was moved move with it.
 * N3 Where the notes cannot be written, work goes on without them; `oka doctor` reports what that means.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder, replaceFile } from '../../core/ledger/disk.ts';
import { openHistory, closeHistory } from '../../core/ledger/history.ts';
import { readEvents } from '../../core/ledger/read-events.ts';
import { lastSeqOf } from '../../core/ledger/seek.ts';
import { errnoOf, messageOf, OkaError } from '../../core/schema/errors.ts';
import type { Home } from '../../core/schema/home.ts';
import { userPlaces } from '../settings.ts';
import { folderHash, listNotes, notesAbout, realFolder } from './home-notes.ts';

export type HomeIdentity = {
  id: string;
  /** The folder with this user's notes about the home; null when there is none and it cannot be made. */
  notes: string | null;
  /** Why there are no notes. */
  problem: string | null;
};

const idFile = ({ oka }: Home): string => join(oka, 'home.json');

/** Who knows this folder as a home. */
export type Marks = { folder: string | null; ledger: boolean; notes: { id: string; since: string }[] };

export function marksOf(home: Home): Marks {
  return {
    folder: readId(idFile(home)),
    ledger: hasEvents(home),
    notes: notesAbout(home).flatMap((name) => {
      const id = name.slice(0, name.indexOf('.'));
      const since = readNote(name)?.since;
      return since === undefined ? [] : [{ id, since }];
    }),
  };
}

export function isKnown({ folder, ledger, notes }: Marks): boolean {
  return folder !== null || ledger || notes.length > 0;
}

/** Gives a new home its id, and notes it for this user. An id that is there stays. */
export function identifyHome(home: Home, wanted?: string): HomeIdentity {
  const found = readId(idFile(home)) ?? wanted;
  const id = found ?? randomBytes(16).toString('hex');
  if (readId(idFile(home)) === null) {
    makeFolder(home.oka, 0o700);
    replaceFile(idFile(home), `${JSON.stringify({ id })}\n`, { durable: true, mode: 0o600 });
  }
  return withNotes(home, id);
}

/** Paths that were there when the home was last found complete; what is missing of them later was lost. */
export function contentsOf(home: Home): string[] {
  if (readId(idFile(home)) === null) return [];
  const { contains } = JSON.parse(readFileSync(idFile(home), 'utf8')) as { contains?: unknown };
  return Array.isArray(contains) ? contains.filter((path) => typeof path === 'string') : [];
}

export function noteContents(home: Home, contains: readonly string[]): void {
  const id = readId(idFile(home));
  if (id === null || contentsOf(home).join() === contains.join()) return;
  replaceFile(idFile(home), `${JSON.stringify({ id, contains })}\n`, { durable: true, mode: 0o600 });
}

/** The identity of a home that is about to be worked in; a home of an older version gets one. */
export async function settleIdentity(home: Home): Promise<HomeIdentity> {
  const folder = readId(idFile(home));
  const others = notesAbout(home).map((name) => name.slice(0, name.indexOf('.')));
  if (folder === null) return identifyHome(home, others.at(-1) ?? (await idInLedger(home)));
  if (others.length > 0 && !others.includes(folder) && movedNotes(home, folder) === null)
    throw anotherHome(home, folder, others);
  return withNotes(home, folder);
}

/** The identity as far as it is known; changes nothing. */
export function readIdentity(home: Home): HomeIdentity | null {
  const id = readId(idFile(home)) ?? marksOf(home).notes.at(-1)?.id ?? null;
  if (id === null) return null;
  const notes = notesFolder(home, id);
  const isThere = existsSync(notes);
  return { id, notes: isThere ? notes : null, problem: isThere ? null : `${notes} is not there` };
}

type Note = { id: string; dir: string; since: string };

function withNotes(home: Home, id: string): HomeIdentity {
  const notes = notesFolder(home, id);
  try {
    const moved = existsSync(notes) ? null : movedNotes(home, id);
    if (moved !== null) renameSync(join(userPlaces().notes, moved), notes);
    const before = readNote(`${id}.${folderHash(home)}`);
    const dir = realFolder(home);
    if (before?.dir !== dir) {
      makeFolder(notes, 0o700);
      const note: Note = { id, dir, since: before?.since ?? new Date().toISOString() };
      replaceFile(join(notes, 'home.json'), `${JSON.stringify(note)}\n`, { durable: true, mode: 0o600 });
    }
    return { id, notes, problem: null };
  } catch (error) {
    return { id, notes: null, problem: messageOf(error) };
  }
}

/** Notes about the same home in a folder that is no longer this home. */
function movedNotes(home: Home, id: string): string | null {
  const own = `${id}.${folderHash(home)}`;
  const moved = listNotes().find((name) => {
    if (!name.startsWith(`${id}.`) || name === own) return false;
    const dir = readNote(name)?.dir;
    return dir !== undefined && readId(join(dir, '.oka', 'home.json')) !== id;
  });
  return moved ?? null;
}

/** Folders with notes about the same home in other places: what it was copied from, and other copies. */
export function notesElsewhere(home: Home, id: string): string[] {
  const own = `${id}.${folderHash(home)}`;
  return listNotes()
    .filter((name) => name.startsWith(`${id}.`) && name !== own)
    .map((name) => join(userPlaces().notes, name));
}

function readNote(name: string): Note | null {
  try {
    return JSON.parse(readFileSync(join(userPlaces().notes, name, 'home.json'), 'utf8')) as Note;
  } catch {
    return null; // gone or cut: it says nothing
  }
}

function notesFolder(home: Home, id: string): string {
  return join(userPlaces().notes, `${id}.${folderHash(home)}`);
}

const ID = /^[0-9a-f]{32}$/;

function readId(file: string): string | null {
  try {
    const { id } = JSON.parse(readFileSync(file, 'utf8')) as { id?: unknown };
    if (typeof id === 'string' && ID.test(id)) return id;
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EACCES'].includes(errnoOf(error) ?? '')) return null;
  }
  throw new OkaError('invalid-file', `${file} does not contain the id of a home`, {
    fix: 'Restore it from a backup, or remove it: the id is then taken from the notes of this user.',
  });
}

function hasEvents(home: Home): boolean {
  const history = openHistory(home.ledgers.run);
  if (history === null) return false;
  closeHistory(history);
  return history.live.size > 0 || history.segments.length > 0;
}

/** Recent events are enough: every start of a worker records the id. */
const RECENT_EVENTS = 5000;

async function idInLedger(home: Home): Promise<string | undefined> {
  let id: string | undefined;
  const from = Math.max(1, lastSeqOf(home.ledgers.run) - RECENT_EVENTS);
  try {
    for await (const { type, data } of readEvents(home.ledgers.run, { from, type: 'worker.started' }))
      if (type === 'worker.started') id = data.home?.id ?? id;
  } catch {
    return id; // opening the ledger reports what is wrong with it
  }
  return id;
}

function anotherHome(home: Home, folder: string, others: readonly string[]): OkaError {
  return new OkaError(
    'refused',
    `${home.dir} was the home ${others.map((id) => id.slice(0, 8)).join(', ')}, and is now the home ${folder.slice(0, 8)}`,
    {
      fix: `Put the right folder there. If this is the right one: oka init --restore --dir ${home.dir}`,
    },
  );
}
