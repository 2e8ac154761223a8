import { installSkill, readSkillSource } from '../install-skill.ts';
import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';
import { onlyOperand } from '../../../kit/cli/operands.ts';
import { count, plainText } from '../../../kit/cli/plain-text.ts';

type Data = {
  added: string;
  description: string;
  folder: string;
  sha256: string;
  files: string[];
  wants: string | null;
  notes: readonly string[];
};

export async function run(call: Call<{ replace: boolean }>): Promise<Answer<Data>> {
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
}

export function render({ added, description, folder, files, wants, notes }: Data): string {
  const lines = [
    `Added ${added}: ${plainText(description)}`,
    `It has ${count(files.length, 'file')} in ${folder}. Read it: oka skills show ${added}`,
    ...(wants === null
      ? []
      : [`It would like to use: ${plainText(wants)}. That gives it no right; your policy decides.`]),
    ...notes.map((note) => plainText(note)),
  ];
  return `${lines.join('\n')}\n`;
}
