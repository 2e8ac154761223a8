import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { editorCommand } from '../../../kit/settings.ts';
import { addTask } from '../../../kit/inbox/add-task.ts';
import { readTask } from '../../../kit/inbox/parse-task.ts';
import { penHolder } from '../../../core/ledger/pen.ts';
import { messageOf, OkaError } from '../../../core/schema/errors.ts';
import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';

type Data = { added: string | null; title: string | null; worker: boolean };

const HINTS = [
  '# When is it done? One criterion a line; without any, delete these lines. All fields: docs/TASKS.md',
  '  # - file: report.md is not empty',
  '  # - The report names the three largest customers.',
  '<!-- Say in plain words what you want (a language model plans it), or write the steps as code blocks: -->',
  '<!-- ```bash, ```python or ```js. Lines like these two are removed. -->',
];
const DEFAULT_NAME = 'task';

/** A task that was not changed, or is empty now, is not added; one that cannot be read stays where it was written. */
export async function run(call: Call): Promise<Answer<Data>> {
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

export function render({ title, worker }: Data): string {
  if (title === null) return 'Nothing was written, so no task was added.\n';
  return `Added: ${title}${worker ? '' : '\nNo worker is running; start one: oka up'}\n`;
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
