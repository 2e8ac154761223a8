/**
 * Owns: where the command of a check runs, so that nothing it writes stays: in a copy of the desk, in the scratch folder of
 * the command. What only reads by its words runs on the desk, where it may write nothing (core/guard/command-rights.ts);
 * so does everything on a desk that is too large to be copied, or that cannot be read as a whole.
 */
import { constants } from 'node:fs';
import { copyFile, type FileHandle, mkdir, open, readdir, readlink, realpath, symlink, utimes } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { ToolCall } from '../../../core/schema/tool.ts';

const MOST_ENTRIES = 20_000;
const MOST_BYTES = 512 * 1024 * 1024;

type Trial = { cwd: string; env: Record<string, string> };

/** Null where the call is no check, or has no folder of its own to write to. */
export async function trialFolder(
  { trial, class: effect, judged = effect }: Pick<ToolCall, 'trial' | 'class' | 'judged'>,
  { desk, cwd, scratch }: { desk: string; cwd: string; scratch: string | undefined },
): Promise<Trial | null> {
  if (trial !== true || scratch === undefined) return null;
  const caches = { PYTHONPYCACHEPREFIX: join(scratch, 'pycache') };
  if (judged === 'read') return { cwd, env: caches };
  const copy = join(scratch, 'desk');
  const room = { entries: MOST_ENTRIES, bytes: MOST_BYTES };
  const isCopied = await copyFolder(desk, copy, room).catch(() => false); // not readable, or no room: on the desk, read-only
  if (!isCopied) return { cwd, env: { ...caches, HOME: scratch } };
  return { cwd: join(copy, relative(await realpath(desk), cwd)), env: { ...caches, HOME: copy } };
}

/**
 * Keeps links and times, which builds go by; false when there is no room for it. Each folder and file is opened once and not
 * by way of a link: another task may put a link in its place meanwhile, to something that no command may read.
 */
async function copyFolder(from: string, to: string, room: { entries: number; bytes: number }): Promise<boolean> {
  await mkdir(to, { mode: 0o700 });
  await using folder = await open(from, OPENED | constants.O_DIRECTORY);
  const inside = openedPath(folder, from);
  for (const entry of await readdir(inside, { withFileTypes: true })) {
    const [source, target] = [join(inside, entry.name), join(to, entry.name)];
    room.entries -= 1;
    if (entry.isDirectory()) {
      if (!(await copyFolder(source, target, room))) return false;
    } else if (entry.isSymbolicLink()) await symlink(await readlink(source), target);
    else if (entry.isFile()) {
      await using file = await open(source, OPENED);
      const { size, atime, mtime } = await file.stat();
      room.bytes -= size;
      if (room.entries < 0 || room.bytes < 0) return false;
      await copyFile(openedPath(file, source), target, constants.COPYFILE_FICLONE);
      await utimes(target, atime, mtime);
    }
  }
  return room.entries >= 0;
}

const OPENED = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** A name of what was opened that nobody can put anything else behind, where the system has one. */
const openedPath = ({ fd }: FileHandle, path: string): string =>
  process.platform === 'linux' ? `/proc/self/fd/${fd}` : path;
