import { openAccess, type Rights } from '../../../kit/web/login/access.ts';
import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';
import { onlyOperand } from '../../../kit/cli/operands.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';

type Data = { name: string; rights: Rights; token: string; session: string };

export async function run(call: Call<{ readOnly: boolean }>): Promise<Answer<Data>> {
  await requireHome(call.home);
  const rights = call.options.readOnly ? 'read' : 'all';
  const { secret, session } = openAccess(call.home).start('token', onlyOperand(call, 'name'), rights);
  call.notify('oka: it is shown only now. Send it as: Authorization: Bearer …');
  return answer({ name: session.name, rights, token: secret, session: session.id.slice(0, 8) });
}

export const render = ({ token }: Data): string => `${token}\n`;
