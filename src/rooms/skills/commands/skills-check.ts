import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { findSkills, type FoundSkill, skillNamed, skillPlaces, skillsConfigOf } from '../home-skills.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import { readSkillFolder } from '../../../kit/skills/skill-folder.ts';
import { type Answer, answer, type Call, exits } from '../../../kit/cli/command-module.ts';
import { riskyCommands } from '../risky-commands.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { count, indentWrapped, plainText } from '../../../kit/cli/plain-text.ts';

type Checked = {
  name: string;
  folder: string;
  problems: readonly string[];
  /** Commands in it that oka would refuse: it can be used, but a person should read it first. */
  risks: readonly string[];
  notes: readonly string[];
};
type Data = { checked: Checked[] };

export async function run(call: Call): Promise<Answer<Data>> {
  const checked = await checkedSkills(call);
  return answer(
    { checked },
    checked.some(({ problems, risks }) => problems.length + risks.length > 0) ? exits.no : exits.ok,
  );
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

export function render({ checked }: Data, terminal: Terminal): string {
  if (checked.length === 0) return 'There are no skills to check.\n';
  const lines = checked.flatMap(({ name, problems, risks, notes }) => [
    `${problems.length > 0 ? terminal.red('wrong') : risks.length > 0 ? terminal.yellow('read it first') : terminal.green('ok')}  ${plainText(name)}`,
    ...[...problems, ...risks, ...notes].map((each) => indentWrapped(each, '    ', terminal)),
  ]);
  const wrong = checked.filter(({ problems }) => problems.length > 0).length;
  const risky = checked.filter(({ risks }) => risks.length > 0).length;
  const ends = [
    ...(wrong === 0 ? [] : [`${count(wrong, 'skill')} of ${checked.length} cannot be used.`]),
    ...(risky === 0 ? [] : [`${count(risky, 'skill')} of ${checked.length} with commands that oka refuses to run.`]),
  ];
  return `${[...lines, ...(ends.length === 0 ? ['Nothing is wrong.'] : ends)].join('\n')}\n`;
}
