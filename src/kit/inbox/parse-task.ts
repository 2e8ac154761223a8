/** Owns: parsing a task file. Every refusal names what is wrong and where. */
import { OkaError } from '../../core/schema/errors.ts';
import { linesIn, readFrontMatter, withUnixLines } from '../../core/schema/front-matter.ts';
import { TaskFile } from '../../core/schema/task-file.ts';
import { quoteCriteria, toCriteria } from './accept-field.ts';
import { NotATask } from './plain-file.ts';
import { decodeUtf8 } from './entry-name.ts';
import { isScheduled, readSchedule, ScheduleFieldError } from '../schedule/schedule-spec.ts';

/** `notes` say what was left out of account, for the person who wrote the task. */
export type TaskText = { task: TaskFile; title: string; body: string; notes: string[] };

const FIELDS: readonly string[] = Object.keys(TaskFile.shape);
const LONGEST_TITLE = 200;

/** `name` is that of the file or folder, for messages and as a fallback title. */
export function readTask(bytes: Uint8Array, name: string): TaskText {
  const text = decodeTask(bytes);
  const { data, body } = splitFrontMatter(text, name);
  if (Object.keys(data).length === 0) assertNoBareFields(body, name);
  const { own, foreign } = splitForeign(data);
  const task = parseFields(own, () => frontMatterLines(text, name));
  if (body.trim() === '' && task.title === undefined)
    throw new NotATask('it does not say what to do: there is no text below the front matter');
  return { task, title: titleOf(task, body, name), body, notes: noteOn(foreign) };
}

/** The line of a task file where its body begins. */
export function firstLineOf(bytes: Uint8Array, body: string): number {
  const lines = withUnixLines(Buffer.from(bytes).toString('utf8')).split('\n').length;
  return Math.max(1, lines - body.split('\n').length + 1);
}

function decodeTask(bytes: Uint8Array): string {
  if (bytes.length === 0) throw new NotATask('it is empty', { unfinished: true });
  const text = decodeUtf8(bytes);
  if (text === null) throw new NotATask('its content is not valid UTF-8; save it as UTF-8 text', { unfinished: true });
  if (text.includes('\0')) throw new NotATask('it contains NUL bytes; a task is plain text', { unfinished: true });
  if (text.trim() === '') throw new NotATask('it contains only white space', { unfinished: true });
  return text;
}

function splitFrontMatter(text: string, name: string): ReturnType<typeof readFrontMatter> {
  if (isOpen(text))
    throw new NotATask('its front matter is not closed: the second --- line is missing', { unfinished: true });
  try {
    const { data, body } = readFrontMatter(quoteFields(text), name);
    return { data: 'accept' in data ? { ...data, accept: toCriteria(data['accept'] ?? null) } : data, body };
  } catch (error) {
    if (error instanceof OkaError) throw new NotATask(error.message, { cause: error });
    throw error;
  }
}

/** The front matter with quotes where YAML would read something else than people mean; the number of lines stays. */
const quoteFields = (text: string): string => quoteCriteria(text).replace(BARE_CRON, '$1"$2"');

