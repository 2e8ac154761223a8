/**
 * Owns: noticing that a person has changed config.json.
 * A new process applies the settings, all at once; a file that is not valid is reported and changes nothing.
 */
import { readFileSync } from 'node:fs';
import { lstatIfPresent } from '../../core/ledger/disk.ts';
import { messageOf } from '../../core/schema/errors.ts';
import { loadRoomsConfig } from '../house/room-config.ts';
import type { HouseRoom } from '../house/house.ts';
import type { Home } from '../../core/schema/home.ts';

type ConfigChange = { kind: 'same' } | { kind: 'changed' } | { kind: 'invalid'; reason: string };

/** Reports each change once, when the file was the same in two checks in a row. */
export function watchConfig(home: Home, rooms?: readonly HouseRoom[]): () => Promise<ConfigChange> {
  let settled = stampOf(home.config);
  let seen = settled;
  let text = readConfigText(home.config);
  return async () => {
    const stamp = stampOf(home.config);
    if (stamp === settled) return { kind: 'same' };
    if (stamp !== seen) {
      seen = stamp;
      return { kind: 'same' };
    }
    settled = stamp;
    const before = text;
    text = readConfigText(home.config);
    if (text === before && text !== null) return { kind: 'same' }; // only its mode or its times have changed
    return loadRoomsConfig(home, rooms).then(
      () => ({ kind: 'changed' }),
      (error: unknown) => ({ kind: 'invalid', reason: `${messageOf(error)}\nThe previous settings remain active.` }),
    );
  };
}

/** Null when it cannot be read. */
function readConfigText(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

/** A different file in the same place is a change, too: editors save by renaming. */
function stampOf(file: string): string {
  const found = lstatIfPresent(file);
  return found === undefined ? 'missing' : [found.ino, found.size, found.mtimeMs, found.ctimeMs].join(' ');
}
