/** The versions that are compared: this checkout as it is, and other commits in folders of their own. */
import { execFileSync } from 'node:child_process';
import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { runQuietly } from './run-program.ts';

export type Version = { name: string; top: string; [Symbol.asyncDispose](): Promise<void> };

const here = join(import.meta.dirname, '../..');

/** Throws with a sentence for people when there is no such commit. */
export function commitOf(name: string): string {
  const found = git('rev-parse', '--verify', '--quiet', `${name}^{commit}`);
  if (found === null) throw new Error(`there is no commit "${name}" in this checkout; git log lists them`);
  return found;
}

export function thisVersion(note: (text: string) => void): Version {
  if (git('status', '--porcelain', '--untracked-files=no') !== '')
    note('there are changes that are not committed: the files are measured as they are now');
  return { name: 'now', top: here, [Symbol.asyncDispose]: async () => undefined };
}

/** Checks a commit out below `folder` and installs it; what this checkout has installed is used if the locks are the same. */
export async function openVersion(commit: string, folder: string, signal: AbortSignal): Promise<Version> {
  const top = join(folder, commit.slice(0, 8));
  const remove = async (): Promise<void> => void git('worktree', 'remove', '--force', top);
  git('worktree', 'prune');
  await runQuietly('git', ['worktree', 'add', '--quiet', '--detach', top, commit], { cwd: here, signal });
  try {
    const lockOf = (checkout: string): string => readFileSync(join(checkout, 'package-lock.json'), 'utf8');
    if (lockOf(top) === lockOf(here)) symlinkSync(join(here, 'node_modules'), join(top, 'node_modules'));
    else await runQuietly('npm', ['ci', '--no-audit', '--no-fund'], { cwd: top, signal });
    return { name: commit.slice(0, 8), top, [Symbol.asyncDispose]: remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

function git(...words: string[]): string | null {
  try {
    return execFileSync('git', words, { cwd: here, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return null;
  }
}
