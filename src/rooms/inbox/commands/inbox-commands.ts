/** Giving work. */
import { join } from 'node:path';
import { addTask, readAddition } from '../../../kit/inbox/add-task.ts';
import { isScheduled, listNextTimes, readSchedule, ScheduleFieldError } from '../../../kit/schedule/schedule-spec.ts';
import { penHolder } from '../../../core/ledger/pen.ts';
import { messageOf, OkaError } from '../../../core/schema/errors.ts';
import type { TaskFile } from '../../../core/schema/task-file.ts';
import { type Answer, answer, type Call, command, type Commands } from '../../../kit/cli/command-module.ts';
import { additionFrom } from '../../../kit/cli/addition.ts';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { editorCommand } from '../../../kit/settings.ts';
import { readTask } from '../../../kit/inbox/parse-task.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';

type NewData = { added: string | null; title: string | null; worker: boolean };

const HINTS = [
  '# When is it done? One criterion a line; without any, delete these lines. All fields: docs/TASKS.md',
  '  # - file: report.md is not empty',
  '  # - The report names the three largest customers.',
  '<!-- Say in plain words what you want (a language model plans it), or write the steps as code blocks: -->',
  '<!-- ```bash, ```python or ```js. Lines like these two are removed. -->',
];

const DEFAULT_NAME = 'task';

export const commands: Commands = {
  add: command({
    summary: 'Put a task into the inbox: a text, a file, a folder with TASK.md, or - for stdin',
    operands: '<task>',
    example: 'oka add "Sort the photos on the desk by year"',
    run: async (call) => {
      const addition = await additionFrom(call);
      const next = nextTimesOf(readAddition(addition).text.task);
      const { name, title } = addTask(join(call.home.workspace, 'inbox'), addition);
      return answer({ added: name, title, worker: penHolder(call.home.ledgers.run) !== null, ...next });
    },
    render: ({ title, worker, next = [] }) =>
      `Added: ${title}${next.length === 0 ? '' : `\nNext times:${next.map((each) => `\n  ${each}`).join('')}`}${worker ? '' : '\nNo worker is running; start one: oka up'}\n`,
  }),
  new: command({
    summary: 'Write a task in your editor ($EDITOR) and put it into the inbox',
    operands: '[title]',
    example: 'oka new "Totals by month"',
    run: newCommand,
    render: ({ title, worker }) => {
      if (title === null) return 'Nothing was written, so no task was added.\n';
      return `Added: ${title}${worker ? '' : '\nNo worker is running; start one: oka up'}\n`;
    },
  }),
};

function nextTimesOf(task: TaskFile): { next?: string[] } {
  if (!isScheduled(task)) return {};
  try {
    return { next: listNextTimes(readSchedule(task, Date.now()), Date.now()) };
  } catch (error) {
    if (error instanceof ScheduleFieldError) throw new OkaError('usage', `${error.field}: ${error.message}`);
    throw error;
  }
}

const templateOf = (title: string): string =>
  ['---', HINTS[0], 'accept:', HINTS[1], HINTS[2], '---', `# ${title}`, '', HINTS[3], HINTS[4], ''].join('\n');

function withoutHints(text: string): string {
  const lines = text.split('\n').filter((line) => !HINTS.includes(line));
  return lines.join('\n').replace(/^---\naccept:\n---\n/, '');
}

/** The editor gets the terminal; its command may have options, such as "code --wait". */
function openEditor({ stdin }: Pick<Call, 'stdin'>, file: string, folder: string): void {
  const editor = editorCommand() ?? (stdin.isTTY === true ? 'vi' : null);
  const ran =
    editor === null ? null : spawnSync('/bin/sh', ['-c', `${editor} "$1"`, 'oka', file], { stdio: 'inherit' });
  if (ran?.status === 0) return;
  rmSync(folder, { recursive: true });
  throw new OkaError('refused', ran === null ? 'no editor is set' : `the editor (${editor}) did not end well`, {
    fix: 'Set EDITOR to your editor, such as EDITOR=nano; or write a file and run: oka add FILE',
  });
}

function addWritten(inbox: string, text: string, file: string): { name: string; title: string } {
  const bytes = Buffer.from(text);
  try {
    return addTask(inbox, { name: `${nameFor(readTask(bytes, DEFAULT_NAME).title)}.md`, bytes, files: null });
  } catch (error) {
    writeFileSync(file, text);
    throw new OkaError('invalid-file', `it was not added: ${messageOf(error)}`, {
      fix: `What you wrote is in ${file}. Correct it, then: oka add ${file}`,
      cause: error,
    });
  }
}

function nameFor(title: string): string {
  const words =
    title
      .normalize('NFKD')
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? [];
  return words.slice(0, 6).join('-').slice(0, 40) || DEFAULT_NAME;
}

/** A task that was not changed, or is empty now, is not added; one that cannot be read stays where it was written. */
async function newCommand(call: Call): Promise<Answer<NewData>> {
  await requireHome(call.home);
  const template = templateOf(call.operands.join(' '));
  const folder = mkdtempSync(join(tmpdir(), 'oka-new-'));
  const file = join(folder, 'task.md');
  writeFileSync(file, template);
  openEditor(call, file, folder);
  const text = withoutHints(readFileSync(file, 'utf8'));
  const worker = penHolder(call.home.ledgers.run) !== null;
  const isUnchanged = text.trim() === '' || text === withoutHints(template);
  const added = isUnchanged ? null : addWritten(join(call.home.workspace, 'inbox'), text, file);
  rmSync(folder, { recursive: true });
  return answer({ added: added?.name ?? null, title: added?.title ?? null, worker });
}
