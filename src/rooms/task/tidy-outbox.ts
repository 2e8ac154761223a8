/** Removes old results. The result of a run that is not over stays, and so does what is not a result. */
import { lstatSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { lstatIfPresent } from '../../core/ledger/disk.ts';
import { namesIn } from '../../core/ledger/old-files.ts';
import { ID_SHAPE } from '../../core/schema/id-shape.ts';
import type { Tidied, Tidying } from '../../core/schema/room.ts';

type Result = { name: string; at: number; bytes: number };

/** As many as an event can list. */
const MOST_RESULTS = 10_000;

export function tidyOutbox({ home, limits, isActive, isDry }: Tidying): Pick<Tidied, 'outbox' | 'bytes'> {
  const removed: Pick<Tidied, 'outbox' | 'bytes'> = { outbox: [], bytes: 0 };
  if (limits.before.outbox === null && limits.outbox_mb === null) return removed;
  const outbox = join(home.workspace, 'outbox');
  const results = namesIn(outbox).flatMap((name) => resultIn(outbox, name));
  const before = limits.before.outbox === null ? 0 : Date.parse(limits.before.outbox);
  let size = results.reduce((sum, { bytes }) => sum + bytes, 0);
  for (const { name, at, bytes } of results.toSorted((a, b) => a.at - b.at)) {
    const isTooMuch = limits.outbox_mb !== null && size > limits.outbox_mb * 1024 * 1024;
    if ((at >= before && !isTooMuch) || isActive(name) || removed.outbox.length >= MOST_RESULTS) continue;
    if (!isDry) rmSync(join(outbox, name), { recursive: true, force: true });
    removed.outbox.push(name);
    removed.bytes += bytes;
    size -= bytes;
  }
  return removed;
}

/** Its age is that of whatever in it was changed last. */
function resultIn(outbox: string, name: string): Result[] {
  const folder = join(outbox, name);
  const isResult = ID_SHAPE.test(name) && lstatIfPresent(join(folder, 'RESULT.md'))?.isFile() === true;
  return isResult && lstatIfPresent(folder)?.isDirectory() === true ? [{ name, ...measure(folder) }] : [];
}

function measure(path: string): Omit<Result, 'name'> {
  const found = lstatSync(path);
  if (!found.isDirectory()) return { at: found.mtimeMs, bytes: found.size };
  let { mtimeMs: at, size: bytes } = found;
  for (const name of namesIn(path)) {
    const inside = measure(join(path, name));
    at = Math.max(at, inside.at);
    bytes += inside.bytes;
  }
  return { at, bytes };
}
