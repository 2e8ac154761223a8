/** Which MCP servers there are. */
import { serverState, type ServerState } from '../accepted-tools.ts';
import { changeServer, loadServers, mcpFile } from '../mcp-file.ts';
import { isStdio, type McpServer, readEntry } from '../../../core/schema/mcp.ts';
import { type Answer, answer, type Call, command, type Commands, exits } from '../../../kit/cli/command-module.ts';
import { plainText } from '../../../kit/cli/plain-text.ts';
import { requireHome } from '../../../kit/cli/require-home.ts';
import { packageLine, serverCommand } from '../server-command.ts';
import { serverFolders } from '../server-rights.ts';
import { OkaError } from '../../../core/schema/errors.ts';
import type { Home } from '../../../core/schema/home.ts';
import type { Json } from '../../../core/schema/json.ts';
import { installWords } from '../client/package-line.ts';
import { flag, text, texts } from '../../../kit/cli/options.ts';

type Listed = { name: string; runs: string; rights: string; timeout: number; tools: string[] } & (
  | { state: 'ready'; changed: readonly string[] }
  | { state: 'waiting' | 'unusable'; why: string }
);

type Options = {
  url: string | undefined;
  header: readonly string[];
  env: readonly string[];
  path: readonly string[];
  write: readonly string[];
  net: readonly string[];
  yes: boolean;
};

type AddData = { name: string; runs: string; rights: string; file: string } & (
  | { added: true; install: string | null }
  | { added: false; text: string; why: string }
);

export const commands: Commands = {
  'mcp list': command({
    summary: 'List the MCP servers of .oka/rules/mcp.json and whether their tools can be used',
    example: 'oka mcp list',
    run: async ({ home }) => {
      await requireHome(home);
      const { servers, problems } = loadServers(home);
      const listed = [...servers].map(
        ([name, server]): Listed => describeServer(name, server, serverState(home, name, server)),
      );
      return answer({ servers: listed, problems });
    },
    render: ({ servers, problems }, { bold, dim, yellow, green }) => {
      const lines = servers.flatMap((each) => [
        `${bold(each.name)}  ${each.state === 'ready' ? green(`${each.tools.length} tools`) : yellow(each.state)}`,
        `  ${dim(plainText(each.runs))}`,
        `  ${plainText(each.rights)}`,
        ...(each.state === 'ready' ? [] : [`  ${plainText(each.why)}. See: oka mcp tools ${each.name}`]),
        ...(each.state === 'ready' && each.changed.length > 0
          ? [
              `  changed since you accepted them: ${plainText(each.changed.join(', '))}. See: oka mcp tools ${each.name}`,
            ]
          : []),
      ]);
      const wrong = problems.map(({ server, problem }) => yellow(plainText(`${server ?? 'mcp.json'}: ${problem}`)));
      const all = [...lines, ...wrong];
      return all.length === 0 ? 'No MCP servers. Add one: oka mcp add NAME -- COMMAND\n' : `${all.join('\n')}\n`;
    },
  }),
  'mcp add': command({
    summary: 'Add an MCP server: behind -- the command that starts it, or --url; shows what will run first',
    operands: '<name> [-- command…]',
    options: {
      url: text('URL', 'The address of a server elsewhere.'),
      header: texts('NAME=VALUE', 'A header for it; secret:NAME stands for a secret.'),
      env: texts('NAME=VALUE', 'A variable of its environment; secret:NAME stands for a secret.'),
      path: texts('FOLDER', 'A folder that it may read.'),
      write: texts('FOLDER', 'A folder that it may also change.'),
      net: texts('HOST', 'A host that it may reach.'),
      yes: flag('Do not ask.'),
    },
    example: 'oka mcp add memory -- npx -y @modelcontextprotocol/server-memory',
    run: mcpAdd,
    render: (data, { bold }) => {
      const { name, runs, rights } = data;
      const about = `${bold(name)}\n  runs   ${plainText(runs)}\n  gets   ${plainText(rights)}\n`;
      if (!data.added) return `${about}${data.why}\n${data.text === '' ? '' : `\n${data.text}`}`;
      const install = data.install === null ? '' : `Its package is installed by: oka tools install ${data.install}\n`;
      return `${about}Added. ${install}See its tools, and let tasks use them: oka mcp tools ${name} --accept\n`;
    },
  }),
};

function describeServer(name: string, server: McpServer, now: ServerState): Listed {
  const about = { name, runs: whatRuns(server), rights: describeRights(server), timeout: server.timeout };
  if (now.state !== 'ready') return { ...about, tools: [], state: now.state, why: now.why };
  return { ...about, tools: now.tools.map((tool) => tool.name), state: 'ready', changed: now.changed };
}