/** A cron expression that begins with a star, which is an alias for YAML, or with @, which YAML reserves. */
const BARE_CRON = /^(\uFEFF?---[^\S\n]*\r?\n(?:(?!---).*\n)*?every:[^\S\n]+)([*@][^"\n#]*[^"\s#])/;

/** Whether front matter was opened and not closed: most likely the rest is still being written. */
function isOpen(text: string): boolean {
  const [first = '', ...rest] = withUnixLines(text).split('\n');
  return first.trimEnd() === '---' && !rest.some((line) => line.startsWith('---'));
}

/** Properties that note-taking programs such as Obsidian put into every file. */
const FOREIGN =
  /^(?:alias|aliases|created|updated|modified|date|cssclass|cssclasses|publish|permalink|(?:created|updated|modified|date)[-_ ](?:at|time|created|modified|updated)|[a-z]+-plugin)$/;

function splitForeign(data: { [key: string]: unknown }): { own: { [key: string]: unknown }; foreign: string[] } {
  const foreign = Object.keys(data).filter((key) => FOREIGN.test(key));
  return { own: Object.fromEntries(Object.entries(data).filter(([key]) => !foreign.includes(key))), foreign };
}

const noteOn = (foreign: readonly string[]): string[] =>
  foreign.length === 0 ? [] : [`front matter of another program is ignored: ${foreign.join(', ')}`];

const BARE_FIELD = new RegExp(`^(${FIELDS.join('|')}):(?:\\s|$)`);

/** A text that begins with a field has lost the fences around it. */
function assertNoBareFields(body: string, name: string): void {
  const start = body.search(/\S/);
  const field = BARE_FIELD.exec(body.slice(Math.max(0, start), start + 100))?.[1];
  if (field === undefined) return;
  const line = body.slice(0, start).split('\n').length;
  throw new NotATask(
    `${name}, line ${line}: "${field}:" is a field of front matter, which stands between two lines of --- at the very top`,
  );
}

type LineOf = ReturnType<typeof linesIn>;

/** Finds the line of a field of a task, as its author sees it. */
export const frontMatterLines = (text: string, name: string): LineOf => linesIn(quoteFields(text), name);

function parseFields(data: unknown, lines: () => LineOf): TaskFile {
  const result = TaskFile.safeParse(data);
  if (!result.success) {
    const lineOf = lines();
    throw new NotATask(result.error.issues.flatMap((issue) => problemsOf(issue, lineOf)).join('\n'));
  }
  const { dir } = result.data;
  assertSchedule(result.data, lines);
  if (dir !== undefined && isOutside(dir))
    throw new NotATask(
      `line ${lines()(['dir'])}: front matter field "dir": ${JSON.stringify(dir)} is not a path below the desk`,
    );
  return result.data;
}

function assertSchedule(task: TaskFile, lines: () => LineOf): void {
  if (!isScheduled(task)) return;
  try {
    readSchedule(task, 0);
  } catch (error) {
    if (!(error instanceof ScheduleFieldError)) throw error;
    throw new NotATask(`line ${lines()([error.field])}: front matter field "${error.field}": ${error.message}`);
  }
}

type Issue = { code?: string; keys?: string[]; path: PropertyKey[]; message: string };

function problemsOf(issue: Issue, lineOf: LineOf): string[] {
  const named = (path: readonly PropertyKey[]): string =>
    `line ${lineOf(path)}: front matter field "${path.map(String).join('.').slice(0, 100)}"`;
  if (issue.code !== 'unrecognized_keys') return [`${named(issue.path)}: ${issue.message}`];
  const known = issue.path.length === 0 ? `; there are ${FIELDS.join(', ')}` : '';
  return (issue.keys ?? []).map((key) => `${named([...issue.path, key])} is not known${known}`);
}

const isOutside = (dir: string): boolean => dir.startsWith('/') || dir.includes('\0') || dir.split('/').includes('..');

function titleOf(task: TaskFile, body: string, name: string): string {
  const title = task.title ?? headingOf(body) ?? name.replace(/\.(md|markdown|txt)$/i, '');
  return printable(title) || printable(name) || 'a task';
}

const printable = (text: string): string =>
  text
    .slice(0, 4 * LONGEST_TITLE)
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, LONGEST_TITLE);

/** The first heading; comments in code blocks do not count. */
function headingOf(body: string): string | undefined {
  let fence = '';
  for (const line of body.split('\n')) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1] ?? '';
    if (fence === '' && /^ {0,3}#{1,6}[ \t]+\S/.test(line))
      return line.slice(0, 4 * LONGEST_TITLE).replace(/^[ #]+/, '');
    if (fence === '') fence = mark;
    else if (mark.startsWith(fence)) fence = '';
  }
  return undefined;
}
