/**
 * Owns: whether a folder is still the only place of its home, or a copy of one that may work elsewhere too.
 *
 * P1 A home that was moved says nothing: where it was, it is no longer. Where nothing is known, nothing is claimed.
 * P2 A copy does nothing by the clock until a person has said here which one is the home: `oka schedule start` or `stop`.
 */
import { hash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../../core/ledger/disk.ts';
import { errnoOf, OkaError } from '../../core/schema/errors.ts';
import type { Home } from '../../core/schema/home.ts';
import { isContained } from '../settings.ts';
import { realFolder } from './home-notes.ts';

type Place = { machine: string | null; dir: string };

const placeFile = ({ oka }: Home): string => join(oka, 'place.json');
const MACHINE_IDS = ['/etc/machine-id', '/var/lib/dbus/machine-id'];

/** What a person has to decide about a home that was copied; null where it is the only one as far as can be seen. */
export function describeCopy(home: Home): string | null {
  const before = readPlace(home);
  const now = placeOf(home);
  const elsewhere = before === null ? null : whereElse(home, before, now);
  return elsewhere === null
    ? null
    : `this home was copied: it also worked ${elsewhere}. Until you say which one is the home, no schedule runs here. This one: oka schedule start; the other one: oka schedule stop`;
}

/** The place of a home that is worked in: noted once, unless it was copied. */
export function openPlace(home: Home) {
  let found: string | null | undefined;
  const claim = (): void => {
    const place = placeOf(home);
    if (JSON.stringify(readPlace(home)) !== JSON.stringify(place))
      replaceFile(placeFile(home), `${JSON.stringify(place)}\n`, { durable: true, mode: 0o600 });
    found = null;
  };
  const copy = (): string | null => {
    if (found !== undefined) return found;
    found = describeCopy(home);
    if (found === null) claim();
    return found;
  };
  return {
    /** This folder is where the home is; what it was copied from is no longer asked about. */
    claim,
    copy,
    assertOnly: (): void => {
      const problem = copy();
      if (problem !== null) throw new OkaError('refused', problem);
    },
  };
}

function whereElse(home: Home, before: Place, now: Place): string | null {
  if (before.machine !== now.machine)
    return before.machine === null || now.machine === null ? null : `on another machine, in ${before.dir}`;
  return before.dir === now.dir || !isSameHome(home, before.dir) ? null : `in ${before.dir}, where it still is`;
}

/** Whether another folder has the id of this home, and is not this folder under another name. */
function isSameHome(home: Home, dir: string): boolean {
  const [mine, other] = [join(home.oka, 'home.json'), join(dir, '.oka', 'home.json')];
  try {
    const [a, b] = [statSync(mine), statSync(other)];
    if (a.ino === b.ino && a.dev === b.dev) return false;
    return idIn(mine) === idIn(other);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EACCES'].includes(errnoOf(error) ?? '')) return false;
    throw error;
  }
}

const idIn = (file: string): unknown => (JSON.parse(readFileSync(file, 'utf8')) as { id?: unknown }).id;

function readPlace(home: Home): Place | null {
  try {
    return JSON.parse(readFileSync(placeFile(home), 'utf8')) as Place;
  } catch {
    return null; // it is noted again at the next start
  }
}

/** Containers are made again under other names, and what they are given as a machine's id is often the same for all. */
function placeOf(home: Home): Place {
  const id = isContained() ? null : MACHINE_IDS.map(readId).find((each) => each !== null);
  return { machine: id == null ? null : hash('sha256', `oka ${id}`).slice(0, 16), dir: realFolder(home) };
}

function readId(file: string): string | null {
  try {
    return readFileSync(file, 'utf8').trim() || null;
  } catch {
    return null; // not every system has such a file
  }
}