function whatRuns(server: McpServer): string {
  return isStdio(server) ? [server.command, ...server.args].join(' ') : server.url;
}

function describeRights(server: McpServer): string {
  if (!isStdio(server)) return 'elsewhere: it sees what it is given';
  const rights = [
    ...(server.paths.length > 0 ? [`reads ${server.paths.join(', ')}`] : []),
    ...(server.write.length > 0 ? [`writes ${server.write.join(', ')}`] : []),
    ...(server.net.length > 0
      ? [`reaches ${server.net.join(', ')}, so every argument of its tools can leave this machine`]
      : ['no network, so it can tell nobody']),
  ];
  return rights.length === 1 && server.net.length === 0 ? 'no files of yours and no network' : rights.join('; ');
}

function toEntry(words: readonly string[], { url, header, env, path, write, net }: Options): Record<string, Json> {
  const [command, ...args] = words;
  if ((command === undefined) === (url === undefined))
    throw new OkaError('usage', 'a server has either a command behind -- or an address (--url)', {
      fix: 'oka mcp add NAME -- COMMAND ARGUMENTS, or oka mcp add NAME --url URL',
    });
  const rights = {
    ...(path.length > 0 ? { paths: [...path] } : {}),
    ...(write.length > 0 ? { write: [...write] } : {}),
    ...(net.length > 0 ? { net: [...net] } : {}),
  };
  if (url !== undefined)
    return { url, ...(header.length > 0 ? { headers: pairs(header, '--header') } : {}), ...rights };
  return { command: command ?? '', args, ...(env.length > 0 ? { env: pairs(env, '--env') } : {}), ...rights };
}

function pairs(given: readonly string[], option: string): Record<string, string> {
  return Object.fromEntries(
    given.map((each) => {
      const at = each.indexOf('=');
      if (at < 1) throw new OkaError('usage', `${option} ${each}: it has to be NAME=VALUE`);
      return [each.slice(0, at), each.slice(at + 1)];
    }),
  );
}

/** The server as it will be read; a name that is taken, in whatever case, is refused. */
function checkedServer(home: Home, name: string, entry: Record<string, Json>): McpServer {
  const read = readEntry(name, entry);
  if (typeof read === 'string') throw new OkaError('usage', `the server "${name}" cannot be added: ${read}`);
  const { servers, problems } = loadServers(home);
  const names = [...servers.keys(), ...problems.flatMap(({ server }) => server ?? [])];
  const taken = names.find((other) => other.toLowerCase() === name.toLowerCase());
  if (taken !== undefined)
    throw new OkaError('usage', `there is a server "${taken}" already`, {
      fix: `Remove it first: oka mcp remove ${taken}`,
    });
  if (isStdio(read)) {
    packageLine(read);
    serverFolders(home, read);
  }
  return read;
}

async function isConfirmed(
  { openDialog, options, json }: Call<Options>,
  { name, runs, rights }: { name: string; runs: string; rights: string },
): Promise<boolean> {
  if (options.yes || json || openDialog === null) return true;
  const dialog = await openDialog();
  dialog.print(`The server ${name} would run:\n  ${plainText(runs)}\nIt gets: ${plainText(rights)}\n`);
  return /^y(?:es)?$/i.test(await dialog.ask('Add it? [y/N] '));
}

function missingPackage(home: Home, server: McpServer): string | null {
  const line = isStdio(server) ? packageLine(server) : null;
  if (line === null || !isStdio(server)) return null;
  try {
    serverCommand(home, server);
    return null;
  } catch {
    return installWords(line); // its program is missing
  }
}

async function mcpAdd(call: Call<Options>): Promise<Answer<AddData>> {
  const { home, options } = call;
  const [name = '', ...words] = call.operands;
  await requireHome(home);
  const entry = toEntry(words, options);
  const server = checkedServer(home, name, entry);
  const about = { name, runs: whatRuns(server), rights: describeRights(server), file: mcpFile(home) };
  if (!(await isConfirmed(call, about)))
    return answer({ ...about, added: false, text: '', why: 'nothing was changed' }, exits.no);
  const text = changeServer(home, name, entry);
  if (text !== null) {
    const why = `the rules are read-only here; write this to ${about.file}`;
    return answer({ ...about, added: false, text, why }, exits.refused);
  }
  return answer({ ...about, added: true, install: missingPackage(home, server) });
}
