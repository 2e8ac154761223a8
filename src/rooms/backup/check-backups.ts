/** Reading every backup back: whether each piece that a list names is there, and is what was stored. */
import { messageOf } from '../../core/schema/errors.ts';
import { openStore, readState, type Seal, stateTimes } from './backup-store.ts';

export type Checked = { backups: number; pieces: number; bytes: number; damaged: { at: string; why: string }[] };

export async function checkBackups(
  dir: string,
  crypt: Seal,
  signal: AbortSignal,
  onProgress: (bytes: number) => void,
): Promise<Checked> {
  const store = await openStore(dir, crypt);
  const outcome = new Map<string, string | null>();
  const damaged: Checked['damaged'] = [];
  let bytes = 0;
  const problemOf = async (id: string): Promise<string | null> => {
    signal.throwIfAborted();
    const known = outcome.get(id);
    if (known !== undefined) return known;
    const found = await store.read(id).then(
      (piece) => {
        onProgress((bytes += piece.length));
        return null;
      },
      (error: unknown) => messageOf(error),
    );
    outcome.set(id, found);
    return found;
  };
  const times = stateTimes(dir);
  for (const time of times) {
    const at = time.toISOString();
    const state = await readState(dir, time, crypt).catch((error: unknown) => messageOf(error));
    if (typeof state === 'string') {
      damaged.push({ at, why: state });
      continue;
    }
    const needed = state.files.flatMap((file) =>
      file.kind === 'file' ? file.pieces.map((id) => ({ id, path: file.path })) : [],
    );
    const inOrder = needed.toSorted((a, b) => (store.orderOf(a.id) < store.orderOf(b.id) ? -1 : 1));
    const lost = new Set<string>();
    let why = '';
    for (const { id, path } of inOrder) {
      const problem = await problemOf(id);
      if (problem === null) continue;
      lost.add(path);
      why = problem;
    }
    if (lost.size > 0)
      damaged.push({
        at,
        why: `${[...lost].slice(0, 3).join(', ')}${lost.size > 3 ? ` and ${lost.size - 3} more` : ''}: ${why}`,
      });
  }
  return { backups: times.length, pieces: outcome.size, bytes, damaged };
}
