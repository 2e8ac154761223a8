/**
 * Owns: copies of what a task has delivered, next to its RESULT.md. Tasks without a folder of their own share the top of
 * the desk, where the next one may replace what the last one wrote.
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

/** Returns where the copies are, relative to the folder of the result, by their paths on the desk. */
export function deliverFiles(
  folder: string,
  steps: readonly Step[],
  { shadow, redact }: { shadow: Pick<Snapshots, 'filesLeft' | 'contentOf'>; redact: Redact },
): Map<string, string> {
  const copies = new Map<string, string>();
  let left = MOST_BYTES;
  for (const { path, entry } of shadow.filesLeft(steps)) {
    if (copies.size === MOST_FILES || triggersAmong([path]).length > 0) continue;
    const content = shadow.contentOf(entry);
    if (content === null || content.length > left || hasSecret(content, redact)) continue;
    const file = join(folder, FOLDER, path);
    mkdirSync(dirname(file), { recursive: true });
    replaceShownFile(file, content);
    copies.set(path, `${FOLDER}/${path}`);
    left -= content.length;
  }
  return copies;
}
