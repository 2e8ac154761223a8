import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { findSkills, skillNamed, skillsConfigOf } from '../home-skills.ts';
import { makeFolder, writeNewFile } from '../../../core/ledger/disk.ts';
import { parseRunbook } from '../../../kit/task/runbook.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import { SKILL_FILE, type SkillFolder } from '../../../kit/skills/skill-folder.ts';
import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';
import { onlyOperand } from '../../../kit/cli/operands.ts';
import { count } from '../../../kit/cli/plain-text.ts';

type Data = { skill: string; task: string; steps: string[]; files: string[]; folder: string | null };

export async function run(call: Call<{ out: string | undefined }>): Promise<Answer<Data>> {
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

export function render({ task, steps, files, folder }: Data): string {
  if (folder !== null)
    return `Wrote ${folder} with ${count(steps.length, 'step')}. Read TASK.md, then: oka add ${folder}\n`;
  const note =
    files.length === 0 ? '' : `\n<!-- Its steps may need: ${files.join(', ')}. --out FOLDER writes them, too. -->\n`;
  return `${task}${note}`;
}
