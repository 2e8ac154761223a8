/** Logging in at MCP servers, and removing them. */
import { changeServer, loadServers, mcpFile } from '../mcp-file.ts';
import { logIn, logOut } from '../login-server.ts';
import { requireServer } from '../inspect-server.ts';
import { removePins } from '../mcp-pins.ts';
import { type Answer, answer, type Call, command, type Commands, exits } from '../../../kit/cli/command-module.ts';
import { onlyOperand } from '../../../kit/cli/operands.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';
import { recordChange } from '../../../kit/cli/secret-changes.ts';
import { loginQuestion } from '../login-question.ts';
import { readOpenWaits } from '../../../kit/cli/find-run.ts';
import { operatorName } from '../../../kit/cli/operator-name.ts';
import { plainText } from '../../../kit/cli/plain-text.ts';
import { requestRun } from '../../../kit/cli/run-requests.ts';

type RemoveData = { name: string; file: string } & (
  | { removed: true; logged_out: boolean }
  | { removed: false; text: string }
);

export const commands: Commands = {
  'mcp remove': command({
    summary: 'Remove an MCP server, and that its tools were accepted',
    operands: '<name>',
    example: 'oka mcp remove notes',
    run: async (call: Call): Promise<Answer<RemoveData>> => {
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
    },
    render: (data: RemoveData): string => {
      if (data.removed)
        return `Removed ${data.name}.\n${data.logged_out ? 'Its login is removed, too: the tokens are no longer used.\n' : ''}`;
      return `The rules are read-only here; write this to ${data.file}:\n\n${data.text}`;
    },
  }),
  'mcp login': command({
    summary: 'Log in to an MCP server by OAuth: prints the address to open, and waits; tokens go to the vault',
    operands: '<name>',
    example: 'oka mcp login tickets',
    run: async (call) => {
      const { home, signal, rooms, notify } = call;
      const server = onlyOperand(call, 'server');
      await requireHome(home);
      const { issuer, expires, isRenewable, changes } = await logIn(home, server, {
        signal,
        rooms,
        show: (address) => notify(`Open this address in a browser on this machine to log in:\n${address.href}`),
      });
      for (const change of changes) await recordChange(call, change);
      return answer({ server, issuer, expires, renewable: isRenewable, resumed: await resumeWaiting(call, server) });
    },
    render: ({ server, issuer, expires, renewable, resumed }) => {
      const until = renewable || expires === null ? '' : ` It ends at ${expires}, and cannot be renewed without you.`;
      const going = resumed.length === 0 ? '' : `These go on: ${resumed.join(', ')}\n`;
      return `Logged in to ${server} at ${plainText(issuer)}.${until}\n${going}`;
    },
  }),
  'mcp logout': command({
    summary: 'Remove the tokens of a login to an MCP server; exit 1 if there is none',
    operands: '<name>',
    example: 'oka mcp logout tickets',
    run: async (call) => {
      const server = onlyOperand(call, 'server');
      await requireHome(call.home);
      const changes = await logOut(call.home, server);
      for (const change of changes) await recordChange(call, change);
      return answer({ server, removed: changes.length > 0 }, changes.length > 0 ? exits.ok : exits.no);
    },
    render: ({ server, removed }) =>
      removed ? `Logged out of ${server}: its tokens are no longer used.\n` : `Nobody is logged in to ${server}.\n`,
  }),
};

/** Answers the steps that wait for this login, so that they are done again. */
async function resumeWaiting(call: Call, server: string): Promise<string[]> {
  const { text } = loginQuestion(server);
  const waits = (await readOpenWaits(call.home)).filter(
    (open) => open.for.kind === 'question' && open.for.text === text,
  );
  for (const { wait } of waits)
    await requestRun(call, {
      kind: 'answer',
      wait,
      answer: { verdict: 'answered', text: 'logged in', by: operatorName() },
    });
  return waits.map(({ wait }) => wait);
}
