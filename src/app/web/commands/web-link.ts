import { openAccess } from '../../../kit/web/login/access.ts';
import { readAddress } from '../../../kit/web/login/address-file.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';

type Data = { link: string };

export async function run({ home }: Call): Promise<Answer<Data>> {
  await requireHome(home);
  const address = readAddress(home);
  if (address === null)
    throw new OkaError('refused', 'no dashboard is running', { fix: 'Start it: oka up, or oka web' });
  return answer({ link: `${address}login#${openAccess(home).newLink()}` });
}

export const render = ({ link }: Data): string => `${link}\n`;
