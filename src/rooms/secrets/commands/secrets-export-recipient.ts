import { vaultOf } from '../../../kit/vault/home-vault.ts';
import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';

type Data = { recipient: string };

export async function run({ home }: Call): Promise<Answer<Data>> {
  await requireHome(home);
  return answer({ recipient: await (await vaultOf(home)).recipient() });
}

export const render = ({ recipient }: Data): string => `${recipient}\n`;
