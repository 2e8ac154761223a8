import { OkaError } from '../../../core/schema/errors.ts';
import { openAccess } from '../../../kit/web/login/access.ts';
import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';
import { onlyOperand } from '../../../kit/cli/operands.ts';
import { count } from '../../../kit/cli/plain-text.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';

type Data = { revoked: string[] };

export async function run(call: Call): Promise<Answer<Data>> {
  await requireHome(call.home);
  const access = openAccess(call.home);
  const wanted = onlyOperand(call, 'session');
  const found = access.list().filter(({ id }) => wanted === 'all' || id.startsWith(wanted));
  if (found.length === 0 && wanted !== 'all')
    throw new OkaError('usage', `there is no session "${wanted}"`, { fix: 'See which there are: oka web sessions' });
  if (found.length > 1 && wanted !== 'all')
    throw new OkaError('usage', `${found.length} sessions begin with "${wanted}"`);
  return answer({ revoked: found.filter(({ id }) => access.end(id)).map(({ id }) => id.slice(0, 8)) });
}

export const render = ({ revoked }: Data): string => `Ended ${count(revoked.length, 'session')}.\n`;
