/**
 * Owns: how a task gets in from the browser: a sentence, files, or both become what a person could have put into
 * workspace/inbox by hand. Does not own: reading the request, nor what the inbox does with it.
 *
 * A1 Everything is checked before anything is written, and each task appears in the inbox by one rename.
 * A2 A schedule is a field of the task; the worker moves the file to workspace/schedules.
 * A3 A sentence that is done once has a folder of its own on the desk, so that it runs beside others.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Addition, addTask, LIMITS, readAddition } from '../../../kit/inbox/add-task.ts';
import { isScheduled } from '../../../kit/schedule/schedule-spec.ts';
import { programFolder } from '../../../kit/settings.ts';
import { setFrontMatter } from '../../../kit/inbox/set-front-matter.ts';
import { TASK } from '../../../kit/inbox/task-folder.ts';
import { placeOfSentence } from '../../../kit/task/task-kind.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import type { Home } from '../../../core/schema/home.ts';
import { acceptDropped, type DroppedFile } from './dropped-files.ts';
import { previewSchedule } from './preview-schedule.ts';

export type WebTask = {
  /** What to do, in words; with files it becomes their TASK.md. */
  readonly text?: string | undefined;
  /** When it is to be done again and again, such as "every Monday 08:00". */
  readonly every?: string | undefined;
  /** The time zone of the person, for `every`; that of the machine when left out. */
  readonly timezone?: string | undefined;
  readonly files?: readonly DroppedFile[] | undefined;
};

/** `name` is that of the file or folder in the inbox, which `task.received` repeats; `next`: when it is due. */
type AddedTask = { name: string; title: string; next: string[] };

export function addWebTask(home: Pick<Home, 'workspace'>, task: WebTask, now: number): AddedTask[] {
  const additions = additionsOf(task);
  const inbox = join(home.workspace, 'inbox');
  const read = additions.map((addition) => readAddition(addition).text.task);
  return additions.map((addition, index) => {
    const fields = read[index] ?? {};
    const next = isScheduled(fields) ? previewSchedule(fields, now).next : [];
    return { ...addTask(inbox, addition), next };
  });
}

function additionsOf({ text = '', every = '', timezone, files = [] }: WebTask): Addition[] {
  const dropped = acceptDropped(files);
  if (Buffer.byteLength(text) > LIMITS.mostBytes) throw new OkaError('usage', 'this text is too long for a task');
  const fields = every.trim() === '' ? {} : { every: every.trim(), ...(timezone === undefined ? {} : { timezone }) };
  const withFields = (given: string): Buffer => Buffer.from(setFrontMatter(given, fields));
  if (dropped.length === 0) {
    if (text.trim() === '') throw new OkaError('usage', 'say what is to be done', { fix: EXAMPLE });
    if (text.startsWith('---')) return [{ text: setFrontMatter(text, fields) }];
    return [{ text, fields: every.trim() === '' ? placeOfSentence(text) : fields }];
  }
  if (text.trim() !== '')
    return [folderTask(text, Buffer.from(setFrontMatter(text, { ...titleOf(text), ...fields })), dropped)];
  const folder = commonFolder(dropped);
  const own = dropped.find(({ path }) => isTaskName(path.slice(folder.length)));
  if (own !== undefined) return [storedFolder(folder, own, dropped, withFields)];
  if (folder === '' && dropped.every(({ path }) => TASK_FILE.test(path)))
    return dropped.map(({ path, bytes }) => ({ name: path, bytes: withFields(toText(bytes, path)), files: null }));
  const [table] = dropped;
  if (dropped.length === 1 && table !== undefined && TABLE.test(table.path))
    return [folderTask(`chart ${table.path}`, withFields(taskOfTable(table.path)), dropped)];
  throw new OkaError('usage', 'say what is to be done with these files', {
    fix: `Write a sentence beside them, or drop a folder that contains a ${TASK}.`,
  });
}

const EXAMPLE = 'Such as: Summarize the invoices of October in a table.';
const isTaskName = (path: string): boolean => path.toUpperCase() === TASK.toUpperCase();
const TASK_FILE = /^[^/]+\.(?:md|markdown|txt)$/i;

const TABLE = /\.(?:csv|tsv)$/i;

/** A table without a word is done as the welcome task does it: with a chart, and a summary of one page. */
function taskOfTable(path: string): string {
  const welcome = readFileSync(join(programFolder, 'share/welcome/TASK.md'), 'utf8');
  const title = `Chart and summary of ${path.slice(path.lastIndexOf('/') + 1)}`;
  return setFrontMatter(welcome, { title, tags: [] }).replace(/^# [^]*?(?=^## )/m, `# ${title}\n\n`);
}

/** A sentence with files: a folder whose TASK.md is the sentence. A folder that was dropped stays a folder in it. */
function folderTask(text: string, bytes: Buffer, files: readonly DroppedFile[]): Addition {
  const names = (
    text
      .replace(/^---\n.*?\n---\n/s, '')
      .normalize('NFKD')
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? []
  )
    .slice(0, 6)
    .join('-')
    .slice(0, 40);
  const clash = files.find(({ path }) => isTaskName(path));
  if (clash !== undefined)
    throw new OkaError('usage', `${clash.path} says what to do already`, {
      fix: 'Leave the sentence empty, or drop the other files without it.',
    });
  return { name: names === '' ? 'task' : names, bytes, files: files.map(toDelivered('')) };
}

/** The first line names a task whose folder would else be its title. */
function titleOf(text: string): { title?: string } {
  const [first = ''] = text.trim().split('\n', 1);
  return /^(?:---|#)/m.test(text) ? {} : { title: first.replaceAll(/\p{Cc}/gu, ' ').slice(0, 200) };
}

function storedFolder(
  folder: string,
  own: DroppedFile,
  files: readonly DroppedFile[],
  withFields: (text: string) => Buffer,
): Addition {
  const others = files.filter((file) => file !== own);
  const name = folder === '' ? 'task' : folder.slice(0, -1);
  return { name, bytes: withFields(toText(own.bytes, own.path)), files: others.map(toDelivered(folder)) };
}

const toDelivered =
  (folder: string) =>
  ({ path, bytes }: DroppedFile): { path: string; bytes: Buffer; mode: number } => ({
    path: path.slice(folder.length),
    bytes: Buffer.from(bytes),
    mode: 0o644,
  });

/** "name/" when all files are in one folder; else nothing. */
function commonFolder(files: readonly DroppedFile[]): string {
  const [first = ''] = files.map(({ path }) => path.slice(0, path.indexOf('/') + 1));
  return first !== '' && files.every(({ path }) => path.startsWith(first)) ? first : '';
}

function toText(bytes: Uint8Array, name: string): string {
  if (bytes.length > LIMITS.mostBytes) throw new OkaError('invalid-file', `${name} is too long for the text of a task`);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new OkaError('invalid-file', `${name} is not valid UTF-8; save it as UTF-8 text`);
  }
}
