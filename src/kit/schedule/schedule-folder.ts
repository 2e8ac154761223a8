/**
 * Owns: workspace/schedules as a set of files that people edit.
 *
 * 1. A file is read again when it has changed and two scans have found it the same, so that a file that is being written is
 *    not read halfway. The first scan of a process, and one that is asked for, read at once.
 * 2. A file is gone when two scans have not found it; while the folder itself is missing nothing is gone.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { lstatIfPresent, stampOf } from '../../core/ledger/disk.ts';
import { errnoOf } from '../../core/schema/errors.ts';
import { isLitter, isUnfinished } from '../inbox/entry-name.ts';
import { Vanished } from '../inbox/plain-file.ts';
import { isGraphSchedule, readScheduleFile, type ScheduleFile, type UnreadableSchedule } from './schedule-file.ts';
import { TASK } from '../inbox/task-folder.ts';

export type ScheduleEntry = ScheduleFile | UnreadableSchedule;
/** `isFresh`: it was read by this scan. */
type ScannedSchedules = { entries: ReadonlyMap<string, ScheduleEntry>; isFresh: boolean };

type Known = { stamp: string; entry: ScheduleEntry | null; readStamp: string; isMissing: boolean };

/** What explains a file that cannot be read lies next to it under this name. */
export const reasonName = (name: string): string => `${name}.reason.md`;

export class ScheduleFolder {
  readonly path: string;
  readonly #known = new Map<string, Known>();
  #isFirst = true;

  constructor(path: string) {
    this.path = path;
  }

  /** Null while the folder is missing. */
  scan(isAtOnce = false): ScannedSchedules | null {
    const names = this.#names();
    if (names === null) return null;
    const isEager = isAtOnce || this.#isFirst;
    this.#isFirst = false;
    let isFresh = false;
    for (const name of names) isFresh = this.#read(name, isEager) || isFresh;
    const present = new Set(names);
    for (const [name, known] of this.#known) {
      if (present.has(name)) continue;
      if (known.isMissing || isEager) this.#known.delete(name);
      else known.isMissing = true;
      isFresh = true;
    }
    const read = [...this.#known].flatMap(([name, { entry }]) => (entry === null ? [] : [[name, entry] as const]));
    return { entries: new Map(read), isFresh };
  }

  #names(): string[] | null {
    try {
      const names = readdirSync(this.path).filter(isScheduleName).toSorted();
      return names;
    } catch (error) {
      if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return null;
      throw error;
    }
  }

  #read(name: string, isEager: boolean): boolean {
    const path = join(this.path, name);
    const stamp = stampOfSchedule(path);
    const before = this.#known.get(name);
    const known = before ?? { stamp: '', entry: null, readStamp: '', isMissing: false };
    known.isMissing = false;
    const isSettled = isEager || known.stamp === stamp;
    known.stamp = stamp;
    this.#known.set(name, known);
    if (known.readStamp === stamp || !isSettled) return false;
    try {
      known.entry = readScheduleFile(path, name);
      known.readStamp = stamp;
      return true;
    } catch (error) {
      if (error instanceof Vanished) return false;
      throw error;
    }
  }
}

const isScheduleName = (name: string): boolean =>
  !name.startsWith('.') && !name.endsWith('.reason.md') && !isLitter(name) && !isUnfinished(name);

/** A folder changes with its TASK.md; its other files are read when it runs. */
function stampOfSchedule(path: string): string {
  const isFolder = !isGraphSchedule(path) && lstatIfPresent(path)?.isDirectory() === true;
  return isFolder ? `${stampOf(path)} ${stampOf(join(path, TASK))}` : stampOf(path);
}
