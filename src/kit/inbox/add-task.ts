/** Owns: adding a task to the inbox atomically. It counts as delivered as soon as it is there. */
import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, renameSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { describeErrno, lstatIfPresent, syncFolder, writeNewFile } from '../../core/ledger/disk.ts';
import { OkaError } from '../../core/schema/errors.ts';
import type { TaskFile } from '../../core/schema/task-file.ts';
import { assertTaskFile, type Limits } from './delivery.ts';
import { formatBytes, NotATask, readPlain, Vanished } from './plain-file.ts';
import { newFolder, ownFolder } from './inbox-folders.ts';
import { hasControls } from './entry-name.ts';
import { firstLineOf, frontMatterLines, readTask, type TaskText } from './parse-task.ts';
import { type FolderList, listFiles, TASK } from './task-folder.ts';

/** A file as it is delivered, with its path below the inbox. */
type DeliveredFile = { path: string; bytes: Buffer; mode: number; mtimeMs?: number } | { path: string; target: string };
export type Addition = { text: string; fields?: TaskFile } | { path: string } | StoredTask;
/** A task that was taken before; `files` are the others of its folder, and null if it was a single file. */
export type StoredTask = { name: string; bytes: Buffer; files: DeliveredFile[] | null };
export type Added = { name: string; title: string };

/** What is accepted at once: the text of a task, and the files of its folder together. */
export const LIMITS: Limits = { mostBytes: 1024 * 1024, mostFolderBytes: 64 * 1024 * 1024, mostFiles: 1000 };
const STAGED_FOR_MS = 3_600_000;

/**
 * Refuses at once what is not a task, with the reason the inbox itself would give. Two deliveries with the same name
 * are one while the first has not been claimed.
 */
export function addTask(inbox: string, addition: Addition, limits: Limits = LIMITS, delivery?: string): Added {
  return reportRefusal(addition, () => {
    const { name, title, files } = contentOf(addition, limits);
    deliver(inbox, name, files, delivery);
    return { name, title };
  });
}

function reportRefusal<T>(addition: Addition, act: () => T): T {
  const source = 'path' in addition ? addition.path : 'the task';
  try {
    return act();
  } catch (error) {
    if (error instanceof Vanished) throw new OkaError('usage', `${source} does not exist`, { cause: error });
    if (error instanceof NotATask) throw new OkaError('invalid-file', `${source}: ${error.message}`, { cause: error });
    throw error;
  }
}

/** A task as the inbox would read it, and what lies next to it. */
type ReadAddition = {
  name: string;
  text: TaskText;
  /** Line of the file where the body begins. */
  firstLine: number;
  /** The line of a field of its front matter. */
  lineOf: (path: readonly PropertyKey[]) => number;
  isFolder: boolean;
  files: string[];
  notes: string[];
};

/** Reads a task and adds nothing; refuses what `addTask` would refuse. */
export function readAddition(addition: Addition, limits: Limits = LIMITS): ReadAddition {
  return reportRefusal(addition, () => {
    const { name, files } = contentOf(addition, limits);
    const [first, ...others] = files;
    const bytes = first !== undefined && 'bytes' in first ? first.bytes : Buffer.alloc(0);
    const text = readTask(bytes, name);
    const isFolder = first !== undefined && first.path !== name;
    const leftOut = isFolder && 'path' in addition ? listFiles(resolve(addition.path), limits).leftOut : [];
    return {
      name,
      text,
      firstLine: firstLineOf(bytes, text.body),
      lineOf: frontMatterLines(bytes.toString(), name),
      isFolder,
      files: others.map(({ path }) => path.slice(name.length + 1)),
      notes: [...text.notes, ...leftOut.map((path) => `${path} could lead out of the folder and is left out`)],
    };
  });
}

type Content = Added & { files: Iterable<DeliveredFile> };

function contentOf(addition: Addition, limits: Limits): Content {
  if ('text' in addition) return textTask(addition.text, addition.fields ?? {}, limits);
  if ('name' in addition) return storedTask(addition);
  const path = resolve(addition.path);
  const name = basename(path);
  if (name.startsWith('.') || hasControls(name)) throw new NotATask('its name is not allowed; give it a plain one');
  const stats = lstatIfPresent(path);
  if (stats === undefined) throw new Vanished('');
  if (stats.isDirectory()) return folderTask(path, name, limits);
  assertTaskFile(stats, name, limits);
  const { bytes } = readPlain(path, limits.mostBytes);
  return { name, title: readTask(bytes, name).title, files: [{ path: name, bytes, mode: 0o644 }] };
}

