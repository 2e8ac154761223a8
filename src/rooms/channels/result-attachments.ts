/**
 * Owns: the files that a task has delivered, as a message attaches them.
 *
 * 1. They are the new and changed files that RESULT.md links, in the folder of the result or on the desk.
 * 2. Commands write the desk while a file is read: what is read is a plain file below one of these folders when it is
 *    open, whatever its path says, and never a link.
 * 3. A file that contains a secret, or makes other programs run, is not attached.
 */
import { fstatSync, readSync, realpathSync, statSync } from 'node:fs';
import { basename, join, resolve, sep } from 'node:path';
import { withPlain } from '../../kit/inbox/plain-file.ts';
import { lstatIfPresent } from '../../core/ledger/disk.ts';
import type { MessageFile } from '../../core/schema/channel-port.ts';
import type { Home } from '../../core/schema/home.ts';
import type { Redact } from '../../core/schema/ports.ts';
import { triggersAmong } from '../../core/schema/program-triggers.ts';
import { hasSecret } from '../../kit/vault/has-secret.ts';

const MOST_FILES = 50;
const MOST_BYTES = 50 * 1024 * 1024;
const LINKED = /^- (?:new|changed) \[`+[^\n]*?`+\]\(([^)\s]{1,4000})\)$/gm;

export function resultAttachments(home: Home, run: string, page: string, redact: Redact): MessageFile[] {
  const folder = join(home.workspace, 'outbox', run);
  const roots = [folder, join(home.workspace, 'desk')];
  const paths = Array.from(page.matchAll(LINKED), ([, target = '']) => resolve(folder, decodePath(target)));
  return [...new Set(paths)].slice(0, MOST_FILES).flatMap((path): MessageFile[] => {
    const root = roots.find((each) => path.startsWith(each + sep));
    const stats = lstatIfPresent(path);
    if (root === undefined || stats?.isFile() !== true || triggersAmong([path.slice(root.length + 1)]).length > 0)
      return [];
    return [{ name: basename(path), bytes: stats.size, read: () => readBelow(root, path, redact) }];
  });
}

function decodePath(target: string): string {
  try {
    return decodeURIComponent(target);
  } catch {
    return target;
  }
}

/** Null when it is not a plain file below the folder, or may not leave it. */
function readBelow(root: string, path: string, redact: Redact): Buffer | null {
  try {
    return withPlain(path, (fd, stats) => {
      const real = realpathSync(path);
      const there = statSync(real);
      const isBelow = real.startsWith(realpathSync(root) + sep) && there.ino === stats.ino && there.dev === stats.dev;
      if (!isBelow || stats.size > MOST_BYTES) return null;
      const content = Buffer.alloc(fstatSync(fd).size);
      const bytes = content.subarray(0, readSync(fd, content, 0, content.length, 0));
      return hasSecret(bytes, redact) ? null : bytes;
    });
  } catch {
    return null; // gone meanwhile, or not a plain file
  }
}
