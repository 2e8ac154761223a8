import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { findSkills, skillNamed, skillPlaces, skillsConfigOf } from '../home-skills.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import { readSkillFolder } from '../../../kit/skills/skill-folder.ts';
import { type Answer, answer, type Call, exits } from '../../../kit/cli/command-module.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { count, indentWrapped, plainText } from '../../../kit/cli/plain-text.ts';

type Checked = { name: string; folder: string; problems: readonly string[]; notes: readonly string[] };
type Data = { checked: Checked[] };

export async function run(call: Call): Promise<Answer<Data>> {
  const checked = await checkedSkills(call);
  return answer({ checked }, checked.some(({ problems }) => problems.length > 0) ? exits.no : exits.ok);
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
      notes: [],
    })),
  ];
}

function checkFolder(given: string): Checked {
  const read = readSkillFolder(given);
  const { name } = read;
  const folder = resolve(given);
  return 'problems' in read
    ? { name, folder, problems: read.problems, notes: [] }
    : { name, folder, problems: [], notes: read.notes };
}

const toChecked = ({ name, folder, problems, notes }: Checked): Checked => ({ name, folder, problems, notes });

export function render({ checked }: Data, terminal: Terminal): string {
  if (checked.length === 0) return 'There are no skills to check.\n';
  const lines = checked.flatMap(({ name, problems, notes }) => [
    `${problems.length === 0 ? terminal.green('ok') : terminal.red('wrong')}  ${plainText(name)}`,
    ...[...problems, ...notes].map((each) => indentWrapped(each, '    ', terminal)),
  ]);
  const wrong = checked.filter(({ problems }) => problems.length > 0).length;
  const end = wrong === 0 ? 'Nothing is wrong.' : `${count(wrong, 'skill')} of ${checked.length} cannot be used.`;
  return `${[...lines, end].join('\n')}\n`;
}
