/**
 * Owns: which files of a folder some process has open for writing, as far as the system shows it: on Linux, /proc lists
 * the files of this user's processes in the same container; elsewhere nothing is known.
 *
 * One pass over /proc answers for the whole folder, so that thousands of tasks cost as much as one.
 */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync, realpathSync, type Stats } from 'node:fs';
import { setImmediate as breathe } from 'node:timers/promises';
import { errnoOf } from '../../core/schema/errors.ts';
import { launcherPath } from '../sandbox/find-launcher.ts';
import { isInContainer } from '../settings.ts';

/** From the path of a file, its bytes decoded as Latin-1, to the process that may still write to it. */
export type OpenFiles = ReadonlyMap<string, string>;

const SLICE_MS = 5;
const O_ACCMODE = 3;
/** At once, so that the words of the command are not too many. */
const MOST_ASKED = 200;
const ASK_MS = 10_000;

export async function filesOpenForWriting(folder: string, proc = '/proc'): Promise<OpenFiles> {
  const open = new Map<string, string>();
  const real = Buffer.from(realpathSync(folder)).toString('latin1');
  const asGiven = Buffer.from(folder).toString('latin1');
  let until = performance.now() + SLICE_MS;
  for (const pid of namesIn(proc).filter((name) => /^\d+$/.test(name))) {
    for (const fd of namesIn(`${proc}/${pid}/fd`)) {
      const path = linkTarget(`${proc}/${pid}/fd/${fd}`);
      if (!path.startsWith(`${real}/`) || !isWritable(`${proc}/${pid}/fdinfo/${fd}`)) continue;
      open.set(
        `${asGiven}${path.slice(real.length)}`,
        `${readIfPresent(`${proc}/${pid}/comm`).trim()}, process ${pid}`,
      );
    }
    if (performance.now() < until) continue;
    await breathe();
    until = performance.now() + SLICE_MS;
  }
  return open;
}

/**
 * Whether somebody may write to it unseen: another user, or anybody on the other side of our container. Where nothing is
 * shown about anybody, the settling time is all there is.
 */
export function mayBeWrittenUnseen({ uid }: Pick<Stats, 'uid'>): boolean {
  const user = process.geteuid?.();
  if (process.platform !== 'linux' || user === undefined) return false;
  return isInContainer() || (user !== 0 && uid !== user);
}

/**
 * Those of these files that somebody has open for writing, also another user or somebody outside of our container: the
 * kernel refuses a lease for them (native/lease.c). It gives one only to the owner of a file, and not on every file
 * system; where it says nothing, the settling time decides.
 */
export async function filesWrittenUnseen(files: readonly string[], launcher = launcherPath()): Promise<Set<string>> {
  const written = new Set<string>();
  for (let from = 0; from < files.length; from += MOST_ASKED) {
    const asked = files.slice(from, from + MOST_ASKED);
    const states = await askForWriters(launcher, asked);
    for (const [index, file] of asked.entries()) if (states[index] === 'written') written.add(file);
  }
  return written;
}

/** Nothing where there is no launcher. */
function askForWriters(launcher: string, files: readonly string[]): Promise<string[]> {
  return new Promise((resolve) => {
    execFile(launcher, ['--written', ...files], { env: {}, timeout: ASK_MS }, (_, said) => resolve(said.split('\n')));
  });
}

/** The process that writes to this entry, or to a file in it. */
export function writerOf(open: OpenFiles, path: Buffer): string | null {
  const key = path.toString('latin1');
  for (const [file, by] of open) if (file === key || file.startsWith(`${key}/`)) return by;
  return null;
}

function isWritable(info: string): boolean {
  const flags = /^flags:\s*([0-7]+)/m.exec(readIfPresent(info))?.[1] ?? '0';
  return (Number.parseInt(flags, 8) & O_ACCMODE) !== 0;
}

const linkTarget = (path: string): string => ifPresent(() => readlinkSync(path, 'latin1'), '');
const readIfPresent = (path: string): string => ifPresent(() => readFileSync(path, 'utf8'), '');
const namesIn = (path: string): string[] => ifPresent(() => readdirSync(path), []);

/** Processes come and go, and those of other users cannot be read. */
function ifPresent<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return otherwise;
  }
}
