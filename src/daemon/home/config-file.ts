/**
 * Owns: noticing that a person has changed config.json.
 * Settings are taken over whole, by a new process; one that is not valid is told of and changes nothing.
 */
import { lstatIfPresent } from '../../ledger/disk.ts';
import { messageOf } from '../../schema/errors.ts';
import { loadRoomsConfig } from '../room-config.ts';
import type { Home } from '../../schema/home.ts';

export type ConfigLooked = { kind: 'same' } | { kind: 'changed' } | { kind: 'invalid'; reason: string };

/** Says of a change once what became of it; it counts when it has stayed the same for one look. */
export function watchConfig(home: Home): () => Promise<ConfigLooked> {
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
    return loadRoomsConfig(home).then(
      () => ({ kind: 'changed' }),
      (error: unknown) => ({ kind: 'invalid', reason: `${messageOf(error)}\nThe settings before it still hold.` }),
    );
  };
}

/** Another file in its place is a change, too: editors save by rename. */
function stampOf(file: string): string {
  const found = lstatIfPresent(file);
  return found === undefined ? 'missing' : [found.ino, found.size, found.mtimeMs, found.ctimeMs].join(' ');
}
