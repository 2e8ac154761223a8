import { logOut } from '../login-server.ts';
import { type Answer, answer, type Call, exits } from '../../../kit/cli/command-module.ts';
import { onlyOperand } from '../../../kit/cli/operands.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';
import { recordChange } from '../../../kit/cli/secret-changes.ts';

type Data = { server: string; removed: boolean };

export async function run(call: Call): Promise<Answer<Data>> {
  const server = onlyOperand(call, 'server');
  await requireHome(call.home);
  const changes = await logOut(call.home, server);
  for (const change of changes) await recordChange(call, change);
  return answer({ server, removed: changes.length > 0 }, changes.length > 0 ? exits.ok : exits.no);
}

export function render({ server, removed }: Data): string {
  return removed ? `Logged out of ${server}: its tokens are no longer used.\n` : `Nobody is logged in to ${server}.\n`;
}
