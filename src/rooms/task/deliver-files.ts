/**
 * Owns: copies of what a task has delivered, next to its RESULT.md: the next task may replace on the desk what this one
 * wrote, and a result can be given to somebody as one folder.
 *
 * 1. The copies are what the task itself left, read from the snapshots of its calls, whatever the desk is like by now.
 * 2. Few and small files only; none that contains a secret or makes other programs run.
 */
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { replaceShownFile } from '../../core/ledger/disk.ts';
import type { Redact } from '../../core/schema/ports.ts';
import { triggersAmong } from '../../core/schema/program-triggers.ts';
import type { Step } from '../../kit/desk/plan-undo.ts';
import type { Snapshots } from '../../kit/desk/snapshots.ts';
import { hasSecret } from '../../kit/vault/has-secret.ts';

const FOLDER = 'files';
const MOST_FILES = 50;
const MOST_BYTES = 16 * 1024 * 1024;

/**
 * Returns where the copies are, relative to the folder of the result, by their paths on the desk. `own` is a folder of the
 * task itself: what is in it is named as the task names it, so that its pages show its pictures.
 */
export function deliverFiles(
  folder: string,
  steps: readonly Step[],
  { shadow, redact, own }: { shadow: Pick<Snapshots, 'filesLeft' | 'contentOf'>; redact: Redact; own: string | null },
): Map<string, string> {
  const copies = new Map<string, string>();
  const taken = new Set<string>();
  let left = MOST_BYTES;
  for (const { path, entry } of shadow.filesLeft(steps)) {
    if (copies.size === MOST_FILES || triggersAmong([path]).length > 0) continue;
    const content = shadow.contentOf(entry);
    if (content === null || content.length > left || hasSecret(content, redact)) continue;
    const inOwn = own !== null && path.startsWith(`${own}/`) ? path.slice(own.length + 1) : path;
    const place = taken.has(inOwn) ? path : inOwn;
    taken.add(place);
    const file = join(folder, FOLDER, place);
    mkdirSync(dirname(file), { recursive: true });
    replaceShownFile(file, content);
    copies.set(path, `${FOLDER}/${place}`);
    left -= content.length;
  }
  return copies;
}
