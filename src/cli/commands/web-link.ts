import { openAccess } from '../../web/login/access.ts';
import { readAddress } from '../../web/login/address-file.ts';
import { OkaError } from '../../schema/errors.ts';
import { type Answer, answer, type Call } from '../command-module.ts';
import { requireHome } from '../require-home.ts';

type Data = { link: string };

export async function run({ home }: Call): Promise<Answer<Data>> {
  await requireHome(home);
  const address = readAddress(home);
  if (address === null)
    throw new OkaError('refused', 'no dashboard is running', { fix: 'Start it: oka up, or oka web' });
  return answer({ link: `${address}login#${openAccess(home).newLink()}` });
}

export const render = ({ link }: Data): string => `${link}\n`;
