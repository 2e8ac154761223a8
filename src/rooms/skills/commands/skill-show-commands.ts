/** One skill, and the runbook in it. */
import { findSkills, type FoundSkill, skillNamed, skillsConfigOf, skillStoreIn } from '../home-skills.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import type { SkillHeader } from '../../../core/schema/skill.ts';
import { compareSkills, type SkillChange } from '../compare-skills.ts';
import { SKILL_FILE, type SkillFolder } from '../../../kit/skills/skill-folder.ts';
import { type Answer, answer, type Call, command, type Commands } from '../../../kit/cli/command-module.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { onlyOperand } from '../../../kit/cli/operands.ts';
import { bytes, count, plainText } from '../../../kit/cli/plain-text.ts';
import { colourSkillStatus } from '../skill-status.ts';
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { makeFolder, writeNewFile } from '../../../core/ledger/disk.ts';
import { parseRunbook } from '../../../kit/task/runbook.ts';
import { flag, text } from '../../../kit/cli/options.ts';

type ShowData = Pick<FoundSkill, 'name' | 'status' | 'folder' | 'problems' | 'notes'> & {
  sha256: string;
  header: SkillHeader;
  instructions: string;
  files: { path: string; bytes: number; executable: boolean }[];
  /** Null where nothing was asked for, or nothing was accepted before. */
  changes: SkillChange[] | null;
  accepted: boolean;
};

type RunbookData = { skill: string; task: string; steps: string[]; files: string[]; folder: string | null };

export const commands: Commands = {
  'skills show': command({
    summary: 'Show a skill and its files, or how it differs from what was accepted',
    operands: '<skill>',
    options: {
      diff: flag('Only what has changed since it was accepted.'),
      accept: flag('Accept it as it is now; until then a changed skill is not used.'),
    },
    example: 'oka skills show invoices --diff',
    run: async (call) => {
      const { home, options } = call;
      const store = skillStoreIn(home);
      const found = skillNamed(
        findSkills(home, await skillsConfigOf(home), store),
        onlyOperand(call, 'the name of a skill'),
      );
      const { skill } = found;
      if (skill === null)
        throw new OkaError(
          'invalid-file',
          `${found.folder} is not a skill:\n${found.problems.map((each) => `  ${each}`).join('\n')}`,
        );
      const changes = options.diff ? changesSince(found, skill, store) : null;
      if (options.accept) store.accept(skill, 'person', Date.now());
      const { name, folder, notes } = found;
      return answer({
        name,
        folder,
        notes,
        status: options.accept ? 'ready' : found.status,
        problems: options.accept ? [] : found.problems,
        sha256: skill.sha256,
        header: skill.header,
        instructions: skill.body,
        files: skill.files.map(({ path, content, isExecutable }) => ({
          path,
          bytes: content.length,
          executable: isExecutable,
        })),
        changes,
        accepted: options.accept,
      });
    },
    render: (data, terminal) => {
      const { name, status, folder, problems, notes, accepted, changes } = data;
      const lines = [
        `${terminal.bold(name)}  ${colourSkillStatus(status, terminal)}`,
        plainText(data.header.description),
        terminal.dim(plainText(folder)),
        ...[...problems, ...notes].map((each) => plainText(each)),
        '',
        ...(changes === null ? contentLines(data, terminal) : changeLines(changes, terminal)),
        ...(accepted ? ['', 'Accepted as it is now.'] : []),
      ];
      return `${lines.join('\n')}\n`;
    },
  }),
  'skills runbook': command({
    summary: 'Print the steps of a skill as a task that needs no model, or write it with its files',
    operands: '<skill>',
    options: { out: text('FOLDER', 'Write TASK.md and the files of the skill into a new folder.', 'o') },
    example: 'oka skills runbook csv-totals --out totals',
    run: skillsRunbook,
    render: ({ task, steps, files, folder }) => {
      if (folder !== null)
        return `Wrote ${folder} with ${count(steps.length, 'step')}. Read TASK.md, then: oka add ${folder}\n`;
      const note =
        files.length === 0
          ? ''
          : `\n<!-- Its steps may need: ${files.join(', ')}. --out FOLDER writes them, too. -->\n`;
      return `${task}${note}`;
    },
  }),
};

