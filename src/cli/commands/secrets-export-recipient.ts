import { vaultOf } from '../../kit/vault/home-vault.ts';
import { type Answer, answer, type Call } from '../command-module.ts';
import { requireHome } from '../require-home.ts';

type Data = { recipient: string };

export async function run({ home }: Call): Promise<Answer<Data>> {
  await requireHome(home);
  return answer({ recipient: await (await vaultOf(home)).recipient() });
}

export const render = ({ recipient }: Data): string => `${recipient}\n`;
