import { changeServer, loadServers, mcpFile } from '../mcp-file.ts';
import { logOut } from '../login-server.ts';
import { requireServer } from '../inspect-server.ts';
import { removePins } from '../mcp-pins.ts';
import { type Answer, answer, type Call, exits } from '../../../kit/cli/command-module.ts';
import { onlyOperand } from '../../../kit/cli/operands.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';
import { recordChange } from '../../../kit/cli/secret-changes.ts';

type Data = { name: string; file: string } & (
  | { removed: true; logged_out: boolean }
  | { removed: false; text: string }
);

export async function run(call: Call): Promise<Answer<Data>> {
  const { home } = call;
  const name = onlyOperand(call, 'server');
  await requireHome(home);
  if (!loadServers(home).problems.some(({ server }) => server === name)) requireServer(home, name);
  const file = mcpFile(home);
  const text = changeServer(home, name, null);
  if (text !== null) return answer({ name, file, removed: false, text }, exits.refused);
  removePins(home, name);
  const changes = await logOut(home, name);
  for (const change of changes) await recordChange(call, change);
  return answer({ name, file, removed: true, logged_out: changes.length > 0 });
}

export function render(data: Data): string {
  if (data.removed)
    return `Removed ${data.name}.\n${data.logged_out ? 'Its login is removed, too: the tokens are no longer used.\n' : ''}`;
  return `The rules are read-only here; write this to ${data.file}:\n\n${data.text}`;
}
