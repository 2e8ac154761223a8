/** Owns: looking through the inbox, everything in it, in bounded slices of time. The result replaces what was known. */
import { readdirSync } from 'node:fs';
import { setImmediate as breathe } from 'node:timers/promises';
import { errnoOf, messageOf } from '../schema/errors.ts';
import { type Entry, type Limits, lookAtEntry, type Patience, type Sight } from './deliver.ts';
import { newFolder, removeIfEmpty } from './places.ts';

/** By path, in bytes read as Latin-1. */
export type Sights = ReadonlyMap<string, Sight>;
export type Scanned = { sights: Map<string, Sight>; troubles: string[] };

const SLICE_MS = 10;

export async function scan(inbox: string, before: Sights, now: number, rules: Limits & Patience): Promise<Scanned> {
  const sights = new Map<string, Sight>();
  const troubles: string[] = [];
  let until = performance.now() + SLICE_MS;
  for (const entry of entriesIn(inbox)) {
    const key = entry.path.toString('latin1');
    try {
      const sight = lookAtEntry(entry, before.get(key), now, rules);
      if (sight !== null) sights.set(key, sight);
    } catch (error) {
      troubles.push(`${entry.path.toString()} cannot be looked at: ${messageOf(error)}`);
    }
    if (performance.now() < until) continue;
    await breathe();
    until = performance.now() + SLICE_MS;
  }
  return { sights, troubles };
}

function entriesIn(inbox: string): Entry[] {
  const dropped = namesIn(inbox).map((name): Entry => ({ path: below(inbox, name), name, by: 'inbox' }));
  const added = namesIn(newFolder(inbox)).flatMap((name) => (name[0] === 0x2e ? [] : addedIn(inbox, name)));
  return [...added, ...dropped];
}

/** One of `oka add`: a folder that holds one file or folder. */
function addedIn(inbox: string, name: Buffer): Entry[] {
  const folder = below(newFolder(inbox), name);
  const names = namesIn(folder);
  if (names.length === 0) removeIfEmpty(folder);
  return names.map((each): Entry => ({ path: below(folder, each), name: each, by: 'add' }));
}

const below = (folder: string | Buffer, name: Buffer): Buffer =>
  Buffer.concat([Buffer.from(folder), Buffer.from('/'), name]);

function namesIn(folder: string | Buffer): Buffer[] {
  try {
    return readdirSync(folder, { encoding: 'buffer' });
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return [];
    throw error;
  }
}
