import { findSkills, type FoundSkill, skillsConfigOf } from '../home-skills.ts';
import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { indentWrapped, plainText } from '../../../kit/cli/plain-text.ts';
import { colourSkillStatus } from '../skill-status.ts';

type ListedSkill = Pick<FoundSkill, 'name' | 'status' | 'folder' | 'problems'> & { description: string | null };
type Data = { skills: ListedSkill[] };

export async function run({ home }: Call): Promise<Answer<Data>> {
  const skills = findSkills(home, await skillsConfigOf(home)).map(({ name, status, folder, problems, skill }) => ({
    name,
    status,
    description: skill?.header.description ?? null,
    folder,
    problems,
  }));
  return answer({ skills });
}

export function render({ skills }: Data, terminal: Terminal): string {
  if (skills.length === 0)
    return 'No skills yet. Put a folder with a SKILL.md into workspace/skills, or add one: oka skills add <folder>\n';
  return skills.map((skill) => renderSkill(skill, terminal)).join('');
}

function renderSkill({ name, status, description, folder, problems }: ListedSkill, terminal: Terminal): string {
  const lines = [
    `${terminal.bold(plainText(name))}  ${colourSkillStatus(status, terminal)}`,
    ...(description === null ? [] : [indentWrapped(description, '  ', terminal)]),
    `  ${terminal.dim(plainText(folder))}`,
    ...problems.map((problem) => indentWrapped(problem, '  ', terminal)),
  ];
  return `${lines.join('\n')}\n`;
}
