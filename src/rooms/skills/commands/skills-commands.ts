/** Skills: instructions in folders. */
import { findSkills, type FoundSkill, skillNamed, skillPlaces, skillsConfigOf } from '../home-skills.ts';
import { type Answer, answer, type Call, command, type Commands, exits } from '../../../kit/cli/command-module.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { count, indentWrapped, plainText } from '../../../kit/cli/plain-text.ts';
import { colourSkillStatus } from '../skill-status.ts';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { OkaError } from '../../../core/schema/errors.ts';
import { readSkillFolder } from '../../../kit/skills/skill-folder.ts';
import { riskyCommands } from '../risky-commands.ts';
import { installSkill, readSkillSource, removeSkill } from '../install-skill.ts';
import { onlyOperand } from '../../../kit/cli/operands.ts';
import { flag } from '../../../kit/cli/options.ts';

type ListedSkill = Pick<FoundSkill, 'name' | 'status' | 'folder' | 'problems'> & { description: string | null };

type Checked = {
  name: string;
  folder: string;
  problems: readonly string[];
  /** Commands in it that oka would refuse: it can be used, but a person should read it first. */
  risks: readonly string[];
  notes: readonly string[];
};

type CheckData = { checked: Checked[] };

export const commands: Commands = {
  'skills list': command({
    summary: 'List the skills, and whether each can be used',
    example: 'oka skills list',
    run: async ({ home }) => {
      const skills = findSkills(home, await skillsConfigOf(home)).map(({ name, status, folder, problems, skill }) => ({
        name,
        status,
        description: skill?.header.description ?? null,
        folder,
        problems,
      }));
      return answer({ skills });
    },
    render: ({ skills }, terminal) => {
      if (skills.length === 0)
        return 'No skills yet. Put a folder with a SKILL.md into workspace/skills, or add one: oka skills add <folder>\n';
      return skills.map((skill) => renderSkill(skill, terminal)).join('');
    },
  }),
  'skills check': command({
    summary: 'Check skills against the specification, all or one; exit 1 if one is wrong',
    operands: '[skill|folder]',
    example: 'oka skills check ./my-skill',
    run: skillsCheck,
    render: ({ checked }, terminal) => {
      if (checked.length === 0) return 'There are no skills to check.\n';
      const lines = checked.flatMap(({ name, problems, risks, notes }) => [
        `${problems.length > 0 ? terminal.red('wrong') : risks.length > 0 ? terminal.yellow('read it first') : terminal.green('ok')}  ${plainText(name)}`,
        ...[...problems, ...risks, ...notes].map((each) => indentWrapped(each, '    ', terminal)),
      ]);
      const wrong = checked.filter(({ problems }) => problems.length > 0).length;
      const risky = checked.filter(({ risks }) => risks.length > 0).length;
      const ends = [
        ...(wrong === 0 ? [] : [`${count(wrong, 'skill')} of ${checked.length} cannot be used.`]),
        ...(risky === 0
          ? []
          : [`${count(risky, 'skill')} of ${checked.length} with commands that oka refuses to run.`]),
      ];
      return `${[...lines, ...(ends.length === 0 ? ['Nothing is wrong.'] : ends)].join('\n')}\n`;
    },
  }),
  'skills add': command({
    summary: 'Copy a skill from a folder, zip or tar file into .oka/skills',
    operands: '<folder|archive>',
    options: { replace: flag('Replace the skill of this name.') },
    example: 'oka skills add ~/Downloads/invoices.zip',
    run: async (call) => {
      const skill = readSkillSource(onlyOperand(call, 'the folder or archive of a skill'));
      const { folder, sha256 } = installSkill(call.home, skill, call.options.replace);
      return answer({
        added: skill.name,
        description: skill.header.description,
        folder,
        sha256,
        files: skill.files.map(({ path }) => path),
        wants: skill.header['allowed-tools'] ?? null,
        notes: skill.notes,
      });
    },
    render: ({ added, description, folder, files, wants, notes }) => {
      const lines = [
        `Added ${added}: ${plainText(description)}`,
        `It has ${count(files.length, 'file')} in ${folder}. Read it: oka skills show ${added}`,
        ...(wants === null
          ? []
          : [`It would like to use: ${plainText(wants)}. That gives it no right; your policy decides.`]),
        ...notes.map((note) => plainText(note)),
      ];
      return `${lines.join('\n')}\n`;
    },
  }),
  'skills remove': command({
    summary: 'Delete a skill',
    operands: '<skill>',
    options: { yes: flag('Do not ask.') },
    example: 'oka skills remove invoices --yes',
    run: async (call) => {
      const { home, options } = call;
      const found = skillNamed(findSkills(home, await skillsConfigOf(home)), onlyOperand(call, 'the name of a skill'));
      const { name: skill, folder } = found;
      if (!options.yes && !(await isConfirmed(call, folder)))
        return answer({ skill, folder, removed: false }, exits.no);
      removeSkill(home, found);
      return answer({ skill, folder, removed: true });
    },
    render: ({ skill, folder, removed }) =>
      removed ? `Deleted ${skill} (${folder}).\n` : `${skill} was not deleted.\n`,
  }),
};

function renderSkill({ name, status, description, folder, problems }: ListedSkill, terminal: Terminal): string {
  const lines = [
    `${terminal.bold(plainText(name))}  ${colourSkillStatus(status, terminal)}`,
    ...(description === null ? [] : [indentWrapped(description, '  ', terminal)]),
    `  ${terminal.dim(plainText(folder))}`,
    ...problems.map((problem) => indentWrapped(problem, '  ', terminal)),
  ];
  return `${lines.join('\n')}\n`;
}

async function checkedSkills({ home, operands }: Call): Promise<Checked[]> {
  const [given, ...more] = operands;
  if (more.length > 0) throw new OkaError('usage', 'name one skill or folder, or none for all of them');
  if (given !== undefined && existsSync(given)) return [checkFolder(given)];
  const { folders } = await skillsConfigOf(home);
  const found = findSkills(home, { folders });
  if (given !== undefined) return [skillNamed(found, given)].map(toChecked);
  const missing = skillPlaces(home, folders)
    .slice(2)
    .filter((folder) => !existsSync(folder));
  return [
    ...found.map(toChecked),
    ...missing.map((folder) => ({
      name: folder,
      folder,
      problems: ['config.json names it, and it is not there'],
      risks: [],
      notes: [],
    })),
  ];
}

function checkFolder(given: string): Checked {
  const read = readSkillFolder(given);
  const { name } = read;
  const folder = resolve(given);
  return 'problems' in read
    ? { name, folder, problems: read.problems, risks: [], notes: [] }
    : { name, folder, problems: [], risks: riskyCommands(read.files), notes: read.notes };
}

const toChecked = ({ name, folder, problems, notes, skill }: FoundSkill): Checked => ({
  name,
  folder,
  problems,
  risks: skill === null ? [] : riskyCommands(skill.files),
  notes,
});

async function skillsCheck(call: Call): Promise<Answer<CheckData>> {
  const checked = await checkedSkills(call);
  return answer(
    { checked },
    checked.some(({ problems, risks }) => problems.length + risks.length > 0) ? exits.no : exits.ok,
  );
}

async function isConfirmed({ openDialog }: Call<{ yes: boolean }>, folder: string): Promise<boolean> {
  if (openDialog === null)
    throw new OkaError('usage', `nobody is there to confirm that ${folder} is to be deleted`, { fix: 'Add --yes.' });
  const dialog = await openDialog();
  return /^y(es)?$/i.test(await dialog.ask(`Delete ${folder}? [y/N] `));
}
