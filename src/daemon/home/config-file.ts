/**
 * Owns: noticing that a person has changed config.json.
 * A new process applies the settings, all at once; a file that is not valid is reported and changes nothing.
 */
import { lstatIfPresent } from '../../ledger/disk.ts';
import { messageOf } from '../../schema/errors.ts';
import { loadRoomsConfig } from '../room-config.ts';
import type { DaemonRoom } from '../rooms.ts';
import type { Home } from '../../schema/home.ts';

export type ConfigChange = { kind: 'same' } | { kind: 'changed' } | { kind: 'invalid'; reason: string };

/** Reports each change once, when the file was the same in two checks in a row. */
export function watchConfig(home: Home, rooms?: readonly DaemonRoom[]): () => Promise<ConfigChange> {
  let settled = stampOf(home.config);
  let seen = settled;
  return async () => {
    const stamp = stampOf(home.config);
    if (stamp === settled) return { kind: 'same' };
    if (stamp !== seen) {
      seen = stamp;
      return { kind: 'same' };
    }
    settled = stamp;
    return loadRoomsConfig(home, rooms).then(
      () => ({ kind: 'changed' }),
      (error: unknown) => ({ kind: 'invalid', reason: `${messageOf(error)}\nThe previous settings remain active.` }),
    );
  };
}

/** A different file in the same place is a change, too: editors save by renaming. */
function stampOf(file: string): string {
  const found = lstatIfPresent(file);
  return found === undefined ? 'missing' : [found.ino, found.size, found.mtimeMs, found.ctimeMs].join(' ');
}
