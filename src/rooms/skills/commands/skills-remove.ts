import { findSkills, skillNamed, skillsConfigOf } from '../home-skills.ts';
import { removeSkill } from '../install-skill.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import { type Answer, answer, type Call, exits } from '../../../kit/cli/command-module.ts';
import { onlyOperand } from '../../../kit/cli/operands.ts';

type Data = { skill: string; folder: string; removed: boolean };

export async function run(call: Call<{ yes: boolean }>): Promise<Answer<Data>> {
  const { home, options } = call;
  const found = skillNamed(findSkills(home, await skillsConfigOf(home)), onlyOperand(call, 'the name of a skill'));
  const { name: skill, folder } = found;
  if (!options.yes && !(await isConfirmed(call, folder))) return answer({ skill, folder, removed: false }, exits.no);
  removeSkill(home, found);
  return answer({ skill, folder, removed: true });
}

async function isConfirmed({ openDialog }: Call<{ yes: boolean }>, folder: string): Promise<boolean> {
  if (openDialog === null)
    throw new OkaError('usage', `nobody is there to confirm that ${folder} is to be deleted`, { fix: 'Add --yes.' });
  const dialog = await openDialog();
  return /^y(es)?$/i.test(await dialog.ask(`Delete ${folder}? [y/N] `));
}

export const render = ({ skill, folder, removed }: Data): string =>
  removed ? `Deleted ${skill} (${folder}).\n` : `${skill} was not deleted.\n`;