/** Null when nothing was accepted before, or what was accepted cannot be read any more: then all of it has to be read. */
function changesSince(
  { name }: FoundSkill,
  skill: SkillFolder,
  store: ReturnType<typeof skillStoreIn>,
): SkillChange[] | null {
  if (store.pinOf(name).kind === 'none') return null;
  try {
    return compareSkills(store.accepted(name).files, skill.files);
  } catch (error) {
    if (error instanceof OkaError) return null;
    throw error;
  }
}

function contentLines({ instructions, files }: ShowData, { dim }: Terminal): string[] {
  return [
    ...instructions.trim().split('\n').map(harmless),
    '',
    ...files.map(({ path, bytes: size, executable }) =>
      dim(`${plainText(path)}  ${bytes(size)}${executable ? ', can be executed' : ''}`),
    ),
  ];
}

function changeLines(changes: readonly SkillChange[], { bold, green, red }: Terminal): string[] {
  if (changes.length === 0) return ['Nothing has changed since it was accepted.'];
  return changes.flatMap(({ path, change, lines }) => [
    bold(`${plainText(path)}: ${change}`),
    ...lines
      .map(harmless)
      .map((line) => (line.startsWith('+') ? green(line) : line.startsWith('-') ? red(line) : line)),
  ]);
}

/** The line with its indentation; characters that steer a terminal or hide text are shown as a dot. */
const harmless = (line: string): string => line.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '·');

function stepsOf({ name, body }: SkillFolder): string[] {
  const runbook = parseRunbook(body, { steps: true });
  if (runbook?.kind === 'runbook') return runbook.steps.map(({ title }) => title);
  if (runbook?.kind === 'problems')
    throw new OkaError(
      'invalid-file',
      `the steps of ${name} cannot be run as they are:\n${runbook.problems.map(({ line, problem }) => `  line ${line}: ${problem}`).join('\n')}`,
    );
  throw new OkaError('refused', `${name} has no steps that run without a model`, {
    fix: 'A runbook is made of its code blocks in bash, sh, python or JavaScript. Name the skill in a task instead.',
  });
}

function writeTask(folder: string, task: string, files: SkillFolder['files']): string {
  if (existsSync(folder))
    throw new OkaError('usage', `${folder} is there already`, { fix: 'Name a folder that is not.' });
  for (const { path, content, isExecutable } of files) {
    makeFolder(dirname(join(folder, path)));
    writeNewFile(join(folder, path), content, { mode: isExecutable ? 0o755 : 0o644 });
  }
  makeFolder(folder);
  writeNewFile(join(folder, 'TASK.md'), task);
  return folder;
}

async function skillsRunbook(call: Call<{ out: string | undefined }>): Promise<Answer<RunbookData>> {
  const { home, options } = call;
  const { skill, name, folder } = skillNamed(
    findSkills(home, await skillsConfigOf(home)),
    onlyOperand(call, 'the name of a skill'),
  );
  if (skill === null)
    throw new OkaError('invalid-file', `${folder} is not a skill`, {
      fix: `See what is wrong: oka skills check ${name}`,
    });
  const steps = stepsOf(skill);
  const task = `---\ntitle: ${JSON.stringify(`Do ${name}`)}\nsteps: true\n---\n${skill.body.trim()}\n`;
  const others = skill.files.filter(({ path }) => path !== SKILL_FILE);
  const target = options.out === undefined ? null : writeTask(resolve(options.out), task, others);
  return answer({ skill: name, task, steps, files: others.map(({ path }) => path), folder: target });
}