function storedTask({ name, bytes, files }: StoredTask): Content {
  const { title } = readTask(bytes, name);
  if (files === null) return { name, title, files: [{ path: name, bytes, mode: 0o644 }] };
  const others = files.map((file) => ({ ...file, path: join(name, file.path) }));
  return { name, title, files: [{ path: join(name, TASK), bytes, mode: 0o644 }, ...others] };
}

function textTask(text: string, fields: TaskFile, limits: Limits): Content {
  const words =
    text
      .normalize('NFKD')
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? [];
  const name = `${words.slice(0, 6).join('-').slice(0, 40) || 'task'}.md`;
  const bytes = Buffer.from(`${headerOf(withTitle(text, fields))}${text}${text.endsWith('\n') ? '' : '\n'}`);
  if (bytes.length > limits.mostBytes) throw new NotATask(`it is longer than ${formatBytes(limits.mostBytes)}`);
  return { name, title: readTask(bytes, name).title, files: [{ path: name, bytes, mode: 0o644 }] };
}

/** A text without a heading gets its first line as title. */
function withTitle(text: string, fields: TaskFile): TaskFile {
  if (/^(---|#)/m.test(text) || fields.title !== undefined) return fields;
  const title = text
    .trim()
    .slice(0, 200)
    .split('\n', 1)[0]
    ?.replaceAll(/\p{Cc}/gu, ' ')
    .trim();
  return title === undefined || title === '' ? fields : { title, ...fields };
}

/** Front matter written as JSON, which is also YAML. */
function headerOf(fields: TaskFile): string {
  const lines = Object.entries(fields).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key}: ${JSON.stringify(value)}\n`],
  );
  return lines.length === 0 ? '' : `---\n${lines.join('')}---\n`;
}

function folderTask(path: string, name: string, limits: Limits): Content {
  const list = listFiles(path, limits);
  const { title } = readTask(readPlain(join(path, list.task), limits.mostBytes).bytes, name);
  return { name, title, files: readEach(path, name, list, limits) };
}

/** Reads one file at a time, since a folder may be too large for memory. */
function* readEach(path: string, name: string, { task, files, links }: FolderList, limits: Limits): DeliveredFiles {
  for (const each of [task, ...files]) {
    const { bytes, stats } = readPlain(join(path, each), limits.mostFolderBytes);
    yield { path: join(name, each), bytes, mode: stats.mode & 0o111 ? 0o755 : 0o644, mtimeMs: stats.mtimeMs };
  }
  for (const { path: each, target } of links) yield { path: join(name, each), target };
}

type DeliveredFiles = Generator<DeliveredFile, void>;

/** Writes files under a hidden name, flushes them, and makes them visible by one rename. */
function deliver(inbox: string, name: string, files: Content['files'], delivery: string = randomUUID()): void {
  const folder = ownFolder(newFolder(inbox));
  if (lstatIfPresent(join(folder, delivery)) !== undefined) return;
  const staged = join(folder, `.${randomUUID()}`);
  try {
    clearStaged(folder);
    mkdirSync(staged);
    for (const file of files) {
      const at = join(staged, file.path);
      mkdirSync(dirname(at), { recursive: true });
      if ('target' in file) symlinkSync(file.target, at);
      else writeNewFile(at, file.bytes, { mode: file.mode, mtimeMs: file.mtimeMs, durable: true });
    }
    syncFolder(staged);
    renameSync(staged, join(folder, delivery));
    syncFolder(folder);
  } catch (error) {
    rmSync(staged, { recursive: true, force: true });
    throw error instanceof NotATask || error instanceof Vanished ? error : describeErrno(error, join(inbox, name));
  }
}

/** Removes what a process left behind when it died while writing. */
function clearStaged(folder: string): void {
  const oldest = Date.now() - STAGED_FOR_MS;
  for (const name of readdirSync(folder).filter((each) => each.startsWith('.')))
    if ((statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? oldest) < oldest)
      rmSync(join(folder, name), { recursive: true, force: true });
}
