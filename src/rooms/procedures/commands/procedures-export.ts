import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { makeFolder, writeNewFile } from '../../../core/ledger/disk.ts';
import { procedureAsSkill } from '../export-skill.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';
import { findProcedure } from '../procedure-access.ts';

type Data = { procedure: string; skill: string; folder: string };

export async function run(call: Call<{ to: string | undefined }>): Promise<Answer<Data>> {
  const { procedure, status } = await findProcedure(call);
  if (status !== 'promoted')
    throw new OkaError('refused', `${procedure.id} is ${status}; only a promoted procedure is exported`, {
      fix: `See what is missing: oka procedures why ${procedure.id}`,
    });
  const { name, text } = procedureAsSkill(procedure);
  const folder = join(
    call.options.to === undefined ? join(call.home.workspace, 'skills') : resolve(call.options.to),
    name,
  );
  if (existsSync(folder))
    throw new OkaError('usage', `${folder} is there already`, { fix: 'Remove it, or choose another folder: --to' });
  makeFolder(folder);
  writeNewFile(join(folder, 'SKILL.md'), text);
  return answer({ procedure: procedure.id, skill: name, folder });
}

export const render = ({ skill, folder }: Data): string =>
  `Wrote the skill ${skill} (${folder}). Read it: oka skills show ${skill}\n`;
