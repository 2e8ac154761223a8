import { serverState, type ServerState } from '../accepted-tools.ts';
import { loadServers } from '../mcp-file.ts';
import { isStdio, type McpServer } from '../../../core/schema/mcp.ts';
import { type Answer, answer, type Call } from '../../../kit/cli/command-module.ts';
import type { Terminal } from '../../../kit/cli/io.ts';
import { plainText } from '../../../kit/cli/plain-text.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';

type Listed = { name: string; runs: string; rights: string; timeout: number; tools: string[] } & (
  | { state: 'ready'; changed: readonly string[] }
  | { state: 'waiting' | 'unusable'; why: string }
);
type Data = { servers: Listed[]; problems: { server: string | null; problem: string }[] };

export async function run({ home }: Call): Promise<Answer<Data>> {
  await requireHome(home);
  const { servers, problems } = loadServers(home);
  const listed = [...servers].map(
    ([name, server]): Listed => describeServer(name, server, serverState(home, name, server)),
  );
  return answer({ servers: listed, problems });
}

function describeServer(name: string, server: McpServer, now: ServerState): Listed {
  const about = { name, runs: whatRuns(server), rights: describeRights(server), timeout: server.timeout };
  if (now.state !== 'ready') return { ...about, tools: [], state: now.state, why: now.why };
  return { ...about, tools: now.tools.map((tool) => tool.name), state: 'ready', changed: now.changed };
}

export function whatRuns(server: McpServer): string {
  return isStdio(server) ? [server.command, ...server.args].join(' ') : server.url;
}

export function describeRights(server: McpServer): string {
  if (!isStdio(server)) return 'elsewhere: it sees what it is given';
  const rights = [
    ...(server.paths.length > 0 ? [`reads ${server.paths.join(', ')}`] : []),
    ...(server.write.length > 0 ? [`writes ${server.write.join(', ')}`] : []),
    ...(server.net.length > 0
      ? [`reaches ${server.net.join(', ')}, so every argument of its tools can leave this machine`]
      : []),
  ];
  return rights.length === 0 ? 'no files of yours and no network' : rights.join('; ');
}

export function render({ servers, problems }: Data, { bold, dim, yellow, green }: Terminal): string {
  const lines = servers.flatMap((each) => [
    `${bold(each.name)}  ${each.state === 'ready' ? green(`${each.tools.length} tools`) : yellow(each.state)}`,
    `  ${dim(plainText(each.runs))}`,
    `  ${plainText(each.rights)}`,
    ...(each.state === 'ready' ? [] : [`  ${plainText(each.why)}. See: oka mcp tools ${each.name}`]),
    ...(each.state === 'ready' && each.changed.length > 0
      ? [`  changed since you accepted them: ${plainText(each.changed.join(', '))}. See: oka mcp tools ${each.name}`]
      : []),
  ]);
  const wrong = problems.map(({ server, problem }) => yellow(plainText(`${server ?? 'mcp.json'}: ${problem}`)));
  const all = [...lines, ...wrong];
  return all.length === 0 ? 'No MCP servers. Add one: oka mcp add NAME -- COMMAND\n' : `${all.join('\n')}\n`;
}
